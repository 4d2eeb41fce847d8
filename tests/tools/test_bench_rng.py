"""bench-rng and the script that shows its timings beside published ones. No timing is judged."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
SHORT = ("--backend", "cpu", "--seconds", "0.001", "--repeats", "1", "--numbers", "64000", "--square", "32", "--L", "4,6")
ALL = {
    *("minstd", "lcg32", "lcg32-sequence", "lcg64", "lcg64-sequence", "xorshift64star"),
    *("parisi-rapuano", "mt19937", "fibonacci521", "fibonacci1279", "philox"),
}


def bench(*options, code=0):
    done = subprocess.run([str(BIN / "bench-rng"), *map(str, options)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="module")
def timings(tmp_path_factory):
    out = tmp_path_factory.mktemp("timings") / "rng.json"
    text = bench(*SHORT, "--threads", 2, "--json", out)
    rows = json.loads(out.read_text())
    assert len(text.splitlines()) == len(rows)
    return out


def test_every_generator_has_every_series(timings):
    rows = json.loads(timings.read_text())
    for series, count in (("fill", 1), ("odd", 1), ("glass", 2), ("ferromagnet", 2)):
        of = [row for row in rows if row["series"] == series]
        assert {row["generator"] for row in of} == ALL and len(of) == count * len(ALL)
        for row in of:
            assert row["threads"] == 2 and row["backend"] == "cpu" and row["seed"] and row["streams"] >= 1 and row["width"] >= 1
            assert (row["numbers_per_second"] if series in ("fill", "odd") else row["ps_per_flip"]) > 0
            assert row["bytes_per_number"] >= 0 and row["state_bytes"] >= 0 and row["commit"] and row["date"].endswith("Z")


def test_own_files_are_replaced_and_others_are_not(timings, tmp_path):
    bench(*SHORT, "--generators", "minstd", "--series", "odd", "--json", timings)
    assert len(json.loads(timings.read_text())) == 1
    other = tmp_path / "notes.json"
    other.write_text("[1, 2]\n")
    assert "notes.json" in bench(*SHORT, "--series", "odd", "--json", other, code=1)
    assert other.read_text() == "[1, 2]\n"


def test_quality_repeats_itself_with_any_number_of_threads(tmp_path):
    found = []
    for threads in (1, 3):
        out = tmp_path / f"{threads}.json"
        options = ("--orders", "sequential,checkerboard,double-checkerboard", "--square", 32, "--sweeps", 640, "--backend", "cpu")
        bench("--quality", *options, "--generators", "lcg32-sequence,mt19937,fibonacci521", "--threads", threads, "--json", out)
        rows = json.loads(out.read_text())
        assert len(rows) == 9 and all(row["minus_e_exact"] is None for row in rows)
        found.append([[row[key] for key in ("generator", "order", "streams", "width", "seed", "minus_e", "C", "C_error")] for row in rows])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "options, what",
    [
        (("--generators", "rand"), "there is no generator 'rand'; there are minstd, lcg32,"),
        (("--series", "fill,flops"), "--series 'flops' is unknown; use fill, odd, glass or ferromagnet"),
        (("--orders", "rows"), "--orders 'rows' is unknown; use sequential, checkerboard or double-checkerboard"),
        (("--square", "48"), "L = 48 in 2 dimensions: the double checkerboard takes multiples of 32"),
        (("--L", "5", "--series", "glass"), "L = 5: L is even, from 4 to 512"),
        (("--quality", "--sweeps", "100"), "the measured ones are a multiple of 32, 640 at least"),
        (("--disorder", __file__), "--disorder is for --quality"),
    ],
)
def test_bad_options(options, what):
    merged = {**dict(zip(SHORT[::2], SHORT[1::2])), **({options[0]: options[1]} if len(options) == 2 else {})}
    flat = [part for pair in merged.items() for part in pair] + (list(options) if len(options) != 2 else [])
    assert what in bench(*flat, code=1)
