"""Coordinates of the axes of labelled data: temperatures, numbers of realizations, times, bins."""

from __future__ import annotations

import numpy as np
import xarray

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
