"""Makes the section on jobs and cost: which jobs are done, what they cost, and what the plan expected."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from psflip.campaign.campaign import Campaign
from psflip.campaign.whole_files import visible
from psflip.plan.planning import read_plan
from psflip.plan.progress import ERROR, RULES, progress
from psflip.report import page
from psflip.report.page import DASH
from psflip.results.used import RULES as RULES_OF_PROGRAMS
from psflip.results.used import Used, hours, total, used_by

MAX_FAILURES = 50  # shown
USED = """<h3>Used</h3><p>A job that was stopped or failed is called again and continues from its checkpoint. Its cost is the sum over its calls. Times of jobs
include the start of the programs. The time per flip is for one core or GPU, without this start. The jobs of this report and of the archive are not counted.</p>"""
PLANNED = """<h3>Planned and used</h3><p>The plan was made on {made}. The lower numbers assume that no further run is doubled. The upper numbers assume that all allowed doublings happen.
Hours are for whole jobs. The hours in the row <code>all</code> also include averages, plots and tables.</p>"""


def usage_row(name: list[str], used: Used) -> list[str]:
    energy = page.quantity(used.joules / 3.6e6, "kWh") if used.metered_flips else DASH
    cells = [str(used.jobs), str(used.calls), str(used.calls - used.jobs), page.duration(used.seconds), page.quantity(used.flips) if used.flips else DASH]
    return [*name, *cells, page.quantity(used.ps_per_flip), energy, page.quantity(used.joules_per_1e15 / 1000, "kJ")]


def usage_table(used: dict[tuple[int, str], Used]) -> str:
    """Returns a row for each size and program, in the order of the work, and then the rows of all sizes."""
    order = list(RULES_OF_PROGRAMS)
    keys = sorted(used, key=lambda key: (key[0] or math.inf, order.index(key[1]) if key[1] in order else len(order)))
    rows = [usage_row([str(L) if L else "all", program], used[L, program]) for L, program in keys]
    rows += [usage_row(["all", ""], total(used))] if len(rows) > 1 else []
    head = ["L", "program", "jobs", "calls", "repeated calls", "time of the jobs", "flips", "ps per flip", "energy of the GPUs", "energy per 10<sup>15</sup> flips"]
    return USED + page.table(head, rows, words=2) if rows else ""


def span(sums: list[dict], key: str) -> str:
    least, most = (page.quantity(part[key]) for part in sums)
    return least if least == most else f"{least} to {most}"


def plan_table(plan: dict, used: dict[tuple[int, str], Used]) -> str:
    """Returns planned and used work by size and in total. Both count whole jobs. `least` of the plan has no doublings, and `most` has all."""
    hour_keys = ("gpu_hours", "core_hours") if plan["device"] == "gpu" else ("core_hours",)
    bounds = ("least", "most")
    parts = [(L, [plan["sizes"][name][L] for name in bounds], {key: part for key, part in used.items() if key[0] == int(L)}) for L in plan["sizes"]["least"]]
    rows = []
    for name, planned, here in [*parts, ("all", [plan["whole"][name] for name in bounds], used)]:
        spent, done = hours(here, plan["device"] == "gpu"), total(here)
        row = [name, span(planned, "flips"), page.quantity(done.flips)]
        for key in hour_keys:
            row += [span(planned, key), page.quantity(spent[key])]
        rows.append([*row, DASH if name == "all" else span(planned, "ps_per_flip"), page.quantity(done.ps_per_flip)])
    columns = ["flips", *(key.replace("_", " ").replace("gpu", "GPU") for key in hour_keys), "ps per flip"]
    return PLANNED.format(made=plan["made"][:10]) + page.table(["L", *(cell for column in columns for cell in (f"{column}, planned", f"{column}, used"))], rows)


def progress_table(campaign: Campaign) -> str:
    """Returns for each size and rule how many of the needed jobs are done, and how many jobs wait with a checkpoint or run."""
    rows, missing = [], 0
    for found in progress(campaign):
        needed, rest = found.needed_by_rule, found.missing_by_rule
        cells = [f"{needed[rule] - rest[rule]} of {needed[rule]}" if rest[rule] else str(needed[rule]) for rule in RULES]
        rows.append([str(found.L), str(found.batches), *cells, str(found.missing), str(found.waiting), str(found.running)])
        missing += found.missing
    text = f"{missing} job{'s of the study are' if missing > 1 else ' of the study is'} missing." if missing else "All jobs of the study are done."
    return f"<p>{text}</p>" + page.table(["L", "batches", *RULES.values(), "jobs missing", "waiting with a checkpoint", "running"], rows)


def facts(files: list[dict[str, str]], folder: Path) -> list[str]:
    used = total(used_by(files, folder))
    if not used.jobs:
        return []
    energy = f"; {page.quantity(used.joules_per_1e15 / 1000, 'kJ')} per 10<sup>15</sup> flips" if used.metered_flips else ""
    return [page.fact("Time of all jobs", page.duration(used.seconds), f"{page.quantity(used.flips)} flips{energy}")]


def failures(folder: Path) -> str:
    """Returns the messages of jobs that ended with an error, from their logs. A stop with a checkpoint is not an error."""
    found = []
    for file in visible(folder, "logs/*/*.log"):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        found += [f"<code>{escape(file.relative_to(folder).as_posix())}</code>: {escape(match[0])}" for line in lines if (match := ERROR.match(line))]
    if not found:
        return ""
    more = [f"and {len(found) - MAX_FAILURES} more"] if len(found) > MAX_FAILURES else []
    text = f"<p>{len(found)} call{'s' if len(found) > 1 else ''} ended with an error. Snakemake repeats a failed job as often as its option <code>--retries</code> says.</p>"
    return text + page.folded("Messages of these calls", page.notes(found[:MAX_FAILURES] + more))


def section(campaign: Campaign | None, files: list[dict[str, str]], folder: Path, plan: str = "plan.json") -> str:
    used = used_by(files, folder)
    planned = plan_table(read_plan(folder / plan), used) if (folder / plan).is_file() and used else ""
    return page.joined(progress_table(campaign) if campaign else "", failures(folder), usage_table(used), planned)
