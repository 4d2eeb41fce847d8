"""The page of a relaxation: what was simulated, fits, pictures."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from psflip.relaxation import stored, whole_page
from psflip.relaxation.analysis import MAX_PART, Curves
from psflip.relaxation.whole_page import Made
from psflip.report import page
from psflip.results.notation import with_error

MAX_CARDS = 4
DIAGONAL = (
    "All times and distances of one relaxation are correlated. Errors come from jackknife samples over groups of realizations that share random numbers. Each sample "
    "averages over its cut-offs, and errors contain Student’s factor for the number of groups. A diagonal χ² uses the errors of single points only, and is therefore no "
    "measure of quality."
)

IN_A_FIELD = (
    "<p>In a field, overlaps and magnetisations have a mean. Correlations and coherence lengths here are computed from q, or m, with its mean, not from the replicon. "
    "Such correlations do not decay to zero.</p>"
)


def pair(name: str, sign: int = 1) -> Callable[[dict], str]:
    """Returns a column that shows a number of a fit with its error."""
    return lambda fit: with_error(sign * fit[name], fit[f"{name}_err"]) if name in fit else ""


L, T = ("L", lambda fit: str(fit["L"])), ("T", lambda fit: f"{fit['T']:g}")
XI_FROM, TIMES = ("ξ from", lambda fit: f"{fit['xi_from']:g}"), ("t", lambda fit: f"{fit['t_from']:g}–{fit['t_to']:g}")
CHI2, POINTS = ("diagonal χ²", lambda fit: f"{fit['chi2_diagonal']:.2f}"), ("points", lambda fit: str(fit["points"]))
Columns = tuple[tuple[str, Callable[[dict], str]], ...]
TABLES: dict[str, tuple[str, Columns]] = {  # a list of relaxation.json -> what its table says, and title and cell of each column
    "growth": (
        f"These are fits of ξ<sub>12</sub> = A t<sup>1/z</sup>, for ξ<sub>12</sub> up to {MAX_PART:g} L.",
        (L, T, XI_FROM, ("ξ to", lambda fit: f"{fit['xi_to']:g}"), TIMES, ("z", pair("z")), ("A", lambda fit: f"{fit['amplitude']:.3g}"), CHI2, POINTS),
    ),
    "diffusive": ("These are fits of ξ<sub>12</sub>² = a + b t.", (L, T, XI_FROM, TIMES, ("a", pair("a")), ("b", pair("b")), CHI2, POINTS)),
    "z_against_temperature": (
        "These are fits of z = a + b/T, and the mean of z T.",
        (L, ("T", lambda fit: ", ".join(f"{T:g}" for T in fit["temperatures"])), XI_FROM, ("z T", pair("zT")), ("a", pair("a")), ("b", pair("b")), CHI2),
    ),
    "decay": ("These are fits of C(0, t) = A t<sup>−λ/z</sup>. λ uses z of the same times.", (L, T, TIMES, ("λ/z", pair("power", -1)), ("λ", pair("lambda")), CHI2, POINTS)),
}


def fit_table(found: dict, name: str) -> str:
    """Returns the table of a list of fits, empty without fits."""
    text, columns = TABLES[name]
    table = page.table([title for title, _ in columns], [[cell(fit) for _, cell in columns] for fit in found[name]], words=0)
    return f"<p>{text}</p>{table}" if table else ""


def growth_table(found: dict, is_measured: bool, has_groups: bool) -> str:
    if not is_measured:
        return "<p>Coherence lengths were not measured: a glass needs two replicas or more for them.</p>"
    return fit_table(found, "growth") or ("<p>The coherence length does not grow far enough for fits.</p>" if has_groups else "")


def collapse_text(fit: dict | None) -> str:
    if not fit:
        return ""
    return (
        f"<p>Collapse of the Binder ratio of L = {', '.join(map(str, fit['sizes']))} against ξ<sub>L</sub>(t)/L from {fit['x_from']:g} to {fit['x_to']:g}, at all times: "
        f"T<sub>c</sub> = {with_error(fit['T_c'], fit['T_c_err'])}, ν = {with_error(fit['nu'], fit['nu_err'])} (diagonal χ² {fit['chi2_diagonal']:.0f} of {fit['points']} points). "
        "Errors are statistical: they do not include corrections of small sizes and early times.</p>"
    )


def study_table(all_curves: list[Curves]) -> str:
    rows = []
    for curves in all_curves:
        data = curves.data
        temperatures = ", ".join(f"{T:g}" for T in data.temperatures)
        rows.append([str(data.L), temperatures, str(data.realizations), str(data.groups), str(len(data.times)), str(int(data.times[-1]))])
    return page.table(["L", "T", "realizations", "jackknife groups", "times", "last time"], rows, words=0)


def schedule_text(all_curves: list[Curves]) -> str:
    """Says up to which time temperatures changed; empty if they did not."""
    data = max((curves.data for curves in all_curves), key=lambda data: data.times[-1])
    changed = data.times[data.factors != 1.0]
    if not len(changed):
        return ""
    steps = " to ".join(f"{factor:g}" for factor in dict.fromkeys((data.factors[0], data.factors[data.factors != 1.0][-1])))
    return f"<p>Temperatures changed up to t = {changed[-1]:g}. Until then, they are the temperatures of the table times a factor, {steps}. Fits use only later times.</p>"


def facts(found: dict) -> list[str]:
    """Cards: the exponent of growth at each temperature of the largest size, T_c and nu of the collapse."""
    fits = stored.growth(found)
    largest = [f for f in fits if f["L"] == fits[-1]["L"]]
    boxes = [page.fact(f"z at T = {f['T']:g}", with_error(f["z"], f["z_err"]), f"L = {f['L']}, ξ<sub>12</sub> from {f['xi_from']:g} on") for f in largest[:MAX_CARDS]]
    fit, note = found["collapse"], "collapse of the Binder ratio off equilibrium"
    return boxes + ([page.fact(title, with_error(fit[name], fit[f"{name}_err"]), note) for name, title in (("T_c", "T<sub>c</sub>"), ("nu", "ν"))] if fit else [])


def document(name: str, all_curves: list[Curves], found: dict, drawings: list[tuple[Path, str]], made: Made | None = None) -> str:
    """`drawings`: SVG files with captions. `made`: what made the files, if the page belongs to a study."""
    refused = "".join(f"<p><strong>{escape(text)}</strong></p>" for text in found["refused"])
    growth = growth_table(found, any("xi12" in curves.rows for curves in all_curves), len(found["refused"]) < len(all_curves))
    in_field = IN_A_FIELD if any(curves.data.h != 0.0 for curves in all_curves) else ""
    sections = [
        ("Growth", page.joined(refused, growth, fit_table(found, "diffusive"), fit_table(found, "z_against_temperature"), f"<p>{DIAGONAL}</p>", in_field)),
        ("Decay", fit_table(found, "decay")),
        ("Collapse", collapse_text(found["collapse"])),
        ("Pictures", page.drawings((file, caption, False) for file, caption in drawings)),
    ]
    return whole_page.document(f"psflip study: {name}, relaxation", made, facts(found), study_table(all_curves) + schedule_text(all_curves), sections)
