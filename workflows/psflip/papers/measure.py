"""Measures what the pages on papers lack: runs the commands of figures and tables whose data are missing, in order of their visits.

Each command writes its own file into the folder of data as its results come. The file has the name `partial-NAME` until the command ends well, so an interrupted visit keeps what
it has. A file that exists is not measured again. With several GPUs, each command has one of them, and rows that need idle CPU cores run first and alone."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from psflip.papers.stored import Data, Row
from psflip.places import PACKAGE

FOLDER = "docs/data/"  # as commands name it


def jobs_of(rows: list[Row], data: Data, visit: int | None = None) -> list[Row]:
    """Returns the rows to measure on a GPU, in order of visits, the short ones first."""
    jobs = [row for row in rows if row.visit and not all(data.has(name) for name in row.data) and visit in (None, row.visit)]
    return sorted(jobs, key=lambda row: (row.visit, row.minutes))


def plan(jobs: list[Row]) -> list[str]:
    lines = [f"visit {row.visit}  {row.minutes:5.1f} minutes  {row.id:16} {row.name}: {row.what}" for row in jobs]
    return [*lines, f"{len(jobs)} figures and tables, {sum(row.minutes for row in jobs):g} minutes"]


def words_of(command: str, folder: Path, bin: Path) -> list[str]:
    """Returns the words of a command, with these folders of data and programs."""
    words = [str(folder / word.removeprefix(FOLDER)) if word.startswith(FOLDER) else word for word in shlex.split(command, comments=True)]
    first = words[0].removeprefix("build/bin/")
    if first == "psflip":
        return [sys.executable, str(PACKAGE), *words[1:], "--bin", str(bin)]
    return [str(bin / first), *words[1:]]


def devices(gpus: int) -> list[str]:
    """Returns the numbers of the first GPUs that CUDA_VISIBLE_DEVICES allows."""
    allowed = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return (allowed.split(",") if allowed else [str(i) for i in range(gpus)])[:gpus]


def run(jobs: list[Row], folder: Path, bin: Path, minutes: float, gpus: int = 1) -> int:
    """Runs the commands of all jobs that fit into the minutes, one at a time on each GPU, with several GPUs the long commands first. Returns 1 if one failed."""
    end = time.monotonic() + 60 * minutes
    folder.mkdir(parents=True, exist_ok=True)
    free: SimpleQueue[str] = SimpleQueue()
    for device in devices(gpus):
        free.put(device)

    def measure(row: Row, command: str) -> int:
        words = words_of(command, folder, bin)
        (out,) = (Path(word) for word in words if Path(word).parent == folder)
        if out.exists():
            return 0
        needed, left = row.minutes / len(row.commands), (end - time.monotonic()) / 60
        if needed > left:
            print(f"{row.id}: left out, {needed:.2g} minutes do not fit into {left:.1f}: {command}", flush=True)
            return 0
        part = out.with_name(f"partial-{out.name}")
        began, device = time.monotonic(), free.get()
        environment = os.environ | ({"CUDA_VISIBLE_DEVICES": device} if gpus > 1 else {})
        code = subprocess.run([str(part) if Path(word) == out else word for word in words], stdout=subprocess.DEVNULL, env=environment).returncode
        free.put(device)
        if code == 0:
            part.replace(out)
        print(f"{row.id}: {time.monotonic() - began:.0f} s, exit code {code}: {command}", flush=True)
        return code

    alone = [row for row in jobs if "idle" in row.machine]
    others = [row for row in jobs if row not in alone]
    if gpus > 1:
        others.sort(key=lambda row: -row.minutes / len(row.commands))
    codes = [measure(row, command) for row in alone for command in row.commands]
    with ThreadPoolExecutor(gpus) as pool:
        codes += pool.map(measure, *zip(*((row, command) for row in others for command in row.commands))) if others else []
    return 1 if any(codes) else 0
