"""How long a proposed spin flip takes: from the jobs that a campaign has finished, else from a file of bench-flip, else from the
timings that come with psflip."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from psflip.bench.bench_data import SPIN_GLASS, Timing, read_timings
from psflip.campaign.campaign import WHOLE, Batch, Campaign
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.study import by_lattices
from psflip.places import TIMINGS

RUN = re.compile(r"run-(\d+)\.h5")
SAMPLES = 3  # files opened per size
# A GPU with W words of 128 spins to update works at 1 / (1 + GPU_FILL / W) of its speed; fitted to tests/gpu/results/*.json, L = 32.
GPU_FILL = 6e5
# What a time may be longer by where only another model was timed. On one core with AVX-512, L = 16, the square ferromagnet took 1.4 times as long as
# the cubic ±J glass, heat bath 2.2 times (share 128).
OTHER_MODEL = 3.0
# Of vector spins, picoseconds per proposed spin of one core with AVX-512 and of one H200: bench-vector, docs/performance/vectors.md.
VECTORS = {False: {"metropolis": 3000.0, "cone": 3400.0, "heat-bath": 4500.0, "over-relaxation": 1100.0, "sums": 1300.0},
           True: {"metropolis": 20.0, "cone": 20.0, "heat-bath": 25.0, "over-relaxation": 10.0, "sums": 10.0}}  # fmt: skip


@dataclass(frozen=True)
class Rate:
    """`ps`: picoseconds per flip of one core, or of one GPU, where words are full; `safety`: what to multiply a time with to be on the safe side."""

    ps: float
    source: str
    safety: float


def filling_up(count: int, data: dict) -> float:
    """How many lanes the programs work on for each of so many realizations of a study: they have whole words of them, but where lanes are replicas or sites."""
    return 1.0 if by_lattices(data) or data["multispin"]["lanes"] != "realizations" else math.ceil(count / WHOLE) * WHOLE / count


def threads_of(backend: str) -> int:
    """Of "cpu avx512, 2 threads"; 1 for a GPU, which tells of the threads of its blocks."""
    found = re.search(r"(\d+) threads?", backend) if backend.startswith("cpu") else None
    return int(found[1]) if found else 1


def usage_of(file: Path, gpu: bool) -> tuple[float, float]:
    """Flips and core seconds (GPU: seconds) of a run file; (0, 0) where it was made by the other kind of device or does not tell."""
    import h5py  # here, since it takes longer to load than most jobs of Snakemake need

    try:
        with reading(file, "a run"), h5py.File(file) as opened:
            made = opened["provenance"].attrs
            backend = made["backend"] if isinstance(made["backend"], str) else made["backend"].decode()
            if backend.startswith("cpu") == gpu:
                return 0.0, 0.0
            return float(made["flips"]), float(made["wall_seconds"]) * threads_of(backend)
    except StudyError:
        return 0.0, 0.0


def timed_as(study: dict) -> str:
    """The model of bench-flip that has the site rule of the study; there need not be one of that name."""
    model = study["model"]
    absent = model["p_absent"] > 0 or model["boundary"] == "open"
    kinds = ["diluted"] * absent + ["field"] * (model["field"] != 0) + ["heatbath"] * (study["dynamics"]["update"] == "heat-bath")
    kind = "-".join(kinds) or ("ferromagnet" if model["kind"] == "ferromagnet" else "ea")
    return f"{kind}{model['dimension']}d"


def of_vectors(data: dict, gpu: bool) -> Rate:
    """Also of real couplings. Over-relaxation is not counted as flips, but takes its time; sums of energies come with each exchange."""
    cost, how = VECTORS[gpu], data["dynamics"]
    ps = cost[how["update"]] + how["over_relaxation"] * cost["over-relaxation"] + cost["sums"] / how["sweeps_per_swap"]
    return Rate(ps * (2.0 if how["precision"] == "double" else 1.0), f"timings of {'an H200' if gpu else 'AMD EPYC'}, bench-vector", 4.0)


def packaged(gpu: bool) -> list[Timing]:
    files = sorted((TIMINGS / ("gpu" if gpu else "cpu") / "results").glob("*.json"))
    return [timing for file in files for timing in read_timings(file)]


class Rates:
    """Rates for the device that jobs will run on. `file`: a JSON or CSV file of bench-flip from such a device."""

    def __init__(self, campaign: Campaign, gpu: bool, file: str | Path | None = None):
        self.campaign = campaign
        self.gpu = gpu
        self.file = Path(file) if file else None
        self.model = timed_as(campaign.study.data)
        self._known: dict[int, Rate] = {}

    @cached_property
    def timings(self) -> list[Timing]:
        """Of the study's model; where there are none, of the ±J glass of three dimensions."""
        wanted = "cuda" if self.gpu else "cpu"
        multispin = self.campaign.study.data["multispin"]
        found = [t for t in (read_timings(self.file) if self.file else packaged(self.gpu)) if t.backend == wanted and t.series not in ("columns", "lanes")]
        found = next((part for model in (self.model, SPIN_GLASS) if (part := [t for t in found if t.model == model])), found)
        found = [t for t in found if t.share == multispin["share"]] or found
        return [t for t in found if t.lanes == multispin["lanes"]] or found

    def filling(self, L: int) -> float:
        """How much slower a batch is than one that fills the GPU."""
        data = self.campaign.study.data
        copies = data["replicas"] * len(self.campaign.study.temperatures(L))
        words = self.campaign.study.sites(L) * copies * math.ceil(data["disorder"]["batch"] / WHOLE)
        return 1 + GPU_FILL / words if self.gpu else 1.0

    def from_timings(self, L: int) -> Rate | None:
        """The slowest of the timings of the nearest size; of vectors and real couplings the constants."""
        data = self.campaign.study.data
        if by_lattices(data):
            return of_vectors(data, self.gpu)
        if not self.timings:
            return None
        nearest = min((abs(math.log(t.L / L)) for t in self.timings))
        slowest = max((t for t in self.timings if abs(math.log(t.L / L)) <= nearest + 1e-9), key=lambda t: t.per_core)
        where = self.file.name if self.file else f"timings of {slowest.hardware.split(',')[0]}"
        other = slowest.model != self.model
        source = f"{where}, L = {slowest.L}" + (f", model {slowest.model}" if other else "")
        return Rate(slowest.per_core * self.filling(L), source, (1.3 if self.file else 2.0) * (OTHER_MODEL if other else 1.0))

    @cached_property
    def measured(self) -> dict[int, float]:
        """Size -> picoseconds per flip of a lane in the latest jobs of the campaign, whose last words may not be full."""
        found = {}
        for L in self.campaign.study.sizes:
            batches = [b for b in reversed(self.campaign.on_disk(L)) if any(RUN.fullmatch(name) for name in self.campaign.names(b))]
            used = [(filling_up(batch.count, self.campaign.study.data), *usage_of(self.latest(batch), self.gpu)) for batch in batches[:SAMPLES]]
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
            return Rate(self.measured[L], f"this campaign, L = {L}", 1.3)
        table = self.from_timings(L)
        if self.measured:
            near = min(self.measured, key=lambda size: abs(math.log(size / L)))
            ratio = table.ps / self.from_timings(near).ps if table else 1.0
            return Rate(self.measured[near] * ratio, f"this campaign, L = {near}", 1.6)
        return table or Rate(0.5 if self.gpu else 50.0, "a guess", 3.0)
