"""Relaxation files of one lattice size as jackknife rows: row 0 the mean of all realizations, rows 1 to G without one group of them. Realizations that
share random numbers are in one group, so that errors hold the noise that they have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.yaml_text import load_yaml
from psflip.relaxation.parts import Part, by_size

MAX_GROUPS = 64


@dataclass
class Relaxation:
    """times (n), temperatures (m), waiting (w); rows: name -> (1 + G, n, m, ...), see `observables`."""

    L: int
    dimension: int
    times: np.ndarray
    waiting: np.ndarray
    temperatures: np.ndarray
    factors: np.ndarray
    realizations: int
    rows: dict[str, np.ndarray] = field(repr=False)
    h: float = 0.0  # the field
    share: int = 1  # realizations that share random numbers

    @property
    def sites(self) -> int:
        return self.L**self.dimension

    @property
    def groups(self) -> int:
        return len(self.rows["energy"]) - 1


def per_realization(file: h5py.File, L: int, dimension: int, waiting: int, present: float = 1.0) -> dict[str, np.ndarray]:
    """Returns (time, temperature, realization, ...): energies per site, moments of the overlap (or magnetisation) averaged over pairs, correlations. `present`: average fraction
    of the bonds that are present; links are per present bond."""
    sums = {name: data[:].astype(float) for name, data in file["relaxation"].items()}
    sites = L**dimension
    replicas = sums["energy"].shape[1]
    found = {"energy": sums["energy"].mean(axis=1) / sites}
    order = "overlap" if "overlap" in sums else "magnetisation" if "overlap" not in sums and "magnetisation" in sums else None
    if order:
        q = sums[order] / sites
        found |= {"q": q.mean(axis=1), "q2": (q**2).mean(axis=1), "q4": (q**4).mean(axis=1)}
        kmin = sums["kmin" if order == "overlap" else "magnetisation_kmin"]
        found["kmin2"] = kmin.mean(axis=1) / dimension
    if "link" in sums:
        found["link"] = sums["link"].mean(axis=1) / (dimension * sites * present)
    name = "correlation4" if "correlation4" in sums else "correlation2"
    if name in sums:
        copies = replicas * (replicas - 1) // 2 if name == "correlation4" else replicas
        found["correlation"] = np.moveaxis(sums[name], 1, -1) / (copies * dimension * sites)
    if waiting:
        for name, most in (("two_time_overlap", sites), ("two_time_link", dimension * sites * present)):
            values = sums[name]
            split = values.reshape(len(values), waiting, replicas, *values.shape[2:]).mean(axis=2)
            found[name] = np.moveaxis(split, 1, -1) / most
    return found


def read_part(path: Path) -> Part:
    with hdf5_file(path, "a relaxation file") as file:
        if text_of(file.attrs["kind"]) != "relaxation":
            raise StudyError(f"{path}: this is not a relaxation file")
        if "fields" in file:
            raise StudyError(f"{path}: this is a relaxation of vector spins, which only `python workflows/psflip vectors.cooling` and psflip.vectors.protocols read")
        text = text_of(file.attrs["physics"])
        physics = load_yaml(text)
        model = physics["model"]
        about = {
            "L": int(file.attrs["L"]),
            "begin": int(file.attrs["relax_first"]),
            "end": int(file.attrs["relax_last"]),
            "physics": (text, text_of(file.attrs["relax"])),
            "dimension": int(model["dimension"]),
            "share": int(physics["share"]),
            "h": float(model.get("field", 0.0)),
            "temperatures": file["temperatures"][:],
            "waiting": file["waiting"][:] if "waiting" in file else np.zeros(0, dtype=int),
        }
        values = per_realization(file, about["L"], about["dimension"], len(about["waiting"]), 1.0 - float(model.get("p_absent", 0.0)))
        numbers = int(file.attrs["first_realization"]) + np.arange(values["energy"].shape[2])
        return Part(about, {name: file[name][:] for name in ("times", "factors")}, values, numbers, 2)


def leave_one_out(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(realization, ...) -> (1 + G, ...): means of all, and without each group."""
    sums = np.array([values[groups == g].sum(axis=0) for g in np.unique(groups)])
    counts = np.array([(groups == g).sum() for g in np.unique(groups)], dtype=float)
    counts = counts.reshape(-1, *[1] * (values.ndim - 1))
    total, number = sums.sum(axis=0), counts.sum()
    return np.concatenate([[total / number], (total - sums) / (number - counts)])


def groups_of(numbers: np.ndarray, share: int) -> np.ndarray:
    """Of realizations by their number: whole packs, at most MAX_GROUPS groups."""
    packs = numbers // share
    _, pack = np.unique(packs, return_inverse=True)
    return pack * min(MAX_GROUPS, pack.max() + 1) // (pack.max() + 1)


def read(paths: list[Path]) -> list[Relaxation]:
    """Returns a relaxation for each lattice size, ascending."""
    found = []
    for part in by_size([read_part(Path(path)) for path in paths]):
        L, dimension, share, h, temperatures, waiting = (part.about[name] for name in ("L", "dimension", "share", "h", "temperatures", "waiting"))
        groups = groups_of(part.numbers, share)
        if groups.max() < 1:
            raise StudyError(f"L = {L}: errors need realizations of two or more share groups of {share}")
        rows = {name: leave_one_out(np.moveaxis(values, 2, 0), groups) for name, values in part.values.items()}
        found.append(Relaxation(L, dimension, part.along["times"], waiting, temperatures, part.along["factors"], len(part.numbers), rows, h, share))
    return found
