"""bench-flip, and the scripts that make plots and the tables of timings from its files. All timings are short; none is judged."""

import csv
import json
import os
import pathlib
import resource
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
SCRIPTS = ROOT / "workflows" / "psflip"
FIELDS = (
    "series,backend,L,share,replicas,temperatures,columns,realizations,lanes,model,threads,production,kernel,site_order,ps_per_flip,spread,device,commit,date"
).split(",")
SHORT = ("--seconds", "0.001", "--repeats", "1")
ENTRY = {
    "series": "list",
    "backend": "cpu",
    "L": 8,
    "share": 128,
    "replicas": 2,
    "temperatures": 4,
    "columns": 1,
    "threads": 1,
    "production": True,
    "ps_per_flip": 10.0,
}


def bench(*arguments, code=0):
    done = subprocess.run([BIN / "bench-flip", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def script(name, *arguments, code=0):
    command = [sys.executable, SCRIPTS, name, *arguments]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


def write(path, *entries):
    path.write_text(json.dumps(list(entries), indent=1))
    return path


def timing(**changes):
    return {**ENTRY, "kernel": "auto", "spread": 0.01, "commit": "abc", "date": "2026-01-02T03:04:05Z"} | changes


def gpu(L, share=128, ps=0.05, series="table", **changes):
    """An invented timing of a GPU that does not exist."""
    shape = {"replicas": 2, "temperatures": 24} if L <= 64 else {"replicas": 4, "temperatures": 1}
    device = "cuda Test GPU, " + ("resident kernel" if L <= 32 else "streaming kernel")
    values = dict(backend="cuda", threads=0, L=L, share=share, ps_per_flip=ps, series=series, device=device)
    return timing(**shape) | values | changes


def test_files_have_all_fields_and_agree(tmp_path):
    out, sheet = tmp_path / "a.json", tmp_path / "a.csv"
    options = ("--backend", "cpu", "--threads", 2, "--L", "4,6", "--share", "32,1", "--temperatures", 3, "--production")
    text = bench(*options, *SHORT, "--json", out, "--csv", sheet).stdout
    entries, rows = json.loads(out.read_text()), list(csv.DictReader(sheet.open()))
    assert len(entries) == len(rows) == 4 and len(text.splitlines()) == 5
    assert [(e["share"], e["L"]) for e in entries] == [(32, 4), (32, 6), (1, 4), (1, 6)]
    for entry, row in zip(entries, rows):
        assert list(entry) == list(row) == FIELDS
        assert entry["backend"] == "cpu" and entry["threads"] == 2 and entry["temperatures"] == 3
        assert entry["production"] is True and entry["series"] == "list" and entry["ps_per_flip"] > 0
        assert entry["date"].endswith("Z") and entry["device"].startswith("cpu ") and entry["commit"]
        assert row["device"] == entry["device"] and float(row["ps_per_flip"]) == entry["ps_per_flip"]


def test_sweep_sizes(tmp_path):
    out = tmp_path / "sweep.json"
    chosen = ("--L", "4,8,10", "--share", 128, "--columns", 2)
    bench("--backend", "cpu", "--threads", 1, "--sweep-sizes", *chosen, *SHORT, "--json", out)
    entries = json.loads(out.read_text())
    found = [(e["series"], e["L"], e["columns"]) for e in entries]
    assert found == [("table", 8, 2), ("table", 10, 1), ("sizes", 8, 2), ("sizes", 10, 1)] + [
        ("columns", L, columns) for L in (4, 8) for columns in (1, 2)
    ]
    assert all(e["production"] and e["replicas"] == 2 and e["temperatures"] == 24 for e in entries)
    same = {e["ps_per_flip"] for e in entries if (e["L"], e["columns"]) == (8, 2)}
    assert len(same) == 1, "the same work is timed once"


def test_series_can_be_chosen(tmp_path):
    out = tmp_path / "columns.json"
    options = ("--series", "columns", "--L", 4, "--columns", 4, *SHORT, "--json", out)
    bench("--backend", "cpu", "--threads", 1, "--sweep-sizes", *options)
    assert [e["columns"] for e in json.loads(out.read_text())] == [1, 2, 4]


def test_site_orders_that_do_not_suit_a_lattice_are_skipped(tmp_path):
    out = tmp_path / "orders.json"
    chosen = ("--backend", "cpu", "--threads", 1, "--L", "8,10", "--share", 128, "--temperatures", 1, "--site-order", "bitwise,sliced")
    assert "L = 10 is not a power of two" in bench(*chosen, *SHORT, "--json", out).stdout
    assert [(r["L"], r["site_order"]) for r in json.loads(out.read_text())] == [(8, "bitwise"), (8, "sliced"), (10, "sliced")]
    assert "bitwise site order, L = 8" in bench("--compare", out, *SHORT, "--tolerance", 1e9).stdout
    assert "--site-order: " in bench("--site-order", "random", code=1).stderr


def test_compare_names_what_got_slower(tmp_path):
    slow_now = ENTRY | {"ps_per_flip": 1e-6}
    fast_now = ENTRY | {"L": 4, "share": 32, "ps_per_flip": 1e9}
    file, out = write(tmp_path / "old.json", fast_now, slow_now), tmp_path / "new.json"
    done = bench("--compare", file, *SHORT, "--json", out, code=1)
    assert "1 of 2 entries is more than 5% slower" in done.stderr and str(file) in done.stderr
    assert "cpu, 1 thread: L = 8, share 128, 2 replicas, 4 temperatures, 1 column, production (+" in done.stderr
    assert "L = 4" not in done.stderr
    lines = [line for line in done.stdout.splitlines() if "L = " in line]
    assert len(lines) == 2 and "SLOWER" in lines[1] and "SLOWER" not in lines[0]
    old, new, ratio = map(float, lines[0].split()[:3])
    assert old == 1e9 and 0 < new < 1e6 and ratio < 0.01
    assert [e["L"] for e in json.loads(out.read_text())] == [4, 8]


def test_compare_shows_texts_of_the_file_printable(tmp_path):
    """And reads them as JSON writes them."""
    file = write(tmp_path / "old.json", ENTRY | {"ps_per_flip": 1e9, "device": "5 \u00b5m \x1b[31m\r\nend"})
    assert "\\u001b" in file.read_text()
    said = bench("--compare", file, *SHORT).stdout
    assert "was timed on: 5 \u00b5m \\x1b[31m\\x0d\\nend\n" in said


def test_compare_passes_where_nothing_got_slower(tmp_path):
    file = write(tmp_path / "old.json", ENTRY | {"ps_per_flip": 1e9}, ENTRY | {"L": 4, "ps_per_flip": 1e-6})
    assert bench("--compare", file, "--L", 8, *SHORT).stderr == ""
    bench("--compare", file, "--tolerance", 1e15, *SHORT)


@pytest.mark.parametrize(
    "content, message",
    [
        ("", "it is not a list"),
        ('{"L": 8}', "it is not a list"),
        ("[8]", "is not a list of timings"),
        ('[{"L": 8,}]', "bad.json:1: the field share is missing"),
        ('[{"L": 8}', "end of sequence flow not found"),
        ("[]", "no entries"),
        (json.dumps([{k: v for k, v in ENTRY.items() if k != "columns"}]), "bad.json:1: the field columns is missing"),
        (json.dumps([ENTRY, ENTRY | {"L": "eight"}]), "bad.json:1: the field L has a value that bench-flip never writes"),
        (json.dumps([ENTRY | {"ps_per_flip": 0}]), "ps_per_flip has a value"),
        (json.dumps([ENTRY | {"L": 8.5}]), "L has a value"),
        (json.dumps([ENTRY | {"L": 7}]), "L = 7 is odd"),
        (json.dumps([ENTRY | {"backend": "abacus"}]), "abacus"),
    ],
)
def test_compare_refuses_bad_files(tmp_path, content, message):
    file = tmp_path / "bad.json"
    file.write_text(content)
    assert message in bench("--compare", file, *SHORT, code=1).stderr


def test_bad_command_lines(tmp_path):
    assert "cannot read" in bench("--compare", tmp_path / "none.json", code=1).stderr
    assert "does not go with" in bench("--sweep-sizes", "--compare", "x.json", code=1).stderr
    assert "does not go with" in bench("--sweep-sizes", "--replicas", 3, code=1).stderr
    assert "select no entry" in bench("--sweep-sizes", "--L", 9, code=1).stderr
    assert "select no entry" in bench("--sweep-lanes", "--L", 9, code=1).stderr
    assert "does not go with" in bench("--sweep-lanes", "--lanes", "replicas", code=1).stderr
    assert "folder does not exist" in bench("--json", tmp_path / "none" / "a.json", code=2).stderr
    assert "not a regular file" in bench("--csv", tmp_path, code=1).stderr
    assert "--kernel" in bench("--kernel", "fast", code=1).stderr
    slower = write(tmp_path / "old.json", ENTRY | {"ps_per_flip": 1e-9})
    for tolerance in ("nan", "-1", "inf", "5%", ""):
        assert "--tolerance: " in bench("--compare", slower, "--tolerance", tolerance, *SHORT, code=1).stderr
    assert "--seconds: nan is not a number" in bench("--seconds", "nan", code=1).stderr


def test_plots(tmp_path):
    entries = [gpu(L, share, 0.05 * (2 if L > 32 else 1)) for L in (8, 16, 48, 128) for share in (128, 1)]
    entries += [gpu(L, series="sizes") for L in (8, 10, 12)]
    entries += [gpu(L, series="columns", columns=columns, ps=1 / columns) for L in (4, 8) for columns in (1, 2, 4)]
    folder = tmp_path / "plots"
    script("bench.bench_plots", "--out", folder, "--formats", "png", "svg", "--", write(tmp_path / "g.json", *entries))
    assert sorted(p.name for p in folder.iterdir()) == [
        f"bench_{name}.{ending}" for name in ("columns", "sizes") for ending in ("png", "svg")
    ]
    assert all(p.stat().st_size > 5000 for p in folder.iterdir())


def test_plots_of_kernels_by_name(tmp_path):
    named = [gpu(L, production=False, kernel="streaming", site_order=order) for L in (8, 12, 16) for order in ("standard", "sliced")]
    script("bench.bench_plots", "--out", tmp_path, "--formats", "svg", "--", write(tmp_path / "k.json", *named, gpu(8, production=False)))
    text = (tmp_path / "bench_kernels.svg").read_text()
    assert text.count("streaming") == 2 and text.count("streaming, sliced order") == 1 and "auto" not in text and not (tmp_path / "bench_sizes.svg").exists()


def test_plots_refuse_two_devices_and_other_files(tmp_path):
    two = write(tmp_path / "two.json", gpu(8), gpu(10, device="cuda Another GPU, resident kernel"))
    assert "several devices" in script("bench.bench_plots", "--out", tmp_path, two, code=1)
    other = write(tmp_path / "other.json", {"a": 1})
    assert "not a file of bench-flip" in script("bench.bench_plots", "--out", tmp_path, other, code=1)
    empty = write(tmp_path / "empty.json")
    assert "no timings" in script("bench.bench_plots", "--out", tmp_path, empty, code=1)


def test_plots_do_not_mix_models(tmp_path):
    both = write(tmp_path / "both.json", gpu(8), gpu(10, model="ferromagnet2d"), gpu(12, model="ferromagnet2d"))
    assert "several models, ea3d, ferromagnet2d; choose one" in script("bench.bench_plots", "--out", tmp_path / "no", both, code=1)
    script("bench.bench_plots", "--out", tmp_path / "one", "--formats", "svg", "--model", "ferromagnet2d", both)
    text = (tmp_path / "one/bench_sizes.svg").read_text()
    assert "ferromagnet2d, Test GPU" in text
    assert "of field3d" in script("bench.bench_plots", "--out", tmp_path / "no", "--model", "field3d", both, code=1)


def test_csv_serves_the_plots_as_well(tmp_path):
    sheet = tmp_path / "a.csv"
    options = ("--backend", "cpu", "--threads", 1, "--L", "4,6", "--temperatures", 3, "--production")
    bench(*options, *SHORT, "--csv", sheet)
    script("bench.bench_plots", "--out", tmp_path, sheet)
    assert (tmp_path / "bench_sizes.png").is_file() and not (tmp_path / "bench_columns.png").exists()


def test_threads_that_the_system_does_not_give():
    """Their stacks do not fit into what the process may have."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))
    call = [BIN / "bench-flip", "--backend", "cpu", "--threads", "64", *SHORT, "--L", "4", "--share", "32", "--columns", "1", "--temperatures", "4"]
    done = subprocess.run(call, capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 2 and "of 64 threads" in done.stderr and "--threads" in done.stderr, done.stderr


def test_a_relaxation_beside_its_sweeps_alone():
    call = ["--backend", "cpu", "--threads", 1, "--relax", 100, "--L", "4,6", "--share", 32, "--temperatures", 2]
    rows = [line.split() for line in bench(*call).stdout.splitlines()[1:]]
    assert [row[:6] for row in rows] == [[L, "32", "2", "2", "1", "84"] for L in "46"]
    assert all(float(number) > 0 for row in rows for number in row[6:10])  # alone, with measurements, their number and time
    for other in ("--production", "--sweep-sizes"):
        assert "does not go with" in bench(*call[:6], other, code=1).stderr
    for option in ("--json", "--csv"):
        assert "does not go with" in bench(*call, option, "x", code=1).stderr
