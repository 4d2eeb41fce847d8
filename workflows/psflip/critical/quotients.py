"""The quotient method (Ballesteros, Fernandez, Martin-Mayor, Munoz Sudupe, cond-mat/9606203): where the curves of R of two sizes L and s L cross, with R one
of xi_L/L and the Binder ratio,

    s^(1/nu) = R'(s L) / R'(L),    s^(2 - eta) = chi(s L) / chi(L),

which give exponents of these two sizes, with corrections of the order L^-omega and without a value of T_c."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psflip.results.reduced import Crossing, Reduced, Size

from psflip.critical.curves import Curve, curve, derivative, polynomial
from psflip.critical.jackknife import error

RATIOS = (2.0, 1.5)  # L2 / L1
SUSCEPTIBILITY = {"binder": "q2", "xi_over_L": "q2", "binder_m": "m2", "xi_m_over_L": "m2", "xi_replicon_over_L": "chi_replicon", "r12": "chi_replicon", "binder_ms": "ms2", "xi_ms_over_L": "ms2"}
SQUARES = ("q2", "m2", "ms2")  # times the number of spins they are susceptibilities
NEWTON_STEPS = 50


@dataclass
class Quotient:
    """Of one pair of sizes; rows (1 + G), NaN where there is no value."""

    quantity: str
    L1: int
    L2: int
    T: np.ndarray
    value: np.ndarray  # R at the crossing
    inverse_nu: np.ndarray
    two_minus_eta: np.ndarray
    steepness: float = np.nan  # |d ln R / d ln T| of the smaller size there
    p: float = np.nan  # the smaller one of the fits of R of both sizes
    slopes_measured: bool = False
    refused: str = ""  # sizes and quantities whose measured slopes contradict their values
    tested: bool = False  # whether a chi2 tests all four curves
    note: str = ""

    @property
    def s(self) -> float:
        return self.L2 / self.L1

    @property
    def usable(self) -> bool:
        """Whether all numbers are there with their errors."""
        return all(np.isfinite(rows).all() for rows in (self.T, self.value, self.inverse_nu, self.two_minus_eta))


def nothing(c: Crossing, quantity: str, groups: int, note: str) -> Quotient:
    return Quotient(quantity, c.L1, c.L2, *(np.full(groups + 1, np.nan) for _ in range(4)), note=note)


def meeting_point(small: Curve, large: Curve, lowest: float, highest: float) -> np.ndarray:
    """Temperature of each row (1 + G) at which the larger size comes to lie below the smaller one, by Newton's method from T0; NaN where there is none
    between these temperatures."""
    difference = large.coefficients - small.coefficients
    slope = derivative(difference)
    x = np.zeros(len(difference))
    with np.errstate(all="ignore"):
        for _ in range(NEWTON_STEPS):
            x = x - polynomial(difference, x) / polynomial(slope, x)
        T = small.T0 * (1 + x)
        there = (T >= lowest) & (T <= highest) & (polynomial(slope, x) < 0) & (np.abs(polynomial(difference, x)) < 1e-9)
    return np.where(there, T, np.nan)


def log_ratio(large: np.ndarray, small: np.ndarray, s: float) -> np.ndarray:
    """NaN where the ratio is not positive."""
    with np.errstate(all="ignore"):
        return np.log(np.where(large / small > 0, large / small, np.nan)) / np.log(s)


def quotient(small: Size, large: Size, crossing: Crossing, quantity: str, groups: int) -> Quotient:
    if not crossing.found:
        return nothing(crossing, quantity, groups, crossing.note or "the curves do not cross between these temperatures, or not clearly")
    chi = SUSCEPTIBILITY[quantity]
    curves = [curve(size, name, crossing.T) for name in (quantity, chi) for size in (small, large)]
    if any(found is None for found in curves):
        return nothing(crossing, quantity, groups, "too few temperatures or jackknife samples near the crossing")
    R1, R2, chi1, chi2 = curves
    ends = [(size.temperatures[0], size.temperatures[-1]) for size in (small, large)]
    T = meeting_point(R1, R2, max(low for low, _ in ends), min(high for _, high in ends))
    if not np.isfinite(T[0]):
        return nothing(crossing, quantity, groups, "the fitted curves do not meet near the crossing")
    s = crossing.L2 / crossing.L1
    two_minus_eta = log_ratio(chi2.value(T), chi1.value(T), s) + (small.dimension if chi in SQUARES else 0)
    found = Quotient(quantity, crossing.L1, crossing.L2, T, R1.value(T), log_ratio(R2.slope(T), R1.slope(T), s), two_minus_eta)
    found.steepness = float(np.abs(R1.slope(T) * T / R1.value(T))[0])
    found.p, found.slopes_measured = float(np.fmin(R1.fit.p, R2.fit.p)), R1.slopes_measured and R2.slopes_measured
    names = [f"{name} of L = {size.L}" for name in (quantity, chi) for size in (small, large)]
    found.tested, found.refused = all(c.tested for c in curves), ", ".join(text for text, c in zip(names, curves, strict=True) if c.slopes_refused)
    found.note = note_of(found)
    return found


def note_of(found: Quotient) -> str:
    if not np.isfinite(found.T).all():
        return "without some realizations the curves do not meet: no error, left out of extrapolations"
    if not found.usable:
        return "slopes or susceptibilities have no quotient in some samples: left out of extrapolations"
    refused = f"measured slopes contradict the values and are left out: {found.refused}" if found.refused else ""
    untested = "" if found.tested else "nothing tests the curves between their temperatures, which lie too far apart; the scatter of interpolations is in the errors"
    return "; ".join(text for text in (refused, untested) if text)


def quotients(data: Reduced, groups: int) -> list[Quotient]:
    """Of all pairs of sizes with one of the RATIOS, in the order of quantity and sizes."""
    sizes = {size.L: size for size in data.sizes}
    found = []
    for quantity in reversed(data.model.crossings):
        for c in data.crossings.get(quantity, []):
            if c.L2 / c.L1 in RATIOS:
                found.append(quotient(sizes[c.L1], sizes[c.L2], c, quantity, groups))
    return found


def errors(q: Quotient) -> dict[str, float]:
    return {name: float(error(getattr(q, name))) for name in ("T", "value", "inverse_nu", "two_minus_eta")}
