"""Writes the crossing temperatures of all pairs of sizes as a table, and what the columns of all tables mean.

    python workflows/psflip results.crossings --reduced reduced.h5 --out crossings.csv --columns columns.csv
"""

from __future__ import annotations

import csv
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.whole_files import whole
from psflip.results import columns
from psflip.results.reduced import Reduced, read_reduced

KIND = "table of crossings"
NUMBERS = ("T", "T_err", "value", "value_err", "p", "T_first", "T_last")


def write_table(out: Path, studies: dict[Path, Reduced]) -> None:
    """`studies` by their files; a last column has the file if there are several."""
    several = len(studies) > 1
    with whole(out, KIND) as part, part.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["observable", "L1", "L2", *NUMBERS, "note", *["file"] * several])
        for file, data in studies.items():
            for name, crossings in data.crossings.items():
                for c in crossings:
                    writer.writerow([name, c.L1, c.L2, *(f"{getattr(c, key):.10g}" for key in NUMBERS), c.note, *[file] * several])


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_output("--out", KIND, required=True)
    parser.add_output("--columns", columns.KIND, help="what the columns of all tables mean; results.csv lies beside reduced.h5")
    given = parser.parse_args()
    if given.columns:
        columns.write_columns(given.columns, given.reduced)
    write_table(given.out, {given.reduced: read_reduced(given.reduced)})


if __name__ == "__main__":
    main()
