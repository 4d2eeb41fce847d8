"""Bytes of a batch in memory and in files, for every model and coding of lanes. Memory is computed as in libcore/run/memory.cpp, which refuses a batch that does
not fit. The sizes of files follow from their datasets. `test_plan.py` compares both with real jobs."""

from __future__ import annotations

import math

from psflip.campaign.campaign import WHOLE, Campaign
from psflip.campaign.manifest import base
from psflip.campaign.study import RELAXATION, by_lattices, has_clusters, sums_clusters
from psflip.results.literature import model_of

MEGABYTE = 1e6
FEW = 16  # realizations up to which spins of `lanes: sites` are deflated in files
PROGRAM = 25.0  # megabytes of a program without a batch
UNIT, GUARD = 16, 32  # 32-bit words of a row and around a colour, where lanes are replicas (libcore/sweep/replicas/replica_layout.hpp)
# What a kind of file takes without a batch.
EMPTY = {"disorder": 9e3, "state": 20e3, "run": 40e3, "observables": 40e3}
# Bytes of a bond in a disorder file: J = +1 or -1, with absent bonds, all equal, real numbers; of a site with its species, and of one species.
BOND = {"bond": 0.175, "diluted": 0.25, "equal": 0.0012, "real": 8.0, "species": 0.18, "one species": 0.0012}
# Bytes of a deflated word of a site with n lattices; ordered spins take less.
WORD, OF_LATTICE = 0.07, 0.12


def row_words(L: int, copies: int) -> int:
    """32-bit words of half a row where lanes are replicas, in whole units."""
    return math.ceil(L / 2 * math.ceil(copies / 32) / UNIT) * UNIT


class Sizes:
    """`gpu`: spins and couplings of the sweeps lie on a GPU; `threads`: of a job."""

    def __init__(self, campaign: Campaign, gpu: bool = False, threads: int = 1):
        data = campaign.study.data
        self.study, self.gpu, self.threads = campaign.study, gpu, threads
        self.model = model_of(data)
        self.sites = campaign.study.sites
        self.vectors = data["model"]["kind"] == "heisenberg"
        self.gaussian = data["model"].get("couplings") == "gaussian"
        self.lattices = bool(by_lattices(data))
        self.lanes = data["multispin"]["lanes"]
        self.replicas = data["replicas"]
        self.number = 8 if data["dynamics"]["precision"] == "double" else 4  # bytes of a component of a vector
        self.absent = data["model"]["p_absent"] > 0 or data["model"]["boundary"] == "open"
        self.dimension = self.model.dimension
        self._temperatures: dict[int, int] = {}

    # --- counts --------------------------------------------------------------------------------------------------------
    def temperatures(self, L: int) -> int:
        if L not in self._temperatures:
            self._temperatures[L] = len(self.study.temperatures(L))
        return self._temperatures[L]

    def copies(self, L: int) -> int:
        return self.replicas * self.temperatures(L)

    def bonds(self, L: int, count: int) -> float:
        return float(self.dimension * self.sites(L) * count)

    def numbers(self) -> int:
        """Of a block, temperature and realization, in memory: the rows of libcore/measure/sums.hpp."""
        d, replicas, model, field = self.dimension, self.replicas, self.model, bool(self.model.field)
        of_replica, of_pair = 3, 0
        if model.magnetisations:
            of_replica += 4 + d + (1 if field else 3) + 2 * model.clusters
        if model.overlaps:
            of_pair += 7 + d + (0 if field else 3)
        if self.vectors:
            of_replica += 4 + 4 + 12 + 24
            of_pair += 2 * (0 < self.study.data["model"]["concentration"] < 1)
        return of_replica * replicas + of_pair * (replicas * (replicas - 1) // 2) + (3 if model.overlaps and field and replicas >= 4 else 0)

    def blocks(self, start: int, end: int) -> float:
        """Of a run file: run.blocks up to the base, half as many in each octave above."""
        run = self.study.data["run"]
        first = base(end, run["blocks"] * run["measure_every"])

        def until(sweeps: int) -> float:
            if sweeps <= first:
                return run["blocks"] * sweeps / first
            return run["blocks"] * (1 + math.log2(sweeps / first) / 2)

        return until(end) - until(start)

    # --- in memory -----------------------------------------------------------------------------------------------------
    def sums(self, L: int, count: int, start: int, end: int) -> float:
        """Sums, histograms and lowest energies of a run."""
        blocks, bins = self.blocks(start, end), 8 * self.study.data["run"]["histogram_bins"] * self.model.overlaps
        return count * (self.temperatures(L) * (8 * blocks * self.numbers() + bins) + 16 * self.replicas * blocks)

    def canonical(self, L: int, count: int) -> float:
        """The spins of a batch as the programs read and write them: a bit each in words of 64 realizations, or a double for each component of a vector."""
        words = 3 * count if self.vectors else math.ceil(count / 64)
        return 8.0 * words * self.copies(L) * self.sites(L)

    def backend(self, L: int, count: int, measures: bool) -> float:
        """Ising spins with discrete couplings, as they are swept."""
        word = math.ceil(count / WHOLE) * WHOLE / 8 * self.sites(L)  # bytes of one word of each lane and site
        quads = math.ceil(self.temperatures(L) / 4)
        padded = word * self.replicas * quads * 4
        several = 2 if self.absent else 1
        if self.lanes == "replicas":
            rows = L ** (self.dimension - 1)
            words = 2 * (rows * row_words(L, self.copies(L)) + GUARD) + GUARD
            moves = 0 if self.gpu else self.houdayer(L, math.ceil(count / 16))
            return count * words * (4 + 2 * 2 * self.dimension / UNIT * several) + (padded if measures else 0) + moves
        if self.gpu:
            return max(word * self.dimension, word * self.copies(L) - self.canonical(L, count))
        moves = self.houdayer(L, math.ceil(count / WHOLE) * (self.replicas // 2) * quads)
        return word * self.dimension * several + padded + moves + self.clusters(L, count, measures)

    def clusters(self, L: int, count: int, measures: bool) -> float:
        """Bytes of cluster updates on CPUs: a lattice at work has 6.5 per site and, if they are measured, totals of up to one cluster for two sites.
        With lanes of realizations, each thread also has up to 64 lattices."""
        if not has_clusters(self.study.data) or self.gpu:
            return 0.0
        sites, lattices = self.sites(L), self.copies(L)
        of_site = 6.5 + 64 * 0.5 * (sums_clusters(self.study) and measures)
        if self.lanes == "sites":
            return of_site * sites * (self.threads if count * lattices >= self.threads else 1)
        return (of_site + min(64, count) / 8) * sites * min(math.ceil(count / 64) * lattices, self.threads) + self.absent * self.dimension * count * sites / 8

    def houdayer(self, L: int, tasks: int) -> float:
        """Bytes of Houdayer moves on CPUs: the sites that differ and the clusters, for four temperatures of a column or for 16 realizations in each
        thread."""
        moves = self.study.data["dynamics"].get("houdayer_every", 0) > 0
        return moves * min(tasks, self.threads) * 2 * 64.0 * self.sites(L)

    def spins(self, L: int, count: int, measures: bool) -> float:
        """Bytes at the peak of spins and couplings of a simulation, with its snapshots if it measures."""
        sites, copies, snapshots = self.sites(L), self.copies(L), self.study.data["run"]["snapshots"] * measures
        if self.vectors:
            return 3.0 * count * copies * sites * (self.number + 16 + 8 * snapshots) + 2 * self.number * count * sites
        canonical = self.canonical(L, count)
        if self.gaussian:  # each lattice has its own spins and couplings, and a double for a spin on the way to files
            return count * copies * sites * (self.number * (1 + self.dimension) + 8.0) + 16 * self.bonds(L, count) + canonical * (6 + snapshots if measures else 1)
        if self.lanes == "sites":
            lattices, directions = count * copies, self.dimension * self.model.overlaps
            counted = min(lattices, self.threads) if measures else 1
            pieces = MEGABYTE * (22 + 8 * self.threads)  # of files
            found = sites / 8 * (lattices * (3 + directions + snapshots) + counted) + directions * count * sites + pieces + self.clusters(L, count, measures)
            if self.study.kind == RELAXATION:  # spins now and at waiting times, and where two lattices differ
                found += sites / 8 * (lattices * (1 + len(self.study.data["relax"]["waiting"])) + 2)
            return found
        copied = 1 if self.lanes == "replicas" and not measures else 2
        return self.bonds(L, count) + self.backend(L, count, measures) + (copied + snapshots) * canonical

    def simulation_memory(self, L: int, count: int, sums: float, measures: bool) -> float:
        """Megabytes of a program. Checkpoints are written from a copy of the sums."""
        return PROGRAM + (self.spins(L, count, measures) + 2 * sums) / MEGABYTE

    def disorder_memory(self, L: int, count: int) -> float:
        if self.vectors:
            return PROGRAM + 1.2 * self.sites(L) * count / MEGABYTE
        return PROGRAM + (8.0 if self.gaussian else 0.7) * self.bonds(L, count) / MEGABYTE

    def measure_memory(self, L: int, count: int, end: int) -> float:
        """Measuring reads discrete couplings, too."""
        couplings = 0.0 if self.lattices or self.lanes == "sites" else self.bonds(L, count)
        return PROGRAM + (1.35 * self.sums(L, count, 0, end) + couplings) / MEGABYTE

    def relaxation_sums(self, L: int, count: int, last: int) -> float:
        """Returns the bytes of a relaxation to `last`: 8 for each number at each of its times."""
        relax, replicas = self.study.data["relax"], self.replicas
        waiting = [time for time in relax["waiting"] if time < last] or [0]
        on_grid = sum(1 + relax["per_decade"] * math.log10(max(1.0, (last - time) / relax["first"])) for time in waiting)
        times = last / relax["measure_every"] if relax["measure_every"] else on_grid
        of_pairs = L // 2 + replicas + 3 * replicas * (replicas - 1) // 2 + 2 * replicas * len(waiting)
        return 8.0 * times * (self.numbers() if self.vectors else of_pairs) * self.temperatures(L) * count

    # --- in files ------------------------------------------------------------------------------------------------------
    def disorder_file(self, L: int, count: int) -> float:
        if self.vectors:
            mixed = 0 < self.study.data["model"]["concentration"] < 1
            return EMPTY["disorder"] + BOND["species" if mixed else "one species"] * self.sites(L) * count
        bond = "real" if self.gaussian else "equal" if not self.model.overlaps else "diluted" if self.study.data["model"]["p_absent"] > 0 else "bond"
        return EMPTY["disorder"] + BOND[bond] * self.bonds(L, count)

    def spins_in_file(self, L: int, count: int) -> float:
        """The spins of a state, or of a snapshot: vectors and whole words as they are in memory; words of few lattices are deflated."""
        if self.vectors:
            return 3.0 * self.number * count * self.copies(L) * self.sites(L)
        if self.lanes == "sites" and count <= FEW:
            return (WORD + OF_LATTICE * count) * self.copies(L) * self.sites(L)
        return self.canonical(L, count)

    def state_file(self, L: int, count: int) -> float:
        """Spins and walkers; of vectors also the widths of their moves."""
        return EMPTY["state"] + self.spins_in_file(L, count) + (6.5 if self.vectors else 1.5) * count * self.copies(L)

    def run_file(self, L: int, count: int, start: int, end: int) -> float:
        """Sums are deflated. Powers of an overlap per site have few digits if the number of sites is a power of two, more the larger it is."""
        few_digits = L & (L - 1) == 0
        kept = 0.62 if self.vectors else (min(0.36, 0.04 + 0.027 * math.log2(self.sites(L))) if few_digits else 0.33) + 0.12 * self.gaussian
        return EMPTY["run"] + kept * self.sums(L, count, start, end) + self.study.data["run"]["snapshots"] * self.spins_in_file(L, count)

    def observables_file(self, L: int, count: int, end: int) -> float:
        octaves, mixed = math.log2(max(2, end)), 0 < self.study.data["model"]["concentration"] < 1
        if self.vectors:
            return 90e3 + count * self.temperatures(L) * (725 + 150 * mixed)
        of_pairs = 234 + 20 * octaves + 110 * self.model.magnetisations + 80 * self.gaussian
        return EMPTY["observables"] + count * self.temperatures(L) * (of_pairs if self.model.overlaps else 245 + 5 * octaves)
