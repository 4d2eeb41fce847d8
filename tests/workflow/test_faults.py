"""What can go wrong around a campaign: two at a time, clocks, lost and broken files of the workflow."""

import os
import shutil
import socket
import time

import pytest
from conftest import lock_elsewhere, planned, snakemake
from psflip.jobs.writer import one_writer

TARGET = "reduce"


def finish(tmp_path, study, stand_ins, **options):
    return snakemake(tmp_path, TARGET, study=study.file, bin=stand_ins, **options)


def test_second_snakemake_is_told_who_works(tmp_path, study, stand_ins):
    """Also from another folder."""
    one_writer(tmp_path / "out")
    other = tmp_path / "elsewhere"
    other.mkdir()
    done = snakemake(other, TARGET, check=False, study=study.file, bin=stand_ins, out=tmp_path / "out")
    assert done.returncode != 0
    assert f"another Snakemake works on this folder (process {os.getpid()} on {socket.gethostname()})" in done.stdout + done.stderr
    assert not list((tmp_path / "out").glob("L*/batch*/*"))
    assert snakemake(other, "--dry-run", TARGET, study=study.file, bin=stand_ins, out=tmp_path / "out").returncode == 0


def test_clock_that_goes_backwards(tmp_path, study, stand_ins, finished):
    """Files from the future neither fail a job nor are they made again."""
    out = tmp_path / "results/tiny"
    later = time.time() + 3600
    for file in out.glob("L*/batch*/*.h5"):
        os.utime(file, (later, later))
    for name in ("run-2048.h5", "observables-2048.h5"):
        (out / "L6/batch0000032-0000063" / name).unlink()
    shutil.rmtree(out / "rounds")
    before = {file: file.stat().st_mtime_ns for file in out.glob("L*/batch*/*.h5") if "observables" not in file.name and "0000032-" not in file.parent.name}
    assert {file.name for file in before} == {"disorder.h5", "state-0.h5", "run-2048.h5", "state-2048.h5"}
    finish(tmp_path, study, stand_ins)
    assert (out / "L6/batch0000032-0000063/observables-2048.h5").is_file()
    assert [file for file in before if file.stat().st_mtime_ns != before[file]] == []


def test_times_of_files_mean_nothing_to_simulations(tmp_path, study, stand_ins, finished):
    """As after a copy that kept no times."""
    for number, file in enumerate(sorted((tmp_path / "results/tiny").rglob("*.h5"), reverse=True)):
        os.utime(file, (1.7e9 + number, 1.7e9 + number))
    jobs = planned(snakemake(tmp_path, "--dry-run", TARGET, study=study.file, bin=stand_ins).stdout)
    assert not {"disorder", "thermalize", "run"} & jobs.keys()


@pytest.mark.parametrize("name", ["round", "final"])
def test_lost_files_of_a_round(tmp_path, study, stand_ins, finished, name):
    rounds = tmp_path / "results/tiny/rounds"
    lost = next(rounds.glob("L6-2048-*.json" if name == "round" else "L6-final-*.json"))
    text = lost.read_text()
    lost.unlink()
    next(rounds.glob("averages-*.json")).unlink()
    finish(tmp_path, study, stand_ins)
    assert list(rounds.glob("averages-*.json"))
    assert name == "round" or lost.read_text() == text  # a round that is over is not needed any more


def test_interrupted_start_leaves_nothing_in_the_way(tmp_path, study, stand_ins):
    out = tmp_path / "results/tiny"
    (out / "L4/batch0000000-0000063").mkdir(parents=True)  # of a plan with larger batches, before anything ran
    (out / ".part99-study.json").write_text("{")
    (out / "rounds").mkdir()
    (out / "rounds/.part99-L4-final-0123456789abcdef.json").write_text("{")
    finish(tmp_path, study, stand_ins)
    assert (out / "L4/batch0000032-0000063/observables-2048.h5").is_file()


def test_a_profile_that_could_make_finished_files_again_is_refused(tmp_path, study, stand_ins):
    done = snakemake(tmp_path, TARGET, "--rerun-triggers", "mtime", "code", check=False, study=study.file, bin=stand_ins)
    assert done.returncode != 0 and "rerun-triggers: [mtime]" in done.stdout + done.stderr
    assert not list((tmp_path / "results").glob("tiny/L*"))


@pytest.mark.parametrize("job, goes_on", [(55, True), (56, False)])
def test_locks_of_slurm_jobs_on_other_nodes(tmp_path, study, programs, monkeypatch, job, goes_on):
    """A study that ran on a cluster continues on this machine: job 55 has ended, job 56 still runs."""
    tools, batch = tmp_path / "tools", tmp_path / "results/tiny/L4/batch0000000-0000031"
    for folder in (tools, batch):
        folder.mkdir(parents=True)
    for name, line in (("scontrol", "echo 'ClusterName             = tide'"), ("squeue", "echo '56 RUNNING'")):
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    (batch / "disorder.h5.lock").write_text(lock_elsewhere(job))
    done = snakemake(tmp_path, "results/tiny/L4/batch0000000-0000031/disorder.h5", check=False, study=study.file, bin=programs)
    assert (done.returncode == 0) == goes_on == (batch / "disorder.h5").is_file(), done.stderr
    log = (tmp_path / "results/tiny/logs/disorder/L4-0000000-0000031.log").read_text()
    assert ("its Slurm job has ended" if goes_on else "process 1 on node7 (Slurm job 56)") in log
