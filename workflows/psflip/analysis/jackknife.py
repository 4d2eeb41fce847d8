"""Errors of any function of thermal means, averaged over realizations: the jackknife over realizations, and the noise that realizations with the same
random numbers share, which that jackknife takes for independent.

With X_i the disorder averages of the means i, R realizations and packs p of realizations that share random numbers, the shared part of the
variance of f(X) is  sum_ij f_i f_j sum_p S_p^ij / R^2,  f_i = df/dX_i, and S_p^ij what sharing adds to the covariance of the sums of i and j over
pack p: the datasets /shared of observables files (libcore/statistics/thermal/shared_noise.hpp)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import xarray

from psflip.analysis.files import T
from psflip.campaign.errors import StudyError

Function = Callable[[xarray.Dataset], xarray.DataArray]
MIN_PACKS = 20  # for an error from packs alone
STEP = 1e-4  # of the gradient, in units of the error of a mean
LEFT_OUT = "left_out"


@dataclass(frozen=True)
class Means:
    """`values`: thermal means (T, realization) by name, as `q2`. `shared`: by names ("q2", "q4"), alike pairs for one alone, the sum over
    packs of S_p (T). `pack`: of each realization; `share`: realizations of a pack."""

    values: xarray.Dataset
    share: int = 1
    pack: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    shared: dict[tuple[str, str], np.ndarray] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return self.values.sizes["realization"]


@dataclass(frozen=True)
class Estimate:
    """value and error; `shared`: the part of the error that comes from shared random numbers; `method`: realizations or packs."""

    value: xarray.DataArray
    error: xarray.DataArray
    shared: xarray.DataArray
    method: str


def left_out(means: Means, groups: np.ndarray) -> xarray.Dataset:
    """The averages without each group of realizations, along the dimension left_out."""
    number = groups.max() + 1
    member = xarray.DataArray(np.eye(number)[groups], dims=["realization", LEFT_OUT])
    rest = means.count - member.sum("realization")
    total = means.values.sum("realization", skipna=False)
    if number == means.count:  # one each: no product of matrices
        own = means.values.rename(realization=LEFT_OUT).drop_vars(LEFT_OUT, errors="ignore")
        return (total - own) / (means.count - 1)
    return (total - xarray.dot(means.values.to_dataarray("mean"), member, dim="realization").to_dataset("mean")) / rest


def scatter(samples: xarray.DataArray) -> xarray.DataArray:
    """Variance of what the samples are of."""
    return (samples.sizes[LEFT_OUT] - 1) * samples.var(LEFT_OUT, skipna=False)


def gradients(f: Function, average: xarray.Dataset, errors: xarray.Dataset) -> dict[str, np.ndarray] | None:
    """df/dX (T) of the means that f depends on; None where f is no function of each temperature by itself."""
    found = {}
    value = f(average)
    has_value = np.isfinite(value.values)
    for name in average.data_vars:
        step = (STEP * errors[name]).where(errors[name] > 0, STEP)
        up, down = (f(average.assign({name: average[name] + sign * step})) for sign in (1, -1))
        if up.dims != (T,) or up.sizes[T] != average.sizes[T]:
            return None
        if up.sizes[T] > 1:  # a step at one temperature alone must not be felt at the others
            alone = step.copy()
            alone[1:] = 0
            felt = f(average.assign({name: average[name] + alone})) - value
            if (np.abs(felt.values[1:]) > 0).any():
                return None
        slope = ((up - down) / (2 * step)).values
        if (slope[has_value] != 0).any():  # a slope of nan, too
            found[str(name)] = slope
    return found


def shared_variance(f: Function, means: Means, average: xarray.Dataset, errors: xarray.Dataset) -> np.ndarray | None:
    """Returns (T), or None if the files do not have what f would need."""
    slopes = gradients(f, average, errors)
    if slopes is None:
        return None
    total = np.zeros(average.sizes[T])
    for one in slopes:
        for other in slopes:
            both = means.shared.get((one, other), means.shared.get((other, one)))
            if both is None:
                return None
            total += slopes[one] * slopes[other] * both
    return np.maximum(total, 0) / means.count**2


def jackknife(f: Function, means: Means) -> Estimate:
    """Estimates f and its error. f takes the disorder averages by name, as in `lambda m: (3 - m.q4 / m.q2**2) / 2`, and calculates with them as arrays.
    If sharing matters and the files do not hold what f needs, the jackknife leaves out whole packs; StudyError with fewer than 20 packs. Warns once if value or error is nan."""
    found = estimate(f, means)
    warn_of_nan(found.value.values, found.error.values)
    return found


def warn_of_nan(values: np.ndarray, errors: np.ndarray) -> None:
    """For a function that its user calls."""
    if bad := np.count_nonzero(np.isnan(values) | np.isnan(errors)):
        warnings.warn(f"jackknife: the function or its error is nan in {bad} of {np.size(values)} values", RuntimeWarning, stacklevel=3)


def named(f: Function, averages: xarray.Dataset) -> xarray.DataArray:
    """Calls f; StudyError with the known names if f asks for a mean that is not there."""
    try:
        return f(averages)
    except (AttributeError, KeyError) as error:
        if wrong := re.search(r"(?:'Dataset' object has no attribute|No variable named) ['\"]([^'\"]*)['\"]", str(error)):
            raise StudyError(f"jackknife: there is no mean {wrong[1]!r}; use one of {', '.join(sorted(map(str, averages.data_vars)))}") from error
        raise


@np.errstate(all="ignore")
def estimate(f: Function, means: Means) -> Estimate:
    """As jackknife, without a warning."""
    if means.count < 2:
        raise StudyError("a jackknife needs two realizations or more")
    average = means.values.mean("realization", skipna=False)
    errors = means.values.std("realization", ddof=1, skipna=False) / np.sqrt(means.count)
    value = named(f, average)
    if not isinstance(value, xarray.DataArray):
        raise StudyError("jackknife: the function must return an array that is made of its averages, such as m.q2")
    over = scatter(f(left_out(means, np.arange(means.count))))
    if means.share == 1:
        return Estimate(value, over**0.5, xarray.zeros_like(over), "realizations")
    shared = shared_variance(f, means, average, errors)
    if shared is not None:
        both = over.copy(data=shared)
        return Estimate(value, (over + both) ** 0.5, both**0.5, "realizations")
    packs = np.unique(means.pack, return_inverse=True)[1]
    if packs.max() + 1 < MIN_PACKS:
        raise StudyError(
            f"jackknife: the files do not have the noise that this function gets from shared random numbers, and {packs.max() + 1} share groups of {means.share} realizations are "
            f"too few to leave out one at a time; {MIN_PACKS} are needed, or a function of one temperature at a time of q2, q4 and kmin, or of one mean"
        )
    whole = scatter(f(left_out(means, packs)))
    return Estimate(value, whole**0.5, (whole - over).clip(0) ** 0.5, "packs")
