"""What a job costs: flips, time, memory, disk space. The sizes of the files follow from their datasets, the constants are fitted to
jobs on one machine (AMD EPYC, 16 temperatures, 4 replicas, L = 8 and 16, 128 and 512 realizations)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from psflip.campaign.campaign import Campaign
from psflip.campaign.manifest import base
from psflip.campaign.study import by_lattices
from psflip.plan.node_filling import Placement, choose, most_slabs, sweep_seconds
from psflip.plan.rates import Rates, filling_up
from psflip.results.literature import model_of

START = 0.05  # seconds, of a program
GPU_START = 0.5  # an H200 whose driver stays loaded
PER_BOND = 6e-8  # seconds to draw and write a bond
PER_BYTE_WRITTEN = 0.8e-8  # seconds of a job with four threads, to pack and write a byte of its files; those of 16384 realizations on an H200 machine
PER_BYTE = 1e-8  # seconds of one core to read and analyse a byte of sums
MEGABYTE = 1e6
MOST_DEFLATED = 16  # realizations whose spins are deflated where sites are lanes
PER_DEFLATED_SPIN = 0.17  # bytes; those of one ferromagnet of L = 32768 at T = 2.5 take 0.162


@dataclass(frozen=True)
class Cost:
    """Of one job. `seconds`: expected, with `threads` threads or a GPU; `safe`: not to be exceeded."""

    flips: float = 0.0
    seconds: float = 0.0
    safe: float = 0.0
    memory_mb: float = 0.0
    disk: float = 0.0
    files: int = 1


class Estimate:
    def __init__(self, campaign: Campaign, rates: Rates, threads: int = 1, placement: Placement = Placement()):
        self.campaign = campaign
        self.rates = rates
        self.model = model_of(campaign.study.data)
        self.sites = campaign.study.sites
        self.sites_are_lanes = campaign.study.data["multispin"]["lanes"] == "sites"
        self._temperatures: dict[int, int] = {}
        self.threads = 1 if rates.gpu else max(1, threads)
        self.placement = placement
        self._slabs: dict[int, int] = {}

    # --- slabs ---------------------------------------------------------------------------------------------------------
    def slabs(self, L: int) -> int:
        """Into how many slabs the lattices of a size are cut: GPUs of a job, or processes on the CPU."""
        if L not in self._slabs:
            self._slabs[L] = self._chosen_slabs(L)
        return self._slabs[L]

    def _chosen_slabs(self, L: int) -> int:
        wanted, batches = self.placement.slabs, self.campaign.batches
        data = self.campaign.study.data
        by_host = by_lattices(data) or data["multispin"]["lanes"] != "realizations"  # halos, which no model knows
        if not self.rates.gpu or (wanted == "auto" and by_host):
            return most_slabs(L, self.model.dimension, 1 if wanted == "auto" else wanted)
        if wanted != "auto":
            return most_slabs(L, self.model.dimension, min(wanted, self.placement.gpus))
        others = sum(len(batches(size)) * self.batch_seconds(size, 1) for size in self.campaign.study.sizes if size != L)
        most = most_slabs(L, self.model.dimension, self.placement.gpus)
        return choose(most, len(batches(L)), self.placement, lambda n: self.batch_seconds(L, n), others)

    def sweep_seconds(self, L: int, count: int, slabs: int) -> float:
        """Of a GPU, or of `threads` threads, which are shared out to the slabs."""
        whole = self.flips(L, count, 1) * filling_up(count, self.campaign.study.data) * self.rates.rate(L).ps * 1e-12 / self.threads
        return sweep_seconds(whole, L, slabs) if self.rates.gpu else whole

    def batch_seconds(self, L: int, slabs: int) -> float:
        """Of the sweeps of the largest batch of a size, without doublings."""
        study = self.campaign.study
        sweeps = study.per_size(study.data["thermalize"]["sweeps"], L) + self.campaign.sweeps(L)
        return sweeps * self.sweep_seconds(L, max(batch.count for batch in self.campaign.batches(L)), slabs)

    # --- sizes ---------------------------------------------------------------------------------------------------------
    def temperatures(self, L: int) -> int:
        if L not in self._temperatures:
            self._temperatures[L] = len(self.campaign.study.temperatures(L))
        return self._temperatures[L]

    def copies(self, L: int) -> int:
        return self.campaign.study.data["replicas"] * self.temperatures(L)

    def spin_bytes(self, L: int, count: int) -> float:
        """One bit per spin, in words of 64 realizations."""
        return self.copies(L) * math.ceil(count / 64) * 8.0 * self.sites(L)

    def state_bytes(self, L: int, count: int) -> float:
        """Spins, deflated where sites are lanes and realizations few, and the walkers."""
        spins = self.spin_bytes(L, count)
        if self.sites_are_lanes and count <= MOST_DEFLATED:
            spins = PER_DEFLATED_SPIN * self.copies(L) * count * self.sites(L)
        return spins + 12 * count * self.copies(L)

    def lattices_bytes(self, L: int, count: int) -> float:
        """In memory: lattices, and what they are on the way to files. Where sites are lanes that is a bit for each spin, and couplings of a glass are there once."""
        if not self.sites_are_lanes:
            return 4 * self.state_bytes(L, count)
        bits = self.copies(L) * count * self.sites(L) / 8
        couplings = self.model.dimension * count * self.sites(L) if self.model.overlaps else 0
        return (4 + self.campaign.study.data["run"]["snapshots"]) * bits + couplings + 128 * MEGABYTE

    def bins(self, L: int, start: int, end: int) -> float:
        """Blocks of a run file: run.blocks up to the base, half as many in each octave above."""
        run = self.campaign.study.data["run"]
        first = base(end, run["blocks"] * run["measure_every"])

        def until(sweeps: int) -> float:
            if sweeps <= first:
                return run["blocks"] * sweeps / first
            return run["blocks"] * (1 + math.log2(sweeps / first) / 2)

        return until(end) - until(start)

    def sums_bytes(self, L: int, count: int, start: int, end: int) -> float:
        """Of a run file in memory: per block, temperature and realization 3 numbers per replica and, in d dimensions, 7 + d per pair of them,
        with 4 + d per replica where magnetisations are measured, and 3 more of each for derivatives without a field; the histograms of overlaps."""
        replicas, run, model = self.campaign.study.data["replicas"], self.campaign.study.data["run"], self.model
        pairs, slopes = replicas * (replicas - 1) // 2 * model.overlaps, 0 if model.field else 3
        of_replica = 3 + (4 + model.dimension + slopes) * model.magnetisations
        numbers = of_replica * replicas + (7 + model.dimension + slopes) * pairs
        bins = 2 * run["histogram_bins"] if model.overlaps else 0
        per_realization = self.temperatures(L) * (8 * numbers * self.bins(L, start, end) + 4 * bins)
        return count * per_realization

    def snapshots_bytes(self, L: int, count: int) -> float:
        return self.campaign.study.data["run"]["snapshots"] * self.state_bytes(L, count)

    # --- jobs ----------------------------------------------------------------------------------------------------------
    def flips(self, L: int, count: int, sweeps: int) -> float:
        return float(sweeps) * self.sites(L) * self.campaign.study.data["replicas"] * self.temperatures(L) * count

    def simulation(self, L: int, count: int, sweeps: int, lattices: float, sums: float, disk: float) -> Cost:
        """lattices, sums: bytes in memory. Each of several slabs has planes of its neighbours, and all sums."""
        rate, slabs = self.rates.rate(L), self.slabs(L)
        flips = self.flips(L, count, sweeps)
        work = sweeps * self.sweep_seconds(L, count, slabs)
        around = START + (GPU_START if self.rates.gpu else 0) + PER_BYTE_WRITTEN * disk
        held = lattices * (1 + 4 * slabs / L) if slabs > 1 else lattices
        memory = slabs * (60 + sums / MEGABYTE + (1500 if self.rates.gpu else 0)) + held / MEGABYTE
        return Cost(flips, work + around, rate.safety * work + 3 * around + 60, memory, disk)

    def disorder(self, L: int, count: int) -> Cost:
        bonds = self.model.dimension * self.sites(L) * count
        seconds = START + PER_BOND * bonds
        return Cost(0.0, seconds, 3 * seconds + 60, 40 + 2 * bonds / MEGABYTE, 30e3 + (0.27 if self.model.overlaps else 0.0015) * bonds)

    def thermalize(self, L: int, count: int) -> Cost:
        study, state = self.campaign.study, self.state_bytes(L, count)
        return self.simulation(L, count, study.per_size(study.data["thermalize"]["sweeps"], L), self.lattices_bytes(L, count), 0.0, state + 30e3)

    def run(self, L: int, count: int, start: int, end: int) -> Cost:
        state, sums = self.state_bytes(L, count), self.sums_bytes(L, count, start, end)
        disk = 0.33 * sums + self.snapshots_bytes(L, count) + state + 60e3
        return replace(self.simulation(L, count, end - start, self.lattices_bytes(L, count), 2.4 * sums, disk), files=2)

    def relax(self, L: int, count: int) -> Cost:
        """A relaxation from its start to relax.last: a file of sums at each time, 8 bytes a number, as of a glass of Ising spins, and the state."""
        data = self.campaign.study.data
        relax, replicas = data["relax"], data["replicas"]
        last, waiting = relax["last"], [tw for tw in relax["waiting"] if tw < relax["last"]] or [0]
        on_grid = sum(1 + relax["per_decade"] * math.log10(max(1.0, (last - tw) / relax["first"])) for tw in waiting)
        times = last / relax["measure_every"] if relax["measure_every"] else on_grid
        numbers = L // 2 + replicas + 3 * replicas * (replicas - 1) // 2 + 2 * replicas * len(waiting)
        state, sums = self.state_bytes(L, count), 8.0 * times * numbers * self.temperatures(L) * count
        disk = 0.27 * sums + state * (1 + len(waiting)) + 60e3
        return replace(self.simulation(L, count, last, (4 + len(waiting)) * self.spin_bytes(L, count), 2.4 * sums, disk), files=2)

    def measure(self, L: int, count: int, end: int) -> Cost:
        sums, points = self.sums_bytes(L, count, 0, end), self.temperatures(L) * count
        octaves = math.log2(max(2, end))
        seconds = START + PER_BYTE * sums
        disk = 40e3 + points * (200 + 8 * octaves + self.campaign.study.data["run"]["histogram_bins"])
        return Cost(0.0, seconds, 3 * seconds + 60, 60 + 2.4 * sums / MEGABYTE, disk)

    def reduce(self) -> Cost:
        points = sum(self.temperatures(L) * self.campaign.realizations for L in self.campaign.study.sizes)
        seconds = 2 + 7e-6 * points
        return Cost(0.0, seconds, 3 * seconds + 60, 500 + 2e-4 * points, 10e6)
