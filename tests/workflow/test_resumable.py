"""psflip/jobs/resumable.py: what it does with a job, by the state that a stand-in for scontrol reports."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT, lock_elsewhere

SCRIPT = [sys.executable, ROOT / "workflows/psflip", "jobs.resumable"]

SCONTROL = """#!/bin/sh
case "$1:$2" in
show:config) echo "ClusterName             = tide" ;;
show:*) [ ! -e silent ] || exit 1; echo "JobId=7 JobName=x JobState=$(cat state) Reason=$(cat reason) Dependency=(null) Requeue=1 Restarts=$(cat restarts) BatchFlag=1" ;;
requeue:*)
    echo "$2" >> requeued
    [ ! -e forbidden ] || exit 1
    group=$(ps -o pgid= -p $$ | tr -d ' ')
    (sleep 0.5; kill -TERM "-$group") > /dev/null 2>&1 &
    ;;
esac
"""


@pytest.fixture
def job(tmp_path):
    """Runs a shell command under resumable.py in a job of the given state; gives exit code and the jobs put back."""
    (tmp_path / "bin").mkdir()
    scontrol = tmp_path / "bin/scontrol"
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}

    def start(command, *words, options=(), state="RUNNING", reason="None", restarts=3, job="7"):
        for name, value in {"state": state, "reason": reason, "restarts": restarts}.items():
            (tmp_path / name).write_text(str(value))
        scontrol.write_text(SCONTROL)
        (tmp_path / "bin/squeue").write_text("#!/bin/sh\n[ ! -e silent ] || exit 1\necho '7 RUNNING'; echo '8 PENDING'; echo '9 COMPLETING'\n")
        for file in (scontrol, tmp_path / "bin/squeue"):
            file.chmod(0o755)
        extra = {"SLURM_JOB_ID": job} if job else {}
        return subprocess.Popen([*SCRIPT, *options, "sh", "-c", command, *words], env={**environment, **extra}, cwd=tmp_path, start_new_session=True)

    def run(command, *words, **state):
        return start(command, *words, **state).wait(timeout=30), (tmp_path / "requeued").exists()

    run.start, run.folder = start, tmp_path
    return run


@pytest.mark.parametrize("state, reason", [("RUNNING", "None"), ("COMPLETING", "TimeLimit"), ("TIMEOUT", "TimeLimit"), ("PREEMPTED", "None")])
def test_stopped_job_goes_back_into_the_queue(job, state, reason):
    begin = time.monotonic()
    assert job("exit 75", state=state, reason=reason) == (75, True)
    assert (job.folder / "requeued").read_text() == "7\n", "once"
    assert time.monotonic() - begin < 20, "ends when Slurm ends the job"


@pytest.mark.parametrize("command, more, code", [
    *[(f"exit {code}", {}, code) for code in (0, 1, 2, 137)],
    *[("exit 75", {"state": state}, 75) for state in ("COMPLETING", "CANCELLED", "PENDING", "FAILED")],
    ("echo 4 > restarts; exit 75", {}, 75),  # put back by others
    ("exit 75", {"job": None}, 75),  # outside Slurm
    ('[ "$SLURM_RESTART_COUNT" = 3 ]', {}, 0),  # the program knows which start it is
    ('[ "$SLURM_RESTART_COUNT" = 3 ] && exit 75', {"options": ("--once",)}, 75),  # one of several programs in a job
])  # fmt: skip
def test_jobs_that_do_not_go_back(job, command, more, code):
    assert job(command, **more) == (code, False)


def test_where_requeue_is_forbidden_the_job_fails(job):
    (job.folder / "forbidden").touch()
    assert job("exit 75") == (75, True)


def test_program_knows_which_jobs_have_ended(job):
    """The jobs whose locks lie next to files of the command line, if Slurm neither runs them nor is silent."""
    texts = {"a.h5.lock": lock_elsewhere(4711), "b.h5.lock.takeover": lock_elsewhere(8), "c.h5.lock": lock_elsewhere(9), "d.h5.lock": lock_elsewhere(12, slurm_cluster="ebb"), "e.h5.lock": "", "other.h5.lock": lock_elsewhere(13)}
    for name, text in texts.items():
        (job.folder / name).write_text(text)
    files = [f"{name}.h5" for name in "abcdef"]
    for options in ((), ("--once",)):
        assert job('[ "$PSFLIP_ENDED_JOBS" = tide/4711/0,tide/8/0 ]', *files, options=options) == (0, False)
        assert job('[ -z "$PSFLIP_ENDED_JOBS" ]', *files[2:], options=options) == (0, False)
    (job.folder / "silent").touch()
    assert job('[ -z "$PSFLIP_ENDED_JOBS" ] && [ "$SLURM_RESTART_COUNT" = -1 ]', *files) == (0, False)


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
