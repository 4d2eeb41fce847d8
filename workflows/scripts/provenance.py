"""What made the files of a study: each file's /provenance, summed up per program, and the time that Snakemake's benchmarks tell."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from reduced import read_provenance

STAGES = {
    "gen-disorder": "L*/batch*/disorder.h5",
    "thermalize": "L*/batch*/state.h5",
    "pt-run": "L*/batch*/run*.h5",
    "measure": "L*/batch*/observables.h5",
    "reduce-disorder": "reduced.h5",
}
SHOWN = ("version", "git_commit", "backend", "device", "host")


def joined(values: Counter) -> str:
    """All different values; how often each where there are several."""
    values = Counter({value: count for value, count in values.items() if value})
    if len(values) <= 1:
        return next(iter(values), "")
    return ", ".join(f"{value} ({count})" for value, count in values.most_common())


def stage_rows(folder: Path) -> list[dict[str, str]]:
    """One row per program: number of files, distinct versions, backends, devices, hosts, first start and last end."""
    rows = []
    for program, pattern in STAGES.items():
        files = [file for file in sorted(folder.glob(pattern)) if ".checkpoint." not in file.name]
        found = [read_provenance(file) for file in files]
        if not found:
            continue
        row = {"program": program, "files": str(len(files))}
        row |= {key: joined(Counter(p.get(key, "") for p in found)) for key in SHOWN}
        row["from"] = min((p["start_time"] for p in found if p.get("start_time")), default="")
        row["to"] = max((p["end_time"] for p in found if p.get("end_time")), default="")
        rows.append(row)
    return rows


def seconds_by_stage(folder: Path) -> dict[tuple[str, int], tuple[int, float]]:
    """(rule, L) -> jobs and seconds in all, from benchmarks/<rule>/L<L>-*.tsv."""
    total: dict[tuple[str, int], tuple[int, float]] = {}
    for file in sorted((folder / "benchmarks").glob("*/L*.tsv")):
        match = re.match(r"L(\d+)-", file.name)
        if not match:
            continue
        with file.open(newline="") as stream:
            seconds = sum(float(row["s"]) for row in csv.DictReader(stream, delimiter="\t"))
        key = (file.parent.name, int(match[1]))
        jobs, so_far = total.get(key, (0, 0.0))
        total[key] = (jobs + 1, so_far + seconds)
    return total
