"""Files of psflip as labelled data: the axes that each dataset names become dimensions, its `doc` and `unit` attributes of the variable,
and packed spins become +1 and -1."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import h5py
import numpy as np
import xarray

from psflip.campaign.errors import StudyError, printable
from psflip.campaign.hdf5 import hdf5_file, number_of, text_of
from psflip.campaign.yaml_text import load_yaml

BITS = 64  # realizations in a word of spins
SPINS = "replica, temperature, pack64, z, y, x"
UNNAMED = {  # axes of the first files, which did not name them
    "couplings": "realization, direction, z, y, x",
    "spins": SPINS,
    "snapshots/spins": f"snapshot, {SPINS}",
    "blocks/count": "block",
    "blocks/edges": "edge",
    "blocks/energy": "block, replica, temperature, realization",
    "blocks/energy2": "block, replica, temperature, realization",
    "blocks/walker_slot": "block, replica, walker, realization",
    "histogram/overlap": "temperature, bin, realization",
    "tempering/accepted": "realization, replica, temperature pair",
    "tempering/attempted": "temperature pair",
    "tempering/last_end": "realization, replica, walker",
    "tempering/round_trips": "realization, replica",
    "tempering/walker": "realization, replica, temperature",
}
UNNAMED_IN = {  # the same for all else in these groups
    "blocks": "block, replica pair, temperature, realization",
    "mean": "temperature, realization",
    "error": "temperature, realization",
    "tau": "temperature, realization",
    "jackknife": "group, temperature",
}


def axes_of(name: str, node: h5py.Dataset, temperatures: int = 0) -> list[str]:
    """The names of the axes, with underscores; axis0, axis1, ... where nothing tells them. Of old files, a row of as many numbers as there are
    `temperatures` is over these."""
    known = UNNAMED.get(name, UNNAMED_IN.get(name.partition("/")[0], "temperature" if node.shape == (temperatures,) else ""))
    axes = [axis.strip().replace(" ", "_") for axis in text_of(node.attrs.get("axes", known)).split(",") if axis.strip()]
    return axes if len(axes) == node.ndim else [f"axis{i}" for i in range(node.ndim)]


def unpacked(words: np.ndarray, axis: int, bits: Iterable[int]) -> np.ndarray:
    """int8 spins +1 and -1 of the chosen bits: `axis` of the words (pack64) becomes that of the realizations."""
    bits = np.asarray(list(bits), dtype=np.int64)
    chosen = np.take(words, bits // BITS, axis=axis)
    shift = (bits % BITS).astype(np.uint64).reshape([-1 if i == axis else 1 for i in range(words.ndim)])
    return (2 * ((chosen >> shift) & np.uint64(1)).astype(np.int8) - 1).astype(np.int8)


def numbers_of(file: h5py.Group) -> np.ndarray:
    """Global numbers of the realizations of a file, or of a group of reduced.h5; empty where it has none of its own."""
    if "realization" in file:
        return file["realization"][()]
    count = file.attrs.get("realizations", len(file["couplings"]) if "couplings" in file else 0)
    return np.arange(number_of(count)) + number_of(file.attrs.get("first_realization", 0))


def temperatures_of(group: h5py.Group) -> np.ndarray:
    """Of the file or group; in the first files the text of the physics alone has them."""
    if "temperatures" in group:
        return group["temperatures"][()]
    physics = load_yaml(text_of(group.attrs.get("physics", ""))) or {}
    return np.asarray(physics.get("temperatures", []), dtype=float)


def variable(name: str, node: h5py.Dataset, realizations: np.ndarray, temperatures: int) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Dimensions, values and attributes."""
    axes, values = axes_of(name, node, temperatures), node[()]
    attributes = {key: text_of(node.attrs[key]) for key in ("doc", "unit") if key in node.attrs}
    if "pack64" in axes:
        at = axes.index("pack64")
        values, axes[at] = unpacked(values, at, range(len(realizations))), "realization"
    return axes, values, attributes


def dataset_of(group: h5py.Group, realizations: np.ndarray, inside: tuple[str, ...] = ()) -> xarray.Dataset:
    """All datasets of a group (of the groups `inside` alone, where given), by their paths. An axis that has another length in another
    dataset, as `bin` of two histograms may, is called after the group, too."""
    temperatures = temperatures_of(group)
    found = xarray.Dataset(attrs={key: text_of(value) if isinstance(value, (bytes, str)) else value for key, value in group.attrs.items()})

    def add(name: str, node: h5py.Dataset | h5py.Group) -> None:
        if not isinstance(node, h5py.Dataset) or name.startswith("provenance/") or (inside and name.split("/")[0] not in inside):
            return
        axes, values, attributes = variable(name, node, realizations, len(temperatures))
        room = name.rpartition("/")[0].replace("/", "_") or name
        axes = [f"{room}_{axis}" if found.sizes.get(axis, length) != length else axis for axis, length in zip(axes, values.shape)]
        found[name] = xarray.Variable(axes, values, attributes)

    group.visititems(add)
    coordinates = {"temperature": temperatures, "realization": realizations}
    there = {name: values for name, values in coordinates.items() if len(values) and found.sizes.get(name) == len(values)}
    return found.assign_coords(there)


def open_file(path: str | Path, group: str = "", inside: tuple[str, ...] = ()) -> xarray.Dataset:
    """A file of psflip of any kind, or a group of it ("L8" of reduced.h5), or what is `inside` that: groups such as "mean". Variables have the paths of the datasets, as
    in `open_file("observables.h5")["mean/q2"]`; attributes are those of the file. StudyError where it is none, or damaged."""
    path = Path(path)
    with hdf5_file(path, "a file of psflip") as file:
        if text_of(file.attrs.get("format", "")) != "psflip":
            raise ValueError("it has no attribute format = psflip")
        if group and group not in file:
            groups = ", ".join(name for name in file if isinstance(file[name], h5py.Group))
            raise StudyError(f"{path}: no group {group}; it has {groups}")
        return dataset_of(file[group] if group else file, numbers_of(file[group] if group else file), inside)


def kind_of(path: str | Path) -> str:
    """disorder, state, run, checkpoint, observables, reduced or ladder; empty where it is no file of psflip."""
    with hdf5_file(Path(path), "a file of psflip") as file:
        return printable(text_of(file.attrs.get("kind", "")))
