"""File locks (flock) that psflip takes if the file system has them."""

from __future__ import annotations

import fcntl
from functools import cache

from psflip.jobs import events


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
