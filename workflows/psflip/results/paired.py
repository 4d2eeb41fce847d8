"""Writes the paired differences between the last half of the runs and the log2 bins before it as a table. Each size, temperature and bin has a row with
the mean over realizations, its error, and their ratio, converted to sigma of a normal distribution.

    python workflows/psflip results.paired --reduced reduced.h5 --out equilibration.csv
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psflip.campaign.command_line import Parser
from psflip.results.averages import Size
from psflip.results.columns import columns_in, write_rows
from psflip.results.reduced import Reduced, read_reduced

KIND = "table of paired differences"
OBSERVABLES = {"energy": "e", "q2": "q²", "q_link": "q<sub>link</sub>", "m2": "m²"}  # name -> symbol in the report


@dataclass(frozen=True)
class Paired:
    """Holds `difference`, `error` and `z` (bin, temperature) of the last half (n/2, n] of a run minus the part (n/2^(k+1), n/2^k], k = row + 1."""

    difference: np.ndarray
    error: np.ndarray
    z: np.ndarray

    @classmethod
    def of(cls, size: Size, name: str) -> "Paired | None":
        """Returns None if the file has no paired differences, or only one log2 bin."""
        z = size.get(f"paired_{name}_z")
        if z.ndim != 2 or not np.isfinite(z).any():
            return None
        return cls(size.get(f"paired_{name}"), size.get(f"paired_{name}_err"), z)


def rows(data: Reduced):
    for size in data.sizes:
        for name in OBSERVABLES:
            if found := Paired.of(size, name):
                for (k, t), z in np.ndenumerate(found.z):
                    yield size.L, size.temperatures[t], name, 0.5 ** (k + 2), 0.5 ** (k + 1), found.difference[k, t], found.error[k, t], z


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_output("--out", KIND, required=True)
    given = parser.parse_args()
    write_rows(given.out, [columns_in("equilibration.csv"), *rows(read_reduced(given.reduced))], KIND)


if __name__ == "__main__":
    main()
