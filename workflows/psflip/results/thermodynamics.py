"""Whether energy and specific heat belong to each other: e(T_n) - e(T_1) is the integral of C from T_1 to T_n in equilibrium, for every
realization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psflip.results.averages import Size
from scipy.interpolate import CubicSpline, PchipInterpolator


@dataclass(frozen=True)
class EnergyIntegral:
    """Per spin, in J. `error` is that of the difference of the two."""

    energy: float
    integral: float
    error: float

    @property
    def z(self) -> float:
        """0 where both are exact, as without bonds and field."""
        return (self.integral - self.energy) / self.error if self.error > 0 else 0.0


def energy_integral(size: Size) -> EnergyIntegral | None:
    """The integral is that of a cubic spline; how far a monotone one gives another counts as an error, added to the errors of the jackknife and
    of the noise that realizations share. None with fewer than four temperatures, and where the file has no jackknife samples."""
    T, samples = size.temperatures, size.samples
    if len(T) < 4 or not {"energy", "specific_heat"} <= samples.keys():
        return None
    weights = CubicSpline(T, np.eye(len(T))).integrate(T[0], T[-1])
    energy, heat = size.get("energy"), size.get("specific_heat")
    left_out = samples["energy"][:, -1] - samples["energy"][:, 0] - samples["specific_heat"] @ weights
    groups = len(left_out)
    jackknife = (groups - 1) / groups * ((left_out - left_out.mean()) ** 2).sum()
    shared_energy, shared_heat = size.get("energy_err_shared", T, 0.0), size.get("specific_heat_err_shared", T, 0.0)
    shared = shared_energy[0] ** 2 + shared_energy[-1] ** 2 + ((weights * shared_heat) ** 2).sum()
    integral = float(weights @ heat)
    interpolation = integral - float(PchipInterpolator(T, heat).integrate(T[0], T[-1]))
    return EnergyIntegral(float(energy[-1] - energy[0]), integral, float(np.sqrt(jackknife + shared + interpolation**2)))
