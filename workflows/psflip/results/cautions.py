"""Warnings of a study, one of each kind for all sizes together with a remedy, and marks of numbers that rest on sizes without equilibrium."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from psflip.results.averages import Size
from psflip.results.reduced import Reduced
from psflip.results.temperature_scale import without_physics

ENOUGH = 0.95  # of the realizations
MARK = "†"  # behind a number that rests on a size without equilibrium
MAX_DOUBLINGS = 6  # that a remedy asks for at once


def min_equilibrated(size: Size) -> float:
    """Fraction of the realizations, at the worst temperature; NaN if it was not tested, 1 if the file does not say."""
    fraction = size.get("equilibrated_fraction")
    return float(fraction.min()) if len(fraction) else 1.0


def faults(size: Size) -> list[str]:
    """Returns why the averages of a size may be wrong, in a few words each; empty if nothing speaks against them."""
    least = min_equilibrated(size)
    if math.isnan(least) or "nothing" in size.verdict_basis:
        found = ["equilibrium not tested"]
    else:
        found = [f"{int(100 * least)}% equilibrated"] if least < ENOUGH else []
    return found + ["averages drift"] * (not size.stationary)


def doubtful(data: Reduced) -> dict[int, str]:
    """Size -> why its averages may be wrong, for the sizes without equilibrium."""
    return {size.L: ", ".join(why) for size in data.sizes if (why := faults(size))}


def mark(data: Reduced, sizes: Iterable[int]) -> str:
    """Returns the mark behind a number that rests on these sizes; empty if all of them are in equilibrium."""
    return MARK if set(sizes) & set(doubtful(data)) else ""


def remark(data: Reduced) -> str:
    """Returns what the mark means, as a sentence without its full stop; empty if no number has a mark."""
    found = doubtful(data)
    return f"{MARK} Not shown to be in equilibrium: {', '.join(f'L = {L} ({why})' for L, why in found.items())}" if found else ""


def sizes_behind(critical: dict, name: str) -> set[int]:
    """Returns the sizes in the quoted fit of a result of critical.json."""
    number = {"nu": "inverse_nu", "eta": "two_minus_eta"}.get(name, name)
    smallest = [fit["L_min"] for fit in critical["fits"] if fit["number"] == number and fit["weight"]]
    pairs = [q for q in critical["quotients"] if q["L1"] >= min(smallest, default=0)]
    return {q[key] for q in pairs for key in ("L1", "L2")}


# --- warnings ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Caution:
    sizes: tuple[int, ...]
    text: str  # a sentence without its full stop
    remedy: str = ""  # keys of the study file with values; empty if no key helps

    def sentence(self) -> str:
        """For a terminal."""
        return f"warning (L = {', '.join(map(str, self.sizes))}): {self.text}" + (f". Remedy: {self.remedy}" if self.remedy else "")


def per_size(value, L: int):
    """`value`, or its entry for L if the configuration gives one per size."""
    return value.get(L, value.get(str(L), value.get("default"))) if isinstance(value, dict) else value


def has_few_equilibrated(size: Size) -> bool:
    return min_equilibrated(size) < ENOUGH and "nothing" not in size.verdict_basis


def is_short(size: Size) -> bool:
    """Whether longer runs would help: too few realizations are equilibrated, or the averages drift."""
    return not size.stationary or has_few_equilibrated(size)


def longer(data: Reduced, sizes: list[Size]) -> str:
    """Returns the sweeps that all sizes with short runs need for their test, by the walks in temperature; at least twice as many as were measured."""
    config, asking = data.config, {size.L for size in sizes}
    sizes = [size for size in data.sizes if size.L in asking or is_short(size)]
    asked, walks = config.get("run", {}).get("sweeps"), config.get("equilibration", {}).get("min_walk_times") or 0
    targets, doublings = {}, 0
    for size in sizes:
        edges, tau = size.get("log2_edges"), size.get("tau_walk")
        base = per_size(asked, size.L) or (edges[-1] if len(edges) else 0)
        if not base:
            continue
        measured, tau = edges[-1] if len(edges) else base, tau[np.isfinite(tau)]
        needed = max(2 * measured, walks * np.quantile(tau, ENOUGH) if len(tau) else 4 * measured)
        more = math.ceil(math.log2(min(needed, 2**MAX_DOUBLINGS * measured) / base))
        targets[size.L], doublings = int(base) * 2**more, max(doublings, more)
    if not targets:
        return ""
    rest = "" if isinstance(asked, dict) or not asked or len(targets) == len(data.sizes) else f", default: {asked:.0f}"
    return f"run.sweeps: {{{', '.join(f'{L}: {sweeps}' for L, sweeps in targets.items())}{rest}}}, or equilibration.max_doublings: {doublings}"


def hotter(data: Reduced, sizes: list[Size]) -> str:
    return f"temperatures.max: {1.25 * max(size.temperatures[-1] for size in sizes):.3g}"


def more_realizations(data: Reduced, sizes: list[Size]) -> str:
    share = data.config.get("multispin", {}).get("share", 128)
    return f"disorder.realizations: {10 * share}, or multispin.share: 1"


LADDER = "temperatures: {min: ..., max: ..., count: 8}"
Remedy = str | Callable[[Reduced, list[Size]], str]
# Names of libcore/statistics/analysis_warning.hpp -> a text for all sizes together (empty: what reduce-disorder says of the largest size) and a remedy.
KINDS: dict[str, tuple[str, Remedy]] = {
    "drift": ("the averages drift: the last half of the runs differs from the part before it, so the runs are too short", longer),
    "untested": ("", LADDER),
    "log2_alone": ("", "equilibration.min_walk_times: 20"),
    "test_none": ("", "equilibration.test: log2"),
    "one_realization": ("", "disorder.realizations: 100"),
    "metropolis": (
        "the hottest temperature does not decorrelate by itself, because Metropolis updates flip nearly every spin in every sweep there", "dynamics.update: heat-bath",
    ),
    "one_temperature": ("runs at the only temperature do not reach what another start gives, so the averages are not equilibrium averages", LADDER),
    "hottest": ("the hottest temperature does not decorrelate by itself, so exchange only moves configurations that stay in their valleys", hotter),
    "never_moved": ("in some realizations nothing ever moved: no energy changed and no exchange was accepted", ""),
    "withheld_errors": ("some averages have no error at some temperatures: too few groups of realizations have their own random numbers", more_realizations),
    "shared_noise": ("", "multispin.share: 1"),
}  # fmt: skip
NUMBER = re.compile(r"\d+(\.\d+)?")


def caution(data: Reduced, sizes: list[Size], text: str, remedy: Remedy = "") -> Caution:
    return Caution(tuple(size.L for size in sizes), text, remedy if isinstance(remedy, str) else remedy(data, sizes))


def cautions(data: Reduced) -> list[Caution]:
    """Returns all warnings of a study, one of each kind."""
    said = []
    if text := without_physics(data.config, [T for size in data.sizes for T in size.temperatures]):
        said.append(caution(data, data.sizes, text))
    if few := [size for size in data.sizes if has_few_equilibrated(size)]:
        shares = ", ".join(f"{int(100 * min_equilibrated(size))}% of L = {size.L}" for size in few)
        said.append(caution(data, few, f"too few realizations are equilibrated: {shares}", longer))
    groups: dict[str, list[tuple[Size, str]]] = {}
    for size in data.sizes:
        for name, text in size.warnings:
            groups.setdefault(name if name in KINDS else NUMBER.sub("#", text), []).append((size, text))  # texts of an unknown kind that differ in numbers only
    for key, found in groups.items():
        text, remedy = KINDS.get(key, ("", ""))
        said.append(caution(data, [size for size, _ in found], text or found[-1][1], remedy))
    return said
