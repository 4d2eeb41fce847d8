"""Runs bench-rng and the script that shows its relaxations. No timing is judged."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
SCRIPTS = ROOT / "workflows" / "psflip"
SHORT = ("--backend", "cpu", "--seconds", "0.001", "--repeats", "1", "--numbers", "64000", "--square", "32", "--L", "4,6", "--site-orders", "standard,bitwise,sliced")
ALL = {
    *("minstd", "lcg32", "lcg32-sequence", "lcg64", "lcg64-sequence", "xorshift64star", "xorwow"),
    *("parisi-rapuano", "mt19937", "fibonacci521", "fibonacci1279", "philox", "philox7"),
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
    for series, count in (("fill", 1), ("odd", 1), ("glass", 5), ("ferromagnet", 2)):
        of = [row for row in rows if row["series"] == series]
        assert {row["generator"] for row in of} == ALL and len(of) == count * len(ALL)
        for row in of:
            assert row["threads"] == 2 and row["backend"] == "cpu" and row["seed"] and row["streams"] >= 1 and row["width"] >= 1
            assert (row["numbers_per_second"] if series in ("fill", "odd") else row["ps_per_flip"]) > 0
            if series == "glass":
                assert row["order"] in ("standard", "sliced") or (row["order"], row["L"]) == ("bitwise", 4)
            assert (row["bytes_per_number"] > 0) == (not row["generator"].startswith("philox")) and row["state_bytes"] >= 4 * row["streams"]
            assert row["commit"] and row["date"].endswith("Z")


def test_some_generators_and_series_need_a_gpu(tmp_path):
    """Names of cuRAND's generators are refused on a CPU, and no file is left. `all` takes them on a GPU only."""
    out = tmp_path / "none.json"
    for names in ("curand-xorwow", "minstd,curand-mtgp32"):
        message = bench("--backend", "cpu", "--generators", names, "--series", "glass", "--json", out, code=2)
        assert names.split(",")[-1] in message and "needs an NVIDIA GPU" in message
    assert "grid-loads needs an NVIDIA GPU" in bench("--backend", "cpu", "--series", "grid-loads", "--json", out, code=2)
    assert not out.exists()


def test_words_are_a_list(tmp_path):
    out = tmp_path / "words.json"
    bench("--backend", "cpu", "--threads", 1, "--seconds", "0.001", "--repeats", 1, "--series", "glass", "--generators", "minstd", "--L", "4,6", "--words", "1,3", "--json", out)
    assert [(row["L"], row["words"]) for row in json.loads(out.read_text())] == [(4, 1), (4, 3), (6, 1), (6, 3)]


def test_loads_need_no_generator(tmp_path):
    out = tmp_path / "loads.json"
    bench("--backend", "cpu", "--threads", 1, "--seconds", "0.001", "--repeats", 1, "--series", "loads", "--L", "4,6", "--site-orders", "standard,bitwise,sliced", "--json", out)
    rows = json.loads(out.read_text())
    assert [(row["order"], row["L"]) for row in rows] == [("standard", 4), ("standard", 6), ("bitwise", 4), ("sliced", 4), ("sliced", 6)]
    assert all(row["ps_per_site"] > 0 and row["generator"] == "none" for row in rows)


def test_words_of_temperatures_have_codings_probabilities_and_arrangements(tmp_path):
    out = tmp_path / "words.json"
    options = ("--backend", "cpu", "--threads", 1, "--seconds", "0.001", "--repeats", 1)
    bench(*options, "--series", "codings,probabilities,arrangements", "--generators", "lcg32", "--json", out)
    rows = json.loads(out.read_text())
    assert [row["coding"] for row in rows if row["series"] == "codings"] == ["amsc1", "amsc3", "amsc4", "camsc"]
    assert [row["probability"] for row in rows if row["series"] == "probabilities"] == ["exp", "fast exp", "table in memory", "table in shared memory", "thresholds"]
    loads = [row for row in rows if row["series"] == "arrangements"]
    assert [row["arrangement"] for row in loads] == ["unified", "separated", "shuffled"]
    for row in loads:
        assert abs(row["gb_per_second"] * row["ps_per_transaction"] - 32e3) < 1 and abs(row["ps_per_spin"] * row["spins"] / row["ps_per_transaction"] - 1) < 1e-6
    assert "use lcg32, xorwow, philox or philox7" in bench(*options, "--series", "codings", "--generators", "mt19937", code=1)


def test_own_files_are_replaced_and_others_are_not(timings, tmp_path):
    own = tmp_path / "own.json"
    own.write_text(timings.read_text())
    bench(*SHORT, "--generators", "minstd", "--series", "odd", "--json", own)
    assert len(json.loads(own.read_text())) == 1
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


def tables(*files, code=0):
    done = subprocess.run([sys.executable, str(SCRIPTS), "bench.rng_tables", *map(str, files)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_relaxation_is_that_of_philox_with_every_generator(tmp_path):
    """L = 6 from random spins: energies fall, overlaps grow, generators agree within errors."""
    out = tmp_path / "relax.json"
    options = ("--relax", 64, "--L", 6, "--copies", 24, "--temperature", 1.1, "--seed", 3, "--backend", "cpu")
    bench(*options, "--generators", "minstd,parisi-rapuano,philox", "--json", out)
    rows = json.loads(out.read_text())
    assert [row["t"] for row in rows] == 3 * [[1, 2, 4, 8, 16, 32, 64]]
    philox = rows[-1]
    for row in rows:
        assert row["e"] == sorted(row["e"], reverse=True) and row["chi"] == sorted(row["chi"]) and 0.5 < row["chi"][0] < 3
        for name in ("e", "chi"):
            for value, error, other, of_other in zip(row[name], row[f"{name}_error"], philox[name], philox[f"{name}_error"], strict=True):
                assert abs(value - other) < 5 * (error**2 + of_other**2) ** 0.5
    text = tables(out)
    assert "| t, sweeps (L = 6, T = 1.1) | e, minstd, deviation from philox (errors) |" in text


def test_stream_is_bytes_of_whole_sweeps():
    found = subprocess.run([BIN / "bench-rng", "--stream", "--L", "4", "--bytes", "8193", "--seed", "1"], capture_output=True, check=True).stdout
    assert len(found) == 2 * 64 * 4 * 8 * 4
    ones = sum(byte.bit_count() for byte in found)
    assert abs(ones - 4 * len(found)) < 5 * (2 * len(found)) ** 0.5
    assert "L = 5 is not possible; use an even L from 2 to 512" in bench("--stream", "--L", 5, "--bytes", 1, code=1)


def test_files_of_others_are_refused(tmp_path):
    file = tmp_path / "other.json"
    row = '{"series": "glass relaxation", "generator": "philox", "L": 8, "beta": 0.9, "t": [%s], "e": [1], "e_error": [1], "chi": [1], "chi_error": [1]}'
    for text in ("[{}]", "{", f"[{row % 'NaN'}]", f"[{row % '1e999'}]", f"[{row % 'true'}]", row % 1, f"[[{row % 1}]]", '[{"series": "glass relaxation", "generator": "minstd"}]', '[{"series": "list", "L": 8}]', "[]"):
        file.write_text(text)
        assert ("other.json" if text != "[]" else "these files have no relaxations") in tables(file, code=1)


def test_texts_of_results_cannot_command_the_terminal(tmp_path):
    row = {"series": "glass relaxation", "generator": "\x1b[31m", "L": 8, "beta": 0.9, **dict.fromkeys(("t", "e", "e_error", "chi", "chi_error"), [1.0])}
    (tmp_path / "rng.json").write_text(json.dumps([row]))
    text = tables(tmp_path / "rng.json")
    assert "\\x1b[31m" in text and "\x1b" not in text


@pytest.mark.parametrize(
    "options, what",
    [
        (("--generators", "rand"), "there is no generator 'rand'; there are minstd, lcg32,"),
        (("--series", "fill,flops"), "--series 'flops' is unknown; use fill, odd, glass, loads, grid-loads, codings, probabilities, arrangements or ferromagnet"),
        (("--orders", "rows"), "--orders 'rows' is unknown; use sequential, checkerboard, double-checkerboard or packed"),
        (("--site-orders", "rows"), "--site-orders: rows not in {standard,bitwise,sliced}"),
        (("--square", "48"), "L = 48 in 2 dimensions does not suit the double checkerboard; use a multiple of 32"),
        (("--L", "5", "--series", "glass"), "L = 5 in 3 dimensions is not possible; use an even L from 4 to 512"),
        (("--L", "4,5"), "L = 5 in 3 dimensions"),
        (("--quality", "--sweeps", "100"), "as --sweeps a multiple of 32 from 640 on"),
        (("--disorder", __file__), "--disorder is for --quality"),
        (("--relax", "0"), "--relax: "),
        (("--relax", "-1"), "--relax: "),
        (("--relax", ""), "--relax: "),
        (("--relax", "8", "--temperature", "nan"), "--temperature: nan is not a number"),
        (("--stream", "--bytes", "-1"), "--bytes: "),
        (("--stream", "--bytes", ""), "--bytes: "),
        (("--seconds", "nan"), "--seconds: nan is not a number"),
    ],
)
def test_bad_options(options, what):
    merged = {**dict(zip(SHORT[::2], SHORT[1::2])), **({options[0]: options[1]} if len(options) == 2 else {})}
    flat = [part for pair in merged.items() for part in pair] + (list(options) if len(options) != 2 else [])
    assert what in bench(*flat, code=1)
