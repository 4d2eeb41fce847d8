"""The only place that changes or reads what Snakemake and its Slurm executor keep to themselves. Seen with snakemake 9.19 to 9.27 and snakemake-executor-plugin-slurm 2.8.

Each function leaves Snakemake as it is if it does not find what it changes; its text says what is lost then."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

from psflip.jobs import events, failures

SLURM = "snakemake_executor_plugin_slurm"
PAUSE = 30.0  # seconds between two questions to a Slurm that does not answer


def apply(workflow: Any) -> None:
    """Makes all changes that do not depend on the study."""
    accept_any_time(workflow)
    ask_slurm_again()
    note_failures()


def accept_any_time(workflow: Any) -> None:
    """Replaces the check that makes a job fail if its output is older than its input: the clock may go backwards, or the clocks of two machines differ. A simulation depends on the
    names of its files alone. Without this, such a job fails although its files are complete, and the next call continues."""
    from snakemake import dag

    async def any_time(self, job, files):
        pass

    if hasattr(dag.DAG, "check_output_mtime"):
        dag.DAG.check_output_mtime = any_time


def limit_resource(workflow: Any, name: str, amount: int, scope: str = "") -> None:
    """Limits what all jobs at once have of a resource, as `--resources name=amount` does, unless the command line names it. `scope`: as in `--set-resource-scopes`. Without this,
    more jobs start than there are GPUs, and wait for one; jobs of a group ask for the memory of all at once."""
    if name not in getattr(workflow, "global_resources", (name,)) and hasattr(workflow, "register_resource"):
        workflow.register_resource(name, amount)
        if scope and hasattr(workflow, "resource_scopes"):
            workflow.resource_scopes.update({name: scope})


def set_group_sizes(workflow: Any, sizes: dict[str, int]) -> None:
    """Sets how many batches of a size are one job, as `--group-components` does, unless it is set. Without this, each batch is a job."""
    settings = getattr(workflow, "group_settings", None)
    if settings is not None and not set(sizes) & set(getattr(settings, "group_components", sizes)):
        settings.group_components = {**settings.group_components, **sizes}


def name_of_jobs(workflow: Any) -> str | None:
    """Returns the name under which the Slurm executor submits its jobs; None for another executor. Without it, the next Snakemake does not wait for jobs that outlived this one."""
    return getattr(getattr(workflow.scheduler, "_executor", None), "run_uuid", None)


def planned_jobs(workflow: Any) -> list[Any]:
    """Returns the jobs that would run. Without it, the table of a dry run is empty."""
    dag = getattr(workflow, "dag", None)
    return list(dag.needrun_jobs(exclude_finished=False)) if hasattr(dag, "needrun_jobs") else []


def local_rules(workflow: Any) -> set[str]:
    """Returns the rules whose jobs are not submitted. Without it, the table of a dry run shows requests of them, too."""
    return set(getattr(workflow, "_localrules", ()))


def failed_jobs(workflow: Any) -> list[Any]:
    """Returns the jobs that failed, in order. Without it, psflip run prints the end of the workflow's log instead."""
    return sorted(getattr(getattr(workflow, "scheduler", None), "failed", ()), key=str)


def has_all(plugin: Any, *names: str) -> bool:
    return plugin is not None and not hasattr(plugin, f"psflip_{names[0]}") and all(hasattr(plugin, name) for name in names)


def ask_slurm_again() -> None:
    """The Slurm executor forgets its jobs, and then waits for ever, if Slurm does not report their state five times in a row, as while its controller is started again. If the
    controller does not report MinJobAge once, the executor asks sacct, also without accounting. Here it keeps asking what it asked before."""
    plugin: Any = sys.modules.get(SLURM)
    if not has_all(plugin, "query_job_status", "get_min_job_age"):
        return
    query, age = plugin.query_job_status, plugin.get_min_job_age
    known: list[int] = []

    async def query_job_status(command, logger):
        while (answer := await query(command, logger))[0] is None:
            text = f"Slurm does not report the state of the jobs ({command.split()[0]}); asking again in {PAUSE:.0f} s."
            logger.warning(text)
            events.send_text(text)
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
    plugin.psflip_query_job_status = True


def note_failures() -> None:
    """Snakemake drops what the Slurm executor says of a group of jobs that failed. Here failures.py notes it. Without this, the logs of jobs that Slurm refused stay empty."""
    plugin: Any = sys.modules.get(SLURM)
    if not has_all(plugin, "Executor") or not hasattr(plugin.Executor, "report_job_error"):
        return
    report = plugin.Executor.report_job_error

    def report_job_error(self, job_info, msg=None, **more):
        failures.note(job_info.job, msg, more.get("aux_logs"))
        return report(self, job_info, msg=msg, **more)

    plugin.Executor.report_job_error = report_job_error
    plugin.psflip_Executor = True
