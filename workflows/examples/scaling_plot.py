"""Finite-size scaling: xi_L/L of all sizes against T, and against (T - Tc) L^(1/nu), where they fall on one curve where scaling holds.

    python scaling_plot.py results/quickstart scaling.png [TC NU]

Without TC and NU, the script takes the values that the study found. If the study found none, it takes published values: for the ±J spin glass of three
dimensions with as many bonds of either sign (Baity-Jesi et al., arXiv:1310.2910), and for ferromagnets (exact in two dimensions; Ferrenberg, Xu, Landau,
arXiv:1806.03558), without field. Other models need TC and NU.
"""

import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import psflip
from psflip.campaign.errors import printable  # texts from files may hold commands for the terminal


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
    study = psflip.load(folder)
    xi = next((name for name in ("xi_over_L", "xi_replicon_over_L") if name in study.results), "xi_m_over_L")  # of glasses, in a field, of ferromagnets
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    study.plot(xi, axes=left)
    study.plot_scaling(xi, Tc, nu, axes=right).set_ylabel("")
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5):
        sys.exit(__doc__)
    if Path(sys.argv[2]).exists():
        sys.exit(printable(f"{sys.argv[2]} exists already; give another name, or move the file away"))
    try:
        main(sys.argv[1], sys.argv[2], *(numbers(sys.argv[3:]) if len(sys.argv) == 5 else (math.nan, math.nan)))
    except (psflip.StudyError, KeyError, ValueError, TypeError) as error:
        sys.exit(printable(f"{sys.argv[1]}: this study is not finished, or one of its files is damaged: {error}"))
