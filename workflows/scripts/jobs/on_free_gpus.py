"""on_free_gpus COUNT PLACES WANTED COMMAND...: runs the command on WANTED of the first COUNT GPUs, on each of which PLACES calls of this may
work at once, and waits where fewer are free. The command sees no others (CUDA_VISIBLE_DEVICES). The locks end with it."""

from __future__ import annotations

import fcntl
import itertools
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


def locked(name: str, place: int) -> int | None:
    """A descriptor that keeps the lock of a place on a GPU, also in the programs that this one becomes; None where another process has it."""
    file = os.open(Path(tempfile.gettempdir()) / f"psflip-gpu{name}-{place}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    os.set_inheritable(file, True)
    return file


def take(names: list[str], places: int, wanted: int) -> list[str] | None:
    """So many of them, those first on which fewest work, or none: who keeps some while it waits for others may wait forever."""
    found = {}
    for place, name in itertools.product(range(places), names):
        if len(found) < wanted and name not in found and (file := locked(name, place)) is not None:
            found[name] = file
    if len(found) == wanted:
        return list(found)
    for file in found.values():
        os.close(file)
    return None


def main() -> None:
    count, places, wanted, *command = sys.argv[1:]
    names = visible(int(count))
    if len(names) < int(wanted):
        raise StudyError(f"{wanted} GPUs are wanted, and {len(names)} may be used here")
    while (mine := take(names, int(places), int(wanted))) is None:
        time.sleep(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(mine)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
