"""psflip/jobs/resumable.sh: what it does with a job, by the state that a stand-in for scontrol tells."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT

SCRIPT = ROOT / "workflows/psflip/jobs/resumable.sh"

SCONTROL = """#!/bin/sh
case "$1" in
show) echo "JobId=7 JobName=x JobState=$(cat state) Reason=$(cat reason) Dependency=(null) Requeue=1 Restarts=$(cat restarts) BatchFlag=1" ;;
requeue)
    echo "$2" >> requeued
    [ ! -e forbidden ] || exit 1
    group=$(ps -o pgid= -p $$ | tr -d ' ')
    (sleep 0.5; kill -TERM "-$group") > /dev/null 2>&1 &
    ;;
esac
"""


@pytest.fixture
def job(tmp_path):
    """Runs a shell command under resumable.sh in a job of the given state; gives exit code and the jobs put back."""
    (tmp_path / "bin").mkdir()
    scontrol = tmp_path / "bin/scontrol"
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}

    def start(command, state="RUNNING", reason="None", restarts=3, job="7"):
        for name, value in {"state": state, "reason": reason, "restarts": restarts}.items():
            (tmp_path / name).write_text(str(value))
        scontrol.write_text(SCONTROL)
        scontrol.chmod(0o755)
        extra = {"SLURM_JOB_ID": job} if job else {}
        return subprocess.Popen([SCRIPT, "sh", "-c", command], env={**environment, **extra}, cwd=tmp_path, start_new_session=True)

    def run(command, **state):
        return start(command, **state).wait(timeout=30), (tmp_path / "requeued").exists()

    run.start, run.folder = start, tmp_path
    return run


def test_other_exit_codes_pass(job):
    for code in (0, 1, 2, 137):
        assert job(f"exit {code}") == (code, False)


@pytest.mark.parametrize("state, reason", [("RUNNING", "None"), ("COMPLETING", "TimeLimit"), ("TIMEOUT", "TimeLimit"), ("PREEMPTED", "None")])
def test_stopped_job_goes_back_into_the_queue(job, state, reason):
    begin = time.monotonic()
    assert job("exit 75", state=state, reason=reason) == (75, True)
    assert (job.folder / "requeued").read_text() == "7\n", "once"
    assert time.monotonic() - begin < 20, "ends when Slurm ends the job"


@pytest.mark.parametrize("state", ["COMPLETING", "CANCELLED", "PENDING", "FAILED"])
def test_cancelled_job_stays_so(job, state):
    assert job("exit 75", state=state) == (75, False)


def test_job_put_back_by_others_is_not_put_back_again(job):
    assert job("echo 4 > restarts; exit 75") == (75, False)


def test_where_requeue_is_forbidden_the_job_fails(job):
    (job.folder / "forbidden").touch()
    assert job("exit 75") == (75, True)


def test_outside_slurm_nothing_is_asked(job):
    assert job("exit 75", job=None) == (75, False)


def test_program_knows_which_start_it_is(job):
    assert job('[ "$SLURM_RESTART_COUNT" = 3 ]') == (0, False)


PROGRAM = """
import pathlib, signal, sys, time
signal.signal(signal.SIGUSR1, lambda *_: (time.sleep(1), pathlib.Path("saved").touch(), sys.exit(75)))
pathlib.Path("ready").touch()
time.sleep(30)
"""


def test_signals_leave_the_program_time_for_its_checkpoint(job):
    """To all processes of the job, as Slurm sends them."""
    process = job.start(f"exec {sys.executable} -c '{PROGRAM}'", state="CANCELLED")
    while process.poll() is None and not (job.folder / "ready").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGUSR1)
    assert process.wait(timeout=30) == 75 and (job.folder / "saved").exists()
