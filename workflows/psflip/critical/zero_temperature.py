"""Computes the exponents of a glass that orders at T = 0 only, with power laws, such as the two-dimensional glass with Gaussian couplings. R is xi_L/L or the
Binder ratio. Apart from corrections to scaling, R is a function of L^(1/nu) T. So the temperature T_R(L) at which R has a fixed value, a level, is a power of L:

    1/nu = ln(T_R(L1) / T_R(L2)) / ln(L2 / L1),    theta = -1/nu.

A pair of sizes and a level give effective exponents. Nothing is extrapolated."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from psflip.results.averages import Averages, Size

from psflip.critical.crossings import last_below, named_curves, remarks, root
from psflip.critical.curves import Curve, curve, usable
from psflip.critical.jackknife import error, rows_of

LEVELS = {"xi_over_L": (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8), "binder": (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}  # the first quantity is quoted
NO_LEVEL = "No pair of neighbouring sizes or with the ratio 2 reaches a common level of ξ_L/L within its temperatures"


@dataclass(frozen=True)
class Reached:
    """Holds the temperature at which the curve of a size drops below a level, as rows (1 + G)."""

    size: Size
    T: np.ndarray
    curve: Curve


@dataclass(frozen=True)
class Exponent:
    """Holds the exponent that one level of a pair of sizes gives."""

    quantity: str
    level: float
    small: Reached
    large: Reached

    @property
    def sizes(self) -> tuple[int, int]:
        return self.small.size.L, self.large.size.L

    @property
    def theta(self) -> np.ndarray:
        """Returns theta = -1/nu of each row (1 + G)."""
        L1, L2 = self.sizes
        return np.log(self.large.T / self.small.T) / np.log(L2 / L1)

    @property
    def note(self) -> str:
        return remarks(named_curves((self.small.size, self.large.size), (self.quantity,), (self.small.curve, self.large.curve)))


def reached(size: Size, name: str, level: float) -> Reached | None:
    """Returns None if the values of a size are not 2 sigma above and 2 sigma below the level, or if a sample does not reach the level."""
    rows = rows_of(size, name)
    there = usable(rows)
    T, D, errors = size.temperatures[there], rows[0, there] - level, error(rows[:, there])
    i = last_below(D / np.where(errors > 0, errors, np.inf)) if len(T) > 1 else -1
    found = curve(size, name, T[i] + (T[i + 1] - T[i]) * D[i] / (D[i] - D[i + 1])) if i >= 0 else None
    if found is None:
        return None
    at_level = root(found.coefficients - level * np.eye(1, found.coefficients.shape[1]), found.T0, T[0], T[-1])
    return Reached(size, at_level, found) if np.isfinite(at_level).all() else None


def exponents(data: Averages) -> list[Exponent]:
    """Returns the exponents of neighbouring sizes and of L and 2L, at all levels that both sizes reach."""
    found = []
    for name, levels in LEVELS.items():
        for level in levels:
            sizes = [(place, at) for place, size in enumerate(data.sizes) if (at := reached(size, name, level))]
            pairs = [(a, b) for (i, a), (k, b) in combinations(sizes, 2) if k == i + 1 or b.size.L == 2 * a.size.L]
            found += [Exponent(name, level, *pair) for pair in pairs]
    return sorted(found, key=lambda e: (list(LEVELS).index(e.quantity), e.sizes, e.level))


def previous(found: list[Exponent], of: Exponent) -> Exponent | None:
    """Returns the next smaller pair with the same level and, if the sizes of this pair have the ratio 2, with the ratio 2."""
    L1, L2 = of.sizes
    smaller = [e for e in found if (e.quantity, e.level) == (of.quantity, of.level) and e.sizes < of.sizes and (L2 != 2 * L1 or e.sizes[1] == 2 * e.sizes[0])]
    return max(smaller, key=lambda e: e.sizes, default=None)


def quoted(found: list[Exponent]) -> Exponent | None:
    """Returns the exponent of xi_L/L of the largest L and 2L, else of the largest pair, at the largest level that the previous pair also has. Corrections to scaling are
    large at small levels."""
    pairs = [e for e in found if e.quantity == next(iter(LEVELS))]
    return max(pairs, key=lambda e: (e.sizes[1] == 2 * e.sizes[0], e.sizes, previous(pairs, e) is not None, e.level), default=None)


def inverse(theta: float, theta_err: float) -> tuple[float, float]:
    """Returns nu = -1 / theta and its error."""
    return -1 / theta, theta_err / theta**2


def of_exponent(e: Exponent, best: Exponent | None) -> dict:
    """Returns an exponent in the form of critical.json. `change`: its theta minus the quoted theta."""
    theta, theta_err = float(e.theta[0]), float(error(e.theta))
    nu, nu_err = inverse(theta, theta_err)
    change = e.theta - best.theta if best else np.full(2, np.nan)
    return {
        "quantity": e.quantity, "level": e.level, "L1": e.sizes[0], "L2": e.sizes[1], "T1": float(e.small.T[0]), "T1_err": float(error(e.small.T)),
        "T2": float(e.large.T[0]), "T2_err": float(error(e.large.T)), "theta": theta, "theta_err": theta_err, "nu": nu, "nu_err": nu_err,
        "change": float(change[0]), "change_err": float(error(change)), "quoted": e is best, "note": e.note,
    }  # fmt: skip


def of_study(data: Averages) -> list[dict]:
    """Returns all exponents of a study in the form of critical.json."""
    found = exponents(data)
    best = quoted(found)
    return [of_exponent(e, best) for e in found]
