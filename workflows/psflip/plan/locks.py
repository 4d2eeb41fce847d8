"""Locks of the programs' outputs: does the process that a lock file names still run? The rules are those of libcore/io/output/lock_owner.hpp."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from pathlib import Path

from psflip.campaign.errors import StudyError, check_there

LONGEST = 1 << 16  # bytes of a lock file
STARTS = 19  # the start time in /proc/PID/stat, counted from the state of the process
ENDED = ("PENDING", "REQUEUED", "REQUEUE_HOLD", "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED")


def first_line(file: str) -> str:
    try:
        return (Path(file).read_text(encoding="utf-8", errors="replace").splitlines() or [""])[0]
    except OSError:
        return ""


@functools.cache
def this_place() -> dict[str, str]:
    """The lines of a lock file that name machine, kernel and namespace, for this process."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return {"host": platform.node(), "machine": first_line("/etc/machine-id"), "boot": first_line("/proc/sys/kernel/random/boot_id"), "pid_namespace": namespace}


def owner(lock: Path) -> dict[str, str]:
    """The lines of a lock file; nothing if it is not complete."""
    try:
        check_there(lock)
        with lock.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(LONGEST).splitlines()
    except (OSError, StudyError):
        return {}
    found = dict(line.split(": ", 1) for line in lines if ": " in line)
    numbers = (found.get("process", ""), found.get("process_start", ""))
    return found if found.get("end") == "lock" and all(number.isdecimal() for number in numbers) else {}


def process_is_gone(process: int, start: int) -> bool:
    """True if there is no such process, or if a later process has its number."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        pass  # the process belongs to somebody else
    state, *fields = first_line(f"/proc/{process}/stat").rpartition(")")[2].split() or ["?"]
    if state in "ZX":
        return True
    return len(fields) >= STARTS and start > 0 and int(fields[STARTS - 1]) != start


def answer(*command: str) -> str:
    """What a command of Slurm prints; empty if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=30, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


@functools.cache
def slurm() -> tuple[str, dict[str, str]]:
    """Name of the Slurm cluster, and the states of its jobs; no name without Slurm."""
    words = [line.split() for line in answer("scontrol", "show", "config").splitlines()]
    name = next((word[2] for word in words if word[:2] == ["ClusterName", "="] and len(word) > 2), "")
    jobs = answer("squeue", "--noheader", "--format=%A %T") if name else ""
    return (name if jobs else ""), dict(line.split(maxsplit=1) for line in jobs.splitlines() if " " in line.strip())


def is_gone(lock: Path) -> bool:
    """True only if the process that wrote the lock certainly has ended."""
    there, here = owner(lock), this_place()
    if not there:
        return False
    same_kernel = there.get("boot", "") == here["boot"] != ""
    if same_kernel and there.get("pid_namespace") == here["pid_namespace"]:
        return process_is_gone(int(there["process"]), int(there["process_start"]))
    same_machine = all(there.get(key, "") == here[key] != "" for key in ("host", "machine")) and not here["host"].startswith("localhost")
    if same_machine and not same_kernel and there.get("boot") and here["boot"]:
        return True  # the machine was started again since
    job = there.get("slurm_job", "")
    if not job.isdecimal() or not there.get("slurm_cluster"):
        return False
    cluster, jobs = slurm()
    return cluster == there["slurm_cluster"] and jobs.get(job, "COMPLETED") in ENDED
