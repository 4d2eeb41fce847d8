"""From single realizations to averages: P(q) of one realization (of a glass), and Binder ratios with jackknife errors as in results.csv.

    python read_observables.py results/quickstart 8
"""

import sys

import numpy as np
import psflip
from psflip.campaign.errors import printable  # texts from files may hold commands for the terminal


def main(folder, L):
    study = psflip.load(folder)
    means = study.means(L).values

    # Glasses have averages of the overlap q, ferromagnets of the magnetisation m. In a field, the Binder ratio of q has no meaning.
    x = "q" if "q2" in means and "replicon" not in means else "m"

    # P(q) of the first realization at the lowest temperature: counts in equal bins of -1 <= q <= 1. Bins hold different numbers of the
    # values that q can take, which shows at small L; reduced.h5 has densities per value.
    if x == "q":
        counts = study.observables(L, groups=("histogram",))["histogram/overlap"].isel(T=0, realization=0).values
        density = counts / counts.sum() * len(counts) / 2
        for q, p in zip(np.linspace(-1, 1, 2 * len(counts) + 1)[1::2], density):
            print(f"P({q:+.2f}) = {p:.3f}")

    # Jackknife: the Binder ratio again without each of the realizations. To it comes the noise that realizations with the same random
    # numbers share (multispin.share).
    found = study.jackknife(lambda m: (3 - m[f"{x}4"] / m[f"{x}2"] ** 2) / 2, L)
    for (_, T), row in found.iterrows():
        print(f"T = {T:.6g}: g = {row.value:.12g} +- {row.error:.12g}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit(__doc__)
    try:
        main(sys.argv[1], int(sys.argv[2]))
    except (psflip.StudyError, KeyError, ValueError, IndexError) as error:
        sys.exit(printable(f"{sys.argv[1]}: this study is not finished, or one of its files is damaged: {error}"))
