"""Finds where the curves of two sizes cross as at a transition: the larger size lies above at low temperature (ordered) and below at high temperature.

1. D = large - small is taken at the temperatures of the curve that has more temperatures in the common range. A natural cubic spline gives the other curve there.
2. The bracket is a pair of neighbouring temperatures between which D turns from > 0 to <= 0. Let z = D / error, cut to -5..5. A bracket has two sums: the largest
   sum of z over consecutive points below that end at the bracket, and the largest sum of -z over consecutive points above that begin there. Its score is the
   smaller sum. The bracket with the largest score counts. The score must be 1 or more. Some point below must have z >= 2, and some point above z <= -2. At the
   bracket, both curves must differ by 3 errors from their values at infinite temperature, because curves of a paramagnet are noise around these values.
3. The curves that `curves.py` fits around the bracket must meet at a T at most one interval away from the bracket. They must also meet in every jackknife sample,
   or the crossing has no error."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, combinations

import numpy as np
from psflip.results.averages import Averages, Size

from psflip.critical.curves import Curve, curve, derivative, polynomial, usable
from psflip.critical.jackknife import error, plain_rows, shared_errors

NEWTON_STEPS = 50
MIN_SIGMA, MIN_SCORE, MAX_SIGMA = 2.0, 1.0, 5.0  # of the change of sign
ORDERED_SIGMA = 3.0  # from the value at infinite temperature


@dataclass
class Crossing:
    """Holds the crossing of the curves of two sizes; NaN without a crossing. `rows` has the temperatures of all realizations and of each sample (1 + G)."""

    L1: int
    L2: int
    T: float = np.nan
    T_err: float = np.nan
    value: float = np.nan
    value_err: float = np.nan
    p: float = np.nan  # the smaller p of the fits to the two curves; NaN if both are interpolations
    T_first: float = np.nan  # the range of temperatures of both fits
    T_last: float = np.nan
    note: str = ""  # why there is no crossing or no error, or a remark on the fits
    rows: np.ndarray | None = None
    curves: tuple[Curve, ...] = ()  # of the smaller and the larger size

    @property
    def found(self) -> bool:
        return bool(np.isfinite(self.T))


def at_infinity(size: Size, name: str) -> float:
    """Returns the value for N independent spins or overlaps. A Binder ratio is 1/N for any number of components."""
    return 1 / size.sites if name.startswith("binder") else float(name == "r12")


def difference(small: Size, large: Size, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns temperatures, large - small and its errors. They are empty if there are fewer than two common temperatures."""
    curves = []
    for size in (large, small):
        rows = plain_rows(size, name)
        there = usable(rows)
        curves.append((size.temperatures[there], rows[:, there], np.nan_to_num(shared_errors(size, name)[there])))
    if min(len(T) for T, _, _ in curves) < 2:
        return (np.zeros(0),) * 3
    low, high = max(T[0] for T, _, _ in curves), min(T[-1] for T, _, _ in curves)
    T = max((T[(T >= low) & (T <= high)] for T, _, _ in curves), key=len)
    if len(T) < 2:
        return (np.zeros(0),) * 3
    D = np.subtract(*(at_temperatures(T, known, rows) for known, rows, _ in curves))
    return T, D[0], np.sqrt(error(D) ** 2 + sum(np.interp(T, known, shared) ** 2 for known, _, shared in curves))


def at_temperatures(T: np.ndarray, known: np.ndarray, rows: np.ndarray) -> np.ndarray:
    if np.isin(T, known).all():
        return rows[:, np.isin(known, T)]
    from scipy.interpolate import CubicSpline  # here, because sizes mostly share their temperatures, and it takes long to load

    return CubicSpline(known, rows, axis=1, bc_type="natural")(T)


def last_below(z: np.ndarray) -> int:
    """Returns the index of the last point below the best change of sign of z = D / error, or -1 without such a change."""
    z = np.clip(z, -MAX_SIGMA, MAX_SIGMA)
    below = list(accumulate(z, lambda total, x: x + max(total, 0)))
    above = list(accumulate(-z[::-1], lambda total, x: x + max(total, 0)))[::-1]

    def score(i: int) -> float:
        return min(below[i], above[i + 1])

    changes = np.flatnonzero((z[:-1] > 0) & (z[1:] <= 0))
    clear = [i for i in changes if z[: i + 1].max() >= MIN_SIGMA and z[i + 1 :].min() <= -MIN_SIGMA and score(i) >= MIN_SCORE]
    return int(max(clear, key=score, default=-1))


def is_ordered(size: Size, name: str, T: float) -> bool:
    """Returns whether the curve is clearly different from its value at infinite temperature, at its temperature nearest to T."""
    rows = plain_rows(size, name)
    there = np.flatnonzero(usable(rows))
    nearest = there[np.argmin(np.abs(size.temperatures[there] - T))]
    whole = np.hypot(error(rows[:, nearest]), np.nan_to_num(shared_errors(size, name)[nearest]))
    return bool(abs(rows[0, nearest] - at_infinity(size, name)) > ORDERED_SIGMA * whole)


def root(coefficients: np.ndarray, T0: float, lowest: float, highest: float) -> np.ndarray:
    """Returns the temperature of each row (1 + G) at which a polynomial in x = T / T0 - 1 drops below 0, by Newton's method from T0; NaN if it does not between
    `lowest` and `highest`."""
    slope = derivative(coefficients)
    x = np.zeros(len(coefficients))
    with np.errstate(all="ignore"):
        for _ in range(NEWTON_STEPS):
            x = x - polynomial(coefficients, x) / polynomial(slope, x)
        T = T0 * (1 + x)
        there = (T >= lowest) & (T <= highest) & (polynomial(slope, x) < 0) & (np.abs(polynomial(coefficients, x)) < 1e-9)
    return np.where(there, T, np.nan)


def crossing(small: Size, large: Size, name: str) -> Crossing:
    T, D, errors = difference(small, large, name)
    if len(T) < 2:
        return Crossing(small.L, large.L, note="the sizes have fewer than two common temperatures with values and jackknife samples")
    i = last_below(D / np.where(errors > 0, errors, np.inf))
    if i < 0:
        return Crossing(small.L, large.L, note="the difference of the curves is not 2 sigma on both sides of a change of sign")
    for size in (small, large):
        if not is_ordered(size, name, T[i]):
            return Crossing(small.L, large.L, note=f"the curves meet where L = {size.L} is within 3 sigma of its value at infinite temperature, so this is noise of the paramagnet")
    T0 = T[i] + (T[i + 1] - T[i]) * D[i] / (D[i] - D[i + 1])
    found = curve(small, name, T0), curve(large, name, T0)
    if None in found:
        return Crossing(small.L, large.L, note="there are too few temperatures or jackknife samples near the crossing")
    rows = root(found[1].coefficients - found[0].coefficients, T0, T[0], T[-1])
    if not T[max(i - 1, 0)] <= rows[0] <= T[min(i + 2, len(T) - 1)]:
        return Crossing(small.L, large.L, note=f"the fitted curves do not meet near the change of sign between T = {T[i]:.6g} and {T[i + 1]:.6g}")
    noise_known = all(np.isfinite(shared_errors(size, name)).all() for size in (small, large))
    if not noise_known:
        rows[1:] = np.nan
    value = found[0].value(rows)
    return Crossing(
        small.L, large.L, float(rows[0]), float(error(rows)), float(value[0]), float(error(value)), float(np.fmin(*(c.fit.p for c in found))),
        min(c.first for c in found), max(c.last for c in found), note_of(rows, noise_known, named_curves((small, large), (name,), found)), rows, found,
    )  # fmt: skip


def named_curves(sizes: tuple[Size, Size], names: tuple[str, ...], curves: tuple[Curve, ...]) -> dict[str, Curve]:
    return dict(zip((f"{name} of L = {size.L}" for name in names for size in sizes), curves, strict=True))


def note_of(rows: np.ndarray, noise_known: bool, curves: dict[str, Curve]) -> str:
    if not noise_known:
        return "each run has one time block, so the noise of shared random numbers is not known"
    if missing := int(np.isnan(rows[1:]).sum()):
        return f"{missing} of {len(rows) - 1} jackknife samples have no crossing"
    return remarks(curves)


def remarks(curves: dict[str, Curve]) -> str:
    """Returns remarks on fitted curves."""
    refused = ", ".join(name for name, c in curves.items() if c.slopes_refused)
    untested = ", ".join(name for name, c in curves.items() if not c.tested)
    texts = (
        f"the measured slopes contradict the values and are left out for {refused}" if refused else "",
        f"temperatures lie too far apart to test the interpolation of {untested}; the errors include the scatter of interpolations" if untested else "",
    )
    return "; ".join(text for text in texts if text)


def crossings_of(data: Averages) -> dict[str, list[Crossing]]:
    """Returns the crossings of all pairs of sizes, by observable."""
    return {name: [crossing(small, large, name) for small, large in combinations(data.sizes, 2)] for name in data.model.crossings}
