"""Extrapolates the numbers of pairs of sizes to infinite size, with corrections to scaling. To first order in L^-omega, at the crossing of L and s L,

    T_x = T_c + A L^-(omega + 1/nu) (1 - s^-omega) / (s^(1/nu) - 1)
    R_x = R* + g L^-omega [1 + (1 - s^-omega) / (s^(1/nu) - 1)]
    1/nu of the quotient = 1/nu + B L^-omega (1 - s^-omega) / ln s,   and an equal formula for 2 - eta,

with one A, g and B of each R for all s. The formulas follow from R = R*(1) + f' u L^(1/nu) + g L^-omega. T_c, 1/nu and 2 - eta are common to all R. omega is given, because the
sizes of a study do not determine it. A second term has the smaller one of 2 omega and omega + 1 instead of omega. The sizes of a study seldom determine its amplitude. Yet a fit without
this term is off by more than its error although its chi^2 is good. So the amplitude of the second term has a normal prior around 0. Its standard deviation is SPREAD times the amplitude of
the first term, with the error of this amplitude added in squares. The prior adds the error of sizes to the error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from psflip.critical.jackknife import error
from psflip.critical.least_squares import MIN_P, Fit, fit, possible
from psflip.critical.quotients import Quotient

ORDERS = 2
SPREAD = 5.0  # standard deviation of the second amplitude, in units of the first amplitude
ROUNDS = 3  # number of fits with priors, each scaled by the preceding fit


@dataclass(frozen=True)
class Omega:
    """Holds the exponent of the leading corrections, and the error within which the analysis varies it."""

    value: float
    error: float
    source: str


@dataclass(frozen=True)
class Choice:
    """Holds the pairs of a fit. Its parameters are the constant, then one amplitude for each order and quantity of `quantities`."""

    L_min: int
    pairs: list[Quotient]

    @property
    def quantities(self) -> list[str]:
        return list(dict.fromkeys(q.quantity for q in self.pairs))


@dataclass
class Extrapolated:
    """Holds one number of the infinite system: the first parameter of `fits` to `choices` of the pairs. The fit with the index `used` is quoted."""

    name: str
    fits: list[Fit]
    choices: list[Choice]
    used: int
    omega_error: float = np.nan
    band: list[tuple[float, float, float]] = field(default_factory=list)  # omega, value, statistical error

    @property
    def fit(self) -> Fit:
        return self.fits[self.used]

    @property
    def rows(self) -> np.ndarray:
        """Returns the number for all realizations and for each sample (1 + G)."""
        return self.fit.parameters[:, 0]

    @property
    def value(self) -> float:
        return float(self.rows[0])

    @property
    def error(self) -> float:
        return float(error(self.rows))

    @property
    def range_error(self) -> float:
        """Returns the error of sizes, from the second correction to scaling."""
        return float(self.fit.prior_errors[0])


def independent(found: list[Quotient]) -> list[Quotient]:
    """Returns the pairs of one R without one pair of each closed loop of sizes, such as (4, 6), (6, 12), (4, 8), (8, 12). To first order, one pair of a loop follows from the
    others. It adds no information and would make the covariance nearly singular. Pairs of larger s, then of larger L, are kept, so here (4, 6) is left out."""
    chosen, root = [], {L: L for q in found for L in (q.L1, q.L2)}
    for q in sorted(found, key=lambda q: (-q.s, -q.L1)):
        a, b = root[q.L1], root[q.L2]
        if a != b:
            root = {L: a if r == b else r for L, r in root.items()}
            chosen.append(q)
    return sorted(chosen, key=lambda q: (q.L1, q.L2))


def chosen_pairs(found: list[Quotient]) -> list[Quotient]:
    """Returns the usable and independent pairs of all R."""
    names = list(dict.fromkeys(q.quantity for q in found))
    return [q for name in names for q in independent([q for q in found if q.quantity == name and q.usable])]


# The coefficients of A, g and B above, for a pair of L and s L.
def shift_of_T(L: float, s: float, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    return L ** -(omega + inverse_nu) * (1 - s**-omega) / (s**inverse_nu - 1)


def shift_of_R(L: float, s: float, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    return L**-omega * (1 + (1 - s**-omega) / (s**inverse_nu - 1))


def shift_of_exponent(L: float, s: float, inverse_nu: np.ndarray, omega: float) -> float:
    return L**-omega * (1 - s**-omega) / np.log(s)


def exponent_of(order: int, omega: float) -> float:
    """Returns the exponent of the corrections of first or second order."""
    return omega if order == 1 else min(2 * omega, omega + 1)


Shift = Callable[[float, float, np.ndarray, float], np.ndarray | float]


def design_of(choice: Choice, shift: Shift, inverse_nu: np.ndarray, omega: float) -> np.ndarray:
    """Returns the matrix (1 + G, pair, parameter) of a fit."""
    names = choice.quantities
    design = np.zeros((len(inverse_nu), len(choice.pairs), 1 + ORDERS * len(names)))
    design[:, :, 0] = 1
    for i, q in enumerate(choice.pairs):
        for k in range(ORDERS):
            design[:, i, 1 + k * len(names) + names.index(q.quantity)] = shift(q.L1, q.s, inverse_nu, exponent_of(k + 1, omega))
    return design


def choice_of(pairs: list[Quotient], L_min: int) -> Choice:
    """Returns the pairs with L >= L_min. An R whose pairs have fewer than two different L is left out."""
    left = [q for q in pairs if q.L1 >= L_min]
    sizes = {(q.quantity, q.L1) for q in left}
    return Choice(L_min, [q for q in left if sum(name == q.quantity for name, _ in sizes) > 1])


def fit_with_priors(choice: Choice, rows: np.ndarray, shift: Shift, inverse_nu: np.ndarray, omega: float) -> Fit | None:
    """Fits with priors whose width comes from the first amplitude and its error: first from a fit without the second term, then from the preceding fit."""
    design, names = design_of(choice, shift, inverse_nu, omega), len(choice.quantities)
    found = fit(design[:, :, : 1 + names], rows)
    for _ in range(ROUNDS):
        if found is None:
            return None
        first = found.parameters[:, 1 : 1 + names]
        width = SPREAD * np.hypot(first[0], error(first))
        found = fit(design, rows, prior=np.concatenate([np.full(1 + names, np.inf), width]))
    return found


def extrapolate(name: str, pairs: list[Quotient], of: str, shift: Shift, inverse_nu: np.ndarray, omega: float) -> Extrapolated | None:
    """Extrapolates `of`, which names rows of a Quotient. Returns None if no choice has more pairs than parameters."""
    groups = len(inverse_nu) - 1
    fits, choices = [], []
    for choice in (choice_of(pairs, L_min) for L_min in sorted({q.L1 for q in pairs})):
        parameters = 1 + len(choice.quantities)
        if len(choice.pairs) <= parameters or not possible(len(choice.pairs), parameters, groups):
            continue
        found = fit_with_priors(choice, np.array([getattr(q, of) for q in choice.pairs]).T, shift, inverse_nu, omega)
        if found and found.dof > 0:
            fits, choices = [*fits, found], [*choices, choice]
    if not fits:
        return None
    used = next((i for i, f in enumerate(fits) if f.p >= MIN_P), int(np.argmax([f.p for f in fits])))
    return Extrapolated(name, fits, choices, used)


def all_numbers(found: list[Quotient], omega: float) -> dict[str, Extrapolated]:
    """Returns all numbers at one omega: first 1/nu, which the others need. It is empty if there are too few pairs."""
    pairs = chosen_pairs(found)
    inverse_nu = extrapolate("inverse_nu", pairs, "inverse_nu", shift_of_exponent, np.zeros(len(pairs[0].T)), omega) if pairs else None
    if inverse_nu is None or not (inverse_nu.rows > 0).all():
        return {}
    wanted = [("two_minus_eta", pairs, "two_minus_eta", shift_of_exponent), ("T_c", pairs, "T", shift_of_T)]
    wanted += [(name, [q for q in pairs if q.quantity == name], "value", shift_of_R) for name in dict.fromkeys(q.quantity for q in pairs)]
    others = [extrapolate(*one, inverse_nu.rows, omega) for one in wanted]
    return {number.name: number for number in (inverse_nu, *others) if number}


BAND_WIDTH = 0.3  # smallest range of omega on either side
BAND_POINTS = 9
MIN_OMEGA = 0.1


def critical_point(found: list[Quotient], omega: Omega) -> dict[str, Extrapolated]:
    """Returns T_c, inverse_nu, two_minus_eta and R* by the name of R, empty if there are too few pairs. The error of omega is the largest change of a number
    within the error of omega. It need not be at an end of this range."""
    results = all_numbers(found, omega.value)
    steps, width = np.linspace(-1, 1, BAND_POINTS), max(2 * omega.error, BAND_WIDTH)
    for at in np.unique(np.maximum(omega.value + np.concatenate([omega.error * steps, width * steps]), MIN_OMEGA)):
        for name, number in all_numbers(found, at).items():
            if name in results:
                results[name].band.append((float(at), number.value, number.error))
    for number in results.values():
        changes = [abs(value - number.value) for at, value, _ in number.band if abs(at - omega.value) <= omega.error * (1 + 1e-9)]
        number.omega_error = max(changes) if len(changes) > 1 else np.nan
    return results


def transformed(number: Extrapolated, function: Callable[[np.ndarray], np.ndarray]) -> dict[str, float]:
    """Returns value and errors of a function of a number, such as nu = 1 / (1/nu). The errors of sizes and of omega are multiplied with its derivative."""
    rows, step = number.rows, 1e-6
    derivative = abs((function(rows[:1] + step) - function(rows[:1] - step))[0]) / (2 * step)
    return {
        "value": float(function(rows[:1])[0]),
        "error": float(error(function(rows))),
        "range_error": float(derivative * number.range_error),
        "omega_error": float(derivative * number.omega_error),
    }
