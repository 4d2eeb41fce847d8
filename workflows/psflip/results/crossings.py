"""Writes the crossing temperatures of all pairs of sizes as a table, and what the columns of all tables mean.

    python workflows/psflip results.crossings --reduced reduced.h5 --out crossings.csv --columns columns.csv
"""

from __future__ import annotations

import csv

from psflip.campaign.command_line import Parser
from psflip.campaign.whole_files import whole
from psflip.results import columns
from psflip.results.reduced import CROSSING_NUMBERS, read_reduced


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_output("--out", "table of crossings", required=True)
    parser.add_output("--columns", columns.KIND, help="what the columns of all tables mean; results.csv lies beside reduced.h5")
    given = parser.parse_args()
    if given.columns:
        columns.write_columns(given.columns, given.reduced)
    data = read_reduced(given.reduced)
    with whole(given.out, "table of crossings") as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["observable", "L1", "L2", *CROSSING_NUMBERS, "note"])
        for name, crossings in data.crossings.items():
            for c in crossings:
                writer.writerow([name, c.L1, c.L2, *(f"{getattr(c, key):.10g}" for key in CROSSING_NUMBERS), c.note])


if __name__ == "__main__":
    main()
