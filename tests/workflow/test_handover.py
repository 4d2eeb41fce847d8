"""What is handed over of a study: study.zip with its check, and the examples that read the files."""

import csv
import hashlib
import shutil
import subprocess
import sys
import zipfile

import h5py
import numpy as np
import pytest
from conftest import ROOT
from results import provenance
from synthetic import write_reduced, write_results_csv

SCRIPTS, EXAMPLES = ROOT / "workflows" / "scripts", ROOT / "workflows" / "examples"
CHECK = SCRIPTS / "results" / "check_study.py"


def python(file, *arguments, check=True):
    return subprocess.run([sys.executable, file, *map(str, arguments)], capture_output=True, text=True, check=check)


def handed_over(folder):
    """The files that study.zip is made of, the numbers synthetic and the plots stand-ins."""
    write_reduced(folder / "reduced.h5", count=8)
    write_results_csv(folder / "results.csv", folder / "reduced.h5")
    python(SCRIPTS, "results.crossings", "--reduced", folder / "reduced.h5", "--out", folder / "crossings.csv")
    python(SCRIPTS, "results.provenance", "--results", folder, "--out", folder / "provenance.csv")
    (folder / "plots").mkdir()
    (folder / "plots/binder.svg").write_text("<svg/>")
    (folder / "report.html").write_text("<p>")
    (folder / "study.yaml").write_text("seed: 1\n")
    pack(folder)
    return folder


def pack(folder, name="study.zip"):
    python(SCRIPTS, "results.study_zip", "--results", folder, "--study", folder / "study.yaml", "--out", folder / name)


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handover") / "example"
    folder.mkdir()
    return handed_over(folder)


@pytest.fixture
def unpacked(packed, tmp_path):
    with zipfile.ZipFile(packed / "study.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path / "example"


def test_the_archive_holds_all_and_checks_itself(packed, unpacked):
    names = {file.relative_to(unpacked).as_posix() for file in unpacked.rglob("*") if file.is_file()}
    assert names == {
        "README.txt", "SHA256SUMS", "check.py", "config.yaml", "study.yaml", "results.csv", "crossings.csv", "reduced.h5", "provenance.csv",
        "report.html", "plots/binder.svg", "environment/requirements.txt", "environment/versions.txt",
    }  # fmt: skip
    assert "12 files as they were written; tables agree" in python(unpacked / "check.py").stdout
    assert "tables agree" in python(CHECK, packed / "study.zip").stdout
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=unpacked, check=True)
    assert "replicas: 2" in (unpacked / "config.yaml").read_text() and "0123abc" in (unpacked / "environment/versions.txt").read_text()


def test_what_only_some_campaigns_have_is_packed_too(packed, tmp_path):
    folder = shutil.copytree(packed, tmp_path / "example")
    for name in ("plan.json", "ladder/L8.yaml", "ladder/L8.svg", "ladder/couplings/L8-0.h5", "audit/L8.json"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("{}")
    pack(folder)
    with zipfile.ZipFile(folder / "study.zip") as archive, zipfile.ZipFile(packed / "study.zip") as without:
        more = set(archive.namelist()) - set(without.namelist())
    assert more == {f"example/{name}" for name in ("plan.json", "ladder/L8.yaml", "ladder/L8.svg", "audit/L8.json")}
    assert python(CHECK, folder / "study.zip", check=False).returncode == 0


def test_the_same_files_give_the_same_archive(packed):
    pack(packed, "again.zip")
    assert (packed / "again.zip").read_bytes() == (packed / "study.zip").read_bytes()


@pytest.mark.parametrize("fault, words", [("changed", "results.csv: changed"), ("missing", "reduced.h5: missing"), ("more", "extra.csv: not listed")])
def test_check_refuses_other_files(unpacked, fault, words):
    if fault == "changed":
        text = (unpacked / "results.csv").read_text()
        (unpacked / "results.csv").write_text(text.replace("1", "2", 1))
    elif fault == "missing":
        (unpacked / "reduced.h5").unlink()
    else:
        (unpacked / "extra.csv").touch()
    done = python(unpacked / "check.py", check=False)
    assert done.returncode == 1 and words in done.stdout


def test_check_refuses_a_damaged_archive(packed, tmp_path):
    data = bytearray((packed / "study.zip").read_bytes())
    with zipfile.ZipFile(packed / "study.zip") as archive:
        entry = archive.getinfo("example/reduced.h5")
    data[entry.header_offset + 100 + entry.compress_size // 2] ^= 1
    (tmp_path / "study.zip").write_bytes(data)
    done = python(CHECK, tmp_path / "study.zip", check=False)
    assert done.returncode == 1 and "damaged" in done.stdout and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "table, column, words",
    [("results.csv", "binder", "(3 - q4/q2^2)/2"), ("results.csv", "energy_err", "energy_err is"), ("crossings.csv", "T", "crossings.csv, binder")],
)
def test_check_compares_the_numbers(unpacked, table, column, words):
    """Where the sums were made anew for a table that was changed."""
    with (unpacked / table).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    rows[0][column] = repr(float(rows[0][column]) * (1 + 1e-6))
    with (unpacked / table).open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    names = [line.split("  ", 1)[1] for line in (unpacked / "SHA256SUMS").read_text().splitlines()]
    sums = [f"{hashlib.sha256((unpacked / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (unpacked / "SHA256SUMS").write_text("".join(sums))
    done = python(unpacked / "check.py", check=False)
    assert done.returncode == 1 and words in done.stdout


@pytest.fixture(scope="module")
def small_study(tmp_path_factory):
    """Two sizes, two batches each, with the real programs."""
    from conftest import PROGRAMS, TOOLS

    if not all((PROGRAMS / name).is_file() for name in TOOLS):
        pytest.skip(f"programs not in {PROGRAMS}; set PSFLIP_BIN")
    folder = tmp_path_factory.mktemp("small")
    config = shutil.copy(ROOT / "tests/workflow/tiny.yaml", folder)
    observables = []
    for L in (4, 6):
        for first in (0, 32):
            batch = folder / f"L{L}/batch{first:07d}-{first + 31:07d}"
            batch.mkdir(parents=True)
            disorder, state, run, last = (batch / name for name in ("disorder.h5", "state-0.h5", "run-2048.h5", "observables-2048.h5"))
            observables.append(last)
            for program, *words in (
                ("gen-disorder", "--first", first, "--count", 32, "--out", disorder),
                ("thermalize", "--disorder", disorder, "--out", state),
                ("pt-run", "--disorder", disorder, "--state", state, "--out", run, "--state-out", batch / "state-2048.h5"),
                ("measure", "--disorder", disorder, "--run", run, "--out", last),
            ):
                subprocess.run([PROGRAMS / program, "--config", config, "--L", str(L), *map(str, words)], check=True, capture_output=True)
    command = [PROGRAMS / "reduce-disorder", "--config", config, "--out", folder / "reduced.h5", "--csv", folder / "results.csv", *observables]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_example_results(small_study):
    text = python(EXAMPLES / "read_results.py", small_study).stdout
    with (small_study / "results.csv").open() as stream:
        row = next(row for row in csv.DictReader(stream) if row["L"] == "6")
    assert f"{float(row['binder']):.4f}" in text and "xi_L/L of L = 4 and 6 cross at" in text and "commit" in text


def test_example_observables_gives_the_errors_of_results_csv(small_study):
    text = python(EXAMPLES / "read_observables.py", small_study, 6).stdout
    found = [line.split(": g = ")[1].split(" +- ") for line in text.splitlines() if ": g = " in line]
    with (small_study / "results.csv").open() as stream:
        rows = [row for row in csv.DictReader(stream) if row["L"] == "6"]
    assert len(found) == len(rows) == 6
    assert np.allclose(np.array(found, float), [[float(row["binder"]), float(row["binder_err"])] for row in rows], rtol=1e-10, atol=0)
    density = [float(line.split(" = ")[1]) for line in text.splitlines() if line.startswith("P(")]
    assert len(density) == 50 and sum(density) * 2 / 50 == pytest.approx(1, abs=0.02)


def test_example_scaling_plot(small_study):
    python(EXAMPLES / "scaling_plot.py", small_study, small_study / "scaling.png")
    assert (small_study / "scaling.png").stat().st_size > 10000


def test_provenance_follows_each_file_back(small_study):
    python(SCRIPTS, "results.provenance", "--results", small_study, "--out", small_study / "provenance.csv")
    with (small_study / "provenance.csv").open() as stream:
        rows = {row["file"]: row for row in csv.DictReader(stream)}
    files = {file.relative_to(small_study).as_posix() for file in small_study.rglob("*.h5")}
    assert set(rows) == files and len(files) == 21
    batch = "L6/batch0000032-0000063"
    assert rows[f"{batch}/run-2048.h5"]["program"] == "pt-run"
    assert [source.rsplit("/", 1)[1] for source in rows[f"{batch}/run-2048.h5"]["input_hashes"].split("; ")] == ["disorder.h5", "state-0.h5"]
    assert rows["reduced.h5"]["input_hashes"].count("observables-2048.h5") == 4
    with h5py.File(small_study / "reduced.h5") as file:
        assert rows["reduced.h5"]["git_commit"] == file["provenance"].attrs["git_commit"]


def test_many_hosts_are_summed_up():
    rows = [dict.fromkeys(provenance.COLUMNS, "") | {"program": "pt-run", "host": f"node{i // 2}"} for i in range(13)]
    (row,) = provenance.by_program(rows)
    assert row["files"] == "13" and row["host"] == "node0 (2), node1 (2), node2 (2), node3 (2) and 3 more" and row["device"] == ""
