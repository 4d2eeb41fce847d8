"""Makes the section on the critical point: the results of crossings and quotients, next to published values."""

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

MEANING = """<p>The error in brackets is the whole error. Its square is the sum of the squares of the three errors in the next columns.</p><ul>
<li>The statistical error comes from a jackknife over the realizations. Every jackknife sample repeats crossings, slopes and fits.</li>
<li>The error of sizes comes from the second correction to scaling, whose amplitude the sizes seldom determine. This amplitude has a normal prior around 0. The standard deviation of the
prior is {spread:g} times the first amplitude, with its error added in squares.</li>
<li>The error of ω is the largest change of the result if the correction exponent varies over ω = {omega} ({source}). The sizes of a study do not determine ω.</li></ul>
<p>p is the probability of a larger χ² of the quoted fit. It comes from Hotelling’s T², because covariances are estimates from {groups} jackknife groups.</p>"""
U4 = "<p>The Binder ratio is g = {g}, so U<sub>4</sub> = {u4} at T<sub>c</sub>.</p>"
POOR = "<p><strong>No fit describes the data of {names} well: p is below 0.05 for all fits.</strong> The values come from the fits with the largest p. Do not trust their errors.</p>"
PAIRS = """<p>At the crossing of the curves of L and sL, the quotient of the slopes is s<sup>1/ν</sup>. The quotient of the susceptibilities is s<sup>2−η</sup> (Ballesteros et al., cond-mat/9606203).
Slopes come from {slopes}. The table has effective exponents of two sizes, which contain corrections to scaling.</p>"""
FITS = """<p>Errors include statistics and sizes. Each fit has two corrections to scaling, L<sup>−ω</sup> and L<sup>−{second:.3g}</sup>. For T<sub>c</sub>, both have the additional factor L<sup>−1/ν</sup>. Of the fits with
p of 0.05 or more, the fit to the most sizes is quoted. If all p are smaller, the fit with the largest p is quoted.</p>
<p>Pairs can form a closed loop, such as (4, 6), (6, 12), (4, 8) and (8, 12). To first order, one pair of a loop follows from the others. The fits leave out the pair with the ratio 3/2 and
the smallest sizes, here (4, 6).</p>"""


def name_of(name: str) -> str:
    return NAMES.get(name) or f"{CROSSING_CURVES[name].html} at T<sub>c</sub>"


def number(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.2g}"


def marked(data: Reduced, critical: dict, name: str) -> str:
    """Returns a result with its whole error. A result from sizes whose equilibrium is in doubt has a mark."""
    result = critical["results"][name]
    return with_error(result["value"], whole_error(result)) + mark(data, sizes_behind(critical, name))


def result_table(data: Reduced, critical: dict) -> str:
    rows = []
    for name, result in critical["results"].items():
        value, error = result.get("published", (math.nan, math.nan))
        published = with_error(value, error) if error else f"{value:.7g}"  # a dash for NaN
        rows.append([name_of(name), marked(data, critical, name), *(number(result[part]) for part in (*PARTS, "p")), published])
    return page.table(["result", "infinite size", "statistical error", "error of sizes", "error of ω", "p", "published"], rows)


def pair_table(data: Reduced, critical: dict) -> str:
    """Returns the exponents of pairs. The table of crossings says where the curves of a pair cross, and why some curves do not cross."""
    rows, pairs = [], [q for q in critical["quotients"] if math.isfinite(q["nu"]) or math.isfinite(q["eta"])]
    for q in pairs:
        behind = mark(data, (q["L1"], q["L2"]))
        numbers = [with_error(q[name], q[f"{name}_err"]) + behind if math.isfinite(q[name]) else DASH for name in ("nu", "eta")]
        rows.append([CROSSING_CURVES[q["quantity"]].html, f"{q['L1']}, {q['L2']}", *numbers])
    is_measured = any(q["slopes_measured"] for q in pairs)
    text = PAIRS.format(slopes="the derivatives by β that the runs measured, which are fitted together with the values" if is_measured else "the polynomials that are fitted to the values")
    return page.table(["quantity", "L", "ν", "η"], rows, 2, text + pair_notes((q["quantity"], q["L1"], q["L2"], q["note"]) for q in pairs))


def fit_table(data: Reduced, critical: dict) -> str:
    rows = []
    for fit in critical["fits"]:
        name = OF_FITS.get(fit["number"]) or name_of(fit["number"])
        behind = [q[key] for q in critical["quotients"] if q["L1"] >= fit["L_min"] for key in ("L1", "L2")]
        numbers = [with_error(fit["constant"], fit["error"]) + mark(data, behind), f"{fit['chi2']:.1f}/{fit['dof']}", number(fit["p"]), "yes" if fit["weight"] else "no"]
        rows.append([name, str(fit["L_min"]), str(fit["pairs"]), *numbers])
    note = FITS.format(second=exponent_of(2, critical["omega"]["value"]))
    table = page.table(["number", "smallest L", "pairs", "infinite size", "χ²/dof", "p", "quoted"], rows, 1, note)
    return page.folded("All fits, by smallest size", table) if rows else ""


SHOWN = {  # figure -> whether it shows something
    "effective_exponents": lambda critical: len({(q["L1"], q["L2"]) for q in critical["quotients"] if math.isfinite(q["nu"])}) > 1,
    "crossing_extrapolation": lambda critical: "T_c" in critical["results"],
    "critical_band": lambda critical: bool(critical["band"]),
    "collapse": lambda critical: {"T_c", "nu"} <= set(critical["results"]),
}


def poor(critical: dict) -> str:
    names = [name_of(name) for name, result in critical["results"].items() if not result["acceptable"]]
    return POOR.format(names=", ".join(names)) if names else ""


def binder_line(data: Reduced, critical: dict) -> str:
    """Returns U_4 = <x^4> / <x^2>^2, computed from the extrapolated Binder ratio (n + 2 - n U_4) / 2 of spins with n components."""
    name = next((name for name in critical["results"] if name.startswith("binder")), "")
    if not name:
        return ""
    result, n = critical["results"][name], 3 if data.model.vectors else 1
    g = "(5 − 3 U<sub>4</sub>)/2" if n == 3 else "(3 − U<sub>4</sub>)/2"
    return U4.format(g=g, u4=with_error((n + 2 - 2 * result["value"]) / n, 2 / n * whole_error(result)) + mark(data, sizes_behind(critical, name)))


def facts(data: Reduced, critical: dict | None) -> list[str]:
    results = critical["results"] if critical else {}
    return [page.fact(title.split(" ")[0], marked(data, critical, name), "extrapolated to infinite size") for name, title in NAMES.items() if name in results]


def lead(data: Reduced, critical: dict | None) -> str:
    """Returns a paragraph for the top of the page: T_c, its error and its data, or why there is no T_c. It is empty for models without crossings."""
    if critical is None or data.model.no_crossings:
        return ""
    if "T_c" not in critical["results"]:
        return f"<p>There is no T<sub>c</sub> of infinite size. {escape(critical['missing'])}.</p>" if critical["missing"] else ""
    result, fit = critical["results"]["T_c"], next(fit for fit in critical["fits"] if fit["number"] == "T_c" and fit["weight"])
    names, sizes = (" and ".join(CROSSING_CURVES[name].html for name in fit["amplitudes"]), sorted(sizes_behind(critical, "T_c")))
    parts = ", ".join(f"{title} {number(result[part])}" for title, part in zip(("statistics", "sizes", "ω"), PARTS))
    bad = "" if result["acceptable"] else ". <strong>No fit describes the data well, so do not trust the error</strong>"
    return (
        f"<p><strong>T<sub>c</sub> = {marked(data, critical, 'T_c')} J/k<sub>B</sub></strong>, extrapolated from {fit['pairs']} crossings of {names}, L = {sizes[0]} to {sizes[-1]}. "
        f"The fit has p = {number(fit['p'])}{bad}. The error has three parts: {parts}.</p>"
    )


def section(data: Reduced, critical: dict | None, plots: Path) -> str:
    """Returns the section, empty for models without crossings."""
    if critical is None or data.model.no_crossings:
        return ""
    missing = f"<p>{escape(critical['missing'])}.</p>" if critical["missing"] else ""
    omega, table = critical["omega"], result_table(data, critical)
    meaning = MEANING.format(omega=with_error(omega["value"], omega["error"]), source=escape(omega["source"]), groups=critical["groups"], spread=SPREAD)
    drawn = drawings(data, (f for f in figures.figures_of(data.model) if f.name in SHOWN and SHOWN[f.name](critical)), plots)
    return page.joined(missing, poor(critical), table, binder_line(data, critical), meaning if table else "", drawn, pair_table(data, critical), fit_table(data, critical))
