"""Writes a disorder file from lists of edges, text files with lines `i j w` of a square or cubic lattice, periodic or open: a realization each.

    psflip couplings edges.txt --out mine.h5
    psflip couplings instances/*.txt --out mine/L8.h5

Sites are counted from 0 or from 1: the smallest number decides. A first line `n m` has the numbers of sites and edges. Comments begin with #, %, //, * or c.
Weights +1, -1 and 0 are couplings of the ±J model; other weights from -8 to 8 are real couplings, for studies with model.couplings: gaussian.
A weight is J of H = -sum J s s. An edge that is not listed is an absent bond.
"""

from __future__ import annotations

from psflip.analysis.couplings import NUMBERS, write_couplings
from psflip.analysis.edge_list import ORDERS
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import printable
from psflip.campaign.hdf5 import hdf5_file


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip couplings")
    parser.add_input("edges", nargs="+", help="text files of edges")
    parser.add_output("--out", None, required=True, help="disorder file to write")
    parser.add_argument("--first-realization", type=parser.whole(0, NUMBERS - 1), default=0, help="number of the first realization (default: 0)")
    parser.add_argument("--order", choices=ORDERS, default=ORDERS[0], help="which coordinate changes first from one site to the next (default: x)")
    parser.add_argument("--dimension", type=int, choices=(2, 3), help="needed only if the edges fit both")
    parser.add_argument("--force", action="store_true", help="replace an existing disorder file of psflip; other files are never replaced")
    given = parser.parse_args(words)
    file = write_couplings(given.out, given.edges, given.first_realization, given.order, given.dimension, given.force)
    with hdf5_file(file, "a disorder file") as opened:
        node = opened["couplings"]
        kind = "real couplings" if node.dtype.kind == "f" else "couplings +1 and -1"
        bonds, possible = (node[()] != 0).sum(), node.size
        print(printable(f"{file}: {len(node)} realizations of L = {node.shape[-1]} in {node.shape[1]} dimensions, {kind}, {bonds} of {possible} bonds"))
    return 0
