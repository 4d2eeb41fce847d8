"""The spins of one lattice in a state or run file, with their title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.yaml_text import load_yaml

AXES = "xyz"


@dataclass
class Picture:
    """spins (component, z, y, x), in two dimensions with one z, and species of the sites, 0 or 1, or None."""

    spins: np.ndarray
    species: np.ndarray | None
    title: str

    def colour(self, by: str) -> np.ndarray:
        """(z, y, x), -1 to 1; species: a is -1 and b 1."""
        if by == "species":
            return 2.0 * self.species - 1 if self.species is not None else -np.ones(self.spins.shape[1:])
        component = self.spins[AXES.index(by[-1])]
        return component * (-1.0) ** np.indices(component.shape).sum(axis=0) if by.startswith("staggered") else component


def title_of(file: h5py.File, slot: int, sweep: int | None) -> str:
    """Returns temperature and sweep of a snapshot; of a relaxation with the factor of that moment, and with the field if that changes."""
    physics, relax = (load_yaml(text_of(file.attrs.get(name, ""))) or {} for name in ("physics", "relax"))
    T = physics.get("temperatures", [np.nan] * (slot + 1))[slot]
    if sweep is None:
        return f"$T = {T:.6g}$"

    def of_stage(name: str) -> float:
        """The factor at that moment; 1 after the last, and if there are none."""
        number = max(sweep - 1, 0) // relax.get("relax.stage_sweeps", 1)
        return dict(enumerate(relax.get(name) or [])).get(number, 1.0)

    field = f", $h = {of_stage('relax.fields') * physics['model'].get('field', 0):.6g}$" if "relax.fields" in relax else ""
    return f"$T = {T * of_stage('factors of temperatures'):.6g}${field}, $t = {sweep}$"


def read(path: Path, disorder: Path | None, replica: int, slot: int, realization: int) -> list[Picture]:
    """Returns the snapshots of one lattice, or the spins of a state without snapshots. StudyError if the file has no vector spins, or not this lattice."""
    with hdf5_file(path, "a state or run file") as file:
        name = "snapshots/spins" if "snapshots/spins" in file else "spins"
        if name not in file or file[name].dtype.kind != "f":
            raise StudyError(f"{path}: the file has no vector spins")
        node, lead = file[name], int(name == "snapshots/spins")
        for what, at, size in zip(("replica", "temperature slot", "realization"), (replica, slot, realization), node.shape[lead:]):
            if not 0 <= at < size:
                raise StudyError(f"{path}: the file has no {what} {at}; use 0 to {size - 1}")
        sweeps = file["snapshots/sweep"][:].tolist() if lead else [None]
        all_spins = node[:, replica, slot, realization] if lead else node[replica, slot, realization][None]
        titles = [title_of(file, slot, sweep) for sweep in sweeps]
    if all_spins.ndim == 4:
        all_spins = all_spins[:, :, None]
    species = None
    if disorder is not None:
        with hdf5_file(disorder, "a disorder file") as file:
            if "occupation" not in file:
                raise StudyError(f"{disorder}: this is not a disorder file of vector spins")
            species = file["occupation"][realization].reshape(all_spins.shape[2:])
    return [Picture(spins.astype(float), species, title) for spins, title in zip(all_spins, titles)]


def of_results(folder: Path, sizes: list[int]) -> Picture | None:
    """Returns spins of the largest size that has a state file in a folder of results: the first lattice of the first batch at the lowest temperature, at the end of its
    longest run. None if there is no state file."""
    for L in sorted(sizes, reverse=True):
        for batch in sorted((folder / f"L{L}").glob("batch*")):
            ends = {int(m[1]): file for file in batch.glob("state-*.h5") if (m := re.fullmatch(r"state-(\d+)\.h5", file.name))}
            if ends:
                disorder = batch / "disorder.h5"
                return read(ends[max(ends)], disorder if disorder.is_file() else None, 0, 0, 0)[-1]
    return None
