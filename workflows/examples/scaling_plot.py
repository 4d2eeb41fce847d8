"""Finite-size scaling: xi_L/L of all sizes against (T - Tc) L^(1/nu), which fall on one curve where scaling holds.

    python scaling_plot.py results/quickstart scaling.png [TC NU]

Without TC and NU those of the ±J spin glass with as many bonds of either sign (p_ferro 0.5, no field): Baity-Jesi et al.,
arXiv:1310.2910. Other models need their own.
"""

import math
import sys
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas
import yaml


def printable(text):
    """Names and texts of files may hold commands for the terminal: shown as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in str(text))


def critical(folder):
    """T_c and nu of the model that the study simulated."""
    with h5py.File(folder / "reduced.h5") as file:
        model = yaml.safe_load(file["provenance"].attrs["config"])["model"]
    if model != {"kind": "edwards-anderson", "dimension": 3, "field": 0, "p_ferro": 0.5}:
        sys.exit(printable(f"{folder}: no values of the literature here for {model}; give TC and NU"))
    return 1.1019, 2.562


def numbers(words):
    """TC and NU as they are given."""
    try:
        Tc, nu = map(float, words)
    except ValueError:
        Tc, nu = 0, 0
    if not (0 < Tc < math.inf and 0 < nu < math.inf):
        sys.exit(printable(f"TC and NU are positive numbers, not {' and '.join(words)}"))
    return Tc, nu


def main(folder, picture, Tc, nu):
    table = pandas.read_csv(folder / "results.csv").dropna(subset=["xi_over_L"])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for L, rows in table.groupby("L"):
        for axes, x in ((left, rows["T"]), (right, (rows["T"] - Tc) * L ** (1 / nu))):
            axes.errorbar(x, rows["xi_over_L"], rows["xi_over_L_err"], marker="o", markersize=3, linewidth=1, label=f"L = {L}")
    left.set(xlabel=r"$T$ ($J/k_B$)", ylabel=r"$\xi_L/L$")
    right.set(xlabel=rf"$(T - T_c) L^{{1/\nu}}$, $T_c = {Tc}$, $\nu = {nu}$")
    left.legend(frameon=False)
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    if Path(sys.argv[2]).exists():
        sys.exit(printable(f"{sys.argv[2]} is there already; give another name, or move it away"))
    try:
        Tc, nu = numbers(sys.argv[3:]) if len(sys.argv) == 5 else critical(Path(sys.argv[1]))
        main(Path(sys.argv[1]), sys.argv[2], Tc, nu)
    except (OSError, KeyError, ValueError, TypeError, yaml.YAMLError) as error:
        sys.exit(printable(f"{sys.argv[1]}: no finished study of psflip, or a file of it is damaged: {error}"))
