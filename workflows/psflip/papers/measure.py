"""Measures what the pages on papers lack: runs the commands of figures and tables whose data are missing, in order of their visits.

Each command writes its own file into the folder of data as its results come. The file has the name `partial-NAME` until the command ends well, so an interrupted visit keeps what
it has. A file that exists is not measured again."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

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


def run(jobs: list[Row], folder: Path, bin: Path, minutes: float) -> int:
    """Runs the commands of all jobs that fit into the minutes. Returns 1 if one failed."""
    end, failed = time.monotonic() + 60 * minutes, 0
    folder.mkdir(parents=True, exist_ok=True)
    for row in jobs:
        left = (end - time.monotonic()) / 60
        if row.minutes > left:
            print(f"{row.id}: left out, {row.minutes:g} minutes do not fit into {left:.1f}", flush=True)
            continue
        for command in row.commands:
            words = words_of(command, folder, bin)
            (out,) = (Path(word) for word in words if Path(word).parent == folder)
            if out.exists():
                continue
            part = out.with_name(f"partial-{out.name}")
            began = time.monotonic()
            code = subprocess.run([str(part) if Path(word) == out else word for word in words], stdout=subprocess.DEVNULL).returncode
            if code == 0:
                part.replace(out)
            print(f"{row.id}: {time.monotonic() - began:.0f} s, exit code {code}: {command}", flush=True)
            failed += code != 0
    return 1 if failed else 0
