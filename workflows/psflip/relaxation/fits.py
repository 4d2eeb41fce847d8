"""Powers of time, ln y = ln A + p ln t. All times of a relaxation are correlated. So errors come from fits of jackknife samples, and a diagonal chi^2 has the diagonal of
the covariance alone. Weights are a power of y, not the errors of single times, which are known from few groups only. If y is not exactly a power of time, fits with other
weights have other powers, a scatter that no jackknife sample shows. The weights of a sample come from the y of that sample."""

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
    power_err: float
    amplitude: float
    chi2_diagonal: float
    points: int
    t_from: float  # window of the times
    t_to: float
    samples: np.ndarray  # (1 + G): of the power

    def summary(self) -> dict:
        """Returns the fit as relaxation.json has it."""
        return {name: value for name, value in vars(self).items() if name != "samples"}

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
    """Fits rows (1 + G, time) in a window of times, which was chosen from row 0 alone. Logarithms are weighted with y^weight, the inverse of how relative errors grow.
    None with fewer than three times."""
    errors = error(rows)
    used = window & np.isfinite(rows).all(axis=0) & (rows > 0).all(axis=0) & (errors > 0)
    if used.sum() < 3:
        return None
    x, y, relative = np.log(times[used]), np.log(rows[:, used]), errors[used] / rows[0, used]
    found = straight_lines(x, y, rows[:, used] ** weight)
    rest = (found[0, 0] + found[0, 1] * x - y[0]) / relative
    window_ends = float(times[used][0]), float(times[used][-1])
    return PowerLaw(float(found[0, 1]), float(error(found)[1]), float(np.exp(found[0, 0])), float(rest @ rest), int(used.sum()), *window_ends, found[:, 1])
