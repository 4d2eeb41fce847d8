"""Reads reduced.h5 (see the file contract: group per size, provenance) into plain arrays, with the crossings of the curves."""

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
from psflip.results.shapes import check_samples, check_shapes

SECTIONS = ("disorder", "thermalize", "run", "equilibration")  # of the configuration, where they are looked at


class NotReduced(StudyError):
    """The file is missing, damaged or another one; the message names it."""


@dataclass
class Reduced(Averages):
    @cached_property
    def crossings(self) -> dict[str, list[Crossing]]:
        """Crossings of all pairs of sizes, by observable, one of CROSSING_CURVES."""
        return crossings_of(self)

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
        """The crossings to mark in a plot: all of up to three sizes, else of neighbouring sizes and the one to quote."""
        order = [size.L for size in self.sizes]
        found = [c for c in self.crossings.get(name, []) if c.found]
        if len(order) <= 3:
            return found
        return [c for c in found if order.index(c.L2) == order.index(c.L1) + 1 or c is self.headline(name)]


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
        basis = as_text(group.attrs["verdict_basis"])
        warnings = zip(*(as_text(group.attrs[key]).splitlines() for key in ("warning_kinds", "warnings")), strict=True)
        n = int(group.attrs["n_realizations"])
        stationary, largest = bool(group.attrs["stationary"]), float(group.attrs["largest_paired_z"])
        samples = {key: node[()] for key, node in group.get("jackknife", {}).items()}
        check_samples(int(name[1:]), samples, columns)
        sizes.append(Size(int(name[1:]), columns["temperatures"], n, columns, origin, basis, tuple(warnings), stationary, largest, samples))
    if not sizes:
        raise ValueError("it has no lattice size")
    if len({len(rows) for size in sizes for rows in size.samples.values()}) > 1:
        raise ValueError("its jackknife samples have different numbers of groups")
    sizes.sort(key=lambda size: size.L)
    found = Reduced(sizes, read_provenance(file))
    for size in sizes:
        size.dimension = found.model.dimension
    return found

