"""Which coding of a word's lanes (multispin.lanes) takes less time for a study. A model of a sweep of a batch: a time that passes however little there
is to do, and one for each lane, whether it holds a spin or not. Constants of the CPU are from timings of bench-flip;
those of a GPU with share 1 were fitted to `bench-flip --sweep-lanes` on one H200, within a factor 1.4 of all its timings, those with other shares are
estimates by hand."""

from __future__ import annotations

import math
from dataclasses import dataclass

from psflip.campaign.campaign import WHOLE, Campaign
from psflip.campaign.study import by_lattices

WORD = 32  # lanes of a word of replicas


@dataclass(frozen=True)
class Sweep:
    """Seconds of a sweep whatever it does, and picoseconds of a lane; of one H200 or one core with AVX-512."""

    start: float
    lane: float

    def seconds(self, lanes: float, threads: int = 1) -> float:
        return self.start + self.lane * 1e-12 * lanes / threads


START = 5.25e-6  # seconds of a sweep on an H200
GPU = {"replicas": Sweep(4.75e-6, 0.55), 128: Sweep(START, 0.08), 64: Sweep(START, 0.09), 32: Sweep(START, 0.11), 1: Sweep(START, 0.37)}
CPU = {"replicas": Sweep(0.0, 60.0), 128: Sweep(0.0, 11.0), 64: Sweep(0.0, 12.0), 32: Sweep(0.0, 14.6), 1: Sweep(0.0, 57.0)}


def seconds_by_coding(sites: int, copies: int, realizations: int, share: int, gpu: bool, threads: int = 1) -> dict[str, float]:
    """Of a sweep of a batch. `copies`: replicas times temperatures."""
    costs = GPU if gpu else CPU
    of_realizations = math.ceil(realizations / WHOLE) * WHOLE * copies * sites
    of_replicas = math.ceil(copies / WORD) * WORD * realizations * sites
    return {
        "realizations": costs[share].seconds(of_realizations, threads),
        "replicas": costs["replicas"].seconds(of_replicas, threads),
    }


def codings(campaign: Campaign, gpu: bool, threads: int = 1) -> dict[str, dict]:
    """Of the largest batch of each size: the seconds of a sweep by coding, lanes of realizations with the study's share, and the cheaper one. Nothing
    where there is no choice: vectors and real couplings have no lanes, and the model knows none of sites."""
    study, found = campaign.study, {}
    if by_lattices(study.data) or study.data["multispin"]["lanes"] == "sites":
        return found
    for L in study.sizes:
        count = max(batch.count for batch in campaign.batches(L))
        copies = study.data["replicas"] * len(study.temperatures(L))
        seconds = seconds_by_coding(study.sites(L), copies, count, study.data["multispin"]["share"], gpu, threads)
        found[str(L)] = {"realizations_of_batch": count, "seconds_per_sweep": seconds, "cheaper": min(seconds, key=seconds.get)}
    return found


def as_text(found: dict[str, dict], share: int, lanes: str) -> list[str]:
    if not found:
        return []
    lines = [f"{'L':>4}{'realizations':>14}{f'lanes: realizations, share {share}':>33}{'lanes: replicas':>18}  seconds per sweep of a batch, by a model"]
    for L, row in found.items():
        seconds, cheaper = row["seconds_per_sweep"], row["cheaper"]
        ratio = seconds[lanes] / seconds[cheaper]
        advice = f"  {cheaper}: {ratio:.2g} times faster than the study's" if ratio > 1.1 else ""
        lines.append(f"{L:>4}{row['realizations_of_batch']:>14}{seconds['realizations']:>33.3g}{seconds['replicas']:>18.3g}{advice}")
    return lines
