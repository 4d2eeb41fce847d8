"""How far a campaign is, by size: from the names of its files, its locks, and the last lines of its logs."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from psflip.campaign.campaign import Campaign
from psflip.campaign.study import RELAXATION
from psflip.jobs.locks import gone
from psflip.plan.estimate import Estimate
from psflip.plan.planning import ANALYSIS, cost, count_jobs

RULES = {"disorder": "couplings", "thermalize": "thermalized", "run": "runs", "measure": "measured"}
OF_RELAXATION = {"disorder": "couplings", "relax": "relaxed"}
# What the job of a batch makes, by rule; {} is the end in sweeps. The lock and the checkpoint of a job have the name of this file.
MADE = {"disorder": "disorder.h5", "thermalize": "state-0.h5", "run": "run-{}.h5", "measure": "observables-{}.h5", "relax": "relax-{}.h5"}
# What the jobs of all sizes make, in the folder of results.
MADE_OF_ALL = {"reduce": "reduced.h5", "critical": "critical.json", "crossings": "crossings.csv", "paired": "equilibration.csv", "provenance": "provenance.csv",
               "plots": "plots", "report": "report.html", "study_zip": "study.zip"}  # fmt: skip
MADE_OF_RELAXATION = {"relaxation": "relaxation.html"}
JOB = r"((?:disorder|state-0|(?:run|observables|relax)-\d+)\.h5)"
LOCK, CHECKPOINT = re.compile(JOB + r"\.lock"), re.compile(JOB + r"\.checkpoint\.h5")
# Programs, and the modules that the rules call.
WRITERS = ("gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder", "relax", "audit", "audit_sample", "own_couplings", "rounds", "reduce", "analysis",
           "plots", "ladder_plot", "crossings", "paired", "provenance", "report", "study_zip", "study", "on_free_gpus", "resumable")  # fmt: skip
OF_SLURM = r"sbatch: error: .*|Slurm job \d+: .*"  # written by jobs/failures.py
ERROR = re.compile(rf"(?:{'|'.join(WRITERS)}): (?!stopped by ).*|{OF_SLURM}")  # what ended a program, if not a stop
WORD = re.compile(rf"(?:{'|'.join(WRITERS)}): |{OF_SLURM}|\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d ")  # any line of a program
LAUNCHER = re.compile(r"(?:mpirun|mpiexec|prterun|orterun) (?:has|noticed|was|could|failed|detected|lost)\b.*|(?:srun|slurmstepd): (?:error|fatal): .*")
END = 1 << 14  # bytes of a log that are looked at
KILLED = "the program ended without a message, as after kill -9 or a lack of memory; run the study again, and the job continues or starts anew"


@dataclass
class Progress:
    """Of one size, of `all`, or the total: jobs by rule; jobs that run, that wait with a checkpoint, and that failed (log or lock, message); `seconds_left` of one core
    or GPU; jobs that wait in the queue of a cluster, None without a cluster. No job counts twice."""

    L: int | str
    batches: int
    needed_by_rule: dict[str, int]
    missing_by_rule: dict[str, int]
    running: int
    waiting: int
    seconds_left: float = 0.0
    failed: list[tuple[str, str]] = field(default_factory=list)
    pending: int | None = None

    @property
    def needed(self) -> int:
        return sum(self.needed_by_rule.values())

    @property
    def missing(self) -> int:
        return sum(self.missing_by_rule.values())


def total_of(rows: list[Progress]) -> Progress:
    """The sums over rows."""
    needed, missing = Counter(), Counter()
    for row in rows:
        needed.update(row.needed_by_rule)
        missing.update(row.missing_by_rule)
    found = Progress("total", sum(row.batches for row in rows), dict(needed), dict(missing), sum(row.running for row in rows), sum(row.waiting for row in rows))
    found.seconds_left, found.failed = sum(row.seconds_left for row in rows), [one for row in rows for one in row.failed]
    found.pending = sum(row.pending or 0 for row in rows) if any(row.pending is not None for row in rows) else None
    return found


def add_pending(rows: list[Progress], campaign: Campaign, jobs: list[tuple[str, ...]] | None) -> None:
    """Notes the jobs that wait in the queue of a cluster, as jobs/earlier_jobs.py lists them. A job that stopped with a checkpoint counts as stopped."""
    if jobs is None:
        return
    waiting: Counter = Counter()
    for rule, *words in jobs:
        L, batch, end = (*words, "", "", "")[:3]
        made = f"L{L}/batch{batch}/{MADE[rule].format(end)}" if rule in MADE else ""
        waiting[L] += not (made and (campaign.out / f"{made}.checkpoint.h5").is_file())
    sizes = {str(row.L): row for row in rows}
    for row in rows:
        row.pending = waiting.pop(str(row.L), 0)
    if waiting:
        sizes["all"].pending += waiting.total()  # of the analysis, or without a comment


def last_lines(file: Path) -> list[str]:
    """Of a log; none if it is not there."""
    if not file.is_file():
        return []
    with file.open("rb") as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - END))
        return [line.strip() for line in log.read().decode(errors="replace").splitlines() if line.strip()]


def last_line_of(file: Path) -> str:
    return next(reversed(last_lines(file)), "no message")


def last_error(file: Path) -> str:
    """The error that the last call ended with; empty if it went well, stopped with a checkpoint, or continues. A program's own message counts more than that
    of what started it (mpirun, srun)."""
    lines = last_lines(file)
    last = max((i for i, line in enumerate(lines) if WORD.match(line)), default=-1)
    if last >= 0 and (ERROR.match(lines[last]) or ": stopped by " in lines[last]):
        return lines[last] if ERROR.match(lines[last]) else ""
    return next((line for line in lines[last + 1 :] if LAUNCHER.match(line)), "")


def logs(campaign: Campaign, L: int) -> Iterator[tuple[Path, str]]:
    """The logs of a size, each with the file that its job makes, relative to the folder of results."""
    folder = campaign.out / "logs"
    for rule, made in MADE.items():
        for log in sorted((folder / rule).glob(f"L{L}-*.log")):
            first, last, *end = log.stem.split("-")[1:] if log.stem.count("-") >= 2 else ("", "")
            yield log, f"L{L}/batch{first}-{last}/{made.format(*end or ['?'])}"
    for end in campaign.rounds(L):
        made = campaign.round_file(L, end)
        yield folder / "equilibration" / f"{made.stem}.log", f"rounds/{made.name}"
    yield folder / "final" / f"L{L}-{campaign.content(L)}.log", f"rounds/{campaign.final_file(L).name}"
    for log in sorted((folder / "audit").glob(f"L{L}-*.log")):
        yield log, f"audit/{log.stem}.json"


def jobs_of_size(campaign: Campaign, L: int) -> tuple[int, int, list[tuple[str, str]]]:
    """Jobs that run, that wait with a checkpoint, and that failed."""
    locks, checkpoints = set(), set()
    for batch in campaign.batches(L):
        for name in campaign.names(batch):
            for pattern, found in ((LOCK, locks), (CHECKPOINT, checkpoints)):
                if match := pattern.fullmatch(name):
                    found.add(f"{batch.folder}/{match[1]}")
    ended = gone([campaign.out / f"{job}.lock" for job in locks])
    killed = {job for job in locks if campaign.out / f"{job}.lock" in ended}
    running = locks - killed
    failed = {}
    for log, job in logs(campaign, L):
        if job not in running and not (campaign.out / job).is_file() and (error := last_error(log)):
            failed[job] = (log.relative_to(campaign.out).as_posix(), error)
    failed |= {job: (f"{job}.lock", KILLED) for job in sorted(killed - failed.keys())}
    return len(running), len(checkpoints - running - failed.keys()), list(failed.values())


def rules_of(campaign: Campaign) -> dict[str, str]:
    """The rules of the jobs of a batch, with what they make."""
    return OF_RELAXATION if campaign.study.kind == RELAXATION else RULES


def progress(campaign: Campaign, estimate: Estimate | None = None) -> list[Progress]:
    """Of the jobs of each size that are known to be needed. `estimate` for seconds_left."""
    whole, missing = count_jobs(campaign, most=False)
    rows = []
    for L in campaign.study.sizes:
        needed, rest = ({rule: sum(n for key, n in jobs.items() if key[:2] == (rule, L)) for rule in rules_of(campaign)} for jobs in (whole, missing))
        running, waiting, failed = jobs_of_size(campaign, L)
        found = Progress(L, len(campaign.batches(L)), needed, rest, running, waiting, failed=failed)
        if estimate:
            of_size = Counter({key: n for key, n in missing.items() if key[1] == L})
            found.seconds_left = sum(n * cost(estimate, key).seconds for key, n in of_size.items())
        rows.append(found)
    return rows


def progress_of_all(campaign: Campaign, estimate: Estimate) -> Progress:
    """Averages, tables, plots, report and archive: missing without the averages of this study, or if they are older than reduced.h5. Of a relaxation: its page."""
    def changed(name: str) -> float:
        file = campaign.out / name
        files = [file] if file.is_file() else [one for one in file.glob("*.svg") if one.is_file()]
        return min((one.stat().st_mtime for one in files), default=-1.0)

    relaxes = campaign.study.kind == RELAXATION
    made = MADE_OF_RELAXATION if relaxes else MADE_OF_ALL
    averaged = changed(made["relaxation"] if relaxes else made["reduce"])
    there = (campaign.relaxation_stamp() if relaxes else campaign.stamp()).is_file() and averaged >= 0
    rules = ANALYSIS[campaign.study.kind]
    missing = {rule: int(not there or changed(made[rule]) < averaged) for rule in rules}
    failed = [(f"logs/{rule}.log", error) for rule in rules if missing[rule] and (error := last_error(campaign.out / "logs" / f"{rule}.log"))]
    seconds = sum(cost(estimate, (rule, 0, 0, 0, 0)).seconds for rule in rules if missing[rule])
    return Progress("all", 0, dict.fromkeys(rules, 1), missing, 0, 0, seconds, failed)
