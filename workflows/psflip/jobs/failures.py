"""Finds why a job failed whose program wrote nothing: `sbatch` refused the job, or Slurm ended it. The reason goes into the log of the job, where psflip status finds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from psflip.plan.progress import LAUNCHER, last_error, last_lines, last_line_of

REFUSED = re.compile(r"sbatch failed.*?The error message was '(.*?)'\.?\s*(?:\n    sbatch|$)", re.DOTALL)
NOT_SUBMITTED = re.compile(r"submission failed\b.*?(?:The error message was|with exception:) (.*)", re.DOTALL)
JOB = re.compile(r"SLURM-job '(\d+)' failed, SLURM status is: '(\w+)'")
PREFIX = "sbatch: error: "

_noted: dict[str, tuple[str, Path | None]] = {}  # by the log of a job: what Snakemake's Slurm executor said, and the log of Slurm


def note(job: Any, message: str | None, slurm_logs: list[str] | None) -> None:
    """Notes what the Slurm executor says of a job that failed, or of all jobs of a group."""
    for one in job.jobs if job.is_group() else [job]:
        for log in one.log:
            _noted[str(log)] = (message or "", next(map(Path, slurm_logs or []), None))


def refusal(message: str) -> str:
    """Returns in one line what `sbatch` said when it refused a job; empty if the message of Snakemake reports something else."""
    found = REFUSED.search(message) or NOT_SUBMITTED.search(message)
    if not found:
        return ""
    lines = dict.fromkeys(line.strip().removeprefix(PREFIX) for line in found[1].splitlines() if line.strip())
    return PREFIX + ("; ".join(lines) or "the job was not submitted")


def end_in_slurm(message: str, slurm_log: Path | None) -> str:
    """Returns the state in which Slurm ended a job, with the line of Slurm's log that says why; empty if the message reports something else."""
    found = JOB.search(message)
    if not found:
        return ""
    lines = last_lines(slurm_log) if slurm_log else []
    why = next((line for line in reversed(lines) if LAUNCHER.match(line)), "")
    return f"Slurm job {found[1]}: {found[2]}" + (f": {why}" if why else f"; its log: {slurm_log}" if slurm_log else "")


def cause(log: Path) -> str:
    """Returns why a job failed, and writes the reason at the end of the job's log if the job could not."""
    message, slurm_log = _noted.get(str(log), ("", None))
    refused = refusal(message)
    if not refused and (error := last_error(log)):
        return error
    reason = refused or ("" if last_lines(log) else end_in_slurm(message, slurm_log))
    if not reason:
        return last_line_of(log)
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{reason}\n")
    except OSError:
        pass  # a full disk, for example; the terminal shows the reason
    return reason
