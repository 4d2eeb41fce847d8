"""Tests whether energy and specific heat are consistent. In equilibrium, e(T_n) - e(T_1) is the integral of C from T_1 to T_n for every
realization."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psflip.results.averages import Size
from scipy.interpolate import CubicSpline, PchipInterpolator


@dataclass(frozen=True)
class EnergyIntegral:
    """Holds the difference of energies and the integral, per spin in J. `error` is the error of integral - energy."""

    energy: float
    integral: float
    error: float

    @property
    def z(self) -> float:
        """Returns 0 if both are exact, for example without bonds and field."""
        return (self.integral - self.energy) / self.error if self.error > 0 else 0.0


def energy_integral(size: Size) -> EnergyIntegral | None:
    """Integrates a cubic spline. The deviation from a monotone spline counts as an error, in addition to the errors of the jackknife and
    of shared random numbers. Returns None with fewer than four temperatures or without jackknife samples."""
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
