"""The report's section on the critical point: what comes out of crossings and quotients, next to what is published."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from psflip.critical.extrapolation import SPREAD, exponent_of
from psflip.plots import figures
from psflip.report import page
from psflip.report.page import DASH
from psflip.report.report_results import pair_notes
from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.cautions import mark, sizes_behind
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

NAMES = {"T_c": "T<sub>c</sub> (J/k<sub>B</sub>)", "nu": "ν", "eta": "η"}
OF_FITS = {"inverse_nu": "1/ν", "two_minus_eta": "2 − η", "T_c": "T<sub>c</sub>"}
PARTS = ("error", "range_error", "omega_error")

MEANING = """<p>The error in brackets is the whole one; beside it its parts. Statistical: a jackknife over the realizations through crossings, slopes and fits. Sizes: what is not known of the second
correction to scaling, whose amplitude has a normal prior {spread:g} times as wide as that of the first correction. ω: the largest change over the range of the
correction exponent, ω = {omega} ({source}); the sizes of a study do not determine it. p: of the fit, with Hotelling’s T², as covariances are estimates from
{groups} jackknife groups.</p>"""
U4 = "<p>The Binder ratio g is (3 − U<sub>4</sub>)/2: U<sub>4</sub> = {u4} at T<sub>c</sub>.</p>"
POOR = "<p><strong>No fit describes the data well (p below 0.05 for all) of: {names}.</strong> Their values are those of the fits that do best, and are not to be trusted to their errors.</p>"


def whole(result: dict) -> str:
    return with_error(result["value"], math.hypot(*(0.0 if math.isnan(result[part]) else result[part] for part in PARTS)))


def name_of(name: str) -> str:
    return NAMES.get(name) or f"{CROSSING_CURVES[name].html} at T<sub>c</sub>"


def number(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.2g}"


def result_table(data: Reduced, critical: dict) -> str:
    rows = []
    for name, result in critical["results"].items():
        published = with_published(result["published"]) if "published" in result else DASH
        rows.append([name_of(name), whole(result) + mark(data, sizes_behind(critical, name)), *(number(result[part]) for part in (*PARTS, "p")), published])
    head = ["", "extrapolated", "statistical", "sizes", "ω", "p", "published"]
    return page.table(head, rows) if rows else ""


def with_published(pair: list[float]) -> str:
    value, error = pair
    return with_error(value, error) if error else f"{value:.7g}"


def pair_table(data: Reduced, critical: dict) -> str:
    """Exponents of pairs; the table of crossings has where they cross, and why some do not."""
    pairs = [q for q in critical["quotients"] if math.isfinite(q["nu"]) or math.isfinite(q["eta"])]
    if not pairs:
        return ""
    rows = []
    for q in pairs:
        marked = mark(data, (q["L1"], q["L2"]))
        numbers = [with_error(q[name], q[f"{name}_err"]) + marked if math.isfinite(q[name]) else DASH for name in ("nu", "eta")]
        rows.append([CROSSING_CURVES[q["quantity"]].html, f"{q['L1']}, {q['L2']}", *numbers])
    measured = any(q["slopes_measured"] for q in pairs)
    told = PAIRS.format(slopes="the slopes d/dβ that the runs measured, fitted together with the values" if measured else "the slopes of polynomials through the values")
    notes = pair_notes((q["quantity"], q["L1"], q["L2"], q["note"]) for q in pairs)
    return page.table(["quantity", "L", "ν", "η"], rows, words=2) + told + notes


PAIRS = """<p>Quotients where the curves of L and sL cross: s<sup>1/ν</sup> is that of the slopes, s<sup>2−η</sup> that of the susceptibilities (Ballesteros et al., cond-mat/9606203),
with {slopes}. These are exponents of two sizes, without corrections to scaling.</p>"""


def fit_table(data: Reduced, critical: dict) -> str:
    rows = []
    for fit in critical["fits"]:
        name = OF_FITS.get(fit["number"]) or name_of(fit["number"])
        behind = [q[key] for q in critical["quotients"] if q["L1"] >= fit["L_min"] for key in ("L1", "L2")]
        numbers = [with_error(fit["constant"], fit["error"]) + mark(data, behind), f"{fit['chi2']:.1f}/{fit['dof']}", number(fit["p"]), "quoted" if fit["weight"] else ""]
        rows.append([name, str(fit["L_min"]), str(fit["pairs"]), *numbers])
    if not rows:
        return ""
    table = page.table(["", "smallest L", "pairs", "infinite size", "χ²/dof", "p", ""], rows)
    return page.folded("All fits by smallest size", table + FITS.format(second=exponent_of(2, critical["omega"]["value"])))


FITS = """<p>Errors are those of statistics and sizes. Each fit has corrections L<sup>−ω</sup> and L<sup>−{second:.3g}</sup>. The quoted one is that to the most sizes with p of 0.05 or more. If there is none, the fit with the largest p is quoted.
Of pairs that close a circle, as 4, 6 and 6, 12 and 4, 8 and 8, 12 do, the last one is left out: it holds no new information.</p>"""


SHOWN = {  # figure -> whether there is something in it
    "effective_exponents": lambda critical: any(math.isfinite(q["nu"]) for q in critical["quotients"]),
    "crossing_extrapolation": lambda critical: "T_c" in critical["results"],
    "critical_band": lambda critical: bool(critical["band"]),
    "collapse": lambda critical: {"T_c", "nu"} <= set(critical["results"]),
}


def drawings(data: Reduced, critical: dict, plots: Path) -> str:
    members = [f for f in figures.figures_of(data.model) if f.name in SHOWN and SHOWN[f.name](critical) and (plots / f"{f.name}.svg").is_file()]
    return page.drawings([page.drawing(plots / f"{f.name}.svg", f.text(data.model), wide=f.wide) for f in members])


def poor(critical: dict) -> str:
    names = [name_of(name) for name, result in critical["results"].items() if not result["acceptable"]]
    return POOR.format(names=", ".join(names)) if names else ""


def binder_line(data: Reduced, critical: dict) -> str:
    """U_4 by the result of a Binder ratio."""
    for name, result in critical["results"].items():
        if name.startswith("binder"):
            u4 = whole({"value": 3 - 2 * result["value"], **{part: 2 * result[part] for part in PARTS}})
            return U4.format(u4=u4 + mark(data, sizes_behind(critical, name)))
    return ""


def facts(data: Reduced, critical: dict | None) -> list[str]:
    results = critical["results"] if critical else {}
    numbers = {name: whole(results[name]) + mark(data, sizes_behind(critical, name)) for name in NAMES if name in results}
    return [page.fact(NAMES[name].split(" ")[0], text, "extrapolated to infinite size") for name, text in numbers.items()]


def section(data: Reduced, critical: dict | None, plots: Path) -> str:
    """Empty for models without crossings."""
    if critical is None or data.model.no_crossings:
        return ""
    missing = f"<p>{escape(critical['missing'])}.</p>" if critical["missing"] else ""
    omega = critical["omega"]
    meaning = MEANING.format(omega=with_error(omega["value"], omega["error"]), source=escape(omega["source"]), groups=critical["groups"], spread=SPREAD)
    table = result_table(data, critical)
    parts = [missing, poor(critical), table, binder_line(data, critical), meaning if table else "", drawings(data, critical, plots), pair_table(data, critical), fit_table(data, critical)]
    return "\n".join(part for part in parts if part)
