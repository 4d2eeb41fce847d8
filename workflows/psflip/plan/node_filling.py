"""One batch on each GPU, or the lattices of one batch cut into slabs over several: which fills the GPUs better."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

# A slab of P planes takes as long as P + BOUNDARY planes and, for each sweep, LATENCY seconds: fitted to two H200 joined by NVLink at L = 64 to 512, of
# whose timings all are within 13% (docs/notes/slabs.md). For more GPUs a prediction.
BOUNDARY = 9.0
LATENCY = 2e-6


@dataclass(frozen=True)
class Placement:
    """Where jobs run. `gpus`: of this machine, or of a node of the cluster; `slabs`: wanted per lattice, at most, or auto; `longest`: seconds
    that a job may ask a cluster for, None on this machine."""

    gpus: int = 1
    slabs: int | str = "auto"
    longest: float | None = None


def most_slabs(L: int, dimension: int, wanted: int) -> int:
    """A slab has two planes at least; lattices of two dimensions are not cut."""
    return max(1, min(wanted, L // 2)) if dimension == 3 else 1


def sweep_seconds(whole: float, L: int, slabs: int) -> float:
    """Of a sweep that takes `whole` seconds on one GPU."""
    return whole if slabs == 1 else whole * (1 / slabs + BOUNDARY / L) + LATENCY


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
