"""How many tasks Slurm gave to the job that this process runs in. The environment does not tell: Snakemake is a job step of one task there."""

from __future__ import annotations

import functools
import os
import re
import subprocess

from psflip.campaign.errors import StudyError


@functools.cache
def tasks() -> int:
    """StudyError where Slurm does not tell."""
    job = os.environ["SLURM_JOB_ID"]
    try:
        done = subprocess.run(["scontrol", "show", "job", "-o", job], capture_output=True, encoding="utf-8", errors="replace", timeout=120)
        told = done.stdout if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        told = ""
    found = re.search(r"\bNumTasks=(\d+)", told)
    if not found:
        raise StudyError(f"scontrol does not tell the number of tasks of the Slurm job {job}, into which its lattices are to be cut")
    return int(found[1])
