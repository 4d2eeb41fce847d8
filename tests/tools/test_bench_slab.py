"""bench-slab on CPU ranks, and the script that makes a picture and a table from its files. All timings are short; none is judged."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
SCRIPTS = ROOT / "workflows" / "psflip"


def timings(path, *arguments):
    command = [BIN / "bench-slab", "--backend", "cpu", "--threads", "1", "--seconds", "0.001", "--repeats", "1", "--json", path, *arguments]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1 + len(found := json.loads(path.read_text()))
    return found


def pictured(folder, *files):
    command = [sys.executable, SCRIPTS, "bench.slab_plots", "--out", folder, "--formats", "svg", "--", *files]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), (folder / "bench_slabs.svg").read_text()


def test_strong_and_weak_scaling(tmp_path):
    strong = timings(tmp_path / "strong.json", "--L", "8", "--slabs", "1,2", "--share", "32", "--columns", "2")
    assert [(t["scaling"], t["L"], t["slabs"], t["packs"]) for t in strong] == [("strong", 8, 1, 8), ("strong", 8, 2, 8)]
    weak = timings(tmp_path / "weak.json", "--weak", "8", "--slabs", "1,4")
    assert [(t["scaling"], t["L"], t["slabs"]) for t in weak] == [("weak", 8, 1), ("weak", 12, 4)]
    named = timings(tmp_path / "named.json", "--weak", "8,10,12", "--slabs", "1,2,4")
    assert [(t["scaling"], t["L"], t["slabs"]) for t in named] == [("weak", 8, 1), ("weak", 10, 2), ("weak", 12, 4)]
    assert weak[1]["efficiency"] == pytest.approx(weak[0]["ps_per_flip"] / weak[1]["ps_per_flip"] / 4, rel=1e-3)


def test_both_orders_of_sites_with_their_messages(tmp_path):
    """In each colour, the standard order sends to both neighbours, and the sliced order to one."""
    found = timings(tmp_path / "orders.json", "--L", "8", "--slabs", "1,2,3", "--halo-order", "standard,sliced,auto")
    assert [(t["slabs"], t["order"], t["messages_per_sweep"]) for t in found] == [(1, "standard", 0)] + [
        (slabs, order, messages) for slabs in (2, 3) for order, messages in (("standard", 4), ("sliced", 2), ("standard", 4))]
    assert all(("sliced site order" in t["device"]) == (t["order"] == "sliced") for t in found)


def test_the_picture_has_what_the_files_have(tmp_path):
    common = {"replicas": 4, "temperatures": 1, "columns": 1, "share": 64, "halo": "peer", "device": "cuda Test GPU, tiled kernel", "ps_per_flip": 1.0}

    def entry(L, slabs, ps, **more):
        return common | {"L": L, "slabs": slabs, "planes": L / slabs, "us_per_sweep": 4.0, "ps_per_flip_and_device": ps} | more

    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps([entry(64, 1, 1.0), entry(64, 2, 1.25)]))
    new.write_text(json.dumps([entry(64, 1, 1.0, scaling="weak"), entry(32, 1, 9.0, scaling="weak"), entry(80, 2, 1.6, scaling="weak")]))
    table, picture = pictured(tmp_path / "a", old)
    assert [line.split()[-1] for line in table[1:]] == ["1.000", "0.800"]
    assert "efficiency of a device" in picture and "each with an equal number of sites" not in picture
    table, picture = pictured(tmp_path / "b", old, new)
    assert "each with an equal number of sites" in picture
    assert table[-1].split() == ["weak", "80", "2", "2", "peer", "standard", "4.00", "1.0000", "0.625"]


def test_one_call_times_all_ways_and_both_kinds_of_scaling(tmp_path):
    out = tmp_path / "slabs.json"
    command = [sys.executable, SCRIPTS, "bench.slab_timings", "--bin", BIN, "--out", out, "--backend", "cpu", "--halo", "host", "--L", "8", "10", "--weak", "8",
               "--slabs", "1", "2", "4", "--seconds", "0.001"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = [(t["scaling"], t["L"], t["slabs"], t["order"]) for t in json.loads(out.read_text())]
    orders = {1: ["standard"], 2: ["standard", "sliced"], 4: ["standard", "sliced"]}
    strong = [("strong", L, slabs, order) for slabs in orders for L in (8, 10) for order in orders[slabs]]
    assert found == strong + [("weak", L, slabs, order) for slabs, L in ((1, 8), (2, 10), (4, 12)) for order in orders[slabs]]
    table, picture = pictured(tmp_path / "out", out)
    assert len(table) == 1 + len(found) and all(words in picture for words in ("ps per flip of all devices", "planes of a slab", "each with an equal number of sites"))


def test_the_constants_of_the_prediction_come_from_timings(tmp_path):
    """BOUNDARY = 6 planes and LATENCY = 3 microseconds, in the halos of peers in the standard order."""
    rows = []
    for L, whole in ((64, 30.0), (128, 150.0), (256, 1100.0)):
        for slabs in (1, 2, 4):
            time = whole if slabs == 1 else whole * (1 / slabs + 6 / L) + 3
            for order, factor in (("standard", 1.0), ("sliced", 2.0))[: 1 + (slabs > 1)]:
                ps = time * factor * 1e6 / (512 * L**3)
                rows.append({"L": L, "slabs": slabs, "planes": L / slabs, "columns": 1, "share": 128, "replicas": 4, "temperatures": 1, "halo": "peer", "order": order,
                             "device": "cuda Test GPU, tiled kernel", "us_per_sweep": time * factor, "ps_per_flip": ps, "ps_per_flip_and_device": slabs * ps})
    file = tmp_path / "t.json"
    file.write_text(json.dumps(rows))
    table, _ = pictured(tmp_path / "out", file)
    assert table[-4] == "plan/estimate.py: BOUNDARY = 6, LATENCY = 3e-06; deviations are at most 0%"
    assert table[-1] == "prediction: 8 slabs, L = 256, 1 pack: 166.3 microseconds per sweep, efficiency 0.83"


@pytest.mark.parametrize(
    "options, told",
    [
        (("--slabs", "1,0"), "0 slabs are not possible; use at least one"),
        (("--slabs", "-1"), "-1 slabs are not possible; use at least one"),
        (("--slabs", "2147483647"), "2147483647 ranks are too many for L = 8, because a slab has two planes or more; use at most 4 ranks"),
        (("--columns", "0"), "0 columns of realizations are not possible; use at least one"),
        (("--columns", "1,-1"), "-1 columns of realizations"),
        (("--columns", "2147483647"), "realization numbers up to 274877906688 are too large"),
        (("--L", "8,-2"), "L = -2 is out of range"),
        (("--L", "8,2147483646"), "L = 2147483646 is out of range"),
        (("--L", ""), "L = 0 is out of range"),
        (("--replicas", "9"), "9 replicas are not possible; use 1 to 8"),
        (("--temperatures", "0"), "0 temperatures are not possible; use 1 to 64"),
        (("--share", "2"), "multispin.share = 2"),
        (("--weak", "2"), "L = 2 is out of range"),
        (("--weak", "8,10"), "--weak has 2 sizes, but the numbers of slabs to time are 1; give one size"),
        (("--seconds", "nan"), "nan is not a number from 1e-06 to 100000"),
        (("--halo", "host,x"), "--halo: x not in"),
        (("--halo-order", "sliced,x"), "--halo-order: x not in"),
        (("--kernel", "fast"), "--kernel: "),
    ],
)
def test_what_cannot_be_timed_is_told_before_the_first_timing(tmp_path, options, told):
    given = {"--L": "8", "--slabs": "1", "--seconds": "0.001", "--json": tmp_path / "t.json", "--backend": "cpu"} | {options[0]: options[1]}
    command = [BIN / "bench-slab", *(word for pair in given.items() for word in pair)]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=20)
    assert done.returncode == 1 and told in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == "" and not (tmp_path / "t.json").exists()


@pytest.mark.parametrize("name, value", [("ps_per_flip", "NaN"), ("us_per_sweep", "1e999"), ("slabs", "0"), ("slabs", '"x"'), ("L", "-8"), ("L", "true"), ("device", "1"), ("halo", "1")])
def test_timings_that_are_none_are_refused(tmp_path, name, value):
    file = tmp_path / "t.json"
    good = timings(file, "--L", "8", "--slabs", "1")[0]
    file.write_text("[" + json.dumps(good | {name: "HERE"}).replace('"HERE"', value) + "]")
    done = subprocess.run([sys.executable, SCRIPTS, "bench.slab_plots", "--out", tmp_path / "out", file], capture_output=True, text=True)
    assert done.returncode == 1 and "t.json: " in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "out").exists()


def test_texts_of_timings_cannot_command_the_terminal(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps([t | {"halo": "\x1b[31m", "device": "\x1b[32m"} for t in timings(file, "--L", "8", "--slabs", "1,2")]))
    table, _ = pictured(tmp_path / "out", file)
    assert "\\x1b[31m" in table[-1] and "\x1b" not in "".join(table)
