"""How far a campaign is, by size: from the names of its files, and the last lines of its logs."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from psflip.campaign.campaign import Campaign
from psflip.plan.estimate import Estimate
from psflip.plan.planning import cost, count_jobs

RULES = {"disorder": "couplings", "thermalize": "thermalized", "run": "runs", "measure": "measured"}
LOCK = re.compile(r"(?!state-[1-9]).*\.lock")  # one of each job: pt-run also holds that of the state it ends in
ERROR = re.compile(r"(?:gen-disorder|thermalize|pt-run|measure|reduce-disorder): (?!stopped by ).*")  # what ended a program, if not a stop
END = 4096  # bytes of a log that are looked at


@dataclass
class Progress:
    """Of one size: jobs by rule; jobs that run, that wait with a checkpoint, and that failed (log, message); `seconds_left` of one core or GPU."""

    L: int
    batches: int
    needed_by_rule: dict[str, int]
    missing_by_rule: dict[str, int]
    running: int
    waiting: int
    seconds_left: float = 0.0
    failed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def needed(self) -> int:
        return sum(self.needed_by_rule.values())

    @property
    def missing(self) -> int:
        return sum(self.missing_by_rule.values())


def last_error(file: Path) -> str:
    """The last line of a log where it is an error; empty where the last call went well, or goes on."""
    with file.open("rb") as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - END))
        lines = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines and ERROR.match(lines[-1]) else ""


def failures(folder: Path, L: int) -> list[tuple[str, str]]:
    """Jobs of a size whose last call ended with an error."""
    files = sorted(file for rule in RULES for file in (folder / "logs" / rule).glob(f"L{L}-*.log"))
    return [(file.relative_to(folder).as_posix(), error) for file in files if (error := last_error(file))]


def progress(campaign: Campaign, estimate: Estimate | None = None, folder: Path | None = None) -> list[Progress]:
    """Of the jobs that are known to be needed. `estimate` for seconds_left, `folder` for failures."""
    whole, missing = count_jobs(campaign, most=False)
    rows = []
    for L in campaign.study.sizes:
        needed, rest = ({rule: sum(n for key, n in jobs.items() if key[:2] == (rule, L)) for rule in RULES} for jobs in (whole, missing))
        names = [name for batch in campaign.batches(L) for name in campaign.names(batch)]
        waiting, running = sum(name.endswith(".checkpoint.h5") for name in names), sum(bool(LOCK.fullmatch(name)) for name in names)
        found = Progress(L, len(campaign.batches(L)), needed, rest, running, waiting)
        if estimate:
            of_size = Counter({key: n for key, n in missing.items() if key[1] == L})
            found.seconds_left = sum(n * cost(estimate, key).seconds for key, n in of_size.items())
        found.failed = failures(folder, L) if folder and found.missing else []
        rows.append(found)
    return rows
