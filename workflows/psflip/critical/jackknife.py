"""Holds numbers with their jackknife samples as rows. Row 0 is for all realizations. Each of rows 1 to G leaves out one group of realizations, the same for all
sizes and quantities. Functions of rows return rows, so errors and covariances propagate through a chain of functions."""

from __future__ import annotations

import zlib

import numpy as np
from scipy.special import ndtr, stdtrit  # scipy.stats has them, too, but takes 0.4 s to import
from psflip.results.averages import Averages, Size


def deviations(rows: np.ndarray) -> np.ndarray:
    """Returns the deviations of the samples from their mean, scaled so that the sum of their products is the covariance."""
    samples = rows[1:]
    return (samples - samples.mean(axis=0)) * np.sqrt((len(samples) - 1) / len(samples))


def covariance(rows: np.ndarray) -> np.ndarray:
    """Returns the covariance of the columns of rows (1 + G, n)."""
    found = deviations(rows)
    return found.T @ found


def error(rows: np.ndarray) -> np.ndarray:
    """Returns the standard error of each column, NaN if a sample has no value."""
    return np.sqrt((deviations(rows) ** 2).sum(axis=0))


def student_factor(groups: int) -> float:
    """Returns Student's factor. With it, an error from few groups covers the truth with the probability 0.683 of a normal distribution."""
    return float(stdtrit(groups - 1, ndtr(1.0)))


def shared_noise(L: int, name: str, errors: np.ndarray, groups: int) -> np.ndarray:
    """Returns deviations (group, temperature) with the variances errors^2, for noise that no sample shows, such as the noise of shared random numbers. They are normal
    numbers, independent at different temperatures, and always equal for one size and name."""
    normal = np.random.default_rng([L, zlib.crc32(name.encode())]).standard_normal((groups, len(errors)))
    normal -= normal.mean(axis=0)
    normal *= np.sqrt(groups / (groups - 1) / (normal**2).sum(axis=0))
    return normal * np.nan_to_num(errors)


def plain_rows(size: Size, name: str) -> np.ndarray:
    """Returns an average of one size (1 + G, temperature), NaN if the file has none. The samples do not contain the noise of shared random numbers."""
    values = size.get(name, size.temperatures)
    return np.vstack([values, size.samples.get(name, np.full((2, len(values)), np.nan))])


def shared_errors(size: Size, name: str) -> np.ndarray:
    """Returns the error from shared random numbers, whose square adds to the square of other errors; NaN if unknown."""
    return size.get(f"{name}_err_shared", size.temperatures, fill=0.0)


def rows_of(size: Size, name: str) -> np.ndarray:
    """Returns an average of one size (1 + G, temperature), NaN if the file has none. The samples contain the noise of shared random numbers."""
    rows = plain_rows(size, name)
    rows[1:] += shared_noise(size.L, name, shared_errors(size, name), len(rows) - 1)
    return rows


def group_count(data: Averages) -> int:
    """Returns the number of samples of each average, 0 if the file has none."""
    return min((len(samples) for size in data.sizes for samples in (list(size.samples.values()) or [[]])), default=0)
