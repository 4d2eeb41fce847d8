"""Prints where the curves of two sizes cross, from files that reduce-disorder wrote.

    psflip crossings reduced.h5
    psflip crossings */reduced.h5 --csv crossings.csv

Each row has the quantity, the two sizes, T in units of J/k_B with its standard error, the value of the quantity there, p of the fits, and a note:
why there is no crossing or no error, or what is to be known of the fits.
"""

from __future__ import annotations

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import printable
from psflip.results.cautions import mark, remark
from psflip.results.crossings import KIND, write_table
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced, read_reduced

HEAD = ("quantity", "L1", "L2", "T", "value there", "p", "note")


def lines_of(data: Reduced) -> list[str]:
    if said := data.model.no_crossings:
        return [said]
    if len(data.sizes) < 2:
        return [f"L = {data.sizes[0].L} alone has no crossing, because a crossing needs two sizes"]
    rows = [HEAD]
    for name, crossings in data.crossings.items():
        for c in crossings:
            p = f"{c.p:.2g}" if c.p == c.p else "\u2013"
            rows.append((name, str(c.L1), str(c.L2), with_error(c.T, c.T_err) + (mark(data, (c.L1, c.L2)) if c.found else ""), with_error(c.value, c.value_err), p, c.note))
    widths = [max(map(len, column)) for column in zip(*rows)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return [*table, said] if (said := remark(data)) else table


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip crossings")
    parser.add_input("reduced", nargs="+", help="files that reduce-disorder wrote")
    parser.add_output("--csv", KIND, help="table to write, with all digits")
    given = parser.parse_args(words)
    studies = {file: read_reduced(file) for file in given.reduced}
    for file, data in studies.items():
        heading = [f"{file}:"] if len(studies) > 1 else []
        print(printable("\n".join([*heading, *lines_of(data)])))
    if given.csv:
        write_table(given.csv, studies)
    return 0
