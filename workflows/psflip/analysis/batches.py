"""Data of the batches of a size as one array. Runs of batches may have different lengths: their log2 bins, times and snapshots then differ."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import xarray

from psflip.analysis.files import BITS, axes_of, labelled, labelled_file, numbers_of, temperatures_of, unpacked
from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file

RUN_SWEEPS = "tempering/sweeps"  # one number in a file: realizations of several files need one each


def joined(parts: list[xarray.Dataset]) -> xarray.Dataset:
    """Returns the batches one after the other. If the run of a batch lacks a bin or time of another batch, values are nan."""
    return xarray.concat(parts, "realization", join="outer", data_vars="minimal", coords="minimal", compat="override", combine_attrs="drop_conflicts")


def of_realizations(file: Path, groups: tuple[str, ...]) -> xarray.Dataset:
    """Returns what an observables file has of each realization in these groups."""
    found = labelled_file(file, inside=groups)
    if RUN_SWEEPS in found:
        sweeps = found[RUN_SWEEPS]
        found[RUN_SWEEPS] = ("realization", np.repeat(sweeps.values.ravel()[:1], found.sizes["realization"]), sweeps.attrs)
    return found[[name for name in found.data_vars if "realization" in found[name].dims]]


def joined_snapshots(parts: list[xarray.DataArray]) -> xarray.DataArray:
    """Returns the snapshots that all batches have."""
    common = xarray.concat(parts, "realization", join="inner")
    if not common.sizes["snapshot"]:
        raise StudyError("snapshots: the runs of the batches have no sweep in common at which snapshots were taken; give the realizations of one batch")
    return common


def snapshots_of(folder: Path, wanted: set[int]) -> xarray.DataArray | None:
    """Returns the snapshots of the runs of a batch, one run after the other, or None if it has none of these realizations. Only the words that hold them are read."""
    parts = []
    ends = {int(m[1]): file for file in folder.glob("run-*.h5") if (m := re.fullmatch(r"run-(\d+)\.h5", file.name))}
    for _, path in sorted(ends.items()):
        with hdf5_file(path, "a run as pt-run writes it") as file:
            numbers = numbers_of(file)
            chosen = [i for i, number in enumerate(numbers) if int(number) in wanted]
            if "snapshots/spins" not in file or not chosen:
                continue
            node = file["snapshots/spins"]
            axes = axes_of("snapshots/spins", node)
            if "pack64" in axes:
                at = axes.index("pack64")
                first, last = chosen[0] // BITS, chosen[-1] // BITS
                words = node[(*[slice(None)] * at, slice(first, last + 1))]
                axes[at] = "realization"
                spins = unpacked(words, at, (bit - first * BITS for bit in chosen))
            else:  # vectors
                spins = node[(*[slice(None)] * axes.index("realization"), chosen)]
            found = xarray.Dataset({"spins": (axes, spins), "snapshots/sweep": ("snapshot", file["snapshots/sweep"][()])})
            parts.append(labelled(found, temperatures_of(file), numbers[chosen])["spins"])
    return xarray.concat(parts, "snapshot") if parts else None
