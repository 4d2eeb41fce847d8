"""Estimates the time of a proposed spin flip: from the finished jobs of a study, else from a file of bench-flip, else from rates.json.

rates.json holds what bench-flip measured, an entry per device. "ps_per_flip" has a row per model and share: lattice size -> picoseconds per flip of one GPU
or of one core. "commits" and "dates" name the versions of psflip that were timed; if a size was timed repeatedly, the slowest time counts (AVX-512: the fastest)."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from psflip.bench.bench_data import SPIN_GLASS, read_timings
from psflip.campaign.campaign import WHOLE, Batch, Campaign
from psflip.campaign.errors import StudyError
from psflip.campaign.study import Study, by_lattices, has_clusters, has_demons, needs_whole_lattices, sums_clusters
from psflip.plan.sizes import row_words

RUN = re.compile(r"run-(\d+)\.h5")
SAMPLES = 3  # files opened per size
# A GPU with W words of 128 spins to update works at 1 / (1 + GPU_FILL / W) of its speed; fitted to timings of an H200 with 1 to 66 columns, L = 32.
GPU_FILL = 6e5
OTHER_MODEL = 1.5  # what a time may be longer by where only another model was timed
# Time of a lane of one core, in times of a lane of the ±J glass of three dimensions with share 128; of `replicas` padded words, of `sites` and of lattices one by
# one each spin. Thermalizations with AVX-512, 16 temperatures, L = 16 (64 in two dimensions), in November 2026;
# absent bonds, fields and heat bath with numbers as shares: sweeps alone by bench-flip on 2026-11-29.
GLASS = {128: 1.0, 64: 1.3, 32: 1.45, 1: 6.0, "replicas": 6.4, "sites": 10.0}
CORE = {coding: 11.0 * times for coding, times in GLASS.items()}  # picoseconds of a lane of one core of AMD EPYC with AVX-512
TWO_DIMENSIONS = {128: 0.8, 64: 0.8, 32: 0.8, 1: 0.95, "replicas": 0.95, "sites": 0.85}
OTHER_BONDS = {128: 2.2, 64: 2.3, 32: 2.3, 1: 1.5, "replicas": 1.3, "sites": 1.0}  # some are absent
FIELD = {128: 2.05, 64: 2.3, 32: 2.05, 1: 1.5, "replicas": 1.35, "sites": 1.35}
HEAT_BATH = {128: 1.6, 64: 1.65, 32: 1.6, 1: 1.2, "replicas": 1.1, "sites": 1.5}
DEMONS = {1: 0.3, "replicas": 0.46, "sites": 0.25}  # 16 sites per demon
DEMONS_OF_ABSENT_BONDS = {1: 4 / 3}  # in addition, without a field: their energies have seven thresholds instead of three
# Picoseconds per spin of a Houdayer move by lanes, on a core and on one H200.
HOUDAYER = {"realizations": {False: 30.0, True: 0.6}, "replicas": {False: 100.0, True: 1.1}, "real couplings": {False: 1500.0, True: 6.0}}
# Picoseconds per spin of a cluster sweep near the critical point by dimension, on a core; of Wolff each cluster, which has a part of the lattice (2D: of 64 x 64, in proportion to L^(-1/3)). One H200 finds all clusters in both updates.
# Swendsen-Wang sweeps that a measurement with sums of clusters takes by lanes, on a core and on one H100. With `sites`, the CPU counts the spins of a GPU.
SUMS_OF_CLUSTERS = {False: {"sites": 1.5, "realizations": 1.5}, True: {"sites": 7.0, "realizations": 0.8}}
CLUSTERS = {False: {"swendsen-wang": {2: 2800.0, 3: 4200.0}, "wolff": {2: 5000.0, 3: 1000.0}}, True: {"swendsen-wang": {2: 35.0, 3: 35.0}, "wolff": {2: 35.0, 3: 35.0}}}
# Picoseconds of a core (False) and of one H200 (True) for vectors and for Ising spins with real couplings, with `sums` of each exchange; in double precision twice as long.
VECTORS = {False: {"metropolis": 290.0, "cone": 330.0, "heat-bath": 440.0, "over-relaxation": 90.0, "sums": 120.0},
           True: {"metropolis": 20.0, "cone": 20.0, "heat-bath": 25.0, "over-relaxation": 10.0, "sums": 10.0}}  # fmt: skip
REAL_COUPLINGS = {False: {"metropolis": 160.0, "heat-bath": 175.0, "over-relaxation": 0.0, "sums": 80.0}, True: VECTORS[True]}
NARROW_TILES = 2.0  # on a CPU, for updates of tiles of which half a row is shorter than a register of AVX-512: it then holds sites of both colours of tiles


@dataclass(frozen=True)
class Sweep:
    """Model of a sweep of a batch: seconds that pass whatever it does, and picoseconds of a lane, whether it holds a spin or not."""

    start: float
    lane: float

    def seconds(self, lanes: float, threads: int = 1) -> float:
        return self.start + self.lane * 1e-12 * lanes / threads


# Of an H200: share 1 and replicas are fitted to `bench-flip --sweep-lanes`, within a factor 1.4 of all its timings; other shares are estimates by hand.
START = 5.25e-6
GPU = {"replicas": Sweep(4.75e-6, 0.55), 128: Sweep(START, 0.08), 64: Sweep(START, 0.09), 32: Sweep(START, 0.11), 1: Sweep(START, 0.37)}


def seconds_by_coding(sites: int, copies: int, realizations: int, share: int, gpu: bool, threads: int = 1) -> dict[str, float]:
    """Returns the seconds of a sweep of a batch by coding of lanes. `copies`: replicas times temperatures."""
    costs = GPU if gpu else {coding: Sweep(0.0, ps) for coding, ps in CORE.items()}
    of_realizations = math.ceil(realizations / WHOLE) * WHOLE * copies * sites
    of_replicas = math.ceil(copies / 32) * 32 * realizations * sites
    return {
        "realizations": costs[share].seconds(of_realizations, threads),
        "replicas": costs["replicas"].seconds(of_replicas, threads),
    }


def has_absent_bonds(data: dict) -> bool:
    """Returns whether a study of Ising spins has absent bonds."""
    return data["model"]["p_absent"] > 0 or data["model"]["boundary"] == "open"


def codings(campaign: Campaign, gpu: bool, threads: int = 1) -> dict[str, dict]:
    """Returns for the largest batch of each size the seconds of a sweep by coding, and the cheaper coding. Lanes of realizations have the study's share. Empty if there is
    no choice or no model of the times: vectors and real couplings have no lanes, Houdayer moves with absent bonds need lanes of realizations, and the model knows neither
    demons, clusters nor lanes of sites."""
    study, found = campaign.study, {}
    if by_lattices(study.data) or needs_whole_lattices(study.data) or study.data["multispin"]["lanes"] == "sites":
        return found
    if study.data["dynamics"].get("houdayer_every", 0) > 0 and has_absent_bonds(study.data):
        return found
    for L in study.sizes:
        count = min(max(batch.count for batch in campaign.batches(L)), campaign.realizations)  # realizations that only fill up words do not count
        copies = study.data["replicas"] * len(study.temperatures(L))
        seconds = seconds_by_coding(study.sites(L), copies, count, study.data["multispin"]["share"], gpu, threads)
        found[str(L)] = {"realizations_of_batch": count, "seconds_per_sweep": seconds, "cheaper": min(seconds, key=seconds.get)}
    return found


@dataclass(frozen=True)
class Rate:
    """`ps`: picoseconds per flip of one core, or of one GPU, where words are full; `safety`: what to multiply a time with to be on the safe side."""

    ps: float
    source: str
    safety: float


def filling_up(count: int, study: Study, L: int) -> float:
    """Returns the number of lanes that the programs work on for each flip of `count` realizations. Words are always whole, of realizations or, in rows of whole
    units, of replicas and temperatures."""
    lanes = study.data["multispin"]["lanes"]
    if by_lattices(study.data) or has_clusters(study.data) or lanes == "sites":
        return 1.0
    if lanes == "realizations":
        return math.ceil(count / WHOLE) * WHOLE / count
    copies = study.data["replicas"] * len(study.temperatures(L))
    return 32 * row_words(L, copies) / (L / 2) / copies


def of_glass(data: dict) -> float:
    """Time of a lane on a CPU in times of one of the glass of three dimensions with share 128."""
    model, how = data["model"], data["dynamics"]
    if by_lattices(data):
        cost = (VECTORS if model["kind"] == "heisenberg" else REAL_COUPLINGS)[False]
        updates = cost[how["update"]] + how["over_relaxation"] * cost["over-relaxation"]
        narrow_tiles = 0 < how.get("tile", 0) < (16 if how["precision"] == "double" else 32)
        return ((NARROW_TILES if narrow_tiles else 1.0) * updates + cost["sums"] / how["sweeps_per_swap"]) * (2.0 if how["precision"] == "double" else 1.0)
    return of_coding(coding_of(data["multispin"]["lanes"], data["multispin"]["share"]), timed_as(data))


def coding_of(lanes: str, share: int) -> int | str:
    return share if lanes == "realizations" else lanes


def of_coding(coding: int | str, model: str) -> float:
    """The same by the model of bench-flip."""
    factors = (("demon", DEMONS), ("diluted-demon", DEMONS_OF_ABSENT_BONDS), ("2d", TWO_DIMENSIONS), ("diluted", OTHER_BONDS), ("field", FIELD), ("heatbath", HEAT_BATH))
    return GLASS[coding] * math.prod(table[coding] for name, table in factors if name in model)


def threads_of(backend: str) -> int:
    """Returns the number of threads in "cpu avx512, 2 threads"; 1 for a GPU, whose text has the threads of its blocks."""
    found = re.search(r"(\d+) threads?", backend) if backend.startswith("cpu") else None
    return int(found[1]) if found else 1


def usage_of(file: Path, gpu: bool) -> tuple[float, float]:
    """Flips and core seconds (GPU: seconds) of a run file; (0, 0) if the other kind of device made it, or if it does not say."""
    from psflip.campaign.hdf5 import hdf5_file, text_of  # here, because most jobs do not need HDF5, which takes long to load

    try:
        with hdf5_file(file, "a run as pt-run writes it") as opened:
            made = opened["provenance"].attrs
            backend = text_of(made["backend"])
            if backend.startswith("cpu") == gpu:
                return 0.0, 0.0
            return float(made["flips"]), float(made["wall_seconds"]) * threads_of(backend)
    except StudyError:
        return 0.0, 0.0


def timed_as(study: dict) -> str:
    """The model of bench-flip that has the site rule of the study; there need not be one of that name."""
    model = study["model"]
    if has_clusters(study):
        return f"{study['dynamics']['update']}{model['dimension']}d"
    kinds = ["diluted"] * has_absent_bonds(study) + ["field"] * (model["field"] != 0) + ["heatbath"] * (study["dynamics"]["update"] == "heat-bath")
    kinds += ["demon"] * has_demons(study)
    kind = "-".join(kinds) or ("ferromagnet" if model["kind"] == "ferromagnet" else "ea")
    return f"{kind}{model['dimension']}d"


def on_gpu_by_lattices(data: dict, houdayer: float) -> Rate:
    """Of vectors and real couplings. Over-relaxation is not counted as flips, but takes its time; sums of energies come with each exchange.
    houdayer: picoseconds per flip of Houdayer moves."""
    cost, how = VECTORS[True], data["dynamics"]
    ps = cost[how["update"]] + how["over_relaxation"] * cost["over-relaxation"] + cost["sums"] / how["sweeps_per_swap"]
    return Rate(ps * (2.0 if how["precision"] == "double" else 1.0) + houdayer, "timings of an H200, bench-vector", 4.0)


class Timed(NamedTuple):
    """A measured time. `ps`: picoseconds per flip of one core or of one GPU."""

    device: str
    model: str
    lanes: str
    share: int
    L: int
    ps: float


def packaged(gpu: bool) -> list[Timed]:
    """Returns the times of rates.json."""
    entries = json.loads(Path(__file__).with_name("rates.json").read_text(encoding="utf-8"))
    chosen = [entry for entry in entries if (entry["backend"] == "cuda") == gpu]
    return [Timed(e["device"], row["model"], "realizations", row["share"], int(L), ps) for e in chosen for row in e["ps_per_flip"] for L, ps in row["L"].items()]


def from_file(file: Path, gpu: bool) -> list[Timed]:
    """Returns the times of a file of bench-flip whose batches fill the device."""
    used = [t for t in read_timings(file) if t.backend == ("cuda" if gpu else "cpu") and t.series not in ("columns", "lanes")]
    return [Timed(t.hardware, t.model, t.lanes, t.share, t.L, t.per_core) for t in used]


class Rates:
    """Rates for the device that jobs will run on. `file`: a JSON or CSV file of bench-flip from such a device."""

    def __init__(self, campaign: Campaign, gpu: bool, file: str | Path | None = None):
        self.campaign = campaign
        self.gpu = gpu
        self.file = Path(file) if file else None
        self.model = timed_as(campaign.study.data)
        self._known: dict[int, Rate] = {}

    @cached_property
    def timings(self) -> list[Timed]:
        """The times of the study's model, share and lanes. If a model was not timed, the times of the ±J glass of three dimensions stand in."""
        found = from_file(self.file, self.gpu) if self.file else packaged(self.gpu)
        multispin = self.campaign.study.data["multispin"]
        found = [t for t in found if t.model == self.model] or [t for t in found if t.model == SPIN_GLASS] or found
        found = [t for t in found if t.share == multispin["share"]] or found
        return [t for t in found if t.lanes == multispin["lanes"]] or found

    def filling(self, L: int) -> float:
        """How much slower a batch is than one that fills the GPU."""
        data = self.campaign.study.data
        copies = data["replicas"] * len(self.campaign.study.temperatures(L))
        words = self.campaign.study.sites(L) * copies * math.ceil(data["disorder"]["batch"] / WHOLE)
        return 1 + GPU_FILL / words if self.gpu else 1.0

    def from_timings(self, L: int) -> Rate | None:
        """Returns the slowest time of the nearest size. Of CPUs in rates.json it takes the geometric mean of the fastest and the slowest. The tables above
        convert times of another model or coding on a CPU."""
        data = self.campaign.study.data
        if self.gpu and by_lattices(data):
            return on_gpu_by_lattices(data, self.of_houdayer(L))
        if has_clusters(data):
            return self.of_clusters(L)
        if self.gpu and data["multispin"]["lanes"] == "replicas":
            return self.of_replicas(L)
        if not self.timings:
            return None
        nearest = min(abs(math.log(t.L / L)) for t in self.timings)
        found = [t for t in self.timings if abs(math.log(t.L / L)) <= nearest + 1e-9]
        slowest, fastest = max(found, key=lambda t: t.ps), min(found, key=lambda t: t.ps)
        ps = slowest.ps if self.gpu or self.file else math.sqrt(slowest.ps * fastest.ps)
        timed = coding_of(slowest.lanes, slowest.share)
        other = by_lattices(data) or slowest.model != self.model or timed != coding_of(data["multispin"]["lanes"], data["multispin"]["share"])
        ps *= of_glass(data) / of_coding(timed, slowest.model) if other and not self.gpu else 1.0
        source = f"{self.file.name if self.file else 'timings of ' + slowest.device.split(',')[0]}, L = {slowest.L}"
        source += f", model {slowest.model}, {'share' if isinstance(timed, int) else 'lanes'} {timed}" if other else ""
        ps += self.of_houdayer(L)
        return Rate(ps * self.filling(L), source, (1.3 if self.file else 2.0) * (OTHER_MODEL if other else 1.0))

    def of_clusters(self, L: int) -> Rate:
        """Of the nearest timed size, else of the table above. The coding of lanes hardly matters, because clusters have one lattice at a time."""
        study = self.campaign.study
        dynamics, dimension = study.data["dynamics"], study.data["model"]["dimension"]
        clusters = dynamics["wolff_clusters"] if dynamics["update"] == "wolff" else 1.0
        if sums_clusters(study):
            clusters += SUMS_OF_CLUSTERS[self.gpu][study.data["multispin"]["lanes"]] / study.data["run"]["measure_every"]
        timed = [t for t in (from_file(self.file, self.gpu) if self.file else packaged(self.gpu)) if t.model == self.model]
        if timed:
            nearest = min(timed, key=lambda t: abs(math.log(t.L / L)))
            return Rate(clusters * nearest.ps * self.filling(L), f"timings of {nearest.device.split(',')[0]}, L = {nearest.L}", 2.0)
        part = (64 / L) ** (1 / 3) if dynamics["update"] == "wolff" and dimension == 2 and not self.gpu else 1.0
        return Rate(clusters * part * CLUSTERS[self.gpu][dynamics["update"]][dimension] * self.filling(L), f"a table of {dynamics['update']}", 3.0)

    def of_houdayer(self, L: int) -> float:
        """Picoseconds per flip that Houdayer moves add."""
        dynamics, temperatures = self.campaign.study.data["dynamics"], self.campaign.study.temperatures(L)
        every = dynamics["houdayer_every"]
        lanes = "real couplings" if self.campaign.study.data["model"].get("couplings") == "gaussian" else self.campaign.study.data["multispin"]["lanes"]
        return HOUDAYER[lanes][self.gpu] / every * sum(T <= dynamics["houdayer_below"] for T in temperatures) / len(temperatures) if every else 0.0

    def of_replicas(self, L: int) -> Rate:
        """Of a batch on a GPU."""
        study = self.campaign.study
        count, copies = study.data["disorder"]["batch"], study.data["replicas"] * len(study.temperatures(L))
        lanes = filling_up(count, study, L) * copies * count * study.sites(L)
        ps = GPU["replicas"].seconds(math.ceil(copies / 32) * 32 * count * study.sites(L)) / lanes * 1e12
        return Rate(ps + self.of_houdayer(L), "a model of timings of an H200", 2.0)

    @cached_property
    def measured(self) -> dict[int, float]:
        """Size -> picoseconds per flip of a lane in the latest jobs of the campaign, whose last words may not be full."""
        found = {}
        for L in self.campaign.study.sizes:
            batches = [b for b in reversed(self.campaign.on_disk(L)) if any(RUN.fullmatch(name) for name in self.campaign.names(b))]
            used = [(filling_up(batch.count, self.campaign.study, L), *usage_of(self.latest(batch), self.gpu)) for batch in batches[:SAMPLES]]
            flips, seconds = sum(lanes * flips for lanes, flips, _ in used), sum(seconds for *_, seconds in used)
            if flips > 0 and seconds > 0:
                found[L] = seconds / flips * 1e12
        return found

    def latest(self, batch: Batch) -> Path:
        name = max((m for m in map(RUN.fullmatch, self.campaign.names(batch)) if m), key=lambda m: int(m[1]))[0]
        return self.campaign.out / batch.folder / name

    def rate(self, L: int) -> Rate:
        """Jobs of another size count with the ratio that the timings have."""
        if L not in self._known:
            self._known[L] = self._rate(L)
        return self._known[L]

    def _rate(self, L: int) -> Rate:
        if L in self.measured:
            return Rate(self.measured[L], f"this study, L = {L}", 1.3)
        table = self.from_timings(L)
        if self.measured:
            near = min(self.measured, key=lambda size: abs(math.log(size / L)))
            ratio = table.ps / self.from_timings(near).ps if table else 1.0
            return Rate(self.measured[near] * ratio, f"this study, L = {near}", 1.6)
        return table or Rate(0.5 if self.gpu else 50.0, "a guess", 3.0)
