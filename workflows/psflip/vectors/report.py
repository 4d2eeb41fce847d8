"""The page of protocols of vector spins: what was simulated, transitions and loops, pictures."""

from __future__ import annotations

from html import escape
from pathlib import Path

from psflip.relaxation import whole_page
from psflip.relaxation.whole_page import Made
from psflip.report import page
from psflip.results.notation import with_error
from psflip.vectors.legs import legs_of, loop_area, of_field, of_temperature
from psflip.vectors.protocols import Protocol

STYLE = Path(__file__).resolve().parent.parent / "report" / "report.css"
PROTOCOL = (
    "These are averages of a protocol, not of equilibrium: those of a stage depend on the stages before and on their length. A stage is a time at one temperature and field, whose first "
    "half is left out. Errors come from realizations, or from replicas where there is one realization; those of temperatures and fields from a jackknife over them."
)


def number(pair: tuple[float, float]) -> str:
    return with_error(*pair) if pair[0] == pair[0] else page.DASH


def ends_of(protocol: Protocol, leg) -> str:
    x = getattr(protocol, leg.along)
    return f"{x[leg.first]:.4g} to {x[leg.last]:.4g}"


def temperature_rows(protocols: list[Protocol]) -> list[dict]:
    """One for each leg of the temperature."""
    return [{"L": p.L, "T_study": p.T_study, "h": float(p.h[leg.first]), "T": ends_of(p, leg)} | of_temperature(p, leg)
            for p in protocols for leg in legs_of(p) if leg.along == "T" and leg.last - leg.first > 1]  # fmt: skip


def field_rows(protocols: list[Protocol]) -> list[dict]:
    """One for each leg of the field."""
    return [{"L": p.L, "T": float(p.T[leg.first]), "h": ends_of(p, leg)} | of_field(p, leg) for p in protocols for leg in legs_of(p) if leg.along == "h"]


def loop_rows(protocols: list[Protocol]) -> list[dict]:
    found = [{"L": p.L, "T": p.T_study, "area": loop_area(p)} for p in protocols]
    return [row for row in found if row["area"][0] == row["area"][0]]


def tables(protocols: list[Protocol]) -> str:
    parts = []
    if rows := temperature_rows(protocols):
        parts.append("<p>Legs of the temperature. Order: the peak of the typical susceptibility (the geometric mean over samples) of what orders, the parabola through three points; compensation: where the moment along the field changes its sign below that.</p>")
        cells = [[str(r["L"]), r["T"], f"{r['h']:.4g}", number(r["T_order"]), number(r["T_compensation"])] for r in rows]
        parts.append(page.table(["L", "T", "h", "T of order", "T of compensation"], cells, words=2))
    if rows := field_rows(protocols):
        parts.append("<p>Legs of the field. Coercive field: where the moment along the field changes its sign; remanence: that moment at h = 0.</p>")
        cells = [[str(r["L"]), f"{r['T']:.4g}", r["h"], number(r["coercive_field"]), number(r["remanence"])] for r in rows]
        parts.append(page.table(["L", "T", "h", "coercive field", "remanence"], cells, words=3))
    if rows := loop_rows(protocols):
        parts.append("<p>Loops: ∮ μ<sub>z</sub> dh, the energy per site that one turn makes heat.</p>")
        parts.append(page.table(["L", "T", "area of the loop"], [[str(r["L"]), f"{r['T']:.4g}", number(r["area"])] for r in rows], words=0))
    return "\n".join(parts)


def study_table(protocols: list[Protocol]) -> str:
    rows = [[str(p.L), f"{p.T_study:g}", str(p.samples), str(len(p.times)), str(int(p.times[-1])), f"{p.T.max():.4g} to {p.T.min():.4g}", f"{p.h.max():.4g} to {p.h.min():.4g}"] for p in protocols]
    return page.table(["L", "T of the study", "samples", "stages", "last time", "temperatures", "fields"], rows, words=0)


def html(title: str, parts: list[str]) -> str:
    """A whole page."""
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n<main>",
            f"<h1>{title}</h1>",
            *parts,
            "</main>\n</body>\n</html>\n",
        ]
    )


def pictures(drawings: list[tuple[Path, str]]) -> str:
    """SVG files with captions."""
    return page.drawings([page.drawing(file, caption, wide=True) for file, caption in drawings])


def facts(protocols: list[Protocol]) -> list[str]:
    """Cards: what is found at the first legs and loops of the largest size."""
    of_largest = [p for p in protocols if p.L == protocols[-1].L]
    parts = ((temperature_rows, (("T_order", "T of order"), ("T_compensation", "T of compensation"))), (field_rows, (("coercive_field", "Coercive field"), ("remanence", "Remanence"))))
    found = [(title, row[key], row) for rows, titles in parts for row in rows(of_largest)[:1] for key, title in titles if row[key][0] == row[key][0]]
    return [page.fact(title, number(pair), f"L = {row['L']}, T = {row['T'] if isinstance(row['T'], str) else format(row['T'], '.4g')}") for title, pair, row in found]


def document(name: str, protocols: list[Protocol], drawings: list[tuple[Path, str]], made: Made | None = None) -> str:
    """`made`: what made the files, if the page is that of a study."""
    sections = [("Protocol", f"<p>{PROTOCOL}</p>" + tables(protocols)), ("Pictures", pictures(drawings))]
    return whole_page.document(f"psflip study: {name}, protocol", made, facts(protocols), study_table(protocols), sections)


def cooling_document(name: str, protocols: list[Protocol], at: list[dict[str, tuple[float, float]]], drawings: list[tuple[Path, str]]) -> str:
    """Of field cooling over concentrations; `at`: temperatures of transitions of each."""
    cells = [[str(p.L), f"{p.concentration:g}", str(p.samples), number(of["T_neel"]), number(of["T_compensation"])] for p, of in zip(protocols, at)]
    explained = (
        "<p>Néel temperature: the peak of the typical staggered susceptibility (the geometric mean over samples), the parabola through three points. Compensation temperature: the highest below it at which the moment along the field changes its "
        f"sign, where it is more than three errors from zero on either side; {page.DASH}: it does not.</p>"
    )
    transitions = page.table(["L", "x", "samples", "Néel temperature", "compensation temperature"], cells, words=0)
    return html(f"psflip study: {escape(name)}, field cooling", [f"<p>{PROTOCOL}</p>", "<h2>Transitions</h2>", explained, transitions, "<h2>Pictures</h2>", pictures(drawings)])
