"""The report's section on equilibration: verdicts by size, realizations that failed, and what that means for the averages."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from pathlib import Path

import numpy as np
from psflip.critical import jackknife
from psflip.plots import figures
from psflip.report import page
from psflip.report.page import DASH
from psflip.report.report_results import section_figures
from psflip.results.notation import with_error
from psflip.results.paired import OBSERVABLES, Paired
from psflip.results.averages import Size
from psflip.results.reduced import Reduced

MOST_NUMBERS = 2000  # listed per size; all are in reduced.h5

FULL_BASIS = "log2 test, temperature walk and hottest temperature"
WITHOUT_HOTTEST = "temperature walk, not the hottest temperature"

BIAS = {
    "keep": "They are <strong>kept</strong> in all averages. A realization that is not equilibrated may still remember its random start: its "
    "energy then tends to be too high and its {order} too small, and its thermal error is too small. With a fraction f of them, an average shifts by f times "
    "their mean deviation from equilibrium, at most by f times the whole range of the observable.",
    "refuse": "This study refuses averages that hold such a realization (<code>equilibration.unequilibrated: refuse</code>).",
}

PASSING = {"energy": "energy", "specific_heat": "specific heat", "q2": "q²", "binder": "Binder ratio"}
PASSING_FERROMAGNET = {"energy": "energy", "specific_heat": "specific heat", "m2": "m²", "binder_m": "Binder ratio"}

NO_CORRECTION = """<p>The largest difference, over all temperatures, between the average over the realizations that pass and that over all, in units of the
latter's error (σ). It is no correction, as those that pass are no random sample of the disorder, but shows how strongly those that fail
matter.</p>"""


def unequilibrated(size: Size) -> list[int]:
    if "unequilibrated" in size.columns:
        return sorted(int(n) for n in size.columns["unequilibrated"])
    if {"equilibrated", "realization"} <= set(size.columns):
        return sorted(int(n) for n in size.columns["realization"][size.columns["equilibrated"] == 0])
    return []


def facts(data: Reduced) -> list[str]:
    fractions = [size.get("equilibrated_fraction") for size in data.sizes]
    fractions = [f.min() for f in fractions if len(f)]
    if not fractions:
        return []
    if any(np.isnan(fractions)):
        return [page.fact("Equilibrated realizations", "not tested", "one temperature")]
    bases = {size.verdict_basis for size in data.sizes} - {"", FULL_BASIS}
    note = "by the log2 test alone" if any("log2 test alone" in basis for basis in bases) else "without a test" if any("nothing" in basis for basis in bases) else "of the size with the fewest"
    return [page.fact("Equilibrated realizations", f"{100 * min(fractions):.1f} %", note)]


def number(values: np.ndarray, pick, form: str) -> str:
    values = values[np.isfinite(values)]
    return format(pick(values), form) if len(values) else DASH


def hottest_time(size: Size) -> str:
    """How many sweeps the hottest temperature remembers its spins without exchange."""
    if not len(found := size.get("hottest_time")):
        return DASH
    return f"{found[0]:.0f}" if np.isfinite(found[0]) else f"more than {size.get('hottest_sweeps')[-1]:.0f}"


def percentage(fraction: np.ndarray) -> str:
    """Of the realizations that are equilibrated."""
    if not len(fraction):
        return DASH
    return f"{100 * fraction.min():.1f} %" if np.isfinite(fraction.min()) else "not tested"


def verdict_table(data: Reduced) -> str:
    rows = []
    for size in data.sizes:
        fraction = size.get("equilibrated_fraction")
        rows.append(
            [
                str(size.L),
                str(size.n_realizations),
                percentage(fraction),
                str(len(unequilibrated(size))),
                number(size.get("max_deviation"), np.max, ".1f"),
                f"{size.largest_paired_z:.1f}" if np.isfinite(size.largest_paired_z) else DASH,
                number(size.get("tau_walk"), np.median, ".0f"),
                number(size.get("tau_walk"), np.max, ".0f"),
                hottest_time(size),
                number(size.get("swap_rate"), np.min, ".2f"),
                number(size.get("round_trips"), np.mean, ".1f"),
            ]
        )
    head = ["L", "realizations", "equilibrated", "not equilibrated", "largest deviation (σ)", "largest paired difference (σ)", "median τ of the walk", "largest τ"]
    head += ["memory of the hottest T", "least swap rate", "round trips per 10<sup>6</sup> sweeps"]
    note = "<p>Deviation: between the last log2 bins. τ: in sweeps. Memory of the hottest T: the sweeps without exchange after which 10 % of it is left. "
    note += "Round trips: from the lowest temperature to the highest and back, of one walker, mean over the realizations.</p>"
    return page.table(head, rows) + note


def critical_slot(data: Reduced, size: Size) -> int | None:
    """The temperature nearest to the crossing that is quoted; to the T_c of the literature where there is none."""
    crossing = data.first_headline(data.model.crossings)
    T = crossing.T if crossing else data.model.known.T_c[0] if data.model.known else None
    return None if T is None else int(np.abs(size.temperatures - T).argmin())


def paired_table(data: Reduced) -> str:
    """z of the paired differences at the coldest and the critical temperature, bin by bin."""
    rows, bins = [], 0
    for size in data.sizes:
        slots = sorted({0, critical_slot(data, size) or 0})
        for slot in slots:
            for name, symbol in OBSERVABLES.items():
                if found := Paired.of(size, name):
                    rows.append([str(size.L), f"{size.temperatures[slot]:.4g}", symbol, *(f"{z:.1f}" for z in found.z[:, slot])])
                    bins = max(bins, len(found.z))
    if not rows:
        return ""
    head = ["L", "T", "observable", *(f"1/{2 ** (k + 1)} to 1/{2**k}" for k in range(1, bins + 1))]
    rows = [row + [DASH] * (len(head) - len(row)) for row in rows]
    drifting = ", ".join(str(size.L) for size in data.sizes if not size.stationary)
    verdict = f" <strong>The averages of L = {drifting} drift: longer runs are needed.</strong>" if drifting else ""
    text = (
        "<p>The last half of the runs minus earlier parts of them, realization by realization: the disorder drops out, so that a drift far below the "
        "error of an average shows. Mean over the realizations in units of its own error (σ of a normal variable), at the coldest temperature and the one "
        "nearest to the quoted crossing; all temperatures are in <code>equilibration.csv</code>. The first two parts decide, beside the verdicts on realizations, "
        f"whether a study goes on.{verdict}</p>"
    )
    return "<h3>Paired differences</h3>" + text + page.table(head, rows, words=3)


def links_table(data: Reduced) -> str:
    """Energy against the energy that the links tell, of Gaussian couplings, at the coldest and the critical temperature."""
    if not figures.gaussian_glasses(data.model):
        return ""
    rows = []
    for size in data.sizes:
        if not {"energy", "q_link"} <= set(size.samples):
            continue
        links = size.energy_of_links(jackknife.rows_of(size, "q_link"))
        differences = jackknife.rows_of(size, "energy") - links
        for slot in sorted({0, critical_slot(data, size) or 0}):
            difference, error = differences[0, slot], jackknife.error(differences)[slot]
            energy = with_error(size.get("energy")[slot], size.get("energy_err")[slot])
            rows.append([str(size.L), f"{size.temperatures[slot]:.4g}", energy, with_error(links[0, slot], jackknife.error(links)[slot]), with_error(difference, error), f"{difference / error:.1f}" if error > 0 else DASH])
    if not rows:
        return ""
    text = "<p>In equilibrium the energy of Gaussian couplings is −βd(1 − q<sub>link</sub>) in the disorder average; a difference well above zero is one of runs that are too short. Errors by the jackknife over realizations.</p>"
    return "<h3>Energy and links</h3>" + text + page.table(["L", "T", "e", "−βd(1 − q<sub>link</sub>)", "difference", "in errors"], rows, words=2)


def lengths_table(folder: Path) -> str:
    """How many batches were measured up to which sweep, from the names of their files; nothing where none was doubled."""
    ends: dict[int, Counter] = {}
    for batch in folder.glob("L*/batch*"):
        measured = [int(m[1]) for file in batch.glob("observables-*.h5") if (m := re.fullmatch(r"observables-(\d+)\.h5", file.name))]
        if measured and batch.parent.name[1:].isdecimal():
            ends.setdefault(int(batch.parent.name[1:]), Counter())[max(measured)] += 1
    if not any(len(counts) > 1 for counts in ends.values()):
        return ""
    rows = [[str(L), str(end), str(counts[end])] for L, counts in sorted(ends.items()) for end in sorted(counts)]
    text = "<p>Batches with realizations that are not equilibrated, or of averages that drift, were prolonged, each time to twice the sweeps.</p>"
    return "<h3>Length of the runs</h3>" + text + page.table(["L", "measured sweeps", "batches"], rows)


def numbers_of(size: Size) -> str:
    found = unequilibrated(size)
    shown = page.ranges(found[:MOST_NUMBERS])
    more = f" and {len(found) - MOST_NUMBERS} more: see /L{size.L}/unequilibrated in reduced.h5" if len(found) > MOST_NUMBERS else ""
    inside = f'<p class="numbers">{shown}{more}</p>'
    return page.folded(f"L = {size.L}: numbers of the {len(found)} realizations that are not equilibrated", inside)


def largest_change(size: Size, name: str) -> str:
    """(O_passing - O) / O_err where it is largest."""
    change = (size.get(f"{name}_passing", size.temperatures) - size.get(name, size.temperatures)) / size.get(f"{name}_err", size.temperatures)
    change = change[np.isfinite(change)]
    return f"{change[np.abs(change).argmax()]:+.1f}" if len(change) else DASH


def passing_table(sizes: list[Size], passing: dict[str, str]) -> str:
    """Nothing where no size has two realizations that pass."""
    rows = [[str(size.L), *(largest_change(size, name) for name in passing)] for size in sizes]
    if all(cell == DASH for row in rows for cell in row[1:]):
        return ""
    return page.table(["L", *(f"{title} (σ)" for title in passing.values())], rows) + NO_CORRECTION


def unequilibrated_html(data: Reduced) -> str:
    failed = [size for size in data.sizes if unequilibrated(size)]
    if not failed:
        return "<p>All realizations passed the test of equilibration.</p>"
    settings = data.config.get("equilibration", {})
    policy = settings.get("unequilibrated", "keep")
    worst = max(len(unequilibrated(size)) / max(1, size.n_realizations) for size in failed)
    total = sum(len(unequilibrated(size)) for size in failed)
    order, passing = ("overlaps", PASSING) if data.model.overlaps else ("magnetisation", PASSING_FERROMAGNET)
    bias = BIAS.get(policy, "").format(order=order)
    head = f"<p>{total} realizations are not equilibrated, at most {100 * worst:.2g} % of a size. {bias}</p>"
    return "\n".join(["<h3>Not equilibrated</h3>", head, passing_table(failed, passing), *(numbers_of(size) for size in failed)])


def criteria(data: Reduced) -> str:
    settings = data.config.get("equilibration", {})
    if settings.get("test") == "none":
        return "<p>The study trusts every realization (<code>equilibration.test: none</code>).</p>"
    text = f"no deviation between its last log2 bins exceeds {settings.get('threshold_sigma', DASH)} σ at any temperature"
    if times := settings.get("min_walk_times"):
        text += f", and its run is at least {times} times as long as the autocorrelation time τ of its walk in temperature"
        text += " and as the memory that its hottest temperature has of its spins without exchange"
    bases = sorted({size.verdict_basis for size in data.sizes if size.verdict_basis})
    rests = f" The verdict rests on: {escape('; '.join(bases))}." if bases else ""
    rests += " It does not notice a ladder that never gets hot." if any(WITHOUT_HOTTEST in basis for basis in bases) else ""
    return f"<p>A realization counts as equilibrated if {text}. One in which nothing ever moved does not.{rests}</p>"


def section(data: Reduced, plots: Path, folder: Path) -> str:
    parts = [section_figures(data, "Equilibration", plots), criteria(data), verdict_table(data), paired_table(data), links_table(data), unequilibrated_html(data), lengths_table(folder)]
    return "\n".join(part for part in parts if part)
