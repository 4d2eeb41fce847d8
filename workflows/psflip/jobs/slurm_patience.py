"""Snakemake's Slurm executor (2.8.0) forgets its jobs, and then waits for ever, when Slurm does not tell their state five times in a row,
as while its controller is started again; and when the controller does not tell MinJobAge once, it asks sacct, also where there is no
accounting. Here it keeps asking what it asked before."""

from __future__ import annotations

import asyncio
import sys
import time

from psflip.jobs import events

PAUSE = 30.0  # seconds


def keep_asking() -> None:
    """Changes the executor, if it is loaded."""
    plugin = sys.modules.get("snakemake_executor_plugin_slurm")
    if plugin is None or hasattr(plugin, "psflip_keeps_asking"):
        return
    query, age = plugin.query_job_status, plugin.get_min_job_age
    known: list[int] = []

    async def query_job_status(command, logger):
        while (answer := await query(command, logger))[0] is None:
            text = f"Slurm does not tell the state of the jobs ({command.split()[0]}); asking again in {PAUSE:.0f} s."
            logger.warning(text)
            events.tell(text)
            await asyncio.sleep(PAUSE)
        return answer

    def get_min_job_age():
        for attempt in range(3):
            if (found := age()) is not None:
                known[:] = [found]
            if known:
                return known[0]
            time.sleep(PAUSE / 3)
        return None

    plugin.query_job_status, plugin.get_min_job_age = query_job_status, get_min_job_age
    plugin.psflip_keeps_asking = True
