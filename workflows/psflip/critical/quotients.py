"""Applies the quotient method (Ballesteros, Fernandez, Martin-Mayor, Munoz Sudupe, cond-mat/9606203). R is xi_L/L or the Binder ratio. At the crossing of the
curves of R of two sizes L and s L,

    s^(1/nu) = R'(s L) / R'(L),    s^(2 - eta) = chi(s L) / chi(L).

These quotients give effective exponents of the two sizes, with corrections of the order L^-omega, without a value of T_c."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psflip.results.averages import Size
from psflip.results.reduced import Reduced

from psflip.critical.crossings import Crossing, named_curves, remarks
from psflip.critical.curves import curve
from psflip.critical.jackknife import error
from psflip.results.crossing_curves import CROSSING_CURVES

RATIOS = (2.0, 1.5)  # L2 / L1
UNUSABLE = "some jackknife samples have no crossing or no quotient, so extrapolations leave this pair out"
SQUARES = ("q2", "m2", "ms2")  # susceptibilities divided by the number of spins


@dataclass
class Quotient:
    """Holds the numbers of one pair of sizes as rows (1 + G), NaN if there is no value."""

    quantity: str
    L1: int
    L2: int
    T: np.ndarray
    value: np.ndarray  # R at the crossing
    inverse_nu: np.ndarray
    two_minus_eta: np.ndarray
    p: float = np.nan  # the smaller p of the fits to R of both sizes
    slopes_measured: bool = False
    note: str = ""  # why there is no quotient, or a remark that the note of the crossing does not have

    @property
    def s(self) -> float:
        return self.L2 / self.L1

    @property
    def usable(self) -> bool:
        """Returns whether all numbers have values in all samples."""
        return all(np.isfinite(rows).all() for rows in (self.T, self.value, self.inverse_nu, self.two_minus_eta))


def log_ratio(large: np.ndarray, small: np.ndarray, s: float) -> np.ndarray:
    """Returns ln(large / small) / ln s, NaN if the ratio is not positive."""
    with np.errstate(all="ignore"):
        return np.log(np.where(large / small > 0, large / small, np.nan)) / np.log(s)


def quotient(small: Size, large: Size, crossing: Crossing, quantity: str, groups: int) -> Quotient:
    chi = CROSSING_CURVES[quantity].susceptibility
    of_chi = tuple(curve(size, chi, crossing.T) for size in (small, large)) if crossing.found else (None,)
    if None in of_chi:
        note = f"there are too few temperatures with {chi} near the crossing" if crossing.found else crossing.note
        return Quotient(quantity, crossing.L1, crossing.L2, *(np.full(groups + 1, np.nan) for _ in range(4)), note=note)
    (R1, R2), (chi1, chi2), T, s = crossing.curves, of_chi, crossing.rows, crossing.L2 / crossing.L1
    two_minus_eta = log_ratio(chi2.value(T), chi1.value(T), s) + (small.dimension if chi in SQUARES else 0)
    found = Quotient(quantity, crossing.L1, crossing.L2, T, R1.value(T), log_ratio(R2.slope(T), R1.slope(T), s), two_minus_eta)
    found.p, found.slopes_measured = crossing.p, R1.slopes_measured and R2.slopes_measured
    found.note = remarks(named_curves((small, large), (chi,), of_chi)) if found.usable else UNUSABLE
    return found


def quotients(data: Reduced, groups: int) -> list[Quotient]:
    """Returns the quotients of all pairs of sizes with one of the RATIOS, in the order of quantity and sizes."""
    sizes = {size.L: size for size in data.sizes}
    pairs = [(quantity, c) for quantity in reversed(data.model.crossings) for c in data.crossings.get(quantity, []) if c.L2 / c.L1 in RATIOS]
    return [quotient(sizes[c.L1], sizes[c.L2], c, quantity, groups) for quantity, c in pairs]


def errors(q: Quotient) -> dict[str, float]:
    return {name: float(error(getattr(q, name))) for name in ("T", "value", "inverse_nu", "two_minus_eta")}
