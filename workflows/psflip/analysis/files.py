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
UNNAMED = {"couplings": "realization, direction, z, y, x"}  # axes in files by hand, which need not name them
T = "T"  # axis of temperatures; tables have the column T
SHORT = {"temperature": T, "temperature_pair": "T_pair"}  # names of axes in files -> here
POINTS = {  # dataset -> the axis that it labels
    "equilibration/hottest_sweeps": "time",
    "hottest/sweeps": "time",
    "hottest_sweeps": "time",
    "times": "time",
    "waiting": "waiting_time",
    "snapshots/sweep": "snapshot",
}
ENDS = {"log2/edges": "log2_bin", "log2_edges": "log2_bin", "blocks/edges": "block"}  # dataset of edges -> axis of the bins, which their last sweep labels
DOCS = {
    T: ("Temperature.", "J / k_B"),
    "realization": ("Global number of the realization.", "1"),
    "time": ("Time of the measurement.", "sweeps"),
    "waiting_time": ("Waiting time.", "sweeps"),
    "snapshot": ("Sweep since the end of thermalization.", "sweeps"),
    "log2_bin": ("Last sweep of the bin, since the end of thermalization.", "sweeps"),
    "block": ("Last sweep of the block, since the end of thermalization.", "sweeps"),
    "bin": ("Centre of the bin of the overlap.", "1"),
}


def axes_of(name: str, node: h5py.Dataset) -> list[str]:
    """Returns the names of the axes, with underscores and T for temperature; axis0, axis1, ... if the file does not name them."""
    known = UNNAMED.get(name, "")
    axes = [axis.strip().replace(" ", "_") for axis in text_of(node.attrs.get("axes", known)).split(",") if axis.strip()]
    axes = [SHORT.get(axis, axis) for axis in axes]
    return axes if len(axes) == node.ndim else [f"axis{i}" for i in range(node.ndim)]


def unpacked(words: np.ndarray, axis: int, bits: Iterable[int]) -> np.ndarray:
    """int8 spins +1 and -1 of the chosen bits: `axis` of the words (pack64) becomes the axis of the realizations."""
    bits = np.asarray(list(bits), dtype=np.int64)
    chosen = np.take(words, bits // BITS, axis=axis)
    shift = (bits % BITS).astype(np.uint64).reshape([-1 if i == axis else 1 for i in range(words.ndim)])
    return (2 * ((chosen >> shift) & np.uint64(1)).astype(np.int8) - 1).astype(np.int8)


def numbers_of(file: h5py.Group) -> np.ndarray:
    """Returns the global numbers of the realizations of a file, or of a group of reduced.h5; empty if the file or group has no realizations."""
    if "realization" in file:
        return file["realization"][()]
    count = file.attrs.get("realizations", len(file["couplings"]) if "couplings" in file else 0)
    return np.arange(number_of(count)) + number_of(file.attrs.get("first_realization", 0))


def temperatures_of(group: h5py.Group) -> np.ndarray:
    """Of the file or group. States have them only in the text of their physics."""
    if "temperatures" in group:
        return group["temperatures"][()]
    physics = load_yaml(text_of(group.attrs.get("physics", ""))) or {}
    return np.asarray(physics.get("temperatures", []), dtype=float)


def centres(found: xarray.Dataset, axis: str) -> np.ndarray:
    """Returns the centres of the bins of overlaps, which divide -1 to 1 equally unless the file has their edges."""
    edges = found["histogram_q_edges"].values if "histogram_q_edges" in found else np.linspace(-1, 1, found.sizes[axis] + 1)
    return (edges[1:] + edges[:-1]) / 2


def labelled(found: xarray.Dataset, temperatures: np.ndarray, realizations: np.ndarray) -> xarray.Dataset:
    """Returns the dataset with a coordinate for each axis of DOCS that it has."""
    labels = {T: temperatures, "realization": realizations}
    labels |= {axis: found[name].values for name, axis in POINTS.items() if name in found}
    labels |= {axis: found[name].values[1:] for name, axis in ENDS.items() if name in found}
    labels |= {str(axis): centres(found, str(axis)) for axis in found.sizes if axis == "bin" or str(axis).endswith("histogram_bin")}
    coordinates = {}
    for axis, values in labels.items():
        doc, unit = DOCS.get(axis, DOCS["bin"])
        if len(values) and found.sizes.get(axis) == len(values):
            coordinates[axis] = xarray.Variable((axis,), values, {"doc": doc, "unit": unit})
    return found.assign_coords(coordinates)


def variable(name: str, node: h5py.Dataset, realizations: np.ndarray) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Dimensions, values and attributes."""
    axes, values = axes_of(name, node), node[()]
    attributes = {key: text_of(node.attrs[key]) for key in ("doc", "unit") if key in node.attrs}
    if "pack64" in axes:
        at = axes.index("pack64")
        values, axes[at] = unpacked(values, at, range(len(realizations))), "realization"
    return axes, values, attributes


def dataset_of(group: h5py.Group, realizations: np.ndarray, inside: tuple[str, ...] = ()) -> xarray.Dataset:
    """Returns all datasets of a group (only of the groups `inside`, if given), by their paths. An axis that has another length in another
    dataset, as `bin` of two histograms may, is called after the group, too."""
    temperatures = temperatures_of(group)
    found = xarray.Dataset(attrs={key: text_of(value) if isinstance(value, (bytes, str)) else value for key, value in group.attrs.items()})

    def add(name: str, node: h5py.Dataset | h5py.Group) -> None:
        if not isinstance(node, h5py.Dataset) or name.startswith("provenance/") or (inside and name.split("/")[0] not in inside):
            return
        axes, values, attributes = variable(name, node, realizations)
        room = name.rpartition("/")[0].replace("/", "_") or name
        axes = [f"{room}_{axis}" if found.sizes.get(axis, length) != length else axis for axis, length in zip(axes, values.shape)]
        found[name] = xarray.Variable(axes, values, attributes)

    group.visititems(add)
    return labelled(found, temperatures, realizations)


def open_file(path: str | Path, group: str = "", inside: str | tuple[str, ...] = ()) -> xarray.Dataset:
    """Returns a file of psflip of any kind as labelled arrays.

    Example: `psflip.open_file("run.h5")["blocks/energy"].sel(T=1.1, method="nearest")`.
    Variables have the paths of the datasets; their attributes `doc` and `unit` explain them. Axes have the names that the file gives them, but `T` for
    temperature. T, realization, time, snapshot and bins have coordinates. The whole has the attributes of the file.
    `group`: a group of the file, as `L8` of reduced.h5. `inside`: only what these groups hold, as `("mean", "error")`.
    Raises StudyError if the file is damaged or not of psflip, or if it has no such group."""
    return labelled_file(Path(path), group, (inside,) if isinstance(inside, str) else inside, strict=True)


def labelled_file(path: Path, group: str = "", inside: tuple[str, ...] = (), strict: bool = False) -> xarray.Dataset:
    """Does the work of open_file. Unless `strict`, a file need not have all groups of `inside`."""
    with hdf5_file(path, "a file of psflip") as file:
        if text_of(file.attrs.get("format", "")) != "psflip":
            raise ValueError("it has no attribute format = psflip")
        check_names(path, file, (group,) if group else ())
        chosen = file[group] if group else file
        check_names(path, chosen, inside if strict else ())
        return dataset_of(chosen, numbers_of(chosen), inside)


def check_names(path: Path, group: h5py.Group, wanted: tuple[str, ...]) -> None:
    """StudyError if one of the names is absent."""
    if missing := [name for name in wanted if name not in group]:
        groups = ", ".join(name for name in group if isinstance(group[name], h5py.Group) and name != "provenance")
        raise StudyError(f"{path}: the file has no group {missing[0]}; it has {groups or 'none'}")


def kind_of(path: str | Path) -> str:
    """Returns disorder, state, run, checkpoint, observables, reduced or ladder, or an empty text if psflip did not write the file."""
    with hdf5_file(Path(path), "a file of psflip") as file:
        return printable(text_of(file.attrs.get("kind", "")))
