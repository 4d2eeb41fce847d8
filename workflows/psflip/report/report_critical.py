"""The report's section on the critical point: the results of crossings and quotients, next to published values."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from psflip.critical.extrapolation import SPREAD, exponent_of
from psflip.critical.stored import PARTS, whole_error
from psflip.plots import figures
from psflip.report import page
from psflip.report.page import DASH
from psflip.report.report_results import drawings, pair_notes
from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.cautions import mark, sizes_behind
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

NAMES = {"T_c": "T<sub>c</sub> (J/k<sub>B</sub>)", "nu": "ν", "eta": "η"}
OF_FITS = {"inverse_nu": "1/ν", "two_minus_eta": "2 − η", "T_c": "T<sub>c</sub>"}

MEANING = """<p>The error in brackets is the whole error, which has three parts. The statistical part is a jackknife over the realizations through crossings, slopes and fits. The part of
sizes comes from the second correction to scaling, whose amplitude has a normal prior {spread:g} times as wide as the prior of the first correction. The part of ω is the largest change over
the range of the correction exponent, ω = {omega} ({source}). The sizes of a study do not determine ω. The p of a fit comes from Hotelling’s T², because covariances are estimates
from {groups} jackknife groups.</p>"""
U4 = "<p>The Binder ratio g is (3 − U<sub>4</sub>)/2: U<sub>4</sub> = {u4} at T<sub>c</sub>.</p>"
POOR = "<p><strong>No fit describes the data well (p below 0.05 for all) of: {names}.</strong> Their values come from the best fits. Do not trust their errors.</p>"
PAIRS = """<p>Quotients at the crossings of the curves of L and sL: s<sup>1/ν</sup> is the quotient of the slopes, and s<sup>2−η</sup> is the quotient of the susceptibilities (Ballesteros et al., cond-mat/9606203).
Slopes come from {slopes}. These are exponents of two sizes, without corrections to scaling.</p>"""
FITS = """<p>Errors include statistics and sizes. Each fit has corrections L<sup>−ω</sup> and L<sup>−{second:.3g}</sup>. The quoted fit is the fit to the most sizes with p of 0.05 or more. If there is none, the fit with the largest p is quoted.
Of pairs that close a circle, such as 4, 6 and 6, 12 and 4, 8 and 8, 12, the last one is left out, because it holds no new information.</p>"""


def name_of(name: str) -> str:
    return NAMES.get(name) or f"{CROSSING_CURVES[name].html} at T<sub>c</sub>"


def number(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.2g}"


def marked(data: Reduced, critical: dict, name: str) -> str:
    """Returns a result with its whole error, and with a mark if it rests on sizes without equilibrium."""
    result = critical["results"][name]
    return with_error(result["value"], whole_error(result)) + mark(data, sizes_behind(critical, name))


def result_table(data: Reduced, critical: dict) -> str:
    rows = []
    for name, result in critical["results"].items():
        value, error = result.get("published", (math.nan, math.nan))
        published = with_error(value, error) if error else f"{value:.7g}"  # a dash for NaN
        rows.append([name_of(name), marked(data, critical, name), *(number(result[part]) for part in (*PARTS, "p")), published])
    return page.table(["", "extrapolated", "statistical", "sizes", "ω", "p", "published"], rows)


def pair_table(data: Reduced, critical: dict) -> str:
    """Exponents of pairs. The table of crossings says where they cross, and why some do not."""
    rows, pairs = [], [q for q in critical["quotients"] if math.isfinite(q["nu"]) or math.isfinite(q["eta"])]
    for q in pairs:
        behind = mark(data, (q["L1"], q["L2"]))
        numbers = [with_error(q[name], q[f"{name}_err"]) + behind if math.isfinite(q[name]) else DASH for name in ("nu", "eta")]
        rows.append([CROSSING_CURVES[q["quantity"]].html, f"{q['L1']}, {q['L2']}", *numbers])
    is_measured = any(q["slopes_measured"] for q in pairs)
    text = PAIRS.format(slopes="d/dβ as the runs measured it, fitted together with the curves" if is_measured else "polynomials through the values")
    return page.table(["quantity", "L", "ν", "η"], rows, 2, text + pair_notes((q["quantity"], q["L1"], q["L2"], q["note"]) for q in pairs))


def fit_table(data: Reduced, critical: dict) -> str:
    rows = []
    for fit in critical["fits"]:
        name = OF_FITS.get(fit["number"]) or name_of(fit["number"])
        behind = [q[key] for q in critical["quotients"] if q["L1"] >= fit["L_min"] for key in ("L1", "L2")]
        numbers = [with_error(fit["constant"], fit["error"]) + mark(data, behind), f"{fit['chi2']:.1f}/{fit['dof']}", number(fit["p"]), "quoted" if fit["weight"] else ""]
        rows.append([name, str(fit["L_min"]), str(fit["pairs"]), *numbers])
    note = FITS.format(second=exponent_of(2, critical["omega"]["value"]))
    table = page.table(["", "smallest L", "pairs", "infinite size", "χ²/dof", "p", ""], rows, 1, note)
    return page.folded("All fits by smallest size", table) if rows else ""


SHOWN = {  # figure -> whether it shows something
    "effective_exponents": lambda critical: any(math.isfinite(q["nu"]) for q in critical["quotients"]),
    "crossing_extrapolation": lambda critical: "T_c" in critical["results"],
    "critical_band": lambda critical: bool(critical["band"]),
    "collapse": lambda critical: {"T_c", "nu"} <= set(critical["results"]),
}


def poor(critical: dict) -> str:
    names = [name_of(name) for name, result in critical["results"].items() if not result["acceptable"]]
    return POOR.format(names=", ".join(names)) if names else ""


def binder_line(data: Reduced, critical: dict) -> str:
    """U_4 by the result of a Binder ratio."""
    name = next((name for name in critical["results"] if name.startswith("binder")), "")
    if not name:
        return ""
    result = critical["results"][name]
    return U4.format(u4=with_error(3 - 2 * result["value"], 2 * whole_error(result)) + mark(data, sizes_behind(critical, name)))


def facts(data: Reduced, critical: dict | None) -> list[str]:
    results = critical["results"] if critical else {}
    return [page.fact(title.split(" ")[0], marked(data, critical, name), "extrapolated to infinite size") for name, title in NAMES.items() if name in results]


def lead(data: Reduced, critical: dict | None) -> str:
    """Returns T_c, its error and what it rests on, or why there is none, in a paragraph for the begin of the page. Empty for models without crossings."""
    if critical is None or data.model.no_crossings:
        return ""
    if "T_c" not in critical["results"]:
        return f"<p>There is no T<sub>c</sub> of infinite size. {escape(critical['missing'])}.</p>" if critical["missing"] else ""
    result, fit = critical["results"]["T_c"], next(fit for fit in critical["fits"] if fit["number"] == "T_c" and fit["weight"])
    names, sizes = (" and ".join(CROSSING_CURVES[name].html for name in fit["amplitudes"]), sorted(sizes_behind(critical, "T_c")))
    parts = ", ".join(f"{title} {number(result[part])}" for title, part in zip(("statistics", "sizes", "ω"), PARTS))
    return (
        f"<p><strong>T<sub>c</sub> = {marked(data, critical, 'T_c')} J/k<sub>B</sub></strong>, extrapolated from {fit['pairs']} crossings of {names}, L = {sizes[0]} to {sizes[-1]}. "
        f"The fit has p = {number(fit['p'])}. Parts of the error: {parts}.</p>"
    )


def section(data: Reduced, critical: dict | None, plots: Path) -> str:
    """Empty for models without crossings."""
    if critical is None or data.model.no_crossings:
        return ""
    missing = f"<p>{escape(critical['missing'])}.</p>" if critical["missing"] else ""
    omega, table = critical["omega"], result_table(data, critical)
    meaning = MEANING.format(omega=with_error(omega["value"], omega["error"]), source=escape(omega["source"]), groups=critical["groups"], spread=SPREAD)
    drawn = drawings(data, (f for f in figures.figures_of(data.model) if f.name in SHOWN and SHOWN[f.name](critical)), plots)
    return page.joined(missing, poor(critical), table, binder_line(data, critical), meaning if table else "", drawn, pair_table(data, critical), fit_table(data, critical))
