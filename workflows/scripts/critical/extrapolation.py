"""Quotients of finite sizes to infinite size, with the leading corrections to scaling. To first order in L^-omega, at the crossing of L and s L,

    T_x = T_c + A L^-(omega + 1/nu) (1 - s^-omega) / (s^(1/nu) - 1)
    R_x = R* + g L^-omega [1 + (1 - s^-omega) / (s^(1/nu) - 1)]
    1/nu of the quotient = 1/nu + B L^-omega (1 - s^-omega) / ln s,   the same for 2 - eta,

with one A, g, B of each R for all s: what R = R*(1) + f' u L^(1/nu) + g L^-omega gives. T_c, 1/nu and 2 - eta are common to all R. omega is given: sizes of a study do not
determine it. Fits to the pairs with L >= L_min, one for each L_min that leaves enough pairs, are averaged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from critical.jackknife import error
from critical.least_squares import Averaged, Fit, average, fit, possible
from critical.quotients import Quotient

FIRST = 2  # sizes with pairs that a correction needs


@dataclass(frozen=True)
class Omega:
    """Exponent of the leading corrections, with the band over which it is varied."""

    value: float
    error: float
    source: str


@dataclass
class Extrapolated:
    """One number of the infinite system. `fits`: by L_min."""

    name: str
    averaged: Averaged
    fits: dict[int, Fit]
    numbers: dict[int, np.ndarray]  # of each fit (1 + G)
    pairs: dict[int, list[Quotient]]  # of each fit
    omega_error: float = np.nan
    band: list[tuple[float, float, float]] = field(default_factory=list)  # omega, value, statistical error

    @property
    def value(self) -> float:
        return self.averaged.value

    @property
    def error(self) -> float:
        return self.averaged.error

    @property
    def best(self) -> int:
        """L_min of the fit of the largest weight."""
        return list(self.fits)[self.averaged.best]


def independent(found: list[Quotient]) -> list[Quotient]:
    """Of one R: without the pairs that close a circle of sizes, as (4, 6), (6, 12), (4, 8), (8, 12) do. To first order differences of the same numbers, they tell nothing
    new, and the covariance with them would be nearly singular. Pairs of larger s, then of larger L, are kept first."""
    chosen, root = [], {L: L for q in found for L in (q.L1, q.L2)}
    for q in sorted(found, key=lambda q: (-q.s, -q.L1)):
        a, b = root[q.L1], root[q.L2]
        if a != b:
            root = {L: a if r == b else r for L, r in root.items()}
            chosen.append(q)
    return sorted(chosen, key=lambda q: (q.L1, q.L2))


def chosen_pairs(found: list[Quotient]) -> list[Quotient]:
    """The usable pairs of all R."""
    names = list(dict.fromkeys(q.quantity for q in found))
    return [q for name in names for q in independent([q for q in found if q.quantity == name and q.usable])]


# How far a pair is from infinite size, by 1/nu and omega: the coefficients of A, g and B above.
def shift_of_T(q: Quotient, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    return q.L1 ** -(omega + inverse_nu) * (1 - q.s**-omega) / (q.s**inverse_nu - 1)


def shift_of_R(q: Quotient, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    return q.L1**-omega * (1 + (1 - q.s**-omega) / (q.s**inverse_nu - 1))


def shift_of_exponent(q: Quotient, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    return np.full_like(inverse_nu, q.L1**-omega * (1 - q.s**-omega) / np.log(q.s))


Shift = Callable[[Quotient, np.ndarray, float], np.ndarray]


def design_of(pairs: list[Quotient], shift: Shift, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    """(1 + G, pair, parameter): a constant, then one amplitude for each R."""
    names = list(dict.fromkeys(q.quantity for q in pairs))
    design = np.zeros((len(inverse_nu), len(pairs), 1 + len(names)))
    design[:, :, 0] = 1
    for i, q in enumerate(pairs):
        design[:, i, 1 + names.index(q.quantity)] = shift(q, inverse_nu, omega)
    return design


def from_size(pairs: list[Quotient], L_min: int) -> list[Quotient]:
    """The pairs with L >= L_min of those R that have pairs of enough different L, which is what tells an amplitude from a constant."""
    left = [q for q in pairs if q.L1 >= L_min]
    firsts: dict[str, set[int]] = {}
    for q in left:
        firsts.setdefault(q.quantity, set()).add(q.L1)
    return [q for q in left if len(firsts[q.quantity]) >= FIRST]


def extrapolate(name: str, pairs: list[Quotient], of: str, shift: Shift, inverse_nu: np.ndarray, omega: float) -> Extrapolated | None:
    """`of`: the rows of a Quotient. None where no choice of sizes leaves more pairs than parameters."""
    groups = len(inverse_nu) - 1
    fits, numbers, pairs_of = {}, {}, {}
    for L_min in sorted({q.L1 for q in pairs}):
        left = from_size(pairs, L_min)
        design = design_of(left, shift, inverse_nu, omega)
        if len(left) <= design.shape[2] or not possible(*design.shape[1:], groups):
            continue
        found = fit(design, np.array([getattr(q, of) for q in left]).T)
        if found and found.dof > 0:
            fits[L_min], numbers[L_min], pairs_of[L_min] = found, found.parameters[:, 0], left
    if not fits:
        return None
    return Extrapolated(name, average(list(fits.values()), list(numbers.values())), fits, numbers, pairs_of)


def all_numbers(found: list[Quotient], omega: float) -> dict[str, Extrapolated]:
    """At one omega: 1/nu first, which the others need."""
    pairs = chosen_pairs(found)
    if not pairs:
        return {}
    groups = len(pairs[0].T) - 1
    results = {}
    inverse_nu = extrapolate("inverse_nu", pairs, "inverse_nu", shift_of_exponent, np.zeros(groups + 1), omega)
    if inverse_nu is None or not (inverse_nu.averaged.rows > 0).all():
        return {}
    rows = inverse_nu.averaged.rows
    results["inverse_nu"] = inverse_nu
    results["two_minus_eta"] = extrapolate("two_minus_eta", pairs, "two_minus_eta", shift_of_exponent, rows, omega)
    results["T_c"] = extrapolate("T_c", pairs, "T", shift_of_T, rows, omega)
    for quantity in dict.fromkeys(q.quantity for q in pairs):
        results[quantity] = extrapolate(quantity, [q for q in pairs if q.quantity == quantity], "value", shift_of_R, rows, omega)
    return {name: number for name, number in results.items() if number}


BAND = np.linspace(-2, 2, 9)  # of omega, in its errors
LEAST_OMEGA = 0.1


def critical_point(found: list[Quotient], omega: Omega) -> dict[str, Extrapolated]:
    """T_c, inverse_nu, two_minus_eta and R* by the name of R; {} where there are too few pairs. The error of omega is half of the difference between both ends of its band."""
    results = all_numbers(found, omega.value)
    for step in BAND:
        at = max(omega.value + step * omega.error, LEAST_OMEGA)
        for name, number in all_numbers(found, at).items():
            if name in results:
                results[name].band.append((at, number.value, number.error))
    for number in results.values():
        ends = [np.interp(omega.value + side * omega.error, *np.array(number.band)[:, :2].T) for side in (-1, 1)]
        number.omega_error = 0.5 * abs(ends[1] - ends[0])
    return results


def transformed(number: Extrapolated, function: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
    """Value and errors of a function of it, such as nu = 1 / (1/nu); those of the choice of sizes and of omega by its derivative."""
    rows, step = number.averaged.rows, 1e-6
    derivative = abs((function(rows[:1] + step) - function(rows[:1] - step))[0]) / (2 * step)
    return {
        "value": float(function(rows[:1])[0]),
        "error": float(error(function(rows))),
        "range_error": float(derivative * number.averaged.range_error),
        "omega_error": float(derivative * number.omega_error),
    }
