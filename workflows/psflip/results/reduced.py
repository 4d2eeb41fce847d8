"""Reads reduced.h5 (see the file contract: group per size, provenance) into plain arrays."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import h5py
import numpy as np
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.yaml_text import load_yaml

from psflip.results.literature import Known, Model, model_of
from psflip.results.shapes import check_samples, check_shapes

if TYPE_CHECKING:
    from psflip.critical.crossings import Crossing


class NotReduced(StudyError):
    """The file is missing, damaged or another one; the message names it."""


@dataclass
class Size:
    """Disorder averages of one lattice size. `columns[o]` and `columns[o + "_err"]` are arrays over the temperatures."""

    L: int
    temperatures: np.ndarray
    n_realizations: int
    columns: dict[str, np.ndarray]
    couplings_origin: str = ""  # which files have couplings that gen-disorder did not draw; empty: none
    verdict_basis: str = ""  # what "equilibrated" rests on
    warnings: tuple[str, ...] = ()  # of reduce-disorder, on verdicts and errors
    stationary: bool = True  # whether the averages over the last log2 bins agree
    largest_paired_z: float = np.nan
    samples: dict[str, np.ndarray] = field(default_factory=dict)  # (group, temperature) jackknife samples of the averages
    dimension: int = 3

    @property
    def sites(self) -> int:
        return self.L**self.dimension

    def curve(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Temperatures, values and errors of one observable, without the points that have no value."""
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

    def overlap_density(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q (n), P(q) and its errors (temperature, n) of the bins that hold a value of q, at the mean of these values: a value on an inner
        edge is half in either bin, as in the file."""
        return self._density(self.sites, "histogram_q_width", "histogram_density")

    def energy_of_links(self, link: np.ndarray) -> np.ndarray:
        """-beta d (1 - q_link), which the energy per spin is in equilibrium where couplings are Gaussian, averaged over the disorder (Katzgraber, Palassini, Young,
        Phys. Rev. B 63, 184422); link has the temperatures as its last axis. Before that the energy lies above, these below."""
        return -self.dimension * (1 - link) / self.temperatures

    def link_density(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same of q_link, whose dN/2 + 1 values lie 4/(dN) apart in d dimensions."""
        return self._density(self.dimension * self.sites // 2, "histogram_link_width", "histogram_link_density")

    def _density(self, sites: int, width_name: str, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of sites + 1 values from -1 to 1."""
        width, density, error = self.get(width_name), self.get(name), self.get(f"{name}_err")
        if not len(width) or not np.isfinite(density).any():
            return np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0))
        bins = len(width)
        edge = np.arange(bins + 1) * sites  # bins times the number of a value, (Q + N)/2, on an edge
        first = -(-edge // bins)  # value in a bin, with that on its lower edge
        first[-1] = sites + 1
        number = np.diff(first)
        total = 0.5 * number * (first[:-1] + first[1:] - 1)
        half = np.where((number > 0) & (first[:-1] * bins == edge[:-1]), 0.5 * first[:-1], 0)  # of bin 0: value 0
        total += np.append(half[1:], 0) - half
        there = width > 0
        q = 2 * total[there] / (width[there] * sites / 2) / sites - 1
        return q, density[:, there], error[:, there]


SECTIONS = ("disorder", "thermalize", "run", "equilibration")  # of the configuration, where they are looked at

CROSSING_CURVES = ("binder", "xi_over_L", "binder_m", "xi_m_over_L", "xi_replicon_over_L", "r12", "binder_ms", "xi_ms_over_L")

@dataclass
class Reduced:
    sizes: list[Size]
    provenance: dict[str, str] = field(default_factory=dict)

    @cached_property
    def crossings(self) -> dict[str, list[Crossing]]:
        """Of all pairs of sizes, by observable, one of CROSSING_CURVES; made when first asked for."""
        from psflip.critical.crossings import crossings_of  # here, because it reads the averages of this module

        return crossings_of(self)

    @property
    def config(self) -> dict:
        """The configuration with all defaults, as reduce-disorder saw it; per size maps have numbers as keys."""
        found = load_yaml(self.provenance.get("config", ""))
        return found if isinstance(found, dict) else {}

    @property
    def model(self) -> Model:
        """What was simulated. Of couplings that gen-disorder did not draw, nobody knows the law: they are compared with no literature."""
        found = model_of(self.config)
        return replace(found, known=None) if any(size.couplings_origin for size in self.sizes) else found

    @property
    def compared(self) -> Known | None:
        """What the literature knows of the model, if its T_c lies near the temperatures of the study: no figure is stretched to reach it."""
        known = self.model.known
        return known if known and known.near([T for size in self.sizes for T in (size.temperatures[0], size.temperatures[-1])]) else None

    def headline(self, name: str) -> Crossing | None:
        """The crossing to quote: of the largest L with its double where both were simulated, else of the two largest sizes."""
        found = [c for c in self.crossings.get(name, []) if c.found]
        doubles = [c for c in found if c.L2 == 2 * c.L1]
        return max(doubles or found, key=lambda c: (c.L1, c.L2), default=None)

    def first_headline(self, names) -> Crossing | None:
        """Of the first of these averages that has one."""
        return next((crossing for name in names if (crossing := self.headline(name))), None)

    def scaling_pairs(self, name: str) -> list[Crossing]:
        """The crossings of L and 2L, which scale alike; of neighbouring sizes where no size has its double."""
        return [c for c in self.crossings.get(name, []) if c.found and c.L2 == 2 * c.L1] or self.shown(name)

    def shown(self, name: str) -> list[Crossing]:
        """The crossings to mark in a plot: all of up to three sizes, else those of neighbouring sizes."""
        order = [size.L for size in self.sizes]
        found = [c for c in self.crossings.get(name, []) if c.found]
        if len(order) <= 3:
            return found
        return [c for c in found if order.index(c.L2) == order.index(c.L1) + 1]


def as_text(value) -> str:
    """An attribute or a text dataset of an HDF5 file as text that can be shown anywhere."""
    if isinstance(value, np.ndarray):
        return ", ".join(as_text(v) for v in value.ravel())
    return printable(text_of(value))


def read_provenance(file: h5py.File) -> dict[str, str]:
    """All of /provenance: attributes and text datasets, groups inside it as "group/name"."""
    found: dict[str, str] = {}
    if "provenance" not in file:
        return found

    def visit(name: str, node) -> None:
        prefix = f"{name}/" if name else ""
        for key, value in node.attrs.items():
            found[prefix + key] = as_text(value)
        if isinstance(node, h5py.Dataset):
            found[name] = as_text(node[()])

    visit("", file["provenance"])
    file["provenance"].visititems(visit)
    return found


def read_reduced(path: str | Path) -> Reduced:
    """NotReduced where it cannot be read."""
    path = Path(path)
    try:
        with hdf5_file(path, "a reduced file as reduce-disorder writes it") as file:
            found = _read(path, file)
            found.model  # once, so that a damaged configuration is told here
            if wrong := [key for key in SECTIONS if not isinstance(found.config.get(key, {}), dict)]:
                raise ValueError(f"{wrong[0]} in its configuration is no section")
    except StudyError as error:
        raise NotReduced(error) from None
    return found


def _read(path: Path, file: h5py.File) -> Reduced:
    kind = as_text(file.attrs.get("kind", ""))
    if kind != "reduced":
        raise NotReduced(f"{path}: a reduced file is needed, this is {kind or 'no psflip file'}")
    sizes = []
    for name in file:
        if not (name.startswith("L") and name[1:].isdigit()):
            continue
        group = file[name]
        columns = {key: node[()] for key, node in group.items() if isinstance(node, h5py.Dataset)}
        check_shapes(int(name[1:]), columns)
        origin = as_text(group.attrs.get("couplings_origin", ""))
        basis, warnings = as_text(group.attrs["verdict_basis"]), as_text(group.attrs["warnings"]).splitlines()
        n = int(group.attrs["n_realizations"])
        stationary, largest = bool(group.attrs["stationary"]), float(group.attrs["largest_paired_z"])
        samples = {key: node[()] for key, node in group.get("jackknife", {}).items()}
        check_samples(int(name[1:]), samples, columns)
        sizes.append(Size(int(name[1:]), columns["temperatures"], n, columns, origin, basis, tuple(warnings), stationary, largest, samples))
    if not sizes:
        raise ValueError("it has no lattice size")
    sizes.sort(key=lambda size: size.L)
    found = Reduced(sizes, read_provenance(file))
    for size in sizes:
        size.dimension = found.model.dimension
    return found

