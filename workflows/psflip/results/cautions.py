"""Makes the warnings of a study, one of each kind for all sizes together, with a remedy. Marks numbers that come from sizes whose equilibrium is in doubt."""

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
MARK = "†"  # behind a number that comes from a size whose equilibrium is in doubt
MAX_DOUBLINGS = 6  # that a remedy asks for at once


def min_equilibrated(size: Size) -> float:
    """Returns the fraction of equilibrated realizations at the worst temperature: NaN if it was not tested, 1 if the file does not have it."""
    fraction = size.get("equilibrated_fraction")
    return float(fraction.min()) if len(fraction) else 1.0


def faults(size: Size) -> list[str]:
    """Returns why the averages of a size may be wrong, in a few words each. It is empty if there is no such reason."""
    least = min_equilibrated(size)
    if math.isnan(least) or "nothing" in size.verdict_basis:
        found = ["equilibrium not tested"]
    else:
        found = [f"{int(100 * least)}% equilibrated"] if least < ENOUGH else []
    return found + ["averages drift"] * (not size.stationary)


def doubtful(data: Reduced) -> dict[int, str]:
    """Maps each size whose equilibrium is in doubt to the reason why its averages may be wrong."""
    return {size.L: ", ".join(why) for size in data.sizes if (why := faults(size))}


def mark(data: Reduced, sizes: Iterable[int]) -> str:
    """Returns the mark behind a number that comes from these sizes. It is empty if all of them are in equilibrium."""
    return MARK if set(sizes) & set(doubtful(data)) else ""


def remark(data: Reduced) -> str:
    """Returns the meaning of the mark, as a sentence without its full stop. It is empty if no number has a mark."""
    found = doubtful(data)
    return f"{MARK} marks numbers from sizes whose equilibrium is in doubt: {', '.join(f'L = {L} ({why})' for L, why in found.items())}" if found else ""


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
        """Returns the warning as a line for a terminal."""
        return f"warning (L = {', '.join(map(str, self.sizes))}): {self.text}" + (f". Remedy: {self.remedy}" if self.remedy else "")


def per_size(value, L: int):
    """Returns `value`, or its entry for L if the configuration has one value per size."""
    return value.get(L, value.get(str(L), value.get("default"))) if isinstance(value, dict) else value


def has_few_equilibrated(size: Size) -> bool:
    return min_equilibrated(size) < ENOUGH and "nothing" not in size.verdict_basis


def is_short(size: Size) -> bool:
    """Returns whether longer runs would help: too few realizations are equilibrated, or the averages drift."""
    return not size.stationary or has_few_equilibrated(size)


def longer(data: Reduced, sizes: list[Size]) -> str:
    """Returns keys with the sweeps that all sizes with short runs need by their walks in temperature. They are at least twice the measured sweeps."""
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
# Names of libcore/statistics/analysis_warning.hpp -> a text for all sizes together (empty: the sentence of reduce-disorder on the largest size) and a remedy.
KINDS: dict[str, tuple[str, Remedy]] = {
    "drift": ("the averages drift: the last half of the runs differs from earlier parts, so the runs are too short", longer),
    "untested": ("", LADDER),
    "log2_alone": ("", "equilibration.min_walk_times: 20"),
    "test_none": ("", "equilibration.test: log2"),
    "mixed_walkers": ("", "dynamics.houdayer_every: 0"),
    "one_realization": ("", "disorder.realizations: 100"),
    "metropolis": (
        "spins at the hottest temperature do not decorrelate without exchange, because Metropolis updates flip nearly every spin in every sweep there", "dynamics.update: heat-bath",
    ),
    "one_temperature": ("runs at the only temperature still depend on their start, so the averages are not equilibrium averages", LADDER),
    "hottest": ("spins at the hottest temperature do not decorrelate without exchange, so exchange only permutes configurations that never leave their valleys", hotter),
    "never_moved": ("some realizations are frozen: no energy changed, and no exchange was accepted", ""),
    "withheld_errors": ("some averages have no error at some temperatures, because there are too few share groups", more_realizations),
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
