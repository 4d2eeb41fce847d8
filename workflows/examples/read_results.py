"""Tables of a study, differences of curves with errors from jackknife samples, crossings.

    python read_results.py results/quickstart
"""

import sys

import numpy as np
import psflip
from psflip.campaign.errors import printable  # texts from files may hold commands for the terminal


def show(text):
    print(printable(text))


def covariance(samples):
    """Over the temperatures of a curve, from its jackknife samples (group, T)."""
    deviation = samples - samples.mean(axis=0)
    return (len(samples) - 1) / len(samples) * deviation.T @ deviation


def print_differences(study, L1, L2, xi):
    """xi_L/L (the column xi) of two sizes at the temperatures that both have. Errors of anything made of averages come from the jackknife samples, in which
    a realization is left out of all sizes at once, with the noise that realizations with the same random numbers share added to the variances."""
    small, large = study.averages(L1), study.averages(L2)
    common = np.intersect1d(small["T"], large["T"])
    small, large = small.sel(T=common), large.sel(T=common)
    variance = covariance(large[f"jackknife/{xi}"].values - small[f"jackknife/{xi}"].values).diagonal().copy()
    for size in (small, large):
        if f"{xi}_err_shared" in size:
            variance += size[f"{xi}_err_shared"].values ** 2
    for T, d, error in zip(common, (large[xi] - small[xi]).values, np.sqrt(variance)):
        show(f"T = {T:.6g}: xi_L/L of L = {L2} minus xi_L/L of L = {L1} is {d:.6f} +- {error:.6f}")


def main(folder):
    study = psflip.load(folder)
    table = study.results
    # Glasses have averages of the overlap, ferromagnets of the magnetisation. In a field, R12 replaces the Binder ratio.
    both = ("binder", "xi_over_L"), ("r12", "xi_replicon_over_L"), ("binder_m", "xi_m_over_L")
    binder, xi = next((names for names in both if names[0] in table), both[0])
    show(table[["n_realizations", "energy", "energy_err", binder, f"{binder}_err"]].reset_index().to_string(index=False))

    # Binder ratio with one column per size, as one would plot it.
    show(table[binder].unstack("L").to_string(float_format="{:.4f}".format))

    for L1, L2 in zip(study.sizes, study.sizes[1:]):
        print_differences(study, L1, L2, xi)

    # Where the curves of two sizes cross. Glasses of two dimensions have no crossings.
    for c in study.reduced.crossings.get(xi, []):
        show(f"xi_L/L of L = {c.L1} and {c.L2} cross at T = {c.T:.4f} +- {c.T_err:.4f}")
    made = study.reduced.provenance
    show(f"made by version {made['version']} commit {made['git_commit']}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except (psflip.StudyError, KeyError, ValueError) as error:
        sys.exit(printable(f"{sys.argv[1]}: this study is not finished, or one of its files is damaged: {error}"))
