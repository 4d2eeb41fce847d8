"""Relaxation files of vector spins: averages of each stage, which is a time with one temperature and one field. They are those of a protocol, not of
equilibrium; errors come from realizations, or from repetitions (replicas) where there is one realization."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import h5py
import numpy as np
import yaml

from psflip.campaign.errors import StudyError, reading

TERMS = ("exchange", "dm", "anisotropy", "field")
AXES = "xyz"


@dataclass
class Protocol:
    """Of one lattice size: T and h (stage), `values` name -> (sample, stage), see `averages`. A sample is a realization, averaged over its replicas; or
    a replica where there is one realization."""

    L: int
    dimension: int
    concentration: float
    T: np.ndarray
    h: np.ndarray
    values: dict[str, np.ndarray] = field(repr=False)

    @property
    def samples(self) -> int:
        return len(self.values["energy"])

    def mean(self, name: str) -> np.ndarray:
        return self.values[name].mean(axis=0)

    def error(self, name: str) -> np.ndarray:
        """Standard errors of the means; NaN of one sample."""
        values = self.values[name]
        return values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.full(values.shape[1], np.nan)

    def left_out(self, name: str) -> np.ndarray:
        """(1 + sample, stage): means of all, and without each sample, for the jackknife."""
        values = self.values[name]
        if len(values) < 2:
            return values
        return np.concatenate([values.mean(axis=0)[None], (values.sum(axis=0) - values) / (len(values) - 1)])


def jackknife(rows: np.ndarray) -> tuple[float, float]:
    """Value and error of a number of all samples (first) and without each; NaN where one of these has none."""
    rest = rows[1:]
    if len(rest) < 2:
        return float(rows[0]), float("nan")
    return float(rows[0]), float(np.sqrt((len(rest) - 1) / len(rest) * ((rest - rest.mean()) ** 2).sum()))


def stages_of(factors: np.ndarray, fields: np.ndarray, discard: float) -> list[slice]:
    """Of consecutive measurements at one temperature and field, those behind the part `discard`."""
    change = np.flatnonzero((np.diff(factors) != 0) | (np.diff(fields) != 0)) + 1
    edges = [0, *change.tolist(), len(factors)]
    return [slice(begin + int(discard * (end - begin)), end) for begin, end in zip(edges[:-1], edges[1:])]


def averages(sums: dict[str, np.ndarray], stages: list[slice], T: np.ndarray, sites: int, moments: tuple[float, float]) -> dict[str, np.ndarray]:
    """(stage, replica, realization) of one temperature slot, from sums (time, replica, part, realization). Per site of the lattice: energies, moment_x,
    moment_y, moment_z with the moments of the species; even_x to odd_z and b_x to a_z by sublattice and by species; ms, even, odd: mean lengths of the
    staggered magnetisation and of those of the sublattices, at most 1/2 of these. chi_ms = N/T (<ms^2> - <|ms|>^2), chi_even and chi_odd =
    N/T (<m.m> - <m>.<m>) and chi_x to chi_z of the moment, <> over the measurements of a stage."""
    terms = sums["energy_terms"] / sites
    parts = sums["magnetisation_parts"] / sites
    parts = parts.reshape(*parts.shape[:2], 2, 2, 3, parts.shape[-1])  # time, replica, sublattice, species, component, realization
    of_species, of_sublattice = parts.sum(axis=2), parts.sum(axis=3)
    staggered = of_sublattice[:, :, 0] - of_sublattice[:, :, 1]
    moment = moments[0] * of_species[:, :, 0] + moments[1] * of_species[:, :, 1]
    found: dict[str, list] = {}

    def add(name: str, value: np.ndarray) -> None:
        found.setdefault(name, []).append(value)

    for stage, t in zip(stages, T):
        factor = sites / t
        add("energy", terms[stage].sum(axis=2).mean(axis=0))
        for i, name in enumerate(TERMS):
            add(f"energy_{name}", terms[stage, :, i].mean(axis=0))
        vectors = {"moment": moment, "a": of_species[:, :, 0], "b": of_species[:, :, 1], "even": of_sublattice[:, :, 0], "odd": of_sublattice[:, :, 1]}
        for name, vector in vectors.items():
            mean, square = vector[stage].mean(axis=0), (vector[stage] ** 2).mean(axis=0)
            for k, axis in enumerate(AXES):
                add(f"{name}_{axis}", mean[:, k])
                if name == "moment":
                    add(f"chi_{axis}", factor * (square - mean**2)[:, k])
            if name in ("even", "odd"):
                add(name, np.linalg.norm(vector[stage], axis=2).mean(axis=0))
                add(f"chi_{name}", factor * (square - mean**2).sum(axis=1))
        length = np.linalg.norm(staggered[stage], axis=2)
        add("ms", length.mean(axis=0))
        add("chi_ms", factor * ((length**2).mean(axis=0) - length.mean(axis=0) ** 2))
    return {name: np.array(values) for name, values in found.items()}


def read(path: str | Path, slot: int = 0, discard: float = 0.5) -> Protocol:
    """A relaxation file of vector spins, one temperature slot, each stage without its first part `discard`. StudyError for another file."""
    path = Path(path)
    with reading(path, "a relaxation file"), h5py.File(path) as file:
        if "fields" not in file:
            raise StudyError(f"{path}: is no relaxation file of vector spins")
        text = file.attrs["physics"]
        physics = yaml.safe_load(text.decode() if isinstance(text, bytes) else text)
        model, L = physics["model"], int(file.attrs["L"])
        dimension = int(model["dimension"])
        factors, fields = file["factors"][:], file["fields"][:]
        stages = stages_of(factors, fields, discard)
        if not 0 <= slot < len(file["temperatures"]):
            raise StudyError(f"{path}: has the temperature slots 0 to {len(file['temperatures']) - 1}, not {slot}")
        T = file["temperatures"][slot] * np.array([factors[stage.start] for stage in stages])
        sums = {}
        for name, most in (("energy_terms", 4), ("magnetisation_parts", 12)):
            data = file[f"relaxation/{name}"][:, :, slot]
            sums[name] = data.reshape(len(data), -1, most, data.shape[-1])
    values = averages(sums, stages, T, L**dimension, tuple(model.get("moments", (1.0, 1.0))))
    samples = {name: (value[:, :, 0] if value.shape[2] == 1 else value.mean(axis=1)).T for name, value in values.items()}
    h = np.array([fields[stage.start] for stage in stages])
    return Protocol(L, dimension, float(model.get("concentration", 0.0)), T, h, samples)
