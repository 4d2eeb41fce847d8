"""Prints a plan: a sentence on time, disk and memory here, then tables of the whole study and of what is missing now."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from psflip.plan.machine import Machine

COUNTED = "programs and analysis; the bookkeeping of the workflow does not count"
UNITS = (("years", 365.25 * 86400), ("d", 86400), ("h", 3600), ("min", 60))


@dataclass(frozen=True)
class Wait:
    """Where jobs go, and how long a stage waits on a cluster (profiles.seconds_of_stage)."""

    cluster: bool = False
    seconds_of_stage: float = 0.0

    def text(self, plan: dict) -> str:
        """Returns what a cluster adds to the time of the missing jobs: `about 6.7 min of queueing and polling for 8 stages`."""
        least, most = (plan["missing"][name]["stages"] for name in ("least", "most"))
        text = f"about {duration(least * self.seconds_of_stage)} of queueing and polling for {least} stage{'s' if least != 1 else ''}"
        return text + (f" (with all doublings {duration(most * self.seconds_of_stage)})" if most > least else "")


def duration(seconds: float) -> str:
    """In the largest unit that gives one or more: `48 s`, `12.5 min`, `3.4 h`, `12.0 d`."""
    for unit, size in UNITS:
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return "less than 1 s" if 0 < seconds < 1 else f"{seconds:.0f} s"


def amount(size: float) -> str:
    for unit, scale in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size / 1e3:.0f} kB"


def longest(job: dict | None) -> str:
    return f"{duration(job['seconds'])}, {job['rule']}" + (f" L = {job['L']}" if job["L"] else "") if job else "none"


def work(hours: float) -> str:
    return duration(3600 * hours) if hours else "none"


def rows(machine: Machine, gpu: bool) -> list[tuple]:
    return [
        ("jobs", lambda t: f"{sum(t['jobs'].values())}"),
        ("proposed flips", lambda t: f"{t['flips']:.3g}"),
        (f"time on {machine.workers(gpu)}", lambda t: duration(machine.seconds(t))),
        *([("work of GPUs, summed", lambda t: work(t["gpu_hours"]))] if gpu else []),
        ("work of cores, summed", lambda t: work(t["core_hours"])),
        ("disk space", lambda t: amount(t["disk_bytes"])),
        ("files, with logs", lambda t: f"{t['files']}"),
        ("memory of a job, at most", lambda t: amount(1e6 * t["memory_mb"])),
        ("longest job", lambda t: longest(t["longest_job"])),
    ]


def span(least: str, most: str) -> str:
    if least.startswith("less than") and least != most:
        return f"up to {most} with all doublings"
    return least if least == most else f"{least}, or {most} with all doublings"


def about(time: str) -> str:
    return time if time.startswith(("less than", "up to", "none")) else f"about {time}"


def head(plan: dict, machine: Machine, wait: Wait) -> list[str]:
    """Says what is missing now, in sentences."""
    least, most = (plan["missing"][name] for name in ("least", "most"))
    if not least["jobs"]:
        return ["Nothing is missing; psflip run has nothing to do."]
    gpu = plan["device"] == "gpu"
    where = f"on {machine.workers(gpu)}" + (" of this machine" if not gpu else "" if machine.gpus else " (this machine has none)")
    times, disks = ([show(part) for part in (least, most)] for show in (time_of(machine, gpu, wait.cluster), lambda t: amount(t["disk_bytes"])))
    if wait.cluster:
        where = f"summed over {'GPUs' if gpu else 'cores'}, plus {wait.text(plan)}; a busy queue adds more"
    lines = [f"Time:   {about(span(*times))}, {where}", f"Disk:   {span(*disks)}; {amount(machine.free)} are free in {machine.place}"]
    lines.append(f"Memory: up to {amount(1e6 * most['memory_mb'])} for a job; this machine has {amount(machine.memory)}")
    return lines + ([f"Slurm:  found; psflip run --profile slurm submits the jobs to it, which adds {wait.text(plan)}"] if machine.slurm and not wait.cluster else [])


def time_of(machine: Machine, gpu: bool, cluster: bool) -> Callable[[dict], str]:
    """Returns what gives the time of planned jobs: on this machine, or summed over the jobs of a cluster."""
    return (lambda t: work(t["gpu_hours" if gpu else "core_hours"])) if cluster else (lambda t: duration(machine.seconds(t)))


def announced(plan: dict, machine: Machine, wait: Wait, study: str, out: Path) -> str:
    """One line before a run: how many jobs are missing, how long they take, where the results go."""
    least, most = (plan["missing"][name] for name in ("least", "most"))
    jobs, gpu = sum(least["jobs"].values()), plan["device"] == "gpu"
    if not jobs:
        return f"{study}: all jobs are done; results in {out}"
    where = f"summed over {'GPUs' if gpu else 'cores'}, plus {wait.text(plan)}" if wait.cluster else f"on {machine.workers(gpu)}"
    show = time_of(machine, gpu, wait.cluster)
    return f"{study}: {jobs} jobs, {about(span(show(least), show(most)))} {where}; results in {out}"


def coding_lines(found: dict[str, dict], share: int, lanes: str) -> list[str]:
    if not found:
        return []
    lines = [f"{'L':>4}{'realizations':>14}{f'lanes: realizations, share {share}':>33}{'lanes: replicas':>18}  seconds per sweep of a batch, by a model"]
    for L, row in found.items():
        seconds, cheaper = row["seconds_per_sweep"], row["cheaper"]
        ratio = seconds[lanes] / seconds[cheaper]
        advice = f"  {cheaper}: sweeps {ratio:.2g} times faster than the study's" if ratio > 1.1 else ""
        lines.append(f"{L:>4}{row['realizations_of_batch']:>14}{seconds['realizations']:>33.3g}{seconds['replicas']:>18.3g}{advice}")
    return lines


def as_text(plan: dict, machine: Machine, wait: Wait = Wait()) -> list[str]:
    columns = [plan[part][name] for part in ("whole", "missing") for name in ("least", "most")]
    gpu = plan["device"] == "gpu"
    lines = [*head(plan, machine, wait), "", f"{'':26}{'whole study':>44}{'missing now':>44}", f"{'':26}" + f"{'least':>22}{'most':>22}" * 2]
    lines += [f"{title:26}" + "".join(f"{show(column):>22}" for column in columns) for title, show in rows(machine, gpu)]
    rules = {rule: [column["jobs"].get(rule, 0) for column in columns] for rule in columns[1]["jobs"]}
    lines += ["", f"jobs by rule: {COUNTED}"] + [f"  {rule:24}" + "".join(f"{n:>22}" for n in numbers) for rule, numbers in rules.items()]
    hours = "gpu_hours" if gpu else "core_hours"
    lines += ["", f"{'L':>4}{'batches':>9}{'realizations':>14}{'slabs':>7}{'flips':>12}{'work':>15}{'disk':>10}{'ps per flip':>13}  from   (least)"]
    for L, size in plan["sizes"]["least"].items():
        row = f"{L:>4}{size['batches']:>9}{size['realizations']:>14}{size['slabs']:>7}{size['flips']:>12.3g}{work(size[hours]):>15}{amount(size['disk_bytes']):>10}"
        lines.append(f"{row}{size['ps_per_flip']:>13.3g}  {size['rate_from']}")
    return [*lines, "", *coding_lines(plan["codings"], **plan["multispin"])]


def lack_of_disk(plan: dict, machine: Machine, name: str = "least") -> str:
    """Returns why the missing results do not fit into the free space, with a remedy; empty if they do. `name`: least, or most for the results with all doublings."""
    size = plan["missing"][name]["disk_bytes"]
    if size <= machine.free:
        return ""
    needed = f"{amount(size)} are needed" if name == "least" else f"up to {amount(size)} may be needed"
    return f"disk: {needed} and {amount(machine.free)} are free in {machine.place}; choose a larger disk with --out, or lower disorder.realizations or run.snapshots"


def limits(plan: dict, machine: Machine, cores_of_a_job: int = 1) -> list[str]:
    """Says where the missing jobs exceed this machine, and what to change."""
    most = plan["missing"]["most"]
    if not most["jobs"]:
        return []
    found = []
    if lack := lack_of_disk(plan, machine) or lack_of_disk(plan, machine, "most"):
        found.append(lack)
    of_job, gpu = 1e6 * most["memory_mb"], plan["device"] == "gpu"
    side_by_side = max(1, min(max(1, machine.gpus) if gpu else machine.cores // cores_of_a_job, max(most["jobs"].values())))
    if of_job > machine.memory:
        found.append(f"memory: a job takes {amount(of_job)} and this machine has {amount(machine.memory)}; lower disorder.batch, or take a larger machine")
    elif side_by_side * of_job > machine.memory:
        fit = math.floor(machine.memory / of_job) * cores_of_a_job
        remedy = f"run with --gpus {fit}" if gpu else f"run with --cores {fit}"
        found.append(f"memory: {side_by_side} jobs side by side take {amount(side_by_side * of_job)} and this machine has {amount(machine.memory)}; {remedy}, or lower disorder.batch")
    if gpu and not machine.gpus:
        found.append("GPU: nvidia-smi lists none here; psflip run stops, unless --profile submits the jobs to a cluster")
    return found
