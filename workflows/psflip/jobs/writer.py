"""One Snakemake at a time works on a folder of results, from whatever folder it was started."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.jobs import file_locks

_held = {}  # folder: the open lock file; the lock ends with the process


def holder(out: str | Path) -> str:
    """Returns which process works on the folder of results, as it names itself; empty if none does, or if the file system has no locks."""
    try:
        with (Path(out) / ".writer").open(encoding="utf-8", errors="replace") as stream:
            return "" if file_locks.is_free(stream) else stream.read(200).strip() or "an unknown process"
    except OSError:
        return ""


def one_writer(out: str | Path) -> None:
    """Takes the lock of the folder, if this process does not have it yet; StudyError names who holds it. A file system without
    locks gets a warning."""
    if str(out) in _held:
        return
    file = Path(out) / ".writer"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        stream = file.open("a+", encoding="utf-8", errors="replace")
    except OSError as error:
        raise StudyError(f"{out}: the folder of results cannot be made or written to ({error.strerror}); give another with --config out=FOLDER") from None
    if not file_locks.take(stream, out, "take care that only one Snakemake works on it at a time"):
        stream.seek(0)
        raise StudyError(f"{out}: another snakemake works on it ({stream.read(200).strip()}); wait for its end, or stop it with SIGINT")
    stream.truncate(0)
    stream.write(f"process {os.getpid()} on {socket.gethostname()}\n")
    stream.flush()
    _held[str(out)] = stream
