"""Finite-size scaling: xi_L/L of all sizes against (T - Tc) L^(1/nu), which fall on one curve where scaling holds.

    python scaling_plot.py results/quickstart scaling.png [TC NU]

Without TC and NU those of the ±J spin glass of three dimensions with as many bonds of either sign (Baity-Jesi et al., arXiv:1310.2910) and of
ferromagnets (exact in two dimensions; Ferrenberg, Xu, Landau, arXiv:1806.03558), without field. Other models need their own.
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


KNOWN = (
    ({"kind": "edwards-anderson", "dimension": 3, "p_ferro": 0.5}, (1.1019, 2.562)),
    ({"kind": "ferromagnet", "dimension": 2}, (2 / math.log(1 + math.sqrt(2)), 1)),
    ({"kind": "ferromagnet", "dimension": 3}, (1 / 0.221654626, 0.629971)),
)


def critical(folder):
    """T_c and nu of the model that the study simulated."""
    with h5py.File(folder / "reduced.h5") as file:
        model = yaml.safe_load(file["provenance"].attrs["config"])["model"]
    if model["kind"] == "ferromagnet":
        del model["p_ferro"]  # it has bonds of one sign
    for known, values in KNOWN:
        if model == known | {"field": 0}:
            return values
    sys.exit(printable(f"{folder}: no values of the literature here for {model}; give TC and NU"))


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
    table = pandas.read_csv(folder / "results.csv")
    xi = next((name for name in ("xi_over_L", "xi_replicon_over_L") if name in table), "xi_m_over_L")  # of glasses, in a field, of ferromagnets
    table = table.dropna(subset=[xi])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for L, rows in table.groupby("L"):
        for axes, x in ((left, rows["T"]), (right, (rows["T"] - Tc) * L ** (1 / nu))):
            axes.errorbar(x, rows[xi], rows[f"{xi}_err"], marker="o", markersize=3, linewidth=1, label=f"L = {L}")
    left.set(xlabel=r"$T$ ($J/k_B$)", ylabel=r"$\xi_L/L$")
    right.set(xlabel=rf"$(T - T_c) L^{{1/\nu}}$, $T_c = {Tc:.7g}$, $\nu = {nu}$")
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
