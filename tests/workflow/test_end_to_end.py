"""A whole study of a few seconds with the real programs."""

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import yaml
from conftest import ROOT, planned, snakemake

TINY = Path(__file__).parent / "tiny.yaml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def first_run(folder):
    """The study, run once."""
    from conftest import PROGRAMS, TOOLS

    if not all((PROGRAMS / name).is_file() for name in TOOLS):
        pytest.skip(f"programs not in {PROGRAMS}; set PSFLIP_BIN")
    shutil.copy(TINY, folder)
    snakemake(folder, study="tiny.yaml", bin=PROGRAMS)
    return folder / "results/tiny"


def test_all_files_are_there(first_run):
    for L in (4, 6):
        for batch in ("0000000-0000031", "0000032-0000063"):
            names = {file.name for file in (first_run / f"L{L}/batch{batch}").iterdir()}
            rounds = [2048, 4096] if "run-4096.h5" in names else [2048]
            made = {f"{kind}-{end}.h5" for kind in ("run", "state", "observables") for end in rounds}
            assert names == {"disorder.h5", "state-0.h5"} | made
            jobs = [f"{rule}/L{L}-{batch}" for rule in ("disorder", "thermalize")]
            jobs += [f"{rule}/L{L}-{batch}-{end}" for rule in ("run", "measure") for end in rounds]
            assert all((first_run / f"logs/{job}.log").is_file() and (first_run / f"benchmarks/{job}.tsv").is_file() for job in jobs)
    for name in ("reduced.h5", "results.csv", "crossings.csv", "critical.csv", "critical.json", "report.html", "study.zip", "plots/binder.png", "plots/xi_over_L.pdf"):
        assert (first_run / name).stat().st_size > 0


def test_results_are_physical(first_run):
    rows = list(csv.DictReader((first_run / "results.csv").open()))
    assert len(rows) == 12 and {row["L"] for row in rows} == {"4", "6"}
    for row in rows:
        assert row["n_realizations"] == "64"
        assert -1.8 < float(row["energy"]) < -1.1
        assert 0 < float(row["binder"]) < 1 and 0 < float(row["binder_err"]) < 0.1
        assert 0.1 < float(row["xi_over_L"]) < 1


def test_report_names_what_made_it(first_run):
    text = (first_run / "report.html").read_text()
    with h5py.File(first_run / "reduced.h5") as file:
        commit = file["provenance"].attrs["git_commit"]
    assert (commit.decode() if isinstance(commit, bytes) else commit) in text
    for program in ("gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder"):
        assert f"<td>{program}</td>" in text
    command = [sys.executable, ROOT / "workflows/psflip", "results.print_summary", first_run]
    assert "xi_L/L" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_second_run_does_nothing(first_run, folder, programs):
    done = snakemake(folder, study="tiny.yaml", bin=programs)
    assert "Nothing to be done" in done.stdout + done.stderr


def spins(file):
    with h5py.File(file) as opened:
        return opened["spins"][:]


def test_more_realizations_leave_the_first_as_they_were(first_run, folder, programs):
    before = {file: file.stat().st_mtime_ns for file in first_run.glob("L*/batch*/*.h5")}
    data = yaml.safe_load(TINY.read_text())
    data["disorder"]["realizations"] = 96
    (folder / "tiny.yaml").write_text(yaml.safe_dump(data))
    assert planned(snakemake(folder, "--dry-run", study="tiny.yaml", bin=programs).stdout)["run"] == 2
    snakemake(folder, study="tiny.yaml", bin=programs)
    assert {file: file.stat().st_mtime_ns for file in before} == before
    with h5py.File(first_run / "reduced.h5") as file:
        assert file["L4"].attrs["n_realizations"] == 96


def test_interrupted_study_goes_on_and_ends_the_same(folder, programs, tmp_path):
    """SIGINT in the middle of a longer run: the same command ends it, with the same spins as one that was not interrupted."""
    data = yaml.safe_load(TINY.read_text())
    data |= {"lattice": {"L": 6}, "disorder": {"realizations": 32, "batch": 32}, "run": {"sweeps": 50000, "measure_every": 100}}
    (tmp_path / "long.yaml").write_text(yaml.safe_dump(data))
    snakemake(tmp_path, "--until", "run", study="long.yaml", bin=programs, out="whole")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflows/Snakefile"), "--until", "run"]
    command += ["--config", "study=long.yaml", f"bin={programs}", "out=parts"]
    running = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    batch = tmp_path / "parts/L6/batch0000000-0000031"
    log = tmp_path / "parts/logs/run/L6-0000000-0000031-50000.log"
    deadline = time.monotonic() + 120
    while running.poll() is None and time.monotonic() < deadline and not (log.is_file() and log.stat().st_size):
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(running.pid, signal.SIGINT)
    running.communicate(timeout=120)
    checkpoint = batch / "run-50000.h5.checkpoint.h5"
    assert checkpoint.is_file() or (batch / "run-50000.h5").is_file()
    snakemake(tmp_path, "--until", "run", study="long.yaml", bin=programs, out="parts")
    assert not checkpoint.exists()
    assert np.array_equal(spins(batch / "state-50000.h5"), spins(tmp_path / "whole/L6/batch0000000-0000031/state-50000.h5"))


def test_time_limit_with_retries_ends_the_study(programs, tmp_path):
    """Each job may run for a second; Snakemake starts those that stopped with a checkpoint again."""
    data = yaml.safe_load(TINY.read_text())
    data |= {"lattice": {"L": 6}, "disorder": {"realizations": 32, "batch": 32}, "run": {"sweeps": 30000, "measure_every": 100}}
    (tmp_path / "slow.yaml").write_text(yaml.safe_dump(data))
    snakemake(tmp_path, "--until", "measure", "--retries", "200", study="slow.yaml", bin=programs, time_limit=0.3)
    assert (tmp_path / "results/slow/L6/batch0000000-0000031/observables-30000.h5").is_file()
    assert not list(tmp_path.glob("results/slow/L6/batch0000000-0000031/*checkpoint*"))


