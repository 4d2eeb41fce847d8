"""Reports to `psflip run` what happens in Snakemake: one JSON object a line, into the pipe whose number is in PSFLIP_EVENTS. Without that variable nothing is sent. What a user has
to know meanwhile goes through `say`, because Snakemake's own output is in a file then."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from psflip.campaign.errors import StudyError, printable

VARIABLE = "PSFLIP_EVENTS"


class Events(logging.Handler):
    """As a handler of Snakemake's log it sends the starts and ends of jobs. `seconds(rule, wildcards)` estimates a job;
    `count()` gives the number and the seconds of all jobs of this call, as far as they are known."""

    def __init__(self, descriptor: int | None, seconds: Callable[[str, dict], float] = lambda *_: 0.0, count: Callable[[], tuple[int, float]] = lambda: (0, 0.0)):
        super().__init__()
        if descriptor is not None:
            os.set_inheritable(descriptor, False)
        self.pipe = None if descriptor is None else os.fdopen(descriptor, "w", encoding="utf-8")
        self.seconds = seconds
        self.count = count
        self.rounds: set[int] = set()  # jobs that decide which batches continue

    @classmethod
    def of_environment(cls) -> "Events":
        """Takes the variable out of the environment, because jobs do not have the pipe. From here on `say` uses it."""
        text = os.environ.pop(VARIABLE, "")
        _listening[:] = [cls(int(text) if text.isdecimal() else None)]
        return _listening[0]

    def send(self, **event: object) -> None:
        if self.pipe is None:
            return
        try:
            self.pipe.write(json.dumps(event) + "\n")
            self.pipe.flush()
        except (OSError, ValueError):  # nobody listens any more
            self.pipe = None

    def send_count(self) -> None:
        jobs, seconds = self.count()
        self.send(event="jobs", jobs=jobs, seconds=seconds)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.take(record)
        except Exception:
            self.handleError(record)

    def take(self, record: logging.LogRecord) -> None:
        event = str(getattr(record, "event", None) or "")
        if event == "job_info":
            if record.rule_name == "equilibration":
                self.rounds.add(record.jobid)
            wildcards = {key: str(value) for key, value in dict(record.wildcards or {}).items()}
            self.send(event="job", id=record.jobid, rule=record.rule_name, L=wildcards.get("L", ""), logs=list(map(str, record.log)), seconds=self.seconds(record.rule_name, wildcards))
        elif event == "job_finished":
            self.send(event="finished", id=record.job_id)
            if record.job_id in self.rounds:
                self.send_count()
        elif event == "job_error":
            self.send(event="error", id=record.jobid)
        elif event == "progress":
            self.send(event="progress", done=record.done, total=record.total)


_listening: list[Events] = []


def send_text(text: str) -> None:
    """Sends a line for the terminal."""
    for events in _listening:
        events.send(event="said", text=text)


def say(text: str) -> None:
    """Prints a line to standard error, and sends it."""
    print(printable(text), file=sys.stderr, flush=True)
    send_text(text)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Ends Snakemake with the text of a StudyError alone. Of other exceptions Snakemake prints the lines of code, too."""
    try:
        yield
    except StudyError as error:
        for events in _listening:
            events.send(event="refused", text=str(error))
        raise SystemExit(f"psflip: {error}") from None
