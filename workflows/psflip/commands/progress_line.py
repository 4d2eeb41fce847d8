"""Shows how far a running workflow is: one line that changes on a terminal, else a line every ten seconds in which something changed."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from psflip.campaign.colour import coloured, has_cursor
from psflip.campaign.errors import printable
from psflip.plan.plan_text import duration
from psflip.plan.planning import JOBS
from psflip.plan.progress import last_lines

TICK = 1.0  # seconds between two changes on a terminal
PAUSE = 10.0  # seconds between two lines elsewhere
QUIET = 600.0  # seconds after which a line is printed though no job ended
READ = 8  # logs of running jobs that are read for their progress
EARLY = 0.02  # fraction of the work after which the time left is estimated from the time so far
WITHOUT_GPU = "asked for a GPU, but the CPU is used"  # as libcore/run/batch.cpp warns in the log of a job
PERCENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info .*?(\d+(?:\.\d+)?)%")


@dataclass
class Job:
    rule: str
    L: str
    logs: list[str]
    seconds: float


@dataclass
class State:
    """What the events said so far. Jobs are those that the plan counts; `planned`: seconds of all that are known to be needed. If the workflow makes something else,
    they are the steps of Snakemake."""

    planned: float = 0.0
    done: int = 0
    total: int = 0
    counts: bool = False  # whether `total` comes from the plan
    finished_seconds: float = 0.0
    started_seconds: float = 0.0
    began: float = field(default_factory=time.monotonic)
    running: dict[int, Job] = field(default_factory=dict)
    failed: list[tuple[str, str]] = field(default_factory=list)
    waiting: int = 0
    refused: str = ""
    table: dict | None = None
    said: list[str] = field(default_factory=list)
    without_gpu: set[str] = field(default_factory=set)  # logs of jobs that asked for a GPU and use the CPU

    def take(self, event: dict) -> None:
        kind = event.get("event")
        if kind == "jobs":
            self.began = self.began if self.counts else time.monotonic()
            self.planned, self.total, self.counts = event["seconds"], event["jobs"], True
        elif kind == "job":
            self.running[event["id"]] = Job(event["rule"], event["L"], event["logs"], event["seconds"])
            self.started_seconds += event["seconds"]
        elif kind in ("finished", "error") and (job := self.running.pop(event["id"], None)):
            self.look(job)
            if kind == "finished":
                self.finished_seconds += job.seconds
                self.done += self.counts and job.rule in JOBS
            else:
                self.started_seconds -= job.seconds
        elif kind == "progress" and not self.counts:
            self.done, self.total = event["done"], event["total"]
        elif kind == "failed":
            self.failed, self.waiting = [tuple(pair) for pair in event["jobs"]], event["waiting"]
        elif kind == "refused":
            self.refused = event["text"]
        elif kind == "table":
            self.table = event
        elif kind == "said":
            self.said.append(event["text"])

    def under_way(self) -> float:
        """Returns the seconds of running jobs that are done, by the percentages in their logs."""
        longest = sorted(self.running.values(), key=lambda job: -job.seconds)[:READ]
        return sum(job.seconds * part_of(self.look(job)) for job in longest)

    def look(self, job: Job) -> list[str]:
        """Returns the last lines of the log of a job; notes if it uses the CPU instead of a GPU, and says so of the first such job."""
        if not job.logs:
            return []
        try:
            lines = last_lines(Path(job.logs[0]))
        except OSError:
            return []
        if any(WITHOUT_GPU in line for line in lines):
            self.said += [] if self.without_gpu else [f"psflip: warning: {job.logs[0]}: {WITHOUT_GPU}"]
            self.without_gpu.add(job.logs[0])
        return lines

    def warnings(self) -> list[str]:
        """Returns what to know at the end, whether the workflow failed or not."""
        if not self.without_gpu:
            return []
        return [f"psflip: warning: jobs that {WITHOUT_GPU}: {len(self.without_gpu)}, such as {min(self.without_gpu)}; with --backend cuda such jobs fail instead"]

    def seconds_left(self) -> float | None:
        """Returns None as long as too little is done to know."""
        whole = max(self.planned, self.started_seconds)
        done = self.finished_seconds + self.under_way()
        if whole <= 0 or done < EARLY * whole:
            return None
        return (time.monotonic() - self.began) * max(0.0, whole - done) / done

    def text(self) -> str:
        parts = [f"{self.done} of {self.total} jobs done" if self.total else "looking for what is missing", duration(round(time.monotonic() - self.began))]
        left = self.seconds_left()
        parts += [f"about {duration(max(1, round(left)))} left"] if left else []
        now = Counter((job.rule, job.L) for job in self.running.values())
        names = [f"{rule} L = {L}" if L else rule for rule, L in now]
        shown = [f"{name} ({count})" if count > 1 else name for name, count in zip(names, now.values())]
        return ", ".join(parts) + (f"; now {', '.join(shown)}" if shown else "")


def part_of(lines: list[str]) -> float:
    """Returns the part of a program's work that is done by the last line of its log; 0 if the line has none."""
    found = PERCENT.match(lines[-1]) if lines else None
    return min(1.0, float(found[1]) / 100) if found else 0.0


class Line:
    """Writes to a terminal or to a file. `prefix` begins each line."""

    def __init__(self, prefix: str, stream: TextIO | None = None):
        self.stream = stream or sys.stderr
        self.prefix = prefix
        self.on_terminal = has_cursor(self.stream)
        self.last, self.last_done = time.monotonic(), -1

    def show(self, state: State) -> None:
        text = printable(f"{self.prefix}{state.text()}")
        now = time.monotonic()
        if self.on_terminal:
            width = shutil.get_terminal_size().columns - 1
            self.stream.write(f"\r{text[:width]}\x1b[K")
        elif (now - self.last >= PAUSE and state.done != self.last_done) or now - self.last >= QUIET:
            self.stream.write(f"{text}\n")
            self.last, self.last_done = now, state.done
        self.stream.flush()

    def say(self, text: str) -> None:
        """Prints a warning as a separate line."""
        self.clear()
        self.stream.write(f"{coloured(printable(text), 'doubt', self.stream)}\n")
        self.stream.flush()

    def clear(self) -> None:
        if self.on_terminal:
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def follow(descriptor: int, line: Line | None) -> State:
    """Reads events from a pipe until its other end is closed, and shows them. Without `line` it only collects them."""
    state, rest = State(), b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], TICK)
        if ready:
            data = os.read(descriptor, 1 << 16)
            if not data:
                return state
            *lines, rest = (rest + data).split(b"\n")
            for text in lines:
                state.take(json.loads(text))
        if line is not None:
            for text in state.said:
                line.say(text)
            state.said.clear()
            line.show(state)
