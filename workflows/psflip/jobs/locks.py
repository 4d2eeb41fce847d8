"""Locks of the programs' outputs: does the process that a lock file names still run? The rules are the same as in libcore/io/output/lock_owner.hpp, but the
programs ask no scheduler: `ended_jobs` asks Slurm for them before they start."""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Iterable
from pathlib import Path

from psflip.campaign.errors import StudyError, check_there
from psflip.jobs import slurm

LONGEST = 1 << 16  # bytes of a lock file
VARIABLE = "PSFLIP_ENDED_JOBS"  # in the environment of the programs
SUFFIXES = (".lock", ".lock.takeover")  # behind the name of an output
STARTS = 19  # the start time in /proc/PID/stat, counted from the state of the process


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


def is_of_this_kernel(there: dict[str, str]) -> bool:
    return there.get("boot", "") == this_place()["boot"] != ""


def is_gone_from_here(there: dict[str, str]) -> bool | None:
    """Whether the owner of a lock has ended, as far as this machine shows it; None if the owner is elsewhere."""
    here = this_place()
    if is_of_this_kernel(there) and there.get("pid_namespace") == here["pid_namespace"]:
        return process_is_gone(int(there["process"]), int(there["process_start"]))
    same_machine = all(there.get(key, "") == here[key] != "" for key in ("host", "machine")) and not here["host"].startswith("localhost")
    return True if same_machine and not is_of_this_kernel(there) and there.get("boot") and here["boot"] else None  # it was started again


def of_ended_jobs(owners: dict[Path, dict[str, str]]) -> set[Path]:
    """Returns the locks whose Slurm jobs have certainly ended. Slurm is asked after the locks were read, because a job may start at any time."""
    numbers = ("slurm_job", "slurm_restarts")
    found = {lock: there for lock, there in owners.items() if all(there.get(key, "").isdecimal() for key in numbers) and there.get("slurm_cluster")}
    if not found or not (cluster := slurm.configuration().get("ClusterName")):
        return set()
    try:
        states = slurm.states()
    except slurm.NoAnswer:
        return set()
    ended = {lock for lock, there in found.items() if there["slurm_cluster"] == cluster and states.get(there["slurm_job"], "COMPLETED") in slurm.ENDED}
    return {lock for lock in ended if slurm.shows_jobs_of(user_of(lock))}


def user_of(file: Path) -> int:
    """Returns the number of the user that a file belongs to; -1 if the file is gone."""
    try:
        return file.stat().st_uid
    except OSError:
        return -1


def gone(locks: Iterable[Path]) -> set[Path]:
    """Returns the locks whose owners have certainly ended."""
    owners = {lock: there for lock in locks if (there := owner(lock))}
    seen = {lock: is_gone_from_here(there) for lock, there in owners.items()}
    return {lock for lock, ended in seen.items() if ended} | of_ended_jobs({lock: there for lock, there in owners.items() if seen[lock] is None})


def ended_jobs(locks: Iterable[Path]) -> str:
    """Returns the value of VARIABLE for these locks: the starts of Slurm jobs elsewhere that have ended, `cluster/job/restarts`, separated by commas."""
    owners = {lock: there for lock in locks if (there := owner(lock)) and is_gone_from_here(there) is None}
    return ",".join(sorted({f"{owners[lock]['slurm_cluster']}/{owners[lock]['slurm_job']}/{int(owners[lock]['slurm_restarts'])}" for lock in of_ended_jobs(owners)}))
