"""Finite-size scaling: xi_L/L of all sizes against (T - Tc) L^(1/nu), which fall on one curve where scaling holds.

    python scaling_plot.py results/quickstart scaling.png
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas

if len(sys.argv) != 3:
    sys.exit(__doc__)
TC, NU = 1.1019, 2.562  # Baity-Jesi et al., arXiv:1310.2910

table = pandas.read_csv(Path(sys.argv[1]) / "results.csv").dropna(subset=["xi_over_L"])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for L, rows in table.groupby("L"):
    for axes, x in ((left, rows["T"]), (right, (rows["T"] - TC) * L ** (1 / NU))):
        axes.errorbar(x, rows["xi_over_L"], rows["xi_over_L_err"], marker="o", markersize=3, linewidth=1, label=f"L = {L}")
left.set(xlabel=r"$T$ ($J/k_B$)", ylabel=r"$\xi_L/L$")
right.set(xlabel=rf"$(T - T_c) L^{{1/\nu}}$, $T_c = {TC}$, $\nu = {NU}$")
left.legend(frameon=False)
figure.savefig(sys.argv[2], dpi=150)
