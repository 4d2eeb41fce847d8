"""on_free_gpus COUNT PLACES WANTED COMMAND...: runs the command on WANTED of the first COUNT GPUs, and waits where fewer are free. On each, PLACES
calls that want one may work at once; several GPUs are for slabs, which wait for one another, and no other call gets them. The command sees no others
(CUDA_VISIBLE_DEVICES). The locks end with it."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.jobs import writer


def visible(count: int) -> list[str]:
    """The names of the GPUs that this process may use."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return given.split(",")[:count] if given else [str(number) for number in range(count)]


def locked(name: str, place: int) -> int | None:
    """A descriptor that keeps the lock of a place on a GPU, also in the programs that this one becomes; None where another process has it."""
    folder = tempfile.gettempdir()
    file = os.open(Path(folder) / f"psflip-gpu{name}-{place}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    if not writer.take(file, folder, "jobs may share a GPU; set TMPDIR to a folder of a local disk"):
        os.close(file)
        return None
    os.set_inheritable(file, True)
    return file


def take_one(names: list[str], places: int) -> list[str] | None:
    """One of them, on which fewest work; None where all places are taken."""
    return next(([name] for place in range(places) for name in names if locked(name, place) is not None), None)


def take_whole(names: list[str], places: int, wanted: int) -> list[str] | None:
    """Takes `wanted` GPUs with all their places, or none. A job that kept some while it waits for others could wait forever."""
    found = []
    for name in names:
        files = [locked(name, place) for place in range(places)] if len(found) < wanted else [None]
        if None not in files:
            found.append((name, files))
        else:
            release(files)
    if len(found) == wanted:
        return [name for name, _ in found]
    for _, files in found:
        release(files)
    return None


def release(files: list[int | None]) -> None:
    for file in files:
        if file is not None:
            os.close(file)


def main() -> None:
    count, places, wanted, *command = sys.argv[1:]
    names = visible(int(count))
    if len(names) < int(wanted):
        raise StudyError(f"the job needs {wanted} GPUs, but only {len(names)} may be used here; give a smaller number of GPUs")
    places, wanted = int(places), int(wanted)
    while (mine := take_one(names, places) if wanted == 1 else take_whole(names, places, wanted)) is None:
        time.sleep(1)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(mine)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
