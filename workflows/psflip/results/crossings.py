"""Writes a table of the crossings of all pairs of sizes, and a table of the columns of all tables.

    python workflows/psflip results.crossings --reduced reduced.h5 --out crossings.csv --columns columns.csv
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.results import columns
from psflip.results.reduced import Reduced, read_reduced

KIND = "table of crossings"


def write_table(out: Path, studies: dict[Path, Reduced]) -> None:
    """Writes the crossings of `studies`, by their files. With several studies, the last column has the file."""
    several = len(studies) > 1
    rows = [[*columns.columns_in("crossings.csv"), *["file"] * several]]
    for file, data in studies.items():
        for name, crossings in data.crossings.items():
            rows += [[name, c.L1, c.L2, *(f"{getattr(c, key):.10g}" for key in rows[0][3:10]), c.note, *[file] * several] for c in crossings]
    columns.write_rows(out, rows, KIND)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_output("--out", KIND, required=True)
    parser.add_output("--columns", columns.KIND, help="meaning of the columns of all tables; results.csv lies next to reduced.h5")
    given = parser.parse_args()
    if given.columns:
        columns.write_columns(given.columns, given.reduced)
    write_table(given.out, {given.reduced: read_reduced(given.reduced)})


if __name__ == "__main__":
    main()
