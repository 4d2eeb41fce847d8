"""The report's section on the campaign: what is done and what is missing, what it cost, and planned against used."""

from __future__ import annotations

from dataclasses import dataclass

import page
from campaign import Batch, Campaign
from page import DASH

WORK = (("thermalize", "state"), ("pt-run", "run"))  # program and kind of the files that tell what their making cost


@dataclass
class Used:
    """What the jobs of one program and size cost, all calls together."""

    jobs: int = 0
    calls: int = 0
    flips: float = 0.0
    seconds: float = 0.0
    joules: float = 0.0
    metered_flips: float = 0.0  # of the jobs whose energy is known

    def add(self, row: dict[str, str]) -> None:
        self.jobs += 1
        self.calls += int(float(row["calls"]))
        self.flips += float(row["flips"])
        self.seconds += float(row["wall_seconds"])
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


def last_end(campaign: Campaign, batch: Batch) -> int:
    """Up to which sweep the batch runs, as far as is known."""
    end = campaign.sweeps(batch.L)
    while campaign.round_file(batch.L, end).is_file() and batch.name in campaign.go_on(batch.L, end):
        end *= 2
    return end


def progress_row(campaign: Campaign, L: int) -> list[str]:
    batches = campaign.batches(L)
    done, needed = [0] * 4, [0] * 4
    stopped = working = 0
    for batch in batches:
        names, end = campaign.names(batch), last_end(campaign, batch)
        ends = campaign.chain(batch, end)
        wanted = (
            ["disorder.h5"],
            ["state-0.h5"],
            [f"run-{n}.h5" for n in ends],
            [f"observables-{n}.h5" for n in ends if n >= campaign.sweeps(L)],
        )
        for i, files in enumerate(wanted):
            needed[i] += len(files)
            done[i] += sum(name in names for name in files)
        stopped += sum(name.endswith(".checkpoint.h5") for name in names)
        working += sum(name.endswith(".lock") for name in names)
    cells = [f"{d} of {n}" if d < n else f"{n}" for d, n in zip(done, needed)]
    missing = sum(needed) - sum(done)
    return [str(L), str(len(batches)), *cells, str(missing), str(stopped), str(working)]


def progress_table(campaign: Campaign) -> str:
    rows = [progress_row(campaign, L) for L in campaign.study.sizes]
    head = ["L", "batches", "couplings", "thermalized", "runs", "measured", "files missing", "with a checkpoint", "being written"]
    open_jobs = sum(int(row[6]) for row in rows)
    text = f"Files of the campaign that are missing: {open_jobs}." if open_jobs else "All jobs of the campaign are done."
    return f"<p>{text}</p>" + page.table(head, rows)


def facts(files: list[dict[str, str]]) -> list[str]:
    used = total(used_by(files))
    if not used.jobs:
        return []
    energy = f"; {page.quantity(used.joules_per_1e15 / 1000, 'kJ')} per 10<sup>15</sup> flips" if used.metered_flips else ""
    return [page.fact("Time of all jobs", page.duration(used.seconds), f"{page.quantity(used.flips)} flips{energy}")]


def section(campaign: Campaign | None, files: list[dict[str, str]]) -> str:
    parts = [progress_table(campaign) if campaign else "", usage_table(used_by(files))]
    return "\n".join(part for part in parts if part)
