"""The page of a relaxation: what was simulated, fits, pictures."""

from __future__ import annotations

from html import escape
from pathlib import Path

from psflip.relaxation import stored, whole_page
from psflip.relaxation.analysis import LARGEST_PART, Curves
from psflip.relaxation.whole_page import Made
from psflip.report import page
from psflip.results.notation import with_error

MOST_CARDS = 4
DIAGONAL = (
    "All times and distances of one relaxation are correlated. Errors are those of jackknife samples over groups of realizations that share random "
    "numbers, with means over the cut-offs of each sample, times Student’s factor for the number of groups. χ² with the errors of the single points alone "
    "is therefore no measure of quality; it is called a diagonal χ²."
)

IN_A_FIELD = (
    "<p>In a field overlaps and magnetisations have a mean: correlations and coherence lengths here are of all of q, or m, not of what is left without the mean (the replicon), "
    "and do not decay to zero.</p>"
)


def window(fit: dict) -> str:
    return f"{fit['t_from']:g}–{fit['t_to']:g}"


def refused_text(sentences: list[str]) -> str:
    return "".join(f"<p><strong>{escape(text)}</strong></p>" for text in sentences)


def growth_table(rows: list[dict], measured: bool, enough_groups: bool) -> str:
    if not measured:
        return "<p>Coherence lengths were not measured: a glass needs two replicas or more for them.</p>"
    if not enough_groups:
        return ""
    if not rows:
        return "<p>The coherence length does not grow far enough for fits.</p>"
    head = ["L", "T", "ξ from", "ξ to", "t", "z", "A", "diagonal χ²", "points"]
    cells = [
        [str(f["L"]), f"{f['T']:g}", f"{f['xi_from']:g}", f"{f['xi_to']:g}", window(f), with_error(f["z"], f["z_err"]), f"{f['amplitude']:.3g}",
         f"{f['chi2_diagonal']:.2f}", str(f["points"])]
        for f in rows
    ]  # fmt: skip
    return f"<p>ξ<sub>12</sub> = A t<sup>1/z</sup>, for ξ<sub>12</sub> up to {LARGEST_PART:g} L.</p>" + page.table(head, cells, words=0)


def decay_table(rows: list[dict]) -> str:
    if not rows:
        return ""
    cells = [
        [str(f["L"]), f"{f['T']:g}", window(f), with_error(-f["power"], f["power_err"]), with_error(f["lambda"], f["lambda_err"]) if "lambda" in f else "",
         f"{f['chi2_diagonal']:.2f}", str(f["points"])]
        for f in rows
    ]  # fmt: skip
    return "<p>C(0, t) = A t<sup>−λ/z</sup>; λ with z of the same times.</p>" + page.table(["L", "T", "t", "λ/z", "λ", "diagonal χ²", "points"], cells, words=0)


def z_table(rows: list[dict]) -> str:
    """z against T, where there are temperatures enough."""
    if not rows:
        return ""
    cells = [
        [str(f["L"]), ", ".join(f"{T:g}" for T in f["temperatures"]), f"{f['xi_from']:g}", with_error(f["zT"], f["zT_err"]), with_error(f["a"], f["a_err"]),
         with_error(f["b"], f["b_err"]), f"{f['chi2_diagonal']:.2f}"]
        for f in rows
    ]  # fmt: skip
    return "<p>z = a + b/T, and the mean of z T.</p>" + page.table(["L", "T", "ξ from", "z T", "a", "b", "diagonal χ²"], cells, words=0)


def collapse_text(fit: dict | None) -> str:
    if not fit:
        return ""
    return (
        f"<p>Collapse of the Binder ratio of L = {', '.join(map(str, fit['sizes']))} against ξ<sub>L</sub>(t)/L from {fit['x_from']:g} to {fit['x_to']:g}, at all times: "
        f"T<sub>c</sub> = {with_error(fit['T_c'], fit['T_c_err'])}, ν = {with_error(fit['nu'], fit['nu_err'])} (diagonal χ² {fit['chi2_diagonal']:.0f} of {fit['points']} points). "
        "Errors are statistical: corrections of small sizes and early times are not in them.</p>"
    )


def diffusive_table(rows: list[dict]) -> str:
    if not rows:
        return ""
    cells = [
        [str(f["L"]), f"{f['T']:g}", f"{f['xi_from']:g}", window(f), with_error(f["a"], f["a_err"]), with_error(f["b"], f["b_err"]), f"{f['chi2_diagonal']:.2f}", str(f["points"])]
        for f in rows
    ]
    return "<p>ξ<sub>12</sub>² = a + b t.</p>" + page.table(["L", "T", "ξ from", "t", "a", "b", "diagonal χ²", "points"], cells, words=0)


def study_table(all_curves: list[Curves]) -> str:
    rows = []
    for curves in all_curves:
        data = curves.data
        temperatures = ", ".join(f"{T:g}" for T in data.temperatures)
        rows.append([str(data.L), temperatures, str(data.realizations), str(data.groups), str(len(data.times)), str(int(data.times[-1]))])
    return page.table(["L", "T", "realizations", "jackknife groups", "times", "last time"], rows, words=0)


def schedule_text(all_curves: list[Curves]) -> str:
    """Where temperatures changed on the way: how far."""
    data = max((curves.data for curves in all_curves), key=lambda data: data.times[-1])
    changed = data.times[data.factors != 1.0]
    if not len(changed):
        return ""
    steps = " to ".join(f"{factor:g}" for factor in dict.fromkeys((data.factors[0], data.factors[data.factors != 1.0][-1])))
    return f"<p>Temperatures changed on the way: up to t = {changed[-1]:g} they are those told here times a factor, {steps}. Fits take later times alone.</p>"


def facts(found: dict) -> list[str]:
    """Cards: the exponent of growth at each temperature of the largest size, T_c and nu of the collapse."""
    fits = stored.growth(found)
    largest = [f for f in fits if f["L"] == fits[-1]["L"]]
    boxes = [page.fact(f"z at T = {f['T']:g}", with_error(f["z"], f["z_err"]), f"L = {f['L']}, ξ<sub>12</sub> from {f['xi_from']:g} on") for f in largest[:MOST_CARDS]]
    fit, note = found["collapse"], "collapse of the Binder ratio off equilibrium"
    return boxes + ([page.fact(title, with_error(fit[name], fit[f"{name}_err"]), note) for name, title in (("T_c", "T<sub>c</sub>"), ("nu", "ν"))] if fit else [])


def document(name: str, all_curves: list[Curves], found: dict, drawings: list[tuple[Path, str]], made: Made | None = None) -> str:
    """`drawings`: SVG files with captions; `made`: what made the files, if the page is that of a study."""
    growth = [
        refused_text(found["refused"]),
        growth_table(found["growth"], any("xi12" in curves.rows for curves in all_curves), len(found["refused"]) < len(all_curves)),
        diffusive_table(found["diffusive"]),
        z_table(found["z_against_temperature"]),
        f"<p>{DIAGONAL}</p>",
        IN_A_FIELD if any(curves.data.h != 0.0 for curves in all_curves) else "",
    ]
    sections = [
        ("Growth", "\n".join(growth)),
        ("Decay", decay_table(found["decay"])),
        ("Collapse", collapse_text(found["collapse"])),
        ("Pictures", page.drawings([page.drawing(file, caption) for file, caption in drawings])),
    ]
    return whole_page.document(f"psflip study: {name}, relaxation", made, facts(found), study_table(all_curves) + schedule_text(all_curves), sections)
