"""resumable [--once] PROGRAM ARGUMENTS...: runs a program in a Slurm job and ends with its exit code.

A program that stopped with a checkpoint (exit code 75: the signal before the time limit, the limit itself, --time-limit) puts the job back into the queue. The job keeps its
number and resumes later, and Snakemake sees it wait. A cancelled job stays cancelled. --once: the job does not go back, because it does more than this program, or because
the program saves no checkpoint. The program learns which start of the job it is in, and which Slurm jobs have ended that left a lock next to a file of its command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from psflip.jobs import locks, slurm

STOPPED = 75  # exit code of a program that saved a checkpoint
PATIENCE = 300  # seconds that Slurm has for the end of a job that is back in the queue
RESTARTS = "SLURM_RESTART_COUNT"  # Snakemake takes it out of the environment of its job steps
UNKNOWN = "-1"  # no other job takes over the locks of such a start


def is_stopped(record: dict[str, str], restarts: str | None) -> bool:
    """Whether a job ends because of a time limit or a preemption, or runs on; neither cancelled nor already back in the queue."""
    state, reason = record.get("JobState"), record.get("Reason")
    return record.get("Restarts") == restarts and (state in ("RUNNING", "PREEMPTED") or reason == "TimeLimit")


def put_back(job: str) -> None:
    """Puts this job back into the queue and waits until Slurm ends this start of it: until then it must not look like a failure."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if slurm.requeue(job):
        print(f"psflip: stopped with a checkpoint; Slurm job {job} is back in the queue", flush=True)
        signal.sigtimedwait({signal.SIGTERM}, PATIENCE)


def set_environment(command: list[str], restarts: str | None) -> None:
    """Puts into the environment what only Slurm knows."""
    if "SLURM_JOB_ID" in os.environ:
        os.environ[RESTARTS] = restarts or UNKNOWN
    os.environ[locks.VARIABLE] = locks.ended_jobs(Path(word + suffix) for word in command for suffix in locks.SUFFIXES if os.path.isfile(word + suffix))


def main() -> int:
    once, command = sys.argv[1] == "--once", [word for word in sys.argv[1:] if word != "--once"]
    job = os.environ.get("SLURM_JOB_ID")
    restarts = slurm.job(job).get("Restarts") if job else None
    if once or not job:
        set_environment(command, restarts)
        os.execvp(command[0], command)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)  # Slurm signals all processes of the job, and the program decides when to stop
    set_environment(command, restarts)
    code = subprocess.run(command).returncode
    if code == STOPPED and is_stopped(slurm.job(job), restarts):
        put_back(job)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
