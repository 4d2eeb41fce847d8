"""Which coding of a word's lanes (multispin.lanes) takes less time for a study, by the model of a sweep in plan/rates.py."""

from __future__ import annotations

import math

from psflip.campaign.campaign import WHOLE, Campaign
from psflip.campaign.study import by_lattices
from psflip.plan.rates import CORE, GPU, Sweep

WORD = 32  # lanes of a word of replicas
CPU = {coding: Sweep(0.0, ps) for coding, ps in CORE.items()}


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
        count = min(max(batch.count for batch in campaign.batches(L)), campaign.realizations)  # without those that only fill up words
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
        advice = f"  {cheaper}: sweeps {ratio:.2g} times faster than the study's" if ratio > 1.1 else ""
        lines.append(f"{L:>4}{row['realizations_of_batch']:>14}{seconds['realizations']:>33.3g}{seconds['replicas']:>18.3g}{advice}")
    return lines
