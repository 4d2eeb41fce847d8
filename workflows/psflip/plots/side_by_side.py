"""Splits work over several processes, because one Python process does one task after the other."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection

from psflip.campaign.errors import StudyError


def _work(tasks: list[Callable[[], None]], to: Connection) -> None:
    try:
        for task in tasks:
            task()
    except Exception as error:
        to.send(error)
    else:
        to.send(None)


def side_by_side(tasks: list[Callable[[], None]], processes: int) -> None:
    """Calls each task once, in copies of this process. The copies have all data of this process, and their own data are lost. If a copy raises an error, this process
    raises it when all copies have ended."""
    if processes < 2 or len(tasks) < 2:
        for task in tasks:
            task()
        return
    copies = multiprocessing.get_context("fork")
    started = []
    for first in range(min(processes, len(tasks))):
        here, there = copies.Pipe(duplex=False)
        process = copies.Process(target=_work, args=(tasks[first::processes], there))
        process.start()
        there.close()
        started.append((process, here))
    errors = []
    for process, here in started:
        try:
            errors.append(here.recv())
        except EOFError:
            process.join()
            errors.append(StudyError(f"a process that draws ended with exit code {process.exitcode}"))
        process.join()
    for error in errors:
        if error is not None:
            raise error
