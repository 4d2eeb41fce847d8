"""Makes the summary at the top of the report, the section on crossings, and the sections with figures alone."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from psflip.critical.crossings import Crossing
from psflip.plots import figures
from psflip.report import page
from psflip.report.page import DASH
from psflip.results.cautions import mark, per_size, remark
from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

UNITS = """<p>Temperatures are in units of J/k<sub>B</sub>. The number in brackets is the standard error in units of the last digit. Errors come from a jackknife over the realizations.</p>"""


def literature(data: Reduced) -> str:
    """Returns the published T_c of this model, and a warning if its crossings do not show the transition of a spin glass."""
    model = data.model
    parts = [f"<p><strong>{escape(model.warning)}</strong></p>"] if model.warning else []
    if model.known:
        text = f"The published value for the infinite system is T<sub>c</sub> = {model.known.T_c_text} ({model.known.source}). {model.known.note}"
        parts.append(f"<p>{text}</p>")
    return "\n".join(parts)


def lead(data: Reduced) -> str:
    """Returns a paragraph that names the model, the sizes and the number of realizations."""
    sizes = ", ".join(str(size.L) for size in data.sizes)
    asked = data.config.get("disorder", {}).get("realizations")
    counts = sorted({size.n_realizations for size in data.sizes})
    number = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    of = f" (of {asked} that the study asks for)" if asked and any(size.n_realizations < asked for size in data.sizes) else ""
    model = data.model
    kind = "independent" if model.pure else "disorder"
    return f'<p class="lead">{escape(model.full_name)}; L = {sizes}; {number} {kind} realizations of each size{of}.</p>'


def study_table(data: Reduced) -> str:
    rows = []
    for size in data.sizes:
        edges = size.get("log2_edges")
        thermalize, run = (per_size(data.config.get(section, {}).get("sweeps"), size.L) for section in ("thermalize", "run"))
        measured, T = edges[-1] if len(edges) else run, size.temperatures
        sweeps = [DASH if number is None else f"{number:.0f}" for number in (thermalize, measured)]
        rows.append([str(size.L), str(size.n_realizations), str(len(T)), f"{T[0]:.4g} to {T[-1]:.4g}", str(data.config.get("replicas", DASH)), *sweeps])
    return page.table(["L", "realizations", "temperatures", "T (J/k<sub>B</sub>)", "replicas", "sweeps of thermalization", "measured sweeps"], rows)


def crossing_facts(data: Reduced) -> list[str]:
    boxes = []
    for name in reversed(data.model.crossings):
        crossing = data.headline(name)
        value = f"T = {with_error(crossing.T, crossing.T_err)}{mark(data, (crossing.L1, crossing.L2))} J/k<sub>B</sub>" if crossing else "none"
        pair = f"L = {crossing.L1} and {crossing.L2}" if crossing else "no crossing in this range"
        boxes.append(page.fact(f"Crossing of {CROSSING_CURVES[name].html}", value, pair))
    return boxes


FIT = """<p>A crossing is the temperature at which the curves of two sizes meet. Each curve is a weighted average of polynomials. They are fitted at temperatures around the
point where the difference of the two curves changes sign. The fits use the full covariance of the values at different temperatures. A polynomial has the weight exp(dof − χ²/2),
which is computed anew for every jackknife sample. A jackknife sample leaves out the same group of realizations of every size.</p>
<p>Each of the two curves has one fit with the largest weight. The p-value of this fit is the probability that χ² is larger by chance. p is the smaller of the two p-values. The last
column has the temperatures of these two fits. A dash for p means that both fits are interpolations, which have no χ².</p>"""


def crossing_cells(data: Reduced, c: Crossing) -> list[str]:
    if not c.found:
        return [DASH] * 4
    return [with_error(c.T, c.T_err) + mark(data, (c.L1, c.L2)), with_error(c.value, c.value_err), f"{c.p:.2g}" if c.p == c.p else DASH, f"{c.T_first:.4g} to {c.T_last:.4g}"]


def pair_notes(pairs: Iterable[tuple[str, int, int, str]]) -> str:
    """Returns a list of the notes of quantities and pairs of sizes, each note once."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, L1, L2, note in pairs:
        if note:
            found.setdefault((name, note), []).append(f"{L1}, {L2}")
    return page.notes([f"{CROSSING_CURVES[name].html}, L = {'; '.join(sizes)}: {escape(note)}." for (name, note), sizes in found.items()])


def crossing_table(data: Reduced) -> str:
    if said := data.model.no_crossings:
        return f"<p>{escape(said)}.</p>"
    pairs = [(name, c) for name, of in data.crossings.items() for c in of]
    if not pairs:
        return "<p>Crossings need two sizes.</p>"
    rows = [[CROSSING_CURVES[name].html, f"{c.L1}, {c.L2}", *crossing_cells(data, c)] for name, c in pairs]
    notes = pair_notes((name, c.L1, c.L2, c.note) for name, c in pairs)
    return page.table(["quantity", "L", "T (J/k<sub>B</sub>)", "value at the crossing", "p", "temperatures of the fits"], rows, 2, notes + FIT)


def doubt(data: Reduced) -> str:
    """Returns a paragraph that explains the mark behind numbers. It is empty if no number has the mark."""
    text = remark(data)
    return f'<p class="doubt">{escape(text)}. Such numbers may be wrong by more than their errors.</p>' if text else ""


def shows_something(data: Reduced, figure: figures.Figure) -> bool:
    if figure.name == "crossing_temperatures":
        return any(len(data.scaling_pairs(name)) > 1 for name in data.model.crossings)
    return any(size.has(figure.needs) for size in data.sizes)


def drawings(data: Reduced, members: Iterable[figures.Figure], plots: Path) -> str:
    return page.drawings((plots / f"{f.name}.svg", f.text(data.model, bool(data.compared)), f.wide) for f in members)


def section_figures(data: Reduced, section: str, plots: Path) -> str:
    """Returns the plots of a section, without those that have nothing to show."""
    return drawings(data, (f for f in figures.figures_of(data.model) if f.section == section and shows_something(data, f)), plots)


def crossings(data: Reduced, plots: Path) -> str:
    return "\n".join([section_figures(data, "Crossings", plots), crossing_table(data), literature(data), UNITS])
