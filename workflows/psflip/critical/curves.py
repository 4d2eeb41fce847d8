"""Fits one average of one size near a temperature: value and slope, in every jackknife sample. If the file has the measured d/dbeta of the average, one fit
covers values and slopes, unless no curve fits both. Otherwise the slope comes from the curve that is fitted to the values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from psflip.results.averages import Size

from psflip.critical.jackknife import rows_of, shared_noise
from psflip.critical.least_squares import MIN_P, Fit, fit, possible, weights_of

DEGREES = (3, 5)
FEW = 4  # number of data up to which polynomials have the two highest degrees that the data determine
HALF_WIDTH = 0.2  # half the width of the widest window, in units of the temperature


@dataclass(frozen=True)
class Curve:
    """Holds a polynomial in x = T / T0 - 1. `fit` is the fit with the largest weight, to the temperatures from `first` to `last`."""

    T0: float
    coefficients: np.ndarray  # (1 + G, power of x)
    fit: Fit
    first: float
    last: float
    slopes_measured: bool
    slopes_refused: bool  # measured slopes exist, but no curve fits both them and the values
    tested: bool  # by chi2: fits with more data than coefficients have most of the weight

    def value(self, T: np.ndarray) -> np.ndarray:
        """Returns the value at one temperature for each row (1 + G)."""
        return polynomial(self.coefficients, T / self.T0 - 1)

    def slope(self, T: np.ndarray) -> np.ndarray:
        """Returns d/dT at one temperature for each row."""
        return polynomial(derivative(self.coefficients), T / self.T0 - 1) / self.T0


def polynomial(coefficients: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.einsum("rk,rk->r", coefficients, np.power.outer(x, np.arange(coefficients.shape[1])))


def derivative(coefficients: np.ndarray) -> np.ndarray:
    return coefficients[:, 1:] * np.arange(1, coefficients.shape[1])


def usable(rows: np.ndarray) -> np.ndarray:
    """Returns at which temperatures all samples have a value and the values differ."""
    return np.isfinite(rows).all(axis=0) & (np.ptp(np.nan_to_num(rows[1:]), axis=0) > 0)


def data_of(size: Size, name: str, T0: float, with_slopes: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Returns all values and measured slopes, in the units of x: place x (n), whether a slope (n), power matrix (n, power), rows (1 + G, n)."""
    values, slopes = rows_of(size, name), -rows_of(size, f"{name}_dbeta") * T0 / size.temperatures**2
    if len(slopes) != len(values) or not with_slopes:
        slopes = np.full_like(values, np.nan)
    x = size.temperatures / T0 - 1
    there, measured = usable(values), usable(slopes)
    powers = np.arange(max(DEGREES) + 1)
    of_values = np.power.outer(x, powers)
    of_slopes = powers * np.power.outer(x, np.maximum(powers - 1, 0))
    rows = np.hstack([values[:, there], slopes[:, measured]])
    design = np.vstack([of_values[there], of_slopes[measured]])
    return np.concatenate([x[there], x[measured]]), np.repeat([False, True], [there.sum(), measured.sum()]), design, rows


def nearest(x: np.ndarray) -> np.ndarray:
    """Sorts the different places by their distance from the middle of the two neighbours of x = 0. The first two lie on either side of 0. Of two places with equal
    distances, as evenly spaced temperatures have, the lower one comes first, so that the last digit of x does not decide."""
    places = np.unique(x)
    above = min(max(int(np.searchsorted(places, 0.0)), 1), len(places) - 1)
    middle = 0.5 * (places[above - 1] + places[above])
    return places[np.argsort(np.abs(places - middle) + 1e-9 * (places > middle), kind="stable")]


def fits_of(size: Size, name: str, T0: float, with_slopes: bool = True) -> Iterator[tuple[Fit, np.ndarray, np.ndarray]]:
    """Yields fits of each degree to the temperatures nearest to T0, with the places of their data, and which data are slopes. The fewest temperatures give an interpolation."""
    x, is_slope, design, rows = data_of(size, name, T0, with_slopes)
    order = nearest(x) if len(np.unique(x)) > 1 else np.zeros(0)
    degrees = DEGREES if len(x) > FEW else range(max(len(x) - 2, 1), len(x))
    for parameters in (degree + 1 for degree in degrees):
        for count in range(2, len(order) + 1):
            inside = np.isin(x, order[:count])
            if not possible(inside.sum(), parameters, len(rows) - 1):
                continue
            if inside.sum() > parameters and np.abs(order[count - 1]) > HALF_WIDTH:
                break
            if found := fit(design[inside, :parameters], rows[:, inside]):
                yield found, x[inside], is_slope[inside]


def interpolation_noise(L: int, name: str, weights: np.ndarray, of_fits: np.ndarray, groups: int) -> np.ndarray:
    """Returns deviations of the coefficients (group, power) whose covariance is 4 sum w (c_w - c)(c_w - c)^T. For two equal weights this is the difference of the fits,
    because two wrong fits may lie near each other."""
    away = 2 * (of_fits - weights @ of_fits)
    return shared_noise(L, f"{name} between temperatures", np.sqrt(weights), groups) @ away


def acceptable(found: list[tuple[Fit, np.ndarray, np.ndarray]]) -> bool | None:
    """Returns whether a fit with degrees of freedom has p of MIN_P or more; None if no fit has any."""
    tests = [f.p for f, _, _ in found if f.dof > 0]
    return max(tests) >= MIN_P if tests else None


def curve(size: Size, name: str, T0: float) -> Curve | None:
    """Averages cubics and quintics over several ranges of temperatures nearest to T0, with their Akaike weights, anew in each sample. If no chi^2 tests the
    fits, the samples also hold the scatter of the fits. Leaves out measured slopes if no fit to slopes and values is acceptable, but a fit to the values alone is: slopes that two
    replicas measure are biased if blocks are short compared with the slowest memory. Returns None with too few temperatures or samples."""
    found = list(fits_of(size, name, T0))
    if not found:
        return None
    refused = False
    if acceptable(found) is False and any(is_slope.any() for _, _, is_slope in found):
        of_values = list(fits_of(size, name, T0, with_slopes=False))
        refused = bool(acceptable(of_values))
        found = of_values if refused else found
    weights = weights_of([f for f, _, _ in found])
    of_fits = np.array([np.pad(f.parameters, ((0, 0), (0, max(DEGREES) + 1 - f.parameters.shape[1]))) for f, _, _ in found])
    coefficients = np.einsum("wr,wrk->rk", weights, of_fits)
    best, x, is_slope = found[int(np.argmax(weights[:, 0]))]
    T = T0 * (1 + x)
    tested = sum(w[0] for w, (f, _, _) in zip(weights, found) if f.dof > 0) > 0.5
    if not tested:
        coefficients[1:] += interpolation_noise(size.L, name, weights[:, 0], of_fits[:, 0], len(coefficients) - 1)
    return Curve(T0, coefficients, best, float(T.min()), float(T.max()), bool(is_slope.any()), refused, bool(tested))
