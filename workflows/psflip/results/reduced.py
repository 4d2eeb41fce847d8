"""Reads reduced.h5, a group per size and the provenance, into plain arrays, with the crossings of the curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import h5py
import numpy as np
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.critical.crossings import Crossing, crossings_of

from psflip.results.averages import Averages, Size

SECTIONS = ("disorder", "thermalize", "run", "equilibration")  # of the configuration that psflip reads here


class NotReduced(StudyError):
    """The file is missing, damaged or of another kind. The message names the file."""


@dataclass
class Reduced(Averages):
    @cached_property
    def crossings(self) -> dict[str, list[Crossing]]:
        """Returns the crossings of all pairs of sizes, by observable, one of CROSSING_CURVES."""
        return crossings_of(self)

    def headline(self, name: str) -> Crossing | None:
        """Returns the quoted crossing: the crossing of the largest L and 2L if there is one, else of the largest sizes."""
        found = [c for c in self.crossings.get(name, []) if c.found]
        doubles = [c for c in found if c.L2 == 2 * c.L1]
        return max(doubles or found, key=lambda c: (c.L1, c.L2), default=None)

    def first_headline(self, names) -> Crossing | None:
        """Returns the quoted crossing of the first of these averages that has one."""
        return next((crossing for name in names if (crossing := self.headline(name))), None)

    def scaling_pairs(self, name: str) -> list[Crossing]:
        """Returns the crossings of L and 2L, which obey one scaling law. If there are none, returns the crossings of `shown`."""
        return [c for c in self.crossings.get(name, []) if c.found and c.L2 == 2 * c.L1] or self.shown(name)

    def shown(self, name: str) -> list[Crossing]:
        """Returns the crossings to mark in a plot: all crossings for up to three sizes, else the quoted crossing and the crossings of neighbouring sizes."""
        order = [size.L for size in self.sizes]
        found = [c for c in self.crossings.get(name, []) if c.found]
        if len(order) <= 3:
            return found
        return [c for c in found if order.index(c.L2) == order.index(c.L1) + 1 or c is self.headline(name)]


def as_text(value) -> str:
    """Returns an attribute or a text dataset of an HDF5 file as printable text."""
    if isinstance(value, np.ndarray):
        return ", ".join(as_text(v) for v in value.ravel())
    return printable(text_of(value))


def read_provenance(file: h5py.File) -> dict[str, str]:
    """Returns all of /provenance: attributes and text datasets. Names in groups inside it are "group/name"."""
    found: dict[str, str] = {}

    def visit(name: str, node: h5py.Group | h5py.Dataset) -> None:
        found.update({f"{name}/{key}".lstrip("/"): as_text(value) for key, value in node.attrs.items()})
        if isinstance(node, h5py.Dataset):
            found[name] = as_text(node[()])

    if "provenance" in file:
        visit("", file["provenance"])
        file["provenance"].visititems(visit)
    return found


def wanted_shape(key: str, columns: dict[str, np.ndarray]) -> tuple[int, ...] | None:
    """Returns the shape that a dataset of this name needs: (temperature), (bin, temperature) or (temperature, bin of q). None if any shape will do."""
    temperatures = len(columns["temperatures"])
    if key.endswith("_err") and key.removesuffix("_err") in columns:
        return np.shape(columns[key.removesuffix("_err")])
    if key.startswith("log2_") and f"{key}_err" in columns:
        return len(columns["log2_edges"]) - 1, temperatures
    if key.startswith("paired_") and f"{key}_err" in columns:
        return *np.shape(columns[key])[:1], temperatures
    if key.startswith("paired_") and key.endswith("_z"):
        return np.shape(columns[key.removesuffix("_z")])
    if key in ("histogram_density", "histogram_link_density"):
        return temperatures, len(columns["histogram_q_edges"]) - 1
    if key.startswith("lowest_"):
        return (len(columns["realization"]),)
    if key == "coldest_overlap_counts":
        return len(columns["realization"]), len(columns["histogram_q_edges"]) - 1
    if key == "swap_rate":
        return (temperatures - 1,)
    return (temperatures,) if key in ("equilibrated_fraction", "houdayer_acceptance", "houdayer_cluster_size") or f"{key}_err" in columns else None


def check_shapes(L: int, columns: dict[str, np.ndarray], samples: dict[str, np.ndarray]) -> None:
    """Checks the shapes that all readers need. ValueError names the wrong dataset. `samples`: of the jackknife, (group, temperature)."""
    T = columns["temperatures"]
    if np.ndim(T) != 1 or not len(T) or not np.isfinite(T).all() or not (np.diff(T) > 0).all():
        raise ValueError(f"L{L}/temperatures do not ascend")
    for key, values in columns.items():
        shape = wanted_shape(key, columns)
        if shape is not None and (np.shape(values) != shape or np.asarray(values).dtype.kind not in "iuf"):
            raise ValueError(f"L{L}/{key} has the shape {np.shape(values)}, but {shape} and numbers are needed")
    for key, values in samples.items():
        if np.ndim(values) != 2 or np.shape(values)[1] != len(T) or values.dtype.kind != "f":
            raise ValueError(f"L{L}/jackknife/{key} has the shape {np.shape(values)}, but one number per group and temperature is needed")


def read_reduced(path: str | Path) -> Reduced:
    """Reads reduced.h5. NotReduced if the file cannot be read."""
    path = Path(path)
    try:
        with hdf5_file(path, "a reduced file as reduce-disorder writes it") as file:
            return _read(path, file)
    except StudyError as error:
        raise NotReduced(error) from None


def _size(L: int, group: h5py.Group, dimension: int) -> Size:
    columns = {key: node[()] for key, node in group.items() if isinstance(node, h5py.Dataset)}
    samples = {key: node[()] for key, node in group.get("jackknife", {}).items()}
    check_shapes(L, columns, samples)
    origin, basis = as_text(group.attrs.get("couplings_origin", "")), as_text(group.attrs["verdict_basis"])
    warnings = zip(*(as_text(group.attrs[key]).splitlines() for key in ("warning_kinds", "warnings")), strict=True)
    stationary, largest = bool(group.attrs["stationary"]), float(group.attrs["largest_paired_z"])
    return Size(L, columns["temperatures"], int(group.attrs["n_realizations"]), columns, origin, basis, tuple(warnings), stationary, largest, samples, dimension)


def _read(path: Path, file: h5py.File) -> Reduced:
    kind = as_text(file.attrs.get("kind", ""))
    if kind != "reduced":
        raise NotReduced(f"{path}: a reduced file is needed, but this is {f'a file of kind {kind}' if kind else 'not a file of psflip'}")
    numbers = sorted(int(name[1:]) for name in file if name.startswith("L") and name[1:].isdigit())
    if not numbers:
        raise ValueError("it has no lattice size")
    found = Reduced([], read_provenance(file))
    if wrong := [key for key in SECTIONS if not isinstance(found.config.get(key, {}), dict)]:
        raise ValueError(f"{wrong[0]} in its configuration is no section")
    found.sizes = [_size(L, file[f"L{L}"], found.model.dimension) for L in numbers]
    if len({len(rows) for size in found.sizes for rows in size.samples.values()}) > 1:
        raise ValueError("its jackknife samples have different numbers of groups")
    return found
