"""Writes the origin of each file of a study as a table with a row per file, from its group /provenance.

    python workflows/psflip results.provenance --results results/quickstart --out provenance.csv

The column input_hashes has the hashes of the files that a file was made from ("hash  name", separated by "; "). They lead from every number of
reduced.h5 back to the couplings.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.whole_files import visible
from psflip.results.columns import columns_in, write_rows
from psflip.results.reduced import as_text

KIND = "table of provenance"
COLUMNS = columns_in("provenance.csv")
PROGRAMS = ("gen-disorder", "thermalize", "pt-run", "relax", "measure", "reduce-disorder")
MAX_VALUES = 4  # shown of a column
SHOWN = ("version", "git_commit", "backend", "device", "host")


def row_of(file: Path, folder: Path) -> dict[str, str]:
    with hdf5_file(file, "a file of psflip") as opened:
        found = {key: as_text(value) for key, value in opened.attrs.items() if key in COLUMNS}
        if "provenance" in opened:
            found |= {key: as_text(value) for key, value in opened["provenance"].attrs.items() if key in COLUMNS}
    found["input_hashes"] = "; ".join(found.get("input_hashes", "").splitlines())
    found["file"] = file.relative_to(folder).as_posix()
    return {key: found.get(key, "") for key in COLUMNS}


def collect(folder: Path) -> list[dict[str, str]]:
    """Returns the rows of all finished files of a study, in the order of their names."""
    files = [file for file in visible(folder, "L*/batch*/*.h5") if ".checkpoint." not in file.name]
    return [row_of(file, folder) for file in files + visible(folder, "reduced.h5")]


def read(file: Path) -> list[dict[str, str]]:
    """Returns the rows of provenance.csv; none if the file is missing."""
    if not file.is_file():
        return []
    with reading(file, f"a {KIND}"), file.open(newline="", encoding="utf-8") as stream:
        table = csv.DictReader(stream)
        if missing := set(COLUMNS) - set(table.fieldnames or ()):
            raise KeyError(min(missing))
        return [{key: row[key] or "" for key in COLUMNS} for row in table]


def joined(values: Counter) -> str:
    """Joins the different values, most frequent first. If several values differ, adds their counts."""
    values = Counter({value: count for value, count in values.items() if value})
    if len(values) <= 1:
        return next(iter(values), "")
    shown = [f"{value} ({count})" for value, count in values.most_common(MAX_VALUES)]
    return ", ".join(shown) + (f" and {len(values) - MAX_VALUES} more" if len(values) > MAX_VALUES else "")


def by_program(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Returns a row per program: number of files, distinct versions, backends, devices and hosts, first start and last end."""
    summed = []
    for program in PROGRAMS:
        if found := [row for row in rows if row["program"] == program]:
            shown = {key: joined(Counter(row[key] for row in found)) for key in SHOWN}
            first, last = (pick((row[key] for row in found if row[key]), default="") for pick, key in ((min, "start_time"), (max, "end_time")))
            summed.append({"program": program, "files": str(len(found)), **shown, "from": first, "to": last})
    return summed


def write(folder: Path, out: Path) -> list[dict[str, str]]:
    """Writes the table of all finished files of a folder and returns its rows. StudyError if there are no finished files."""
    rows = collect(folder)
    if not rows:
        raise StudyError(f"{folder}: this is not a folder of results, because it has no finished files")
    write_rows(out, [COLUMNS, *(row.values() for row in rows)], KIND)
    return rows


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_output("--out", KIND, required=True)
    given = parser.parse_args()
    write(given.results, given.out)


if __name__ == "__main__":
    main()
