"""Estimates what a job costs: flips, time, memory, disk space. Chooses between a batch on each GPU and the lattices of a batch cut into slabs over several GPUs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from psflip.campaign.campaign import Campaign
from psflip.campaign.study import RELAXATION, by_lattices, needs_whole_lattices
from psflip.plan.rates import Rates, filling_up
from psflip.plan.sizes import MEGABYTE, Sizes

START = 0.05  # seconds, of a program
GPU_START = 0.5  # an H200 whose driver stays loaded
PER_BOND = {"equal": 3e-9, "discrete": 2e-8, "gaussian": 1.5e-7}  # seconds to draw and write a bond, or the species of a site
PER_BYTE_WRITTEN = 0.8e-8  # seconds of a job with four threads, to pack and write a byte of its files; from 16384 realizations on an H200 machine
PER_BYTE = 1e-8  # seconds of one core to read and analyse a byte of sums


@dataclass(frozen=True)
class Cost:
    """Of one job. `seconds`: expected, with `threads` threads or a GPU; `safe`: not to be exceeded."""

    flips: float = 0.0
    seconds: float = 0.0
    safe: float = 0.0
    memory_mb: float = 0.0
    disk: float = 0.0
    files: int = 1


# A slab of P planes takes as long as P + BOUNDARY planes and, for each sweep, LATENCY seconds: fitted to two and four H200 joined by NVLink at L = 64 to
# 512, of whose timings all are within 11% (docs/notes/slabs.md). For more GPUs a prediction. `psflip bench.slab_plots` fits both constants to files of bench-slab.
BOUNDARY = 10.2
LATENCY = 2.8e-6
# Two launches for each sweep of vector spins and real couplings, whose kernel needs no steps beyond the planes of a slab: two and four H100, L = 128 and 256.
VECTOR_LATENCY = 8e-6


def slab_costs(data: dict) -> tuple[float, float]:
    """Returns BOUNDARY and LATENCY of the lattices of a study."""
    return (0.0, VECTOR_LATENCY) if by_lattices(data) else (BOUNDARY, LATENCY)


@dataclass(frozen=True)
class Placement:
    """Where jobs run. `gpus`: of this machine, or of a node of the cluster; `slabs`: wanted per lattice, at most, or auto; `longest`: seconds
    that a job may ask a cluster for, None on this machine."""

    gpus: int = 1
    slabs: int | str = "auto"
    longest: float | None = None


def max_slabs(L: int, dimension: int, wanted: int, lanes: str = "realizations", tile: int = 0) -> int:
    """Returns `wanted`, or fewer slabs if these would be too many. With lanes = sites, subdomains have L / 16 rows (squares) or L / 8 planes, and a slab
    has whole tiles of them. In other lane codings, a slab has two planes or more, and squares are not cut."""
    if lanes == "sites":
        return max(1, min(wanted, L // ((16 if dimension == 2 else 8) * max(1, tile))))
    return max(1, min(wanted, L // 2)) if dimension == 3 else 1


def sweep_seconds(whole: float, L: int, slabs: int, boundary: float = BOUNDARY, latency: float = LATENCY) -> float:
    """Of a sweep that takes `whole` seconds on one GPU."""
    return whole if slabs == 1 else whole * (1 / slabs + boundary / L) + latency


def choose(most: int, batches: int, placement: Placement, seconds: Callable[[int], float], others: float) -> int:
    """Slabs of one size, at most `most`. seconds(n): of one batch with n slabs; others: GPU seconds of all other sizes. On this machine what
    makes the end come first: neither the jobs of this size nor the work of all may be what takes long. On a cluster, where GPUs are as many
    as there are jobs, what brings a batch below the longest time, so that GPU hours are not spent without need."""
    if placement.longest is not None:
        return next((n for n in range(1, most + 1) if seconds(n) <= placement.longest), most)

    def end(n: int) -> float:
        in_turn = math.ceil(batches / max(1, placement.gpus // n)) * seconds(n)
        return max(in_turn, (others + batches * n * seconds(n)) / placement.gpus)

    return min(range(1, most + 1), key=lambda n: (end(n), n))


class Estimate:
    def __init__(self, campaign: Campaign, rates: Rates, threads: int = 1, placement: Placement = Placement()):
        self.campaign = campaign
        self.rates = rates
        self.threads = 1 if rates.gpu else max(1, threads)
        self.sizes = Sizes(campaign, rates.gpu, self.threads)
        self.dimension = self.sizes.dimension
        self.placement = placement
        self._slabs: dict[int, int] = {}

    # --- slabs ---------------------------------------------------------------------------------------------------------
    def slabs(self, L: int) -> int:
        """Into how many slabs the lattices of a size are cut: GPUs of a job, or processes on the CPU. The workflow cuts no relaxations."""
        if L not in self._slabs:
            self._slabs[L] = 1 if self.campaign.study.kind == RELAXATION else self._chosen_slabs(L)
        return self._slabs[L]

    def _chosen_slabs(self, L: int) -> int:
        wanted, batches = self.placement.slabs, self.campaign.batches
        data = self.campaign.study.data
        vector_tiles = by_lattices(data) and data["dynamics"].get("tile", 0) > 0
        if needs_whole_lattices(data) or vector_tiles or data["dynamics"].get("houdayer_every", 0) > 0:
            return 1
        unknown = data["multispin"]["lanes"] != "realizations"  # no model knows the times of slabs
        if unknown or not self.rates.gpu or wanted != "auto":
            asked = 1 if wanted == "auto" else min(wanted, self.placement.gpus) if self.rates.gpu else wanted
            return max_slabs(L, self.dimension, asked, data["multispin"]["lanes"], data["dynamics"].get("tile", 0))
        others = sum(len(batches(size)) * self.batch_seconds(size, 1) for size in self.campaign.study.sizes if size != L)
        most = max_slabs(L, self.dimension, self.placement.gpus)
        return choose(most, len(batches(L)), self.placement, lambda n: self.batch_seconds(L, n), others)

    def sweep_seconds(self, L: int, count: int, slabs: int) -> float:
        """Of a GPU, or of `threads` threads, which are shared out to the slabs."""
        whole = self.flips(L, count, 1) * filling_up(count, self.campaign.study, L) * self.rates.rate(L).ps * 1e-12 / self.threads
        return sweep_seconds(whole, L, slabs, *slab_costs(self.campaign.study.data)) if self.rates.gpu else whole

    def batch_seconds(self, L: int, slabs: int) -> float:
        """Of the sweeps of the largest batch of a size, without doublings."""
        study = self.campaign.study
        sweeps = study.per_size(study.data["thermalize"]["sweeps"], L) + self.campaign.sweeps(L)
        return sweeps * self.sweep_seconds(L, max(batch.count for batch in self.campaign.batches(L)), slabs)

    # --- jobs ----------------------------------------------------------------------------------------------------------
    def flips(self, L: int, count: int, sweeps: int) -> float:
        return float(sweeps) * self.sizes.sites(L) * self.sizes.copies(L) * count

    def simulation(self, L: int, count: int, sweeps: int, memory: float, sums: float, disk: float) -> Cost:
        """memory: megabytes of whole lattices and `sums` (bytes). Each of several slabs has planes of its neighbours (with lanes = sites all planes), all sums,
        and reads all real couplings."""
        rate, slabs = self.rates.rate(L), self.slabs(L)
        work = sweeps * self.sweep_seconds(L, count, slabs)
        around = START + (GPU_START if self.rates.gpu else 0) + PER_BYTE_WRITTEN * disk
        read = 8 * self.sizes.bonds(L, count) if self.sizes.gaussian else 0
        of_rank = 40 + (2 * sums + read) / MEGABYTE  # of each slab but the first
        whole = self.campaign.study.data["multispin"]["lanes"] == "sites"  # each slab holds whole lattices
        held = memory * (slabs if whole else 1 + 4 * slabs / L) + (slabs - 1) * of_rank if slabs > 1 else memory
        return Cost(self.flips(L, count, sweeps), work + around, rate.safety * work + 3 * around + 60, held + slabs * (1500 if self.rates.gpu else 0), disk)

    def disorder(self, L: int, count: int) -> Cost:
        sizes = self.sizes
        drawn = sizes.sites(L) * count if sizes.vectors else sizes.bonds(L, count)
        seconds = START + PER_BOND["gaussian" if sizes.gaussian else "discrete" if sizes.model.overlaps or sizes.vectors else "equal"] * drawn
        return Cost(0.0, seconds, 3 * seconds + 60, sizes.disorder_memory(L, count), sizes.disorder_file(L, count))

    def thermalize(self, L: int, count: int) -> Cost:
        study = self.campaign.study
        memory = self.sizes.simulation_memory(L, count, 0.0, False)
        return self.simulation(L, count, study.per_size(study.data["thermalize"]["sweeps"], L), memory, 0.0, self.sizes.state_file(L, count))

    def run(self, L: int, count: int, start: int, end: int) -> Cost:
        sums = self.sizes.sums(L, count, start, end)
        disk = self.sizes.run_file(L, count, start, end) + self.sizes.state_file(L, count)
        return replace(self.simulation(L, count, end - start, self.sizes.simulation_memory(L, count, sums, True), sums, disk), files=2)

    def relax(self, L: int, count: int, start: int, end: int) -> Cost:
        """A part of a relaxation: a file of sums at each time, and the state with the spins at waiting times."""
        waiting = sum(time <= end for time in self.campaign.study.data["relax"]["waiting"])
        sums = self.sizes.relaxation_sums(L, count, end) - (self.sizes.relaxation_sums(L, count, start) if start else 0.0)
        state = self.sizes.state_file(L, count)
        memory = self.sizes.simulation_memory(L, count, sums, True) + waiting * self.sizes.canonical(L, count) / MEGABYTE
        return replace(self.simulation(L, count, end - start, memory, sums, 60e3 + 0.27 * sums + state * (1 + waiting)), files=2)

    def measure(self, L: int, count: int, end: int) -> Cost:
        seconds = START + PER_BYTE * self.sizes.sums(L, count, 0, end)
        return Cost(0.0, seconds, 3 * seconds + 60, self.sizes.measure_memory(L, count, end), self.sizes.observables_file(L, count, end))

    def reduce(self) -> Cost:
        points = sum(self.sizes.temperatures(L) * self.campaign.realizations for L in self.campaign.study.sizes)
        seconds = 2 + 7e-6 * points
        return Cost(0.0, seconds, 3 * seconds + 60, 500 + 2e-4 * points, 10e6)
