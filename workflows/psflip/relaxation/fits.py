"""Powers of time, ln y = ln A + p ln t. All times of a relaxation are correlated, so errors come from fits of jackknife samples, and chi^2 with the diagonal of the
covariance alone is called so. Weights are the same in all samples and smooth in time: the error of a single time is itself known from few groups only, and a fit that weights
times with these errors prefers the times at which the samples happen to agree. Its own error is then too small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psflip.critical import jackknife


def error(rows: np.ndarray) -> np.ndarray:
    """Standard error of each column of jackknife rows (1 + G, ...), with Student's factor for few groups."""
    return jackknife.error(rows) * jackknife.student_factor(len(rows) - 1)


def smooth_weights(times: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Inverse of the power of time that fits the errors best."""
    slope, intercept = np.polyfit(np.log(times), np.log(errors), 1)
    return np.exp(-intercept - slope * np.log(times))


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


def power_law(times: np.ndarray, rows: np.ndarray, window: np.ndarray) -> PowerLaw | None:
    """rows (1 + G, time), window: the times to fit, chosen from row 0 alone; nothing with fewer than three of them."""
    errors = error(rows)
    used = window & np.isfinite(rows).all(axis=0) & (rows > 0).all(axis=0) & (errors > 0)
    if used.sum() < 3:
        return None
    x, y, relative = np.log(times[used]), np.log(rows[:, used]), errors[used] / rows[0, used]
    design, w = np.stack([x, np.ones_like(x)], axis=1), smooth_weights(times[used], relative)
    found = np.linalg.lstsq(design * w[:, None], (y * w).T, rcond=None)[0]  # (2, 1 + G)
    rest = (design @ found[:, 0] - y[0]) / relative
    return PowerLaw(
        power=float(found[0, 0]),
        power_error=float(error(found[0][:, None])[0]),
        amplitude=float(np.exp(found[1, 0])),
        chi2_diagonal=float(rest @ rest),
        points=int(used.sum()),
        first=float(times[used][0]),
        last=float(times[used][-1]),
        samples=found[0],
    )
