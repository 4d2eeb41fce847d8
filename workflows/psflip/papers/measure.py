"""Measures what the pages on papers lack: runs the commands of figures and tables whose data are missing, in order of their visits.

Each command writes its own file into the folder of data as its results come, so an interrupted visit keeps what it has. A file that exists is not measured again."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from psflip.papers.stored import Data, Row

FOLDER = "docs/data/"  # as commands name it


def jobs_of(rows: list[Row], data: Data, visit: int | None = None) -> list[Row]:
    """Returns the rows to measure on a GPU, in order of visits."""
    jobs = [row for row in rows if row.visit and not all(data.has(name) for name in row.data) and visit in (None, row.visit)]
    return sorted(jobs, key=lambda row: row.visit)


def plan(jobs: list[Row]) -> list[str]:
    lines = [f"visit {row.visit}  {row.minutes:5.1f} minutes  {row.id:16} {row.name}: {row.what}" for row in jobs]
    return [*lines, f"{len(jobs)} figures and tables, {sum(row.minutes for row in jobs):g} minutes"]


def words_of(command: str, folder: Path, bin: Path) -> list[str]:
    """Returns the words of a command, with these folders of data and programs."""
    words = [str(folder / word.removeprefix(FOLDER)) if word.startswith(FOLDER) else word for word in shlex.split(command, comments=True)]
    first = words[0].removeprefix("build/bin/")
    if first == "psflip":
        return [sys.executable, str(Path(__file__).resolve().parents[1]), *words[1:]]
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
            if any(Path(word).parent == folder and Path(word).exists() for word in words if word.endswith(".json")):
                continue
            began = time.monotonic()
            code = subprocess.run(words, env=os.environ | {"PSFLIP_BIN": str(bin)}, stdout=subprocess.DEVNULL).returncode
            print(f"{row.id}: {time.monotonic() - began:.0f} s, exit code {code}: {command}", flush=True)
            failed += code != 0
    return 1 if failed else 0
