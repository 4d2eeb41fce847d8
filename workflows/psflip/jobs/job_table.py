"""The table that a dry run ends with: the jobs that would run, by rule and size, and on a cluster what each of them asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from psflip.jobs import snakemake_patches
from psflip.plan.planning import JOBS

HEAD = ("rule", "L", "jobs")
ON_CLUSTER = ("GPUs", "minutes", "memory")
HERE = "-"  # instead of a request


def number(value: Any) -> int:
    return int(value) if isinstance(value, (int, float)) else 0


def rows(workflow: Any, on_cluster: bool) -> list[list[str]]:
    """From the jobs of a Snakemake workflow, by the order of its rules; a row for each rule, size and request."""
    found: Counter = Counter()
    local = snakemake_patches.local_rules(workflow)
    order = [rule.name for rule in workflow.rules]
    for job in snakemake_patches.planned_jobs(workflow):
        if job.rule.name == "all":
            continue
        row = (job.rule.name, str(dict(job.wildcards_dict).get("L", "")))
        if on_cluster and job.rule.name in local:
            row += (HERE,) * len(ON_CLUSTER)
        elif on_cluster:
            asked = job.resources
            row += (str(number(asked.get("gpu", 0))), str(number(asked.get("runtime", 0))), f"{number(asked.get('mem_mb', 0))} MB")
        found[row] += 1
    ordered = sorted(found, key=lambda row: (order.index(row[0]), int(row[1] or 0), row[2:]))
    return [[*row[:2], str(found[row]), *row[2:]] for row in ordered]


def has_jobs(workflow: Any) -> bool:
    """Whether a job that the plan counts would run."""
    return workflow.dag is not None and any(job.rule.name in JOBS for job in workflow.dag.needrun_jobs(exclude_finished=False))


def as_text(found: Iterable[list[str]], groups: dict[str, int]) -> list[str]:
    """`groups`: how many batches of a size are submitted as one job."""
    found = list(found)
    if not found:
        return ["nothing to do"]
    lines = [[*HEAD, *(ON_CLUSTER if len(found[0]) > len(HEAD) else ())], *found]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))) for line in lines]
    jobs, others = (sum(int(row[2]) for row in found if (row[0] in JOBS) == counted) for counted in (True, False))
    text.append(f"{jobs} jobs" + (f"; {others} steps of bookkeeping by the workflow do not count" if others else "") + (f"; GPUs, minutes and memory are requests of each job, and jobs with {HERE} are not submitted" if len(found[0]) > len(HEAD) else ""))
    text[-1] += "; runs that do not equilibrate add more" if any(row[0] == "equilibration" for row in found) else ""
    return text + [f"the jobs of {number} batches of L = {L} are submitted as one" for L, number in groups.items()]
