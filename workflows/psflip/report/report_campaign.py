"""The report's section on the campaign: what is done and what is missing, what it cost, and planned against used."""

from __future__ import annotations

import math
from pathlib import Path

from psflip.campaign.campaign import Campaign
from psflip.campaign.whole_files import visible
from psflip.plan.planning import read_plan
from psflip.plan.progress import ERROR, RULES, progress
from psflip.report import page
from psflip.report.page import DASH
from psflip.results.used import RULES as RULES_OF_PROGRAMS
from psflip.results.used import Used, hours, total, used_by

MOST_FAILURES = 50  # shown


def usage_row(name: list[str], used: Used) -> list[str]:
    energy = page.quantity(used.joules / 3.6e6, "kWh") if used.metered_flips else DASH
    cells = [str(used.jobs), str(used.calls), str(used.calls - used.jobs), page.duration(used.seconds), page.quantity(used.flips) if used.flips else DASH]
    return [*name, *cells, page.quantity(used.ps_per_flip), energy, page.quantity(used.joules_per_1e15 / 1000, "kJ")]


def usage_table(used: dict[tuple[int, str], Used]) -> str:
    """By size and, in the order of the work, by program; then what is of all sizes."""
    order = list(RULES_OF_PROGRAMS)
    keys = sorted(used, key=lambda key: (key[0] or math.inf, order.index(key[1]) if key[1] in order else len(order)))
    rows = [usage_row([str(L) if L else "all", program], used[L, program]) for L, program in keys]
    if not rows:
        return ""
    if len(rows) > 1:
        rows.append(usage_row(["all", ""], total(used)))
    head = ["L", "program", "jobs", "calls", "continued", "time of the jobs", "flips", "ps per flip", "energy of the GPUs", "energy per 10<sup>15</sup> flips"]
    note = (
        "<p>A job that was stopped or failed is called again and goes on from its checkpoint; what it cost is the sum over its calls. Times are those of "
        "whole jobs with their start; those of flips are of one core or GPU, without it. This report and the archive are not counted.</p>"
    )
    return "<h3>Used</h3>" + note + page.table(head, rows, words=2)


def least_to_most(sums: list[dict], key: str) -> str:
    least, most = (page.quantity(part[key]) for part in sums)
    return least if least == most else f"{least} to {most}"


def plan_table(plan: dict, used: dict[tuple[int, str], Used]) -> str:
    """Planned against used, by size and in all; both count whole jobs. The plan's least has no doubling of runs, its most has all."""
    on_gpu = plan["device"] == "gpu"
    bounds = ("least", "most")
    parts = [(L, [plan["sizes"][name][L] for name in bounds], {key: part for key, part in used.items() if key[0] == int(L)}) for L in plan["sizes"]["least"]]
    parts.append(("all", [plan["whole"][name] for name in bounds], used))
    rows = []
    for name, planned, here in parts:
        spent, done = hours(here, on_gpu), total(here)
        row = [name, least_to_most(planned, "flips"), page.quantity(done.flips)]
        for key in ("gpu_hours", "core_hours") if on_gpu else ("core_hours",):
            row += [least_to_most(planned, key), page.quantity(spent[key])]
        rates = [least_to_most(planned, "ps_per_flip"), page.quantity(done.ps_per_flip)] if name != "all" else [DASH, page.quantity(done.ps_per_flip)]
        rows.append(row + rates)
    head = ["L", "flips, planned", "used"]
    head += ["GPU hours, planned", "used"] if on_gpu else []
    head += ["core hours, planned", "used", "ps per flip, planned", "used"]
    text = (
        f"<p>The plan of {plan['made'][:10]}: the least without doublings of runs that are not decided yet, the most with all. Hours are those of whole "
        "jobs; of all sizes with averages, plots and tables.</p>"
    )
    return "<h3>Planned and used</h3>" + text + page.table(head, rows)


def progress_rows(campaign: Campaign) -> list[list[str]]:
    """By size: jobs of each rule that are done, of those that are known to be needed; jobs that wait with a checkpoint, or run."""
    rows = []
    for found in progress(campaign):
        needed, rest = found.needed_by_rule, found.missing_by_rule
        cells = [f"{needed[rule] - rest[rule]} of {needed[rule]}" if rest[rule] else str(needed[rule]) for rule in RULES]
        rows.append([str(found.L), str(found.batches), *cells, str(found.missing), str(found.waiting), str(found.running)])
    return rows


def progress_table(campaign: Campaign) -> str:
    rows = progress_rows(campaign)
    head = ["L", "batches", *RULES.values(), "jobs missing", "with a checkpoint", "running"]
    open_jobs = sum(int(row[6]) for row in rows)
    text = f"Jobs of the campaign that are missing: {open_jobs}." if open_jobs else "All jobs of the campaign are done."
    return f"<p>{text}</p>" + page.table(head, rows)


def facts(files: list[dict[str, str]], folder: Path) -> list[str]:
    used = total(used_by(files, folder))
    if not used.jobs:
        return []
    energy = f"; {page.quantity(used.joules_per_1e15 / 1000, 'kJ')} per 10<sup>15</sup> flips" if used.metered_flips else ""
    return [page.fact("Time of all jobs", page.duration(used.seconds), f"{page.quantity(used.flips)} flips{energy}")]


def failures(folder: Path) -> str:
    """The messages of jobs that ended with an error, from their logs. (Stops with a checkpoint are none.)"""
    found: list[tuple[str, str]] = []
    for file in visible(folder, "logs/*/*.log"):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if match := ERROR.match(line):
                found.append((file.relative_to(folder).as_posix(), match[0]))
    if not found:
        return ""
    return page.render("failures", number=len(found), shown=found[:MOST_FAILURES], more=len(found) - MOST_FAILURES)


def planned_and_used(folder: Path, used: dict[tuple[int, str], Used]) -> str:
    file = folder / "plan.json"
    if not file.is_file() or not used:
        return ""
    return plan_table(read_plan(file), used)


def section(campaign: Campaign | None, files: list[dict[str, str]], folder: Path) -> str:
    used = used_by(files, folder)
    parts = [progress_table(campaign) if campaign else "", failures(folder), usage_table(used), planned_and_used(folder, used)]
    return "\n".join(part for part in parts if part)
