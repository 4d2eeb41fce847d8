"""Averages of several sizes made of scaling forms with known critical point, exponents and corrections, with noise that temperatures and quantities share, as
reduced.h5 has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
from psflip.results.averages import Size
from psflip.results.reduced import Reduced
from scipy.optimize import brentq

GROUPS = 200
NAMES = ("binder", "xi_over_L", "q2")
# Of the noise: smooth in temperature (this part of the range long) but for a part of it that temperatures do not share, and shared by the quantities.
SMOOTH, OWN = 0.8, 0.02
BETWEEN_QUANTITIES = np.array([[1.0, 0.8, 0.6], [0.8, 1.0, 0.7], [0.6, 0.7, 1.0]])


@dataclass(frozen=True)
class Truth:
    """R = R* exp(-f x + c x^2) + g (1 + d x) L^-omega and chi = L^(2 - eta) exp(-h x) (1 + b L^-omega), x = (T - T_c) / T_c L^(1/nu)."""

    T_c: float = 1.1
    nu: float = 1.3
    eta: float = -0.3
    omega: float = 1.1
    dimension: int = 3
    stars: tuple[float, float] = (0.75, 0.65)  # of binder and xi_over_L
    slopes: tuple[float, float] = (0.5, 0.9)
    amplitudes: tuple[float, float] = (-0.15, -0.35)
    of_slopes: float = 0.3  # d
    curvature: float = 0.1
    of_chi: tuple[float, float] = (0.9, 0.4)  # h, b

    def x(self, T, L: int):
        return (T - self.T_c) / self.T_c * L ** (1 / self.nu)

    def ratio(self, which: int, T, L: int):
        x = self.x(T, L)
        star, slope, g = self.stars[which], self.slopes[which], self.amplitudes[which]
        return star * np.exp(-slope * x + self.curvature * x**2) + g * (1 + self.of_slopes * x) * L**-self.omega

    def q2(self, T, L: int):
        x = self.x(T, L)
        h, b = self.of_chi
        return L ** (2 - self.eta - self.dimension) * np.exp(-h * x) * (1 + b * L**-self.omega)

    def curve(self, name: str, T, L: int):
        return self.q2(T, L) if name == "q2" else self.ratio(NAMES.index(name), T, L)

    def crossing(self, name: str, L1: int, L2: int, ends) -> float:
        def difference(T):
            return self.curve(name, T, L2) - self.curve(name, T, L1)

        return brentq(difference, *ends) if difference(ends[0]) > 0 > difference(ends[1]) else np.nan


class AtZero(Truth):
    """The transition is at T = 0: x = T L^(1/nu)."""

    def x(self, T, L: int):
        return T * L ** (1 / self.nu)


def noise_of(random, T: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Relative noise of all groups and quantities (group, quantity, temperature) with variance 1, and its derivative in T."""
    frequencies = np.arange(5) * np.pi * SMOOTH / np.ptp(T)
    phase = np.multiply.outer(frequencies, T - T.mean())
    scale = np.exp(-0.5 * np.arange(5))
    scale = np.sqrt((1 - OWN**2) / (scale**2).sum()) * scale
    mix = np.linalg.cholesky(BETWEEN_QUANTITIES)
    a, b = (np.einsum("qp,gpk->gqk", mix, random.standard_normal((GROUPS, 3, 5)) * scale) for _ in range(2))
    smooth = a @ np.cos(phase) + b @ np.sin(phase)
    slope = -a @ (frequencies[:, None] * np.sin(phase)) + b @ (frequencies[:, None] * np.cos(phase))
    own = OWN * random.standard_normal((2, *smooth.shape))
    return smooth + own[0], slope + own[1] * 10 / np.ptp(T)


def size_of(truth: Truth, random, L: int, T: np.ndarray, error: float, slopes: bool) -> Size:
    """`error`: relative standard error of each average."""
    noise, steepness = noise_of(random, T)
    columns, samples = {"temperatures": T}, {}

    def put(name: str, groups: np.ndarray) -> None:
        mean = groups.mean(axis=0)
        columns[name] = mean
        columns[f"{name}_err"] = groups.std(axis=0, ddof=1) / np.sqrt(GROUPS)
        samples[name] = (GROUPS * mean - groups) / (GROUPS - 1)

    for i, name in enumerate(NAMES):
        exact = truth.curve(name, T, L)
        scale = error * np.sqrt(GROUPS) * exact.mean()
        put(name, exact + scale * noise[:, i])
        if slopes:
            step = 1e-5 * T
            slope = (truth.curve(name, T + step, L) - truth.curve(name, T - step, L)) / (2 * step)
            put(f"{name}_dbeta", -(T**2) * (slope + scale * steepness[:, i]))
    return Size(L, T, 1000, columns, samples=samples, dimension=truth.dimension)


def reduced_of(truth: Truth, random, sizes, T: np.ndarray, error: float, slopes: bool = False) -> Reduced:
    """As read_reduced gives it of a file."""
    return Reduced([size_of(truth, random, L, T, error, slopes) for L in sizes])


def write(path: Path, data: Reduced, config: str = "{}") -> Path:
    """As a reduced file with what the critical point takes from it."""
    with h5py.File(path, "w") as file:
        file.attrs.update(format="psflip", kind="reduced", format_version=2, physics_version=2)
        for size in data.sizes:
            group = file.create_group(f"L{size.L}")
            group.attrs.update(n_realizations=size.n_realizations, verdict_basis="", warnings="", warning_kinds="", stationary=1, largest_paired_z=np.nan)
            for name, values in size.columns.items():
                group[name] = values
            for name, rows in size.samples.items():
                group[f"jackknife/{name}"] = rows
        file.create_group("provenance").attrs["config"] = config
    return path
