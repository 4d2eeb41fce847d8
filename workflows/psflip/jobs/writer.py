"""File locks (flock), which psflip takes if the file system has them. Because of one, only one Snakemake at a time works on a folder of results."""

from __future__ import annotations

import fcntl
import os
import socket
from functools import cache
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.jobs import events

_held = {}  # folder: the open lock file; the lock ends with the process


@cache
def warn(folder: object, reason: str, risk: str) -> None:
    """Warns once of a folder."""
    events.say(f"psflip: warning: the file system of {folder} cannot lock files ({reason}): {risk}")


def take(file: object, folder: object, risk: str) -> bool:
    """Takes the lock of an open file. Returns False if another process has it, and True with a warning of the `risk` if the file system cannot lock."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        warn(folder, error.strerror, risk)
    return True


def is_free(file: object) -> bool:
    """Whether no other process holds the lock of an open file. A shared lock is held for an instant."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.flock(file, fcntl.LOCK_UN)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def holder(out: str | Path) -> str:
    """Returns which process works on the folder of results, as it names itself; empty if none does, or if the file system has no locks."""
    try:
        with (Path(out) / ".writer").open(encoding="utf-8", errors="replace") as stream:
            return "" if is_free(stream) else stream.read(200).strip() or "an unknown process"
    except OSError:
        return ""


def one_writer(out: str | Path) -> None:
    """Takes the lock of the folder, if this process does not have it yet. Errors: StudyError with the process that holds it."""
    if str(out) in _held:
        return
    file = Path(out) / ".writer"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("a+", encoding="utf-8", errors="replace")
    except OSError as error:
        raise StudyError(f"{out}: the folder of results cannot be made or written to ({error.strerror}); give another folder with --config out=FOLDER") from None
    if not take(stream, out, "take care that only one Snakemake works on it at a time"):
        stream.seek(0)
        raise StudyError(f"{out}: another Snakemake works on this folder ({stream.read(200).strip()}); wait for its end, or stop it with SIGINT")
    stream.truncate(0)
    stream.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    stream.flush()
    _held[str(out)] = stream
