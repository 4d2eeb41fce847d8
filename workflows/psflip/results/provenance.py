"""Writes what made each file of a study as a table: one row per file, from its /provenance.

    python workflows/psflip results.provenance --results results/quickstart --out provenance.csv

The columns end with the hashes of the files that it was made from ("hash  name", separated by "; "), so that every number of
reduced.h5 can be followed back to the couplings.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.whole_files import visible, whole
from psflip.results.reduced import as_text

ABOUT = ("program", "version", "git_commit", "physics_version", "backend", "device", "host", "slurm_job_id", "start_time", "end_time")
USAGE = ("flips", "wall_seconds", "calls", "gpu_energy_joules")
COLUMNS = ("file", "kind", "L", *ABOUT, *USAGE, "config_hash", "input_hashes", "couplings_origin", "analysis_version")
PROGRAMS = ("gen-disorder", "thermalize", "pt-run", "relax", "measure", "reduce-disorder")
MOST_VALUES = 4  # told of a column
SHOWN = ("version", "git_commit", "backend", "device", "host")


def row_of(file: Path, folder: Path) -> dict[str, str]:
    with hdf5_file(file, "a file of psflip") as opened:
        found = {key: as_text(value) for key, value in opened.attrs.items() if key in COLUMNS}
        if "provenance" in opened:
            found |= {key: as_text(value) for key, value in opened["provenance"].attrs.items() if key in COLUMNS}
    found["input_hashes"] = "; ".join(found.get("input_hashes", "").splitlines())
    return {key: found.get(key, "") for key in COLUMNS} | {"file": file.relative_to(folder).as_posix()}


def collect(folder: Path) -> list[dict[str, str]]:
    """All finished files of a study, in the order of their names."""
    files = [file for file in visible(folder, "L*/batch*/*.h5") if ".checkpoint." not in file.name]
    return [row_of(file, folder) for file in files + visible(folder, "reduced.h5")]


def read(file: Path) -> list[dict[str, str]]:
    """The rows of provenance.csv; none where it is not there."""
    if not file.is_file():
        return []
    with reading(file, "a table of provenance"), file.open(newline="", encoding="utf-8") as stream:
        table = csv.DictReader(stream)
        if missing := set(COLUMNS) - set(table.fieldnames or ()):
            raise KeyError(min(missing))
        return [{key: row[key] or "" for key in COLUMNS} for row in table]


def joined(values: Counter) -> str:
    """The different values, most frequent first; how often each where there are several."""
    values = Counter({value: count for value, count in values.items() if value})
    if len(values) <= 1:
        return next(iter(values), "")
    shown = [f"{value} ({count})" for value, count in values.most_common(MOST_VALUES)]
    return ", ".join(shown) + (f" and {len(values) - MOST_VALUES} more" if len(values) > MOST_VALUES else "")


def by_program(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """One row per program: number of files, distinct versions, backends, devices, hosts, first start and last end."""
    summed = []
    for program in PROGRAMS:
        found = [row for row in rows if row["program"] == program]
        if not found:
            continue
        row = {"program": program, "files": str(len(found))}
        row |= {key: joined(Counter(r[key] for r in found)) for key in SHOWN}
        row["from"] = min((r["start_time"] for r in found if r["start_time"]), default="")
        row["to"] = max((r["end_time"] for r in found if r["end_time"]), default="")
        summed.append(row)
    return summed


def write(folder: Path, out: Path) -> list[dict[str, str]]:
    """Writes the table of all finished files of a folder and returns its rows; StudyError if there are none."""
    rows = collect(folder)
    if not rows:
        raise StudyError(f"{folder}: no folder of results, as it has no finished files")
    with whole(out, "table of provenance") as part, part.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_output("--out", "table of provenance", required=True)
    given = parser.parse_args()
    write(given.results, given.out)


if __name__ == "__main__":
    main()
