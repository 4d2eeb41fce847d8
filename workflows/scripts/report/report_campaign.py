"""The report's section on the campaign: what is done and what is missing, what it cost, and planned against used."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from campaign.campaign import Campaign
from plan.planning import count_jobs
from plan.rates import threads_of
from report import page
from report.page import DASH

ERROR = re.compile(r"(?:gen-disorder|thermalize|pt-run|measure|reduce-disorder): (?!stopped by ).*")  # what ended a program, if not a stop
LOCK = re.compile(r"(?!state-[1-9]).*\.lock")  # one of each job: pt-run also holds that of the state it ends in
MOST_FAILURES = 50  # shown
RULES = {"disorder": "couplings", "thermalize": "thermalized", "run": "runs", "measure": "measured"}
WORK = (("thermalize", "state"), ("pt-run", "run"))  # program and kind of the files that tell what their making cost


@dataclass
class Used:
    """What the jobs of one program and size cost, all calls together."""

    jobs: int = 0
    calls: int = 0
    flips: float = 0.0
    seconds: float = 0.0
    core_seconds: float = 0.0
    joules: float = 0.0
    metered_flips: float = 0.0  # of the jobs whose energy is known

    def add(self, row: dict[str, str]) -> None:
        self.jobs += 1
        self.calls += int(float(row["calls"]))
        self.flips += float(row["flips"])
        self.seconds += float(row["wall_seconds"])
        self.core_seconds += float(row["wall_seconds"]) * threads_of(row["backend"])
        if row["gpu_energy_joules"]:
            self.joules += float(row["gpu_energy_joules"])
            self.metered_flips += float(row["flips"])

    @property
    def joules_per_1e15(self) -> float:
        return self.joules / self.metered_flips * 1e15 if self.metered_flips else float("nan")


def used_by(files: list[dict[str, str]]) -> dict[tuple[int, str], Used]:
    """By size and program, from the rows of provenance.csv."""
    found: dict[tuple[int, str], Used] = {}
    for row in files:
        if (row["program"], row["kind"]) in WORK and row["calls"]:
            found.setdefault((int(row["L"]), row["program"]), Used()).add(row)
    return found


def total(used: dict[tuple[int, str], Used]) -> Used:
    parts = list(used.values())
    return Used(*(sum(getattr(part, name) for part in parts) for name in Used.__dataclass_fields__))


def usage_row(name: list[str], used: Used) -> list[str]:
    picoseconds = 1e12 * used.seconds / used.flips if used.flips else float("nan")
    energy = page.quantity(used.joules / 3.6e6, "kWh") if used.metered_flips else DASH
    cells = [str(used.jobs), str(used.calls), str(used.calls - used.jobs), page.duration(used.seconds), page.quantity(used.flips)]
    return [*name, *cells, page.quantity(picoseconds), energy, page.quantity(used.joules_per_1e15 / 1000, "kJ")]


def usage_table(used: dict[tuple[int, str], Used]) -> str:
    rows = [usage_row([str(L), program], part) for (L, program), part in sorted(used.items(), key=lambda item: (item[0][0], item[0][1] != "thermalize"))]
    if not rows:
        return ""
    if len(rows) > 1:
        rows.append(usage_row(["all", ""], total(used)))
    head = ["L", "program", "jobs", "calls", "continued", "time of the jobs", "flips", "ps per flip", "energy of the GPUs", "energy per 10<sup>15</sup> flips"]
    note = "<p>A job that was stopped or failed is called again and goes on from its checkpoint; what it cost is the sum over its calls.</p>"
    return "<h3>Used</h3>" + note + page.table(head, rows, words=2)


def least_to_most(plan: dict, L: str, key: str, show) -> str:
    least, most = (show(plan["sizes"][name][L][key]) for name in ("least", "most"))
    return least if least == most else f"{least} to {most}"


def plan_table(plan: dict, used: dict[tuple[int, str], Used]) -> str:
    """Planned against used, by size. The plan's least has no doubling of runs, its most has all."""
    on_gpu = plan["device"] == "gpu"
    rows = []
    for L in plan["sizes"]["least"]:
        parts = total({key: part for key, part in used.items() if key[0] == int(L)})
        hours = least_to_most(plan, L, "gpu_hours" if on_gpu else "core_hours", page.quantity)
        spent = parts.seconds / 3600 if on_gpu else parts.core_seconds / 3600
        rate = least_to_most(plan, L, "ps_per_flip", page.quantity)
        flips = least_to_most(plan, L, "flips", page.quantity)
        done = 1e12 * 3600 * spent / parts.flips if parts.flips else float("nan")
        rows.append([L, flips, page.quantity(parts.flips), hours, page.quantity(spent), rate, page.quantity(done)])
    unit = "GPU hours" if on_gpu else "core hours"
    head = ["L", "flips, planned", "used", f"{unit}, planned", "used", "ps per flip, planned", "used"]
    text = f"<p>The plan of {plan['made'][:10]}: the least without doublings of runs that are not decided yet, the most with all.</p>"
    return "<h3>Planned and used</h3>" + text + page.table(head, rows)


def progress_rows(campaign: Campaign) -> list[list[str]]:
    """By size: jobs of each rule that are done, of those that are known to be needed; jobs that wait with a checkpoint, or run."""
    whole, missing = count_jobs(campaign, most=False)
    rows = []
    for L in campaign.study.sizes:
        needed, open_jobs = ({rule: sum(n for key, n in jobs.items() if key[:2] == (rule, L)) for rule in RULES} for jobs in (whole, missing))
        names = [name for batch in campaign.batches(L) for name in campaign.names(batch)]
        cells = [f"{needed[rule] - open_jobs[rule]} of {needed[rule]}" if open_jobs[rule] else str(needed[rule]) for rule in RULES]
        waiting = sum(name.endswith(".checkpoint.h5") for name in names)
        running = sum(bool(LOCK.fullmatch(name)) for name in names)
        rows.append([str(L), str(len(campaign.batches(L))), *cells, str(sum(open_jobs.values())), str(waiting), str(running)])
    return rows


def progress_table(campaign: Campaign) -> str:
    rows = progress_rows(campaign)
    head = ["L", "batches", *RULES.values(), "jobs missing", "with a checkpoint", "running"]
    open_jobs = sum(int(row[6]) for row in rows)
    text = f"Jobs of the campaign that are missing: {open_jobs}." if open_jobs else "All jobs of the campaign are done."
    return f"<p>{text}</p>" + page.table(head, rows)


def facts(files: list[dict[str, str]]) -> list[str]:
    used = total(used_by(files))
    if not used.jobs:
        return []
    energy = f"; {page.quantity(used.joules_per_1e15 / 1000, 'kJ')} per 10<sup>15</sup> flips" if used.metered_flips else ""
    return [page.fact("Time of all jobs", page.duration(used.seconds), f"{page.quantity(used.flips)} flips{energy}")]


def failures(folder: Path) -> str:
    """The messages of jobs that ended with an error, from their logs. (Stops with a checkpoint are none.)"""
    found: list[tuple[str, str]] = []
    for file in sorted((folder / "logs").glob("*/*.log")):
        for line in file.read_text(errors="replace").splitlines():
            if match := ERROR.match(line):
                found.append((file.relative_to(folder).as_posix(), match[0]))
    if not found:
        return ""
    shown = [f"<li><code>{escape(name)}</code>: {escape(text)}</li>" for name, text in found[:MOST_FAILURES]]
    more = [f"<li>and {len(found) - MOST_FAILURES} more</li>"] if len(found) > MOST_FAILURES else []
    note = "A job that failed is tried again as often as Snakemake was told to."
    return f"<p>Calls that ended with an error: {len(found)}. {note}</p>" + page.folded("Their messages", f"<ul>{''.join(shown + more)}</ul>")


def read_plan(folder: Path) -> dict | None:
    file = folder / "plan.json"
    return json.loads(file.read_text()) if file.is_file() else None


def section(campaign: Campaign | None, files: list[dict[str, str]], folder: Path) -> str:
    used, plan = used_by(files), read_plan(folder)
    parts = [progress_table(campaign) if campaign else "", failures(folder), usage_table(used), plan_table(plan, used) if plan and used else ""]
    return "\n".join(part for part in parts if part)
