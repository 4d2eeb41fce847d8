"""Powers of time, ln y = ln A + p ln t. All times of a relaxation are correlated, so errors come from fits of jackknife samples, and chi^2 with the diagonal of the
covariance alone is called so. Weights are a power of y, not the errors of single times: these are known from few groups only, and where y is not exactly a power of time, fits with other
weights have other powers, a scatter that no jackknife sample shows. Each sample has the weights of its own y."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psflip.critical import jackknife


def error(rows: np.ndarray) -> np.ndarray:
    """Standard error of each column of jackknife rows (1 + G, ...), with Student's factor for few groups."""
    return jackknife.error(rows) * jackknife.student_factor(len(rows) - 1)


@dataclass
class PowerLaw:
    power: float
    power_error: float
    amplitude: float
    chi2_diagonal: float
    points: int
    first: float  # window of the times
    last: float
    samples: np.ndarray  # (1 + G): of the power

    @property
    def z(self) -> tuple[float, float]:
        """1 / power and its error, by jackknife."""
        with np.errstate(divide="ignore"):
            rows = 1 / self.samples
        return float(rows[0]), float(error(rows[:, None])[0])


def straight_lines(x: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(1 + G, 2): intercept and slope of each row (1 + G, point), by least squares of residuals times weights (1 + G, point)."""
    squares = weights**2 / (weights**2).sum(axis=1, keepdims=True)
    x_mean, y_mean = squares @ x, (squares * rows).sum(axis=1)
    from_mean = x - x_mean[:, None]
    slopes = (squares * from_mean * rows).sum(axis=1) / (squares * from_mean**2).sum(axis=1)
    return np.stack([y_mean - slopes * x_mean, slopes], axis=1)


def power_law(times: np.ndarray, rows: np.ndarray, window: np.ndarray, weight: float) -> PowerLaw | None:
    """rows (1 + G, time), window: the times to fit, chosen from row 0 alone; nothing with fewer than three of them. Logarithms are weighted with y^weight, the inverse of how relative errors grow."""
    errors = error(rows)
    used = window & np.isfinite(rows).all(axis=0) & (rows > 0).all(axis=0) & (errors > 0)
    if used.sum() < 3:
        return None
    x, y, relative = np.log(times[used]), np.log(rows[:, used]), errors[used] / rows[0, used]
    found = straight_lines(x, y, rows[:, used] ** weight)
    rest = (found[0, 0] + found[0, 1] * x - y[0]) / relative
    return PowerLaw(
        power=float(found[0, 1]),
        power_error=float(error(found)[1]),
        amplitude=float(np.exp(found[0, 0])),
        chi2_diagonal=float(rest @ rest),
        points=int(used.sum()),
        first=float(times[used][0]),
        last=float(times[used][-1]),
        samples=found[:, 1],
    )
