"""Reads results.csv with pandas, crossings and jackknife samples from reduced.h5 with h5py.

    python read_results.py results/quickstart
"""

import sys
from pathlib import Path

import h5py
import numpy as np
import pandas


def printable(text):
    """Names and texts of files may hold commands for the terminal: shown as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in str(text))


def show(text):
    print(printable(text))


def covariance(samples):
    """Over the temperatures of a curve, from its jackknife samples (group, temperature)."""
    deviation = samples - samples.mean(axis=0)
    return (len(samples) - 1) / len(samples) * deviation.T @ deviation


def print_differences(file, L1, L2, xi):
    """xi_L/L (the column xi) of two sizes at the temperatures that both have. Errors of anything made of averages come from the jackknife samples, in which
    a realization is left out of all sizes at once, with the noise that realizations with the same random numbers share added to the variances."""
    small, large = file[f"L{L1}"], file[f"L{L2}"]
    common, i, j = np.intersect1d(small["temperatures"][:], large["temperatures"][:], return_indices=True)
    value = large[xi][:][j] - small[xi][:][i]
    samples = large[f"jackknife/{xi}"][:][:, j] - small[f"jackknife/{xi}"][:][:, i]
    variance = covariance(samples).diagonal().copy()
    for size, slots in ((small, i), (large, j)):
        if f"{xi}_err_shared" in size:
            variance += size[f"{xi}_err_shared"][:][slots] ** 2
    for T, d, error in zip(common, value, np.sqrt(variance)):
        show(f"T = {T:.6g}: xi_L/L of L = {L2} minus that of L = {L1} is {d:.6f} +- {error:.6f}")


def main(folder):
    # One row per lattice size and temperature; every average O has its standard error in O_err.
    table = pandas.read_csv(folder / "results.csv")
    # Glasses have those of the overlap, ferromagnets those of the magnetisation; in a field R12 is in the place of the Binder ratio.
    both = ("binder", "xi_over_L"), ("r12", "xi_replicon_over_L"), ("binder_m", "xi_m_over_L")
    binder, xi = next((names for names in both if names[0] in table), both[0])
    show(table[["L", "T", "n_realizations", "energy", "energy_err", binder, f"{binder}_err"]].to_string(index=False))

    # Binder ratio with one column per size, as one would plot it.
    show(table.pivot(index="T", columns="L", values=binder).to_string(float_format="{:.4f}".format))

    with h5py.File(folder / "reduced.h5") as file:
        sizes = sorted(table["L"].unique())
        for L1, L2 in zip(sizes, sizes[1:]):
            print_differences(file, L1, L2, xi)

        # Where the curves of two sizes cross; NaN where they do not. Glasses of two dimensions have no crossings.
        crossings = file["crossings"]
        for i in range(len(crossings["L1"]) if f"{xi}_T" in crossings else 0):
            L1, L2 = crossings["L1"][i], crossings["L2"][i]
            T, error = crossings[f"{xi}_T"][i], crossings[f"{xi}_T_err"][i]
            show(f"xi_L/L of L = {L1} and {L2} cross at T = {T:.4f} +- {error:.4f}")
        made = file["provenance"].attrs
        show(f"made by version {made['version']} commit {made['git_commit']}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(Path(sys.argv[1]))
    except (OSError, KeyError, ValueError) as error:
        sys.exit(printable(f"{sys.argv[1]}: no finished study of psflip, or a file of it is damaged: {error}"))
