"""Powers of time: ln y = ln A + p ln t, weighted with errors. All times of a relaxation are correlated, so errors come from fits of jackknife samples,
and chi^2 with the diagonal of the covariance alone is called so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psflip.critical.jackknife import error


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
    x, y, w = np.log(times[used]), np.log(rows[:, used]), rows[0, used] / errors[used]
    design = np.stack([x, np.ones_like(x)], axis=1) * w[:, None]
    found = np.linalg.lstsq(design, (y * w).T, rcond=None)[0]  # (2, 1 + G)
    rest = design @ found[:, 0] - y[0] * w
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
