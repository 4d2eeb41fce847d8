"""Relaxation files of one lattice size as jackknife rows: row 0 the mean of all realizations, rows 1 to G without one group of them. Realizations that
share random numbers are in one group, so that errors hold the noise that they have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path

import h5py
import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.yaml_text import load_yaml

MOST_GROUPS = 64


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
    """(time, temperature, realization, ...): energies per site, moments of the overlap (or magnetisation) averaged over pairs, correlations. present: part of the bonds that is
    there, on average; links are per bond that is."""
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
        copies = len(list(combinations(range(replicas), 2))) if name == "correlation4" else replicas
        found["correlation"] = np.moveaxis(sums[name], 1, -1) / (copies * dimension * sites)
    if waiting:
        for name, most in (("two_time_overlap", sites), ("two_time_link", dimension * sites * present)):
            values = sums[name]
            split = values.reshape(len(values), waiting, replicas, *values.shape[2:]).mean(axis=2)
            found[name] = np.moveaxis(split, 1, -1) / most
    return found


def read_part(path: Path) -> tuple[dict, dict[str, np.ndarray]]:
    """What one file is about, and its observables by realization."""
    with hdf5_file(path, "a relaxation file") as file:
        if text_of(file.attrs["kind"]) != "relaxation":
            raise StudyError(f"{path}: is no relaxation file")
        if "fields" in file:
            raise StudyError(f"{path}: is of vector spins, whose relaxations `python workflows/psflip vectors.cooling` and psflip.vectors.protocols read")
        text = text_of(file.attrs["physics"])
        physics = load_yaml(text)
        waiting = file["waiting"][:] if "waiting" in file else np.zeros(0, dtype=int)
        about = {
            "L": int(file.attrs["L"]),
            "dimension": int(physics["model"]["dimension"]),
            "share": int(physics["share"]),
            "h": float(physics["model"].get("field", 0.0)),
            "first": int(file.attrs["first_realization"]),
            "begin": int(file.attrs["relax_first"]),
            "end": int(file.attrs["relax_last"]),
            "times": file["times"][:],
            "factors": file["factors"][:],
            "temperatures": file["temperatures"][:],
            "waiting": waiting,
            "physics": (text, text_of(file.attrs["relax"])),
        }
        return about, per_realization(file, about["L"], about["dimension"], len(waiting), 1.0 - float(physics["model"].get("p_absent", 0.0)))


def whole_batch(parts: list[tuple[dict, dict]]) -> tuple[dict, dict]:
    """The parts of one batch, one after the other in time."""
    parts = sorted(parts, key=lambda part: part[0]["begin"])
    about = dict(parts[0][0])
    for name in ("times", "factors"):
        about[name] = np.concatenate([part[0][name] for part in parts])
    if parts[0][0]["begin"] != 0 or any(one["end"] != next_one["begin"] for (one, _), (next_one, _) in pairwise(parts)):
        raise StudyError(f"the files of realizations from {about['first']} on do not make one relaxation from its start")
    return about, {name: np.concatenate([part[1][name] for part in parts]) for name in parts[0][1]}


def leave_one_out(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(realization, ...) -> (1 + G, ...): means of all, and without each group."""
    sums = np.array([values[groups == g].sum(axis=0) for g in np.unique(groups)])
    counts = np.array([(groups == g).sum() for g in np.unique(groups)], dtype=float)
    counts = counts.reshape(-1, *[1] * (values.ndim - 1))
    total, number = sums.sum(axis=0), counts.sum()
    return np.concatenate([[total / number], (total - sums) / (number - counts)])


def groups_of(numbers: np.ndarray, share: int) -> np.ndarray:
    """Of realizations by their number: whole packs, at most MOST_GROUPS groups."""
    packs = numbers // share
    _, pack = np.unique(packs, return_inverse=True)
    return pack * min(MOST_GROUPS, pack.max() + 1) // (pack.max() + 1)


def read(paths: list[Path]) -> list[Relaxation]:
    """One for each lattice size, ascending."""
    parts = [read_part(Path(path)) for path in paths]
    found = []
    for L in sorted({about["L"] for about, _ in parts}):
        batches: dict[int, list] = {}
        for part in parts:
            if part[0]["L"] == L:
                batches.setdefault(part[0]["first"], []).append(part)
        whole = [whole_batch(batches[first]) for first in sorted(batches)]
        about = whole[0][0]
        for other, _ in whole:
            if other["physics"] != about["physics"]:
                raise StudyError(f"the relaxations of L = {L} are of different studies")
        times = min((other["times"] for other, _ in whole), key=len)
        numbers = np.concatenate([other["first"] + np.arange(values["energy"].shape[2]) for other, values in whole])
        groups = groups_of(numbers, about["share"])
        if groups.max() < 1:
            raise StudyError(f"L = {L}: errors need realizations of two packs of {about['share']} or more")
        rows = {}
        for name in whole[0][1]:
            values = np.concatenate([np.moveaxis(v[name][: len(times)], 2, 0) for _, v in whole])
            rows[name] = leave_one_out(values, groups)
        found.append(
            Relaxation(L, about["dimension"], times, about["waiting"], about["temperatures"], about["factors"][: len(times)], len(numbers), rows, about["h"], about["share"])
        )
    return found
