"""Draws docs/ea2d_gaussian.png, correlation lengths of the two-dimensional glass with Gaussian couplings, from docs/data/ea2d_gaussian.csv.

    PYTHONPATH=workflows python tests/physics/draw_ea2d_gaussian.py
"""

import csv
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from psflip.plots.plot_style import set_style

DOCS = Path(__file__).parents[2] / "docs"
NU = 3.58  # from the published theta = -0.2793(3), arXiv:1710.01670
EQUILIBRIUM = {64: 0.45}  # the lowest temperature at which a size is in equilibrium, if it is not the lowest of the study


def main() -> None:
    set_style()
    with open(DOCS / "data/ea2d_gaussian.csv", encoding="utf-8") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="tight")
    for L, marker in zip((8, 16, 32, 64), "os^v"):
        of_size = [row for row in rows if row["L"] == L and row["T"] > EQUILIBRIUM.get(L, 0)]
        T, values, errors = (np.array([row[key] for row in of_size]) for key in ("T", "xi_over_L", "xi_over_L_err"))
        for frame, x in zip(axes, (T, T * L ** (1 / NU))):
            frame.errorbar(x, values, errors, marker=marker, markersize=3, linewidth=0.8, label=f"L = {L}")
    for frame, label in zip(axes, ("$T$ ($J/k_B$)", rf"$L^{{1/\nu}}\,T$ ($J/k_B$), $\nu = {NU}$")):
        frame.set(xlabel=label, ylabel=r"$\xi_L/L$", yscale="log")
        frame.legend()
    figure.savefig(DOCS / "ea2d_gaussian.png", dpi=120)


if __name__ == "__main__":
    main()
