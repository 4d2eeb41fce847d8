"""Writes the paired differences between the last half of the runs and the log2 bins before it as a table: the mean over realizations, its
error and their ratio in sigma, for each size, temperature and bin.

    python workflows/psflip results.paired --reduced reduced.h5 --out equilibration.csv
"""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np
from psflip.campaign.command_line import Parser
from psflip.campaign.whole_files import whole
from psflip.results.averages import Size
from psflip.results.reduced import Reduced, read_reduced

OBSERVABLES = {"energy": "e", "q2": "q²", "q_link": "q<sub>link</sub>", "m2": "m²"}  # name -> symbol in the report


@dataclass(frozen=True)
class Paired:
    """`difference`, `error`, `z` (bin, temperature): the last half (n/2, n] of a run against (n/2^(k+1), n/2^k], k = row + 1."""

    difference: np.ndarray
    error: np.ndarray
    z: np.ndarray

    @classmethod
    def of(cls, size: Size, name: str) -> "Paired | None":
        """None where the file has none, or only one log2 bin."""
        z = size.get(f"paired_{name}_z")
        if z.ndim != 2 or not np.isfinite(z).any():
            return None
        return cls(size.get(f"paired_{name}"), size.get(f"paired_{name}_err"), z)


def rows(data: Reduced):
    for size in data.sizes:
        for name in OBSERVABLES:
            if found := Paired.of(size, name):
                for k, parts in enumerate(zip(found.difference, found.error, found.z), start=1):
                    for T, difference, error, z in zip(size.temperatures, *parts):
                        yield size.L, float(T), name, 0.5 ** (k + 1), 0.5**k, float(difference), float(error), float(z)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_output("--out", "table of paired differences", required=True)
    given = parser.parse_args()
    data = read_reduced(given.reduced)
    with whole(given.out, "table of paired differences") as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["L", "T", "observable", "bin_from", "bin_to", "difference", "difference_err", "z"])
        writer.writerows(rows(data))


if __name__ == "__main__":
    main()
