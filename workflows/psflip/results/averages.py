"""Holds the averages of a study by lattice size, as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from psflip.campaign.yaml_text import load_yaml

from psflip.results.literature import Known, Model, model_of

@dataclass
class Size:
    """Holds the disorder averages of one lattice size. `columns[o]` and `columns[o + "_err"]` are arrays over the temperatures."""

    L: int
    temperatures: np.ndarray
    n_realizations: int
    columns: dict[str, np.ndarray]
    couplings_origin: str = ""  # the files with couplings that gen-disorder did not draw; empty without such files
    verdict_basis: str = ""  # the tests behind the verdict "equilibrated"
    warnings: tuple[tuple[str, str], ...] = ()  # of reduce-disorder, on verdicts and errors: kind and sentence
    stationary: bool = True  # whether the averages over the last log2 bins agree
    largest_paired_z: float = np.nan
    samples: dict[str, np.ndarray] = field(default_factory=dict)  # (group, temperature) jackknife samples of the averages
    dimension: int = 3

    @property
    def sites(self) -> int:
        return self.L**self.dimension

    def curve(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns temperatures, values and errors of one observable, without the points that have no value."""
        value = self.get(name, self.temperatures)
        error = np.nan_to_num(self.get(name + "_err", self.temperatures, fill=0.0))
        there = np.isfinite(value)
        return self.temperatures[there], value[there], error[there]

    def get(self, name: str, like: np.ndarray | None = None, fill: float = np.nan) -> np.ndarray:
        if name in self.columns:
            return np.asarray(self.columns[name], dtype=float)
        return np.full(0 if like is None else len(like), fill)

    def has(self, name: str) -> bool:
        return bool(np.isfinite(self.get(name)).any())

    def energy_of_links(self, link: np.ndarray) -> np.ndarray:
        """Returns -beta d (1 - q_link) of link overlaps with the temperatures as their last axis. If couplings are Gaussian, the disorder average equals the
        energy per spin in equilibrium (Katzgraber, Palassini, Young, Phys. Rev. B 63, 184422). Before equilibrium the energy lies above it."""
        return -self.dimension * (1 - link) / self.temperatures

    def overlap_density(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns q (n), P(q) and its errors (temperature, n) of the bins that hold a value of q. Each q is the mean of these values; a value on an inner edge is half in
        either bin, as in the file."""
        return self._density(self.sites, "histogram_q_width", "histogram_density")

    def link_density(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the density of q_link as overlap_density returns P(q). Its dN/2 + 1 values lie 4/(dN) apart in d dimensions."""
        return self._density(self.dimension * self.sites // 2, "histogram_link_width", "histogram_link_density")

    def _density(self, steps: int, width_name: str, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the density of a quantity with steps + 1 values from -1 to 1."""
        width, density, error = self.get(width_name), self.get(name), self.get(f"{name}_err")
        if not len(width) or not np.isfinite(density).any():
            return np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0))
        bins = len(width)
        place = np.arange(steps + 1) * bins
        upper = np.minimum(place // steps, bins - 1)
        lower = np.maximum(upper - (place == upper * steps), 0)
        count, total = (sum(np.bincount(of, weights, bins) for of in (lower, upper)) for weights in (None, np.arange(steps + 1)))
        there = width > 0
        return 2 * total[there] / count[there] / steps - 1, density[:, there], error[:, there]


@dataclass
class Averages:
    """Holds the disorder averages of all sizes, ascending in L."""

    sizes: list[Size]
    provenance: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> dict:
        """Returns the configuration with all defaults, as reduce-disorder read it. Maps per size have numbers as keys."""
        found = load_yaml(self.provenance.get("config", ""))
        return found if isinstance(found, dict) else {}

    @property
    def model(self) -> Model:
        """Returns the simulated model. If gen-disorder did not draw the couplings, their distribution is unknown, and no published values are compared."""
        found = model_of(self.config)
        return replace(found, known=None, theta=None) if any(size.couplings_origin for size in self.sizes) else found

    @property
    def compared(self) -> Known | None:
        """Returns the published values of the model if its T_c lies near the temperatures of the study. Otherwise no figure shows T_c."""
        known = self.model.known
        return known if known and known.near([T for size in self.sizes for T in (size.temperatures[0], size.temperatures[-1])]) else None
