"""Makes the section on equilibration: verdicts by size, realizations that failed, and their effect on the averages."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from pathlib import Path

import numpy as np
from psflip.critical import jackknife
from psflip.report import page
from psflip.report.page import DASH
from psflip.report.report_results import section_figures
from psflip.results.notation import with_error
from psflip.results.paired import OBSERVABLES, Paired
from psflip.results.averages import Size
from psflip.results.reduced import Reduced

MAX_NUMBERS = 2000  # numbers listed per size; reduced.h5 has all

FULL_BASIS = "log2 test, temperature walk and hottest temperature"
WITHOUT_HOTTEST = "temperature walk, not the hottest temperature"

LONG_RUNS = {  # words in the verdict's basis -> the time with which this test compares the length of a run
    "temperature walk": "autocorrelation time τ of its walk in temperature",
    "and hottest temperature": "relaxation time of its hottest temperature without exchange",
    "memory of the start": "relaxation time of its only temperature",
}

BIAS = {
    "keep": "These realizations are <strong>kept</strong> in all averages. A realization that is not equilibrated may still remember its random start. Its energy then "
    "tends to be too high, and its {order} and its thermal error tend to be too small. If a fraction f of the realizations is not equilibrated, an average shifts by f "
    "times their mean deviation from equilibrium. The shift is at most f times the whole range of the observable.",
    "refuse": "This study refuses averages that contain such a realization (<code>equilibration.unequilibrated: refuse</code>).",
}
PASSING = {"energy": "energy", "specific_heat": "specific heat", "q2": "q²", "binder": "Binder ratio"}
PASSING_FERROMAGNET = {"energy": "energy", "specific_heat": "specific heat", "m2": "m²", "binder_m": "Binder ratio"}
NO_CORRECTION = """<p>The table compares the average over the realizations that pass with the average over all realizations. A cell has the largest difference of any temperature, in units of the
error σ of the average over all realizations. Do not use the difference as a correction, because the realizations that pass are not a random sample of the disorder. The difference only
shows how strongly the realizations that fail matter.</p>"""
VERDICTS = """<p>A deviation is the difference between two averages of one realization, in units of the error. One average is over the last half of the run. The second average is over an earlier
part of the run, 1/4 to 1/2 or 1/8 to 1/4. τ is the autocorrelation time of the walk in temperature, in sweeps. The relaxation time is measured at the hottest temperature, without exchanges.
After this time the spins have lost 90 % of their memory of the start. A round trip leads from the lowest temperature to the highest and back. The number of round trips is for one walker,
averaged over the realizations.</p>"""
PAIRED = """<h3>Paired differences</h3><p>The table compares the last half of the runs with earlier parts, realization by realization. For example, the part 1/4 to 1/2 is the second quarter of
the run. The disorder drops out, so the table shows even a drift far below the error of an average. A cell has the mean difference divided by its error, converted to standard
deviations of a normal distribution. Rows are the coldest temperature and the temperature nearest to the quoted crossing. All temperatures are in <code>equilibration.csv</code>. Two things
decide whether the study continues: the verdicts on realizations, and the largest paired difference. The largest paired difference is over all observables, all temperatures, and the
parts 1/4 to 1/2 and 1/8 to 1/4.{verdict}</p>"""
LINKS = """<h3>Energy and links</h3><p>With Gaussian couplings, the disorder average of the energy per spin e is −βd(1 − q<sub>link</sub>) in equilibrium. A difference well above zero means
that runs are too short. Errors come from the jackknife over realizations.</p>"""
LENGTHS = """<h3>Length of the runs</h3><p>A batch with realizations that are not equilibrated continued to twice its sweeps. If the averages of a size drifted, all batches of this size continued.</p>"""


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
    note = "by the log2 test alone" if any("log2 test alone" in basis for basis in bases) else "without a test" if any("nothing" in basis for basis in bases) else "lowest fraction of any size"
    return [page.fact("Equilibrated realizations", f"{100 * min(fractions):.1f} %", note)]


def number(values: np.ndarray, pick, form: str) -> str:
    values = values[np.isfinite(values)]
    return format(pick(values), form) if len(values) else DASH


def hottest_time(size: Size) -> str:
    """Returns the relaxation time of the hottest temperature without exchange, in sweeps."""
    if not len(found := size.get("hottest_time")):
        return DASH
    return f"{found[0]:.0f}" if np.isfinite(found[0]) else f"more than {size.get('hottest_sweeps')[-1]:.0f}"


def percentage(fraction: np.ndarray) -> str:
    """Returns the percentage of realizations that are equilibrated, at the temperature with the fewest."""
    if not len(fraction):
        return DASH
    return f"{100 * fraction.min():.1f} %" if np.isfinite(fraction.min()) else "not tested"


VERDICT_COLUMNS = {  # title -> cell of a size
    "L": lambda size: str(size.L),
    "realizations": lambda size: str(size.n_realizations),
    "equilibrated": lambda size: percentage(size.get("equilibrated_fraction")),
    "not equilibrated": lambda size: str(len(unequilibrated(size))),
    "largest deviation (σ)": lambda size: number(size.get("max_deviation"), np.max, ".1f"),
    "largest paired difference (σ)": lambda size: number(np.array([size.largest_paired_z]), np.max, ".1f"),
    "median τ (sweeps)": lambda size: number(size.get("tau_walk"), np.median, ".0f"),
    "largest τ (sweeps)": lambda size: number(size.get("tau_walk"), np.max, ".0f"),
    "relaxation time of the hottest T (sweeps)": lambda size: hottest_time(size),
    "lowest acceptance of exchanges": lambda size: number(size.get("swap_rate"), np.min, ".2f"),
    "round trips per 10<sup>6</sup> sweeps": lambda size: number(size.get("round_trips"), np.mean, ".1f"),
}


def shown_slots(data: Reduced, size: Size) -> list[int]:
    """Returns the slots of the coldest temperature and of the temperature nearest to the quoted crossing. Without a crossing, the published T_c replaces it."""
    crossing, known = data.first_headline(data.model.crossings), data.model.known
    T = crossing.T if crossing else known.T_c[0] if known else size.temperatures[0]
    return sorted({0, int(np.abs(size.temperatures - T).argmin())})


def paired_table(data: Reduced) -> str:
    """Returns z of the paired differences, bin by bin."""
    rows, bins = [], 0
    for size in data.sizes:
        found = [(symbol, paired) for name, symbol in OBSERVABLES.items() if (paired := Paired.of(size, name))]
        rows += [[str(size.L), f"{size.temperatures[slot]:.4g}", symbol, *(f"{z:.1f}" for z in paired.z[:, slot])] for slot in shown_slots(data, size) for symbol, paired in found]
        bins = max([bins, *(len(paired.z) for _, paired in found)])
    head = ["L", "T", "observable", *(f"1/{2 ** (k + 1)} to 1/{2**k}" for k in range(1, bins + 1))]
    drifting = ", ".join(str(size.L) for size in data.sizes if not size.stationary)
    verdict = f" <strong>The averages of L = {drifting} drift, so longer runs are needed.</strong>" if drifting else ""
    return PAIRED.format(verdict=verdict) + page.table(head, [row + [DASH] * (len(head) - len(row)) for row in rows], words=3) if rows else ""


def links_table(data: Reduced) -> str:
    """Compares the energy with the energy that follows from the link overlap if couplings are Gaussian."""
    rows = []
    for size in data.sizes if data.model.gaussian and not data.model.field else []:
        if {"energy", "q_link"} <= set(size.samples):
            links = size.energy_of_links(jackknife.rows_of(size, "q_link"))
            differences = jackknife.rows_of(size, "energy") - links
            error, of_links = jackknife.error(differences), jackknife.error(links)
            for i in shown_slots(data, size):
                energy, in_errors = with_error(size.get("energy")[i], size.get("energy_err")[i]), f"{differences[0, i] / error[i]:.1f}" if error[i] > 0 else DASH
                rows.append([str(size.L), f"{size.temperatures[i]:.4g}", energy, with_error(links[0, i], of_links[i]), with_error(differences[0, i], error[i]), in_errors])
    return LINKS + page.table(["L", "T", "e", "−βd(1 − q<sub>link</sub>)", "difference", "difference / error"], rows, words=2) if rows else ""


def lengths_table(folder: Path) -> str:
    """Counts the batches by their measured sweeps, from the names of their files. Empty if no batch was doubled."""
    ends: dict[int, Counter] = {}
    for batch in folder.glob("L*/batch*"):
        measured = [int(m[1]) for file in batch.glob("observables-*.h5") if (m := re.fullmatch(r"observables-(\d+)\.h5", file.name))]
        if measured and batch.parent.name[1:].isdecimal():
            ends.setdefault(int(batch.parent.name[1:]), Counter())[max(measured)] += 1
    rows = [[str(L), str(end), str(counts[end])] for L, counts in sorted(ends.items()) for end in sorted(counts)]
    return LENGTHS + page.table(["L", "measured sweeps", "batches"], rows) if any(len(counts) > 1 for counts in ends.values()) else ""


def numbers_of(size: Size) -> str:
    found = unequilibrated(size)
    shown = page.ranges(found[:MAX_NUMBERS])
    more = f" and {len(found) - MAX_NUMBERS} more: see /L{size.L}/unequilibrated in reduced.h5" if len(found) > MAX_NUMBERS else ""
    inside = f'<p class="numbers">{shown}{more}</p>'
    return page.folded(f"L = {size.L}: numbers of the {len(found)} realizations that are not equilibrated", inside)


def max_change(size: Size, name: str) -> str:
    """Returns the value of (O_passing - O) / O_err that is largest in magnitude, over temperatures."""
    change = (size.get(f"{name}_passing", size.temperatures) - size.get(name, size.temperatures)) / size.get(f"{name}_err", size.temperatures)
    change = change[np.isfinite(change)]
    return f"{change[np.abs(change).argmax()]:+.1f}" if len(change) else DASH


def passing_table(sizes: list[Size], passing: dict[str, str]) -> str:
    """Returns a table, empty if no size has two realizations that pass."""
    rows = [[str(size.L), *(max_change(size, name) for name in passing)] for size in sizes]
    has_some = any(cell != DASH for row in rows for cell in row[1:])
    return page.table(["L", *(f"{title} (σ)" for title in passing.values())], rows, 1, NO_CORRECTION) if has_some else ""


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
    head = f"<p>{total} realization{'s are' if total > 1 else ' is'} not equilibrated. In the worst size, {100 * worst:.2g} % of the realizations are not equilibrated. {bias}</p>"
    return "\n".join(["<h3>Not equilibrated</h3>", head, passing_table(failed, passing), *(numbers_of(size) for size in failed)])


def criteria(data: Reduced) -> str:
    settings = data.config.get("equilibration", {})
    if settings.get("test") == "none":
        return "<p>The study does not test equilibrium: every realization counts as equilibrated (<code>equilibration.test: none</code>).</p>"
    bases = sorted({size.verdict_basis for size in data.sizes if size.verdict_basis})
    conditions = [f"No deviation between the last half of its run and the parts 1/4 to 1/2 and 1/8 to 1/4 exceeds {settings.get('threshold_sigma', DASH)} σ at any temperature."]
    if times := settings.get("min_walk_times"):
        long_enough = f"Its run is at least {times} times as long as the"
        conditions += [f"{long_enough} {time}." for part, time in LONG_RUNS.items() if not bases or any(part in basis for basis in bases)]
    conditions.append("It is not frozen: at least one of its energies changed, or at least one exchange was accepted.")
    rests = f" The verdict rests on: {escape('; '.join(bases))}." if bases else ""
    rests += " This verdict does not show whether the highest temperature is high enough." if any(WITHOUT_HOTTEST in basis for basis in bases) else ""
    return f"<p>A realization counts as equilibrated if all these conditions hold:</p>{page.notes(conditions)}" + (f"<p>{rests.strip()}</p>" if rests else "")


def section(data: Reduced, plots: Path, folder: Path) -> str:
    verdicts = page.table(list(VERDICT_COLUMNS), [[cell(size) for cell in VERDICT_COLUMNS.values()] for size in data.sizes], 1, VERDICTS)
    tables = paired_table(data), links_table(data), unequilibrated_html(data), lengths_table(folder)
    return page.joined(section_figures(data, "Equilibration", plots), criteria(data), verdicts, *tables)
