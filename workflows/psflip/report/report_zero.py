"""Makes the section on a transition at T = 0: theta and nu of pairs of sizes at fixed levels, next to the published values."""

from __future__ import annotations

from html import escape
from pathlib import Path

from psflip.critical.zero_temperature import inverse
from psflip.plots import figures
from psflip.report import page
from psflip.report.report_results import drawings, pair_notes
from psflip.results.cautions import mark
from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.literature import SQUARE_GAUSSIAN_SOURCE
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

MEANING = """<p>R is ξ<sub>L</sub>/L or the Binder ratio. Near T = 0, R is a function of L<sup>1/ν</sup> T, apart from corrections to scaling. So the temperature T<sub>R</sub>(L) at which R has a fixed
value is a power of L. A pair of sizes gives θ = −1/ν = ln(T<sub>R</sub>(L<sub>2</sub>)/T<sub>R</sub>(L<sub>1</sub>)) / ln(L<sub>2</sub>/L<sub>1</sub>).</p>
<p>Errors come from a jackknife over the realizations, which repeats the fits to the curves. They do not include corrections to scaling, which are large at small R.
The quoted R is the largest one that the quoted pair and the previous pair reach. The last column is the difference from the quoted θ. Nothing is extrapolated to infinite size.</p>"""
HEAD = ["quantity", "L", "R", "T<sub>R</sub> of the smaller L", "T<sub>R</sub> of the larger L", "θ", "ν", "θ − quoted θ"]


def cells(data: Reduced, e: dict) -> list[str]:
    behind = mark(data, (e["L1"], e["L2"]))
    numbers = [with_error(e[name], e[f"{name}_err"]) + behind for name in ("T1", "T2", "theta", "nu")]
    return [CROSSING_CURVES[e["quantity"]].html, f"{e['L1']}, {e['L2']}", f"{e['level']:g}", *numbers, "quoted" if e["quoted"] else with_error(e["change"], e["change_err"])]


def quoted_text(data: Reduced, e: dict) -> str:
    """Returns the quoted numbers, their sizes and the published values."""
    theta, nu = (with_error(e[name], e[f"{name}_err"]) + mark(data, (e["L1"], e["L2"])) for name in ("theta", "nu"))
    published = ""
    if data.model.theta:
        published = f" Published values are θ = {with_error(*data.model.theta)} and ν = {with_error(*inverse(*data.model.theta))} ({SQUARE_GAUSSIAN_SOURCE})."
    where = f"{CROSSING_CURVES[e['quantity']].html} = {e['level']:g}, L = {e['L1']} and {e['L2']}"
    return f"<p><strong>ν = {nu}, θ = {theta}</strong> at {where}, without extrapolation.{published}</p>"


def lead(data: Reduced, critical: dict | None) -> str:
    """Returns a paragraph for the top of the page. It is empty without a quoted exponent."""
    return "".join(quoted_text(data, e) for e in (critical or {}).get("levels", []) if e["quoted"])


def section(data: Reduced, critical: dict | None, plots: Path) -> str:
    """Returns the section, empty for models that do not order at T = 0."""
    if critical is None or not data.model.orders_at_zero:
        return ""
    missing = f"<p>{escape(critical['missing'])}.</p>" if critical["missing"] else ""
    levels = critical.get("levels", [])
    best = next((e for e in levels if e["quoted"]), None)
    nearest = [e for e in levels if best and e["quantity"] == best["quantity"] and (e["level"] == best["level"] or (e["L1"], e["L2"]) == (best["L1"], best["L2"]))]
    remarks = dict.fromkeys((e["quantity"], e["L1"], e["L2"], e["note"]) for e in levels)
    every = page.table(HEAD, [cells(data, e) for e in levels], 2, pair_notes(remarks))
    drawn = drawings(data, (f for f in figures.figures_of(data.model) if f.drawing == "zero_temperature" and best), plots)
    table = page.table(HEAD, [cells(data, e) for e in nearest], 2, MEANING)
    return page.joined(missing, lead(data, critical), drawn, table, page.folded("All pairs of sizes and levels", every) if every else "")
