"""Relaxation files of vector spins: averages of each stage, which is a time with one temperature and one field. They are those of a protocol, not of
equilibrium; errors come from realizations, or from repetitions (replicas) where there is one realization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.yaml_text import load_yaml
from psflip.results.literature import model_of

TERMS = ("exchange", "dm", "anisotropy", "field")
AXES = "xyz"


@dataclass
class Protocol:
    """Of one lattice size and temperature of the study, `T_study`: T, h and the last time of each stage (stage), `values` name -> (sample, stage), see
    `averages`. A sample is a realization, averaged over its replicas; or a replica where there is one realization."""

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
    """(stage, replica, realization) of one temperature slot, from sums (time, replica, part, realization). Per site of the lattice: energies, moment_x,
    moment_y, moment_z with the moments of the species; even_x to odd_z and b_x to a_z by sublattice and by species; m, ms, even, odd: mean lengths of the
    moment, of the staggered magnetisation and of those of the sublattices, at most 1/2 of these. chi_ms = N/T (<ms^2> - <|ms|>^2), chi_m likewise, chi_even and chi_odd =
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
        for name, values in (("ms", length), ("m", np.linalg.norm(moment[stage], axis=2))):
            add(name, values.mean(axis=0))
            add(f"chi_{name}", factor * ((values**2).mean(axis=0) - values.mean(axis=0) ** 2))
    return {name: np.array(values) for name, values in found.items()}


@dataclass
class Part:
    """What one file has of one temperature slot: `about` tells realizations from sums of which lattice; sums name -> (time, replica, part, realization)."""

    about: dict
    times: np.ndarray
    factors: np.ndarray
    fields: np.ndarray
    sums: dict[str, np.ndarray] = field(repr=False)


def slots_of(path: Path) -> int:
    """How many temperatures a relaxation file of vector spins has; StudyError for another file."""
    with hdf5_file(path, "a relaxation file") as file:
        if "fields" not in file:
            raise StudyError(f"{path}: is no relaxation file of vector spins")
        return len(file["temperatures"])


def part_of(path: Path, slot: int) -> Part:
    if not 0 <= slot < (slots := slots_of(path)):
        raise StudyError(f"{path}: has the temperature slots 0 to {slots - 1}, not {slot}")
    with hdf5_file(path, "a relaxation file") as file:
        about = {"L": int(file.attrs["L"]), "first": int(file.attrs["first_realization"]), "begin": int(file.attrs["relax_first"]),
                 "temperature": float(file["temperatures"][slot]), "physics": text_of(file.attrs["physics"])}  # fmt: skip
        sums = {}
        for name, most in (("energy_terms", 4), ("magnetisation_parts", 12)):
            data = file[f"relaxation/{name}"][:, :, slot]
            sums[name] = data.reshape(len(data), -1, most, data.shape[-1])
        return Part(about, file["times"][:], file["factors"][:], file["fields"][:], sums)


def one_after_the_other(parts: list[Part]) -> Part:
    """The parts of one batch of realizations as one; StudyError where they are not one relaxation from its start."""
    parts = sorted(parts, key=lambda part: part.about["begin"])
    times, factors, fields = (np.concatenate([getattr(part, name) for part in parts]) for name in ("times", "factors", "fields"))
    if parts[0].about["begin"] != 0 or np.any(np.diff(times) <= 0):
        raise StudyError(f"the files of realizations from {parts[0].about['first']} on do not make one relaxation from its start")
    return Part(parts[0].about, times, factors, fields, {name: np.concatenate([part.sums[name] for part in parts]) for name in parts[0].sums})


def side_by_side(batches: list[Part]) -> Part:
    """Batches of one size as one, up to the last time that all have; StudyError where they are of different studies."""
    first = batches[0]
    if any(batch.about["physics"] != first.about["physics"] for batch in batches):
        raise StudyError(f"the relaxations of L = {first.about['L']} are of different studies")
    shortest = min(batches, key=lambda batch: len(batch.times))
    n = len(shortest.times)
    if any(not np.array_equal(batch.times[:n], shortest.times) for batch in batches):
        raise StudyError(f"the relaxations of L = {first.about['L']} have different times")
    sums = {name: np.concatenate([batch.sums[name][:n] for batch in batches], axis=-1) for name in first.sums}
    return Part(first.about, shortest.times, shortest.factors, shortest.fields, sums)


def protocol_of(part: Part, discard: float, each: bool = False) -> Protocol:
    """`each`: every measurement is a stage of its own."""
    model, L = load_yaml(part.about["physics"])["model"], part.about["L"]
    dimension = int(model["dimension"])
    stages = [slice(i, i + 1) for i in range(len(part.times))] if each else stages_of(part.factors, part.fields, discard)
    T = part.about["temperature"] * np.array([part.factors[stage.start] for stage in stages])
    values = averages(part.sums, stages, T, L**dimension, tuple(model.get("moments", (1.0, 1.0))))
    samples = {name: (value[:, :, 0] if value.shape[2] == 1 else value.mean(axis=1)).T for name, value in values.items()}
    h = np.array([part.fields[stage.start] for stage in stages])
    times = np.array([part.times[stage.stop - 1] for stage in stages])
    return Protocol(L, dimension, float(model.get("concentration", 0.0)), T, h, samples, times, part.about["temperature"], model_of({"model": model}).staggered)


def read(path: str | Path, slot: int = 0, discard: float = 0.5) -> Protocol:
    """A relaxation file of vector spins, one temperature slot, each stage without its first part `discard`. StudyError for another file."""
    return protocol_of(part_of(Path(path), slot), discard)


def read_study(paths: list[Path], discard: float = 0.5) -> list[Protocol]:
    """All files of a study, of all sizes, batches and parts: a protocol for each size and temperature slot, ascending. Where temperature and field never
    change, each measurement is a stage. StudyError for other files, and where they do not belong together."""
    found = []
    for slot in range(min(slots_of(path) for path in paths)):
        parts = [part_of(path, slot) for path in paths]
        for L in sorted({part.about["L"] for part in parts}):
            firsts = sorted({part.about["first"] for part in parts if part.about["L"] == L})
            batches = [one_after_the_other([p for p in parts if (p.about["L"], p.about["first"]) == (L, first)]) for first in firsts]
            whole = side_by_side(batches)
            found.append(protocol_of(whole, discard, each=len(stages_of(whole.factors, whole.fields, 0.0)) == 1))
    return sorted(found, key=lambda protocol: (protocol.L, protocol.T_study))
