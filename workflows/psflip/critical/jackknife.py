"""Numbers with their jackknife samples, as rows: row 0 of all realizations, rows 1 to G each without one group of them, the same groups for all
sizes and quantities. Functions of rows keep the rows, so that errors and covariances go through a whole chain of them."""

from __future__ import annotations

import zlib

import numpy as np
from scipy.special import ndtr, stdtrit  # scipy.stats has them, too, but takes 0.4 s to import
from psflip.results.averages import Averages, Size


def deviations(rows: np.ndarray) -> np.ndarray:
    """Of the samples from their mean, scaled so that the sum of their products is the covariance."""
    samples = rows[1:]
    return (samples - samples.mean(axis=0)) * np.sqrt((len(samples) - 1) / len(samples))


def covariance(rows: np.ndarray) -> np.ndarray:
    """Of the columns of rows (1 + G, n)."""
    found = deviations(rows)
    return found.T @ found


def error(rows: np.ndarray) -> np.ndarray:
    """Standard error of each column; NaN where a sample has no value."""
    return np.sqrt((deviations(rows) ** 2).sum(axis=0))


def student_factor(groups: int) -> float:
    """Factor that makes an error from few groups one that covers the truth with the probability of a normal distribution's standard error, 0.683 (Student's t)."""
    return float(stdtrit(groups - 1, ndtr(1.0)))


def shared_noise(L: int, name: str, errors: np.ndarray, groups: int) -> np.ndarray:
    """Deviations (group, temperature) that have the variances errors^2: noise that no sample shows, such as that which realizations share, as normal
    numbers that are always the same for a size and a name, independent of one another at different temperatures."""
    normal = np.random.default_rng([L, zlib.crc32(name.encode())]).standard_normal((groups, len(errors)))
    normal -= normal.mean(axis=0)
    normal *= np.sqrt(groups / (groups - 1) / (normal**2).sum(axis=0))
    return normal * np.nan_to_num(errors)


def plain_rows(size: Size, name: str) -> np.ndarray:
    """Returns an average of one size (1 + G, temperature), NaN if the file has none. The samples do not hold the noise that realizations share."""
    values = size.get(name, size.temperatures)
    return np.vstack([values, size.samples.get(name, np.full((2, len(values)), np.nan))])


def shared_errors(size: Size, name: str) -> np.ndarray:
    """Returns what the shared noise adds to the errors, in squares; NaN if unknown."""
    return size.get(f"{name}_err_shared", size.temperatures, fill=0.0)


def rows_of(size: Size, name: str) -> np.ndarray:
    """An average of one size (1 + G, temperature), NaN where the file has none. The samples hold the noise that realizations share."""
    rows = plain_rows(size, name)
    rows[1:] += shared_noise(size.L, name, shared_errors(size, name), len(rows) - 1)
    return rows


def group_count(data: Averages) -> int:
    """Samples of each average; 0 where the file has none."""
    return min((len(samples) for size in data.sizes for samples in (list(size.samples.values()) or [[]])), default=0)
