"""bench-sites from the command line. No timing is judged."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
SHORT = ("--backend", "cpu", "--threads", "1", "--seconds", "0.001", "--repeats", "1")


def bench(*options, code=0):
    done = subprocess.run([str(BIN / "bench-sites"), *map(str, options)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_timings_of_every_case(tmp_path):
    out = tmp_path / "sites.json"
    text = bench(*SHORT, "--L", "64,128", "--tile", "0,2", "--hits", "1,3", "--json", out)
    rows = json.loads(out.read_text())
    assert [(row["L"], row["tile"], row["hits"]) for row in rows] == [(L, *case) for L in (64, 128) for case in ((0, 1), (2, 1), (2, 3))]
    assert all(row["series"] == "flips" and row["ps_per_flip"] > 0 and row["device"].startswith("cpu") for row in rows)
    assert len(text.splitlines()) == 1 + len(rows)


def test_orders_of_tiles(tmp_path):
    out = tmp_path / "order.json"
    bench("--backend", "cpu", "--threads", 1, "--L", 64, "--tile", "0,2", "--measure", 64, "--thermalize", 8, "--tile-order", "alternating", "--json", out)
    assert [(row["tile"], row["tile_order"]) for row in json.loads(out.read_text())] == [(0, "fixed"), (2, "alternating")]


def test_demons_are_timed(tmp_path):
    out = tmp_path / "demons.json"
    bench("--backend", "cpu", "--threads", 1, "--L", 256, "--demon-sites", 16, "--seconds", 0.05, "--repeats", 1, "--json", out)
    (row,) = json.loads(out.read_text())
    assert row["demon_sites"] == 16 and row["ps_per_flip"] > 0
    assert "exclude each other" in bench(*SHORT, "--L", 64, "--demon-sites", 16, "--heat-bath", code=1)


def test_slabs_are_timed(tmp_path):
    """Tiles change both colours in each half of a step, so they send twice as many messages."""
    out = tmp_path / "slabs.json"
    bench(*SHORT, "--L", 64, "--tile", "0,2", "--slabs", "1,2", "--json", out)
    rows = json.loads(out.read_text())
    assert [(row["tile"], row["slabs"], row["messages_per_step"]) for row in rows] == [(0, 1, 0), (0, 2, 4), (2, 1, 0), (2, 2, 8)]
    for one, two in (rows[:2], rows[2:]):
        assert one["efficiency"] == 1 and two["efficiency"] == pytest.approx(one["ps_per_flip"] / two["ps_per_flip"] / 2, rel=1e-6)


@pytest.mark.parametrize("options, words", [
    (("--slabs", "1,5"), "5 ranks are too many for L = 64 with multispin.lanes = sites: the subdomains have 4 rows; use at most 4 ranks"),
    (("--slabs", 0), "0 slabs are not possible; use at least one"),
    (("--slabs", 2, "--measure", 64), "use one rank and --slabs 1, or leave out --measure"),
    (("--slabs", 2, "--replicas", 2), "use one rank and --slabs 1, or leave out --measure"),
    (("--slabs", 2, "--halo", "peer"), "--halo peer is for GPUs; on the CPU use auto or host"),
    (("--slabs", 2, "--demon-sites", 4), "large lattices with dynamics.update = demon need one rank"),
])
def test_slabs_that_do_not_suit_are_refused(options, words):
    assert words in bench(*SHORT, "--L", 64, *options, code=1)


def test_clusters_are_timed(tmp_path):
    out = tmp_path / "clusters.json"
    rows = []
    for update in (["--swendsen-wang"], ["--wolff", 2]):
        bench(*SHORT, "--L", 64, "--beta", 0.44, *update, "--json", out)
        rows += json.loads(out.read_text())
    assert [(row["update"], row["wolff_clusters"]) for row in rows] == [("swendsen-wang", 0), ("wolff", 2)] and all(row["ps_per_flip"] > 0 for row in rows)
    assert rows[0]["ps_per_flip_with_clusters"] > 0 and "ps_per_flip_with_clusters" not in rows[1]
    assert "exclude each other" in bench(*SHORT, "--L", 64, "--swendsen-wang", "--wolff", 2, code=1)
    assert "use metropolis or heat-bath" in bench(*SHORT, "--L", 64, "--model", "glass2d", "--wolff", 2, code=1)


def measured(file):
    """The rows of a file, without where and when they were measured."""
    return [{name: value for name, value in row.items() if name not in ("device", "commit", "date")} for row in json.loads(file.read_text())]


def test_averages_are_the_same_on_any_number_of_threads(tmp_path):
    rows = []
    for threads in (1, 3):
        out = tmp_path / f"{threads}.json"
        bench("--backend", "cpu", "--threads", threads, "--L", 64, "--model", "glass2d", "--beta", 0.7, "--thermalize", 5, "--measure", 64, "--json", out)
        rows += measured(out)
    assert rows[0] == rows[1]
    assert -1.4 < rows[0]["e"] < -0.5 and rows[0]["tau_e"] >= 0.5


def test_lattices_measured_together_are_those_measured_alone(tmp_path):
    files = []
    for together in (1, 3):
        files.append(tmp_path / f"{together}.json")
        bench("--backend", "cpu", "--threads", 1, "--L", 64, "--tile", 2, "--hits", "1,2", "--beta", "0.4,0.42", "--measure", 256, "--together", together, "--json", files[-1])
    alone, together = (measured(file) for file in files)
    assert alone == together and len(alone) == 4


def test_setups_that_do_not_fit_are_refused_before_any_work():
    assert "L is a multiple of 64 up to 65536" in bench(*SHORT, "--L", "64,100", code=1)
    assert "use 2, 4, 8" in bench(*SHORT, "--L", "128", "--tile", "16", code=1)
    assert "hits need tiles" in bench(*SHORT, "--L", "128", "--hits", "10", code=1)
    assert "at least 2 blocks of 2 steps" in bench(*SHORT, "--L", "64", "--measure", "10", code=1)
    assert "--thermalize: '-1' is not a whole number" in bench(*SHORT, "--L", "64", "--measure", "64", "--thermalize", "-1", code=1)
    assert "--seconds: nan is not a number from 1e-06 to 100000" in bench("--L", "64", "--seconds", "nan", code=1)
