"""Relaxation files of vector spins: averages of each stage, a time with one temperature and one field. These are averages of a protocol, not of equilibrium. Errors come
from realizations, or from replicas if there is one realization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.yaml_text import load_yaml
from psflip.relaxation.parts import Part, by_size
from psflip.results.literature import model_of

TERMS = ("exchange", "dm", "anisotropy", "field")
AXES = "xyz"


@dataclass
class Protocol:
    """Holds one lattice size and temperature of the study, `T_study`: T, h and the last time of each stage (stage), `values` name -> (sample, stage), see
    `averages`. A sample is a realization, averaged over its replicas. With a single realization, a sample is a replica."""

    L: int
    dimension: int
    concentration: float
    T: np.ndarray
    h: np.ndarray
    values: dict[str, np.ndarray] = field(repr=False)
    times: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int), repr=False)
    T_study: float = float("nan")
    staggered: bool = False  # what orders

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

    def left_out_typical(self, name: str) -> np.ndarray:
        """The same of geometric means, which one sample with a huge value does not rule: a susceptibility is huge in a stage in which a sample loses its
        last wall between domains."""
        logarithms = replace(self, values={**self.values, name: np.log(np.maximum(self.values[name], 1e-300))})
        return np.exp(logarithms.left_out(name))


NONE = (float("nan"), float("nan"))


def jackknife(rows: Sequence[float]) -> tuple[float, float]:
    """Returns value and error of a number of all samples (first) and without each; NaN if one of these has none."""
    rest = np.array(rows[1:])
    if len(rest) < 2:
        return float(rows[0]), float("nan")
    return float(rows[0]), float(np.sqrt((len(rest) - 1) / len(rest) * ((rest - rest.mean()) ** 2).sum()))


def stages_of(factors: np.ndarray, fields: np.ndarray, discard: float) -> list[slice]:
    """Of consecutive measurements at one temperature and field, those behind the part `discard`."""
    change = np.flatnonzero((np.diff(factors) != 0) | (np.diff(fields) != 0)) + 1
    edges = [0, *change.tolist(), len(factors)]
    return [slice(begin + int(discard * (end - begin)), end) for begin, end in zip(edges[:-1], edges[1:])]


def averages(sums: dict[str, np.ndarray], stages: list[slice], T: np.ndarray, sites: int, moments: tuple[float, float]) -> dict[str, np.ndarray]:
    """Returns (stage, replica, realization) of one temperature slot, from sums (time, replica, part, realization). Per site of the lattice: energies, moment_x,
    moment_y, moment_z with the moments of the species; even_x to odd_z and b_x to a_z by sublattice and by species; m, ms, even, odd: mean lengths of the
    moment, of the staggered magnetisation and of the sublattice magnetisations, which are at most 1/2. chi_ms = N/T (<ms^2> - <|ms|>^2), chi_m = N/T (<m^2> - <|m|>^2),
    chi_even and chi_odd = N/T (<m.m> - <m>.<m>) and chi_x to chi_z of the moment, <> over the measurements of a stage."""
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
        for name, values in (("ms", length), ("m", np.linalg.norm(moment[stage], axis=2))):
            add(name, values.mean(axis=0))
            add(f"chi_{name}", factor * ((values**2).mean(axis=0) - values.mean(axis=0) ** 2))
    return {name: np.array(values) for name, values in found.items()}


def slots_of(path: Path) -> int:
    """Returns how many temperatures a relaxation file of vector spins has. StudyError for another file."""
    with hdf5_file(path, "a relaxation file") as file:
        if "fields" not in file:
            raise StudyError(f"{path}: this is not a relaxation file of vector spins")
        return len(file["temperatures"])


def part_of(path: Path, slot: int) -> Part:
    """Returns the sums (time, replica, part, realization) of one temperature slot."""
    if not 0 <= slot < (slots := slots_of(path)):
        raise StudyError(f"{path}: the file has the temperature slots 0 to {slots - 1}, not {slot}")
    with hdf5_file(path, "a relaxation file") as file:
        about = {"L": int(file.attrs["L"]), "begin": int(file.attrs["relax_first"]), "end": int(file.attrs["relax_last"]),
                 "temperature": float(file["temperatures"][slot]), "physics": text_of(file.attrs["physics"])}  # fmt: skip
        sums = {}
        for name, count in (("energy_terms", 4), ("magnetisation_parts", 12)):
            data = file[f"relaxation/{name}"][:, :, slot]
            sums[name] = data.reshape(len(data), -1, count, data.shape[-1])
        numbers = int(file.attrs["first_realization"]) + np.arange(data.shape[-1])
        return Part(about, {name: file[name][:] for name in ("times", "factors", "fields")}, sums, numbers, -1)


def protocol_of(part: Part, discard: float, each: bool = False) -> Protocol:
    """`each`: every measurement is a stage."""
    model, L, (times, factors, fields) = load_yaml(part.about["physics"])["model"], part.about["L"], (part.along[name] for name in ("times", "factors", "fields"))
    dimension = int(model["dimension"])
    stages = [slice(i, i + 1) for i in range(len(times))] if each else stages_of(factors, fields, discard)
    T = part.about["temperature"] * np.array([factors[stage.start] for stage in stages])
    values = averages(part.values, stages, T, L**dimension, tuple(model.get("moments", (1.0, 1.0))))
    samples = {name: (value[:, :, 0] if value.shape[2] == 1 else value.mean(axis=1)).T for name, value in values.items()}
    h, ends = np.array([fields[stage.start] for stage in stages]), np.array([times[stage.stop - 1] for stage in stages])
    return Protocol(L, dimension, float(model.get("concentration", 0.0)), T, h, samples, ends, part.about["temperature"], model_of({"model": model}).staggered)


def read(path: str | Path, slot: int = 0, discard: float = 0.5) -> Protocol:
    """Returns one temperature slot of a relaxation file of vector spins, each stage without its first part `discard`. StudyError for another file."""
    return protocol_of(part_of(Path(path), slot), discard)


def read_study(paths: list[Path], discard: float = 0.5) -> list[Protocol]:
    """Returns a protocol for each size and temperature slot of a study, ascending. `paths`: its files of all sizes, batches and parts. If temperature and field never
    change, each measurement is a stage. StudyError for other files, and if they do not belong together."""
    found = []
    for slot in range(min(slots_of(path) for path in paths)):
        for part in by_size([part_of(path, slot) for path in paths]):
            found.append(protocol_of(part, discard, each=len(stages_of(part.along["factors"], part.along["fields"], 0.0)) == 1))
    return sorted(found, key=lambda protocol: (protocol.L, protocol.T_study))
