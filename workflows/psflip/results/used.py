"""Computes the cost of the jobs of a study. provenance.csv has the numbers that the programs counted. benchmarks/ has the times of whole jobs, with start
and end, as Snakemake measured them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from psflip.campaign.whole_files import visible
from psflip.plan.rates import threads_of

RULES = {"gen-disorder": "disorder", "thermalize": "thermalize", "pt-run": "run", "relax": "relax", "measure": "measure", "reduce-disorder": "reduce"}
KINDS = {"gen-disorder": "disorder", "thermalize": "state", "pt-run": "run", "relax": "relaxation", "measure": "observables", "reduce-disorder": "reduced"}
SIMULATIONS = ("thermalize", "pt-run", "relax")
DRAWING = "plots and tables"
DRAWN = ("plots", "crossings", "critical", "provenance")  # their jobs; the job of the report still runs when the report shows this


@dataclass
class Used:
    """Holds the cost of the jobs of one program and size, summed over all calls."""

    jobs: int = 0
    calls: int = 0
    flips: float = 0.0
    seconds: float = 0.0  # of the jobs, from start to end
    core_seconds: float = 0.0  # the same times the threads
    flip_seconds: float = 0.0  # of the programs from their first to their last sweep, times the threads
    joules: float = 0.0
    metered_flips: float = 0.0  # of the jobs whose energy is known

    @property
    def ps_per_flip(self) -> float:
        """Returns the time per flip of a core or a GPU."""
        return 1e12 * self.flip_seconds / self.flips if self.flips else math.nan

    @property
    def joules_per_1e15(self) -> float:
        return self.joules / self.metered_flips * 1e15 if self.metered_flips else math.nan


def benchmarks(folder: Path) -> dict[str, float]:
    """Maps each job, such as "run/L4-0000000-0000127-8192" or "reduce", to the seconds of its last call."""
    found = {}
    for file in visible(folder, "benchmarks/**/*.tsv"):
        try:
            with file.open(newline="", encoding="utf-8") as stream:
                seconds = float(next(csv.DictReader(stream, delimiter="\t"))["s"])
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            continue  # the file is not as Snakemake writes it, so the time is not known
        found[file.relative_to(folder / "benchmarks").with_suffix("").as_posix()] = seconds
    return found


def job_of(row: dict[str, str]) -> str:
    """Returns the job that made a file of provenance.csv."""
    rule = RULES[row["program"]]
    if rule == "reduce":
        return rule
    size, batch, name = row["file"].split("/")
    end = name.removesuffix(".h5").partition("-")[2] if rule in ("run", "relax", "measure") else ""
    return f"{rule}/{size}-{batch.removeprefix('batch')}" + (f"-{end}" if end else "")


def seconds_between(row: dict[str, str]) -> float:
    """Returns whole seconds from the times in the file; nan without times."""
    try:
        start, end = (datetime.fromisoformat(row[key].replace("Z", "+00:00")) for key in ("start_time", "end_time"))
    except ValueError:
        return math.nan
    return (end - start).total_seconds()


def add(used: Used, row: dict[str, str], seconds: float) -> None:
    """Adds a file of provenance.csv. `seconds`: of the last call, nan if not known. The counts of the programs cover all calls, without start and end."""
    wall = float(row["wall_seconds"] or "nan")
    known = [value for value in (seconds, wall) if value == value] or [seconds_between(row)]
    if known[0] != known[0]:
        return
    threads = threads_of(row["backend"]) if row["program"] in SIMULATIONS else 1
    used.jobs += 1
    used.calls += int(float(row["calls"] or 1))
    used.seconds += max(known)
    used.core_seconds += max(known) * threads
    if wall == wall and row["flips"]:
        used.flips += float(row["flips"])
        used.flip_seconds += wall * threads
        if row["gpu_energy_joules"]:
            used.joules += float(row["gpu_energy_joules"])
            used.metered_flips += float(row["flips"])


def used_by(files: list[dict[str, str]], folder: Path) -> dict[tuple[int, str], Used]:
    """Returns the cost by size (0: all) and program, from the rows of provenance.csv and the folder of results. Jobs of unknown cost are left out."""
    found: dict[tuple[int, str], Used] = {}
    known = benchmarks(folder)
    for row in files:
        if KINDS.get(row["program"]) == row["kind"]:
            used = found.setdefault((int(row["L"] or 0), row["program"]), Used())
            add(used, row, known.get(job_of(row), math.nan))
    drawn = [known[rule] for rule in DRAWN if rule in known]
    found[0, DRAWING] = Used(jobs=len(drawn), calls=len(drawn), seconds=sum(drawn), core_seconds=sum(drawn))
    return {key: used for key, used in found.items() if used.jobs}


def total(used: dict[tuple[int, str], Used]) -> Used:
    return Used(*(sum(getattr(part, name) for part in used.values()) for name in Used.__dataclass_fields__))


def hours(used: dict[tuple[int, str], Used], on_gpu: bool) -> dict[str, float]:
    """Returns hours as planning.total counts them: a job on a GPU counts its GPU, but not its core."""
    gpu = {key: part for key, part in used.items() if on_gpu and key[1] in SIMULATIONS}
    rest = {key: part for key, part in used.items() if key not in gpu}
    return {"gpu_hours": total(gpu).seconds / 3600, "core_hours": total(rest).core_seconds / 3600}
