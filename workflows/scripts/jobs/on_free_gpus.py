"""on_free_gpus COUNT WANTED COMMAND...: runs the command on WANTED of the first COUNT GPUs, which no other call of this holds meanwhile,
and waits where fewer are free. The command sees no others (CUDA_VISIBLE_DEVICES). The locks end with it."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
import time
from pathlib import Path

from campaign.errors import StudyError


def visible(count: int) -> list[str]:
    """The names of the GPUs that this process may use."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return given.split(",")[:count] if given else [str(number) for number in range(count)]


def locked(name: str) -> int | None:
    """A descriptor that keeps the lock of a GPU, also in the programs that this one becomes; None where another process has it."""
    file = os.open(Path(tempfile.gettempdir()) / f"psflip-gpu{name}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    os.set_inheritable(file, True)
    return file


def take(names: list[str], wanted: int) -> list[str] | None:
    """So many of them, or none: who keeps some while it waits for others may wait forever."""
    found = {}
    for name in names:
        if len(found) < wanted and (file := locked(name)) is not None:
            found[name] = file
    if len(found) == wanted:
        return list(found)
    for file in found.values():
        os.close(file)
    return None


def main() -> None:
    count, wanted, *command = sys.argv[1:]
    names = visible(int(count))
    if len(names) < int(wanted):
        raise StudyError(f"{wanted} GPUs are wanted, and {len(names)} may be used here")
    while (mine := take(names, int(wanted))) is None:
        time.sleep(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(mine)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
