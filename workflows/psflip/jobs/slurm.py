"""Everything that psflip asks Slurm. No other module calls Slurm's commands."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess

from psflip.campaign.errors import StudyError

# States of jobs that have no process any more, or none yet.
ENDED = frozenset(("PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL",
                   "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"))  # fmt: skip


class NoAnswer(Exception):
    """A command is absent, fails, or takes too long."""


def ask(*command: str, seconds: float = 30) -> str:
    """Returns what a command prints. Raises NoAnswer with the reason."""
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=seconds, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAnswer(str(error)) from None
    if done.returncode:
        raise NoAnswer(done.stderr.strip() or f"exit code {done.returncode}")
    return done.stdout


def answer(*command: str, seconds: float = 30) -> str:
    """Returns what a command prints; empty without an answer."""
    try:
        return ask(*command, seconds=seconds)
    except NoAnswer:
        return ""


def version() -> str:
    """Returns the version of the Slurm that takes jobs from here; empty if there is no `sbatch`, or if Slurm's commands find no configuration."""
    return (answer("sinfo", "--version").strip().splitlines() or [""])[0] if shutil.which("sbatch") else ""


def offers_gpus() -> bool:
    """Whether a partition has GPUs."""
    return "gpu" in answer("sinfo", "--noheader", "--format=%G")


@functools.cache
def configuration() -> dict[str, str]:
    """Returns the keys of Slurm's configuration; empty without Slurm."""
    lines = (line.split(" = ", 1) for line in answer("scontrol", "show", "config").splitlines() if " = " in line)
    return {key.strip(): value.strip() for key, value in lines}


def pending_comments(names: list[str]) -> list[str]:
    """Returns the comments of the jobs of these names that wait in the queue. Raises NoAnswer."""
    return [line for line in ask("squeue", "--noheader", "--states=PENDING", "--format=%k", f"--name={','.join(names)}").splitlines() if line.strip()]


def states() -> dict[str, str]:
    """Returns the states of all jobs that wait or run, by their numbers. Raises NoAnswer."""
    return dict(line.split(maxsplit=1) for line in ask("squeue", "--noheader", "--format=%A %T").splitlines() if " " in line.strip())


def shows_jobs_of(user: int) -> bool:
    """Whether Slurm shows this process the jobs of a user."""
    return "jobs" not in configuration().get("PrivateData", "") or os.geteuid() in (0, user)


def jobs_named(names: list[str]) -> list[str]:
    """Returns the numbers of the jobs of these names that wait or run. Raises NoAnswer."""
    return ask("squeue", "--noheader", "--format=%i", f"--name={','.join(names)}", seconds=120).split()


def job(number: str) -> dict[str, str]:
    """Returns Slurm's record of a job, e.g. {"JobState": "RUNNING", "Restarts": "0", ...}; empty without an answer."""
    return dict(re.findall(r"(\w+)=(\S*)", answer("scontrol", "show", "job", "-o", number, seconds=120)))


def requeue(number: str) -> bool:
    """Puts a job that runs back into the queue. Returns whether Slurm does so."""
    try:
        return ask("scontrol", "requeue", number, seconds=120) is not None
    except NoAnswer:
        return False


@functools.cache
def tasks() -> int:
    """Returns how many tasks the job has that this process runs in. The environment does not hold the number: Snakemake is a job step of one task there.
    StudyError if Slurm does not say."""
    number = os.environ["SLURM_JOB_ID"]
    found = job(number).get("NumTasks", "")
    if not found.isdecimal():
        raise StudyError(f"scontrol does not report the number of tasks of the Slurm job {number}, and so the number of slabs of its lattices")
    return int(found)
