"""Advice on a study file before anything is paid: temperatures without physics, sizes without partners, a slow coding of lanes. No advice changes a study."""

from __future__ import annotations

from psflip.campaign.campaign import WHOLE, Campaign
from psflip.campaign.study import EQUILIBRIUM, MIN_GROUPS, Study
from psflip.results.literature import model_of
from psflip.results.temperature_scale import without_physics

SLOWER = 1.5  # times the fastest coding, from where on that is worth a sentence
RATIOS = ((1, 2), (2, 3), (3, 2), (2, 1))  # of the sizes of a pair
MIN_L = 4  # smallest lattice


def of_temperatures(study: Study) -> list[str]:
    text = without_physics(study.data, [T for L in study.sizes for T in study.temperatures(L)], study.kind)
    return [text] if text else []


def partners(L: int) -> list[int]:
    """Returns the sizes that make a pair with L."""
    return [L * a // b for a, b in RATIOS if L * a % (2 * b) == 0 and L * a // b >= MIN_L]


def of_sizes(study: Study) -> list[str]:
    """Pairs with the ratios 2 and 3/2 make T_c and exponents."""
    if not model_of(study.data).crossings or study.kind != EQUILIBRIUM:
        return []
    sizes = study.sizes
    if len(sizes) == 1:
        choice = " or ".join(map(str, partners(sizes[0])))
        return [f"lattice.L: one size has no crossing, because a crossing needs the curves of two; with L = {sizes[0]}, the sizes {choice} make a pair"]
    alone = [L for L in sizes if not set(partners(L)) & set(sizes)]
    return [
        f"lattice.L: L = {L} makes no pair of ratio 2 or 3/2 with another size, so that it does not enter T_c and exponents; {' or '.join(map(str, partners(L)))} would make one"
        for L in alone
    ]


def of_groups(study: Study) -> list[str]:
    """Errors of a relaxation of Ising spins come from groups of realizations that share random numbers."""
    realizations, share = study.data["disorder"]["realizations"], study.data["multispin"]["share"]
    groups = realizations // share
    if study.kind == EQUILIBRIUM or study.data["model"]["kind"] == "heisenberg" or groups >= MIN_GROUPS:
        return []
    what = "errors need 2, without which there is no report" if groups < 2 else f"exponents need {MIN_GROUPS}"
    number = (2 if groups < 2 else MIN_GROUPS) * share
    return [f"disorder.realizations: {realizations} make {groups} group{'s' if groups != 1 else ''} with multispin.share: {share}, and {what}; raise it to {number} or more, or lower multispin.share before the first run"]


def of_codings(campaign: Campaign, plan: dict) -> list[str]:
    """The time of a flip with the study's coding comes from the plan. The time with another coding follows by the ratio of the model."""
    found, lanes = [], plan["multispin"]["lanes"]
    for L, row in plan["codings"].items():
        seconds, cheaper, count = row["seconds_per_sweep"], row["cheaper"], row["realizations_of_batch"]
        ratio = seconds[lanes] / seconds[cheaper]
        if ratio < SLOWER:
            continue
        size = plan["sizes"]["least"][L]
        ps = size["ps_per_flip"] * max(1.0, size["realizations"] / campaign.realizations)
        idle = -count % WHOLE if lanes == "realizations" else 0
        why = f", because {idle} of {WHOLE} lanes are idle with {count} realization{'s' if count > 1 else ''} in a batch" if idle else ""
        there = "finished files keep their coding, so that it needs another folder (--out)" if campaign.on_disk(int(L)) else "write it before the first run"
        found.append(
            f"multispin.lanes: L = {L} takes {ps:.3g} ps per flip with {lanes}{why}, and about {ps / ratio:.3g} with {cheaper} (sweeps {ratio:.2g} times faster, exchanges and measurements less); "
            f"the codings use different random numbers, so that psflip does not choose; {there}: multispin: {{lanes: {cheaper}}}"
        )
    return found


def of(campaign: Campaign, plan: dict) -> list[str]:
    """Returns all advice, a sentence each."""
    study = campaign.study
    return [*of_temperatures(study), *of_sizes(study), *of_groups(study), *of_codings(campaign, plan)]
