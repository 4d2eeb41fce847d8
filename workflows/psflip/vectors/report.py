"""The page of protocols of vector spins: what was simulated, transitions and loops, pictures."""

from __future__ import annotations

from pathlib import Path

from psflip.relaxation import whole_page
from psflip.relaxation.whole_page import Made
from psflip.report import page
from psflip.results.notation import with_error
from psflip.vectors.legs import Leg, legs_of, loop_area, of_field, of_temperature
from psflip.vectors.protocols import Protocol

PROTOCOL = (
    "These are averages of a protocol, not of equilibrium. A stage is a time at one temperature and field. The averages of a stage leave out its first half, and depend on earlier stages and "
    "their lengths. Errors come from realizations, or from replicas if there is one realization. Errors of temperatures and fields come from a jackknife over realizations or replicas."
)
PEAK = "the peak of the typical susceptibility (the geometric mean over samples)"


def cell(value: object) -> str:
    """A text, a number, or a pair of value and error; a dash for NaN."""
    return with_error(*value) if isinstance(value, tuple) else f"{value:.4g}" if isinstance(value, float) else str(value)


def ends_of(protocol: Protocol, leg: Leg) -> str:
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


TABLES = {  # list of relaxation.json -> its rows, what the table says, leading columns of words, and key and title of each column
    "temperature": (
        temperature_rows, f"The rows are legs of the temperature. T of order is {PEAK} of the order parameter, from a parabola through three points. T of compensation, below T of order, is where the moment along "
        "the field changes its sign.",
        2, {"L": "L", "T": "T", "h": "h", "T_order": "T of order", "T_compensation": "T of compensation"},
    ),
    "field": (
        field_rows, "The rows are legs of the field. The coercive field is where the moment along the field changes its sign. The remanence is this moment at h = 0.",
        3, {"L": "L", "T": "T", "h": "h", "coercive_field": "coercive field", "remanence": "remanence"},
    ),
    "loops": (loop_rows, "The area of a loop is ∮ μ<sub>z</sub> dh, the energy per site that one turn converts to heat.", 0, {"L": "L", "T": "T", "area": "area of the loop"}),
}  # fmt: skip
CARDS = {"temperature": {"T_order": "T of order", "T_compensation": "T of compensation"}, "field": {"coercive_field": "Coercive field", "remanence": "Remanence"}}


def tables(protocols: list[Protocol]) -> str:
    parts = []
    for rows_of, text, words, columns in TABLES.values():
        if rows := [[cell(row[key]) for key in columns] for row in rows_of(protocols)]:
            parts += [f"<p>{text}</p>", page.table(list(columns.values()), rows, words)]
    return "\n".join(parts)


def study_table(protocols: list[Protocol]) -> str:
    rows = [[str(p.L), f"{p.T_study:g}", str(p.samples), str(len(p.times)), str(int(p.times[-1])), f"{p.T.max():.4g} to {p.T.min():.4g}", f"{p.h.max():.4g} to {p.h.min():.4g}"] for p in protocols]
    return page.table(["L", "T of the study", "samples", "stages", "last time", "temperatures", "fields"], rows, words=0)


def pictures(drawings: list[tuple[Path, str]]) -> str:
    """`drawings`: SVG files with captions."""
    return page.drawings((file, caption, True) for file, caption in drawings)


def facts(protocols: list[Protocol]) -> list[str]:
    """Cards: what is found at the first legs of the largest size."""
    of_largest = [p for p in protocols if p.L == protocols[-1].L]
    found = [(title, row[key], row) for name, titles in CARDS.items() for row in TABLES[name][0](of_largest)[:1] for key, title in titles.items()]
    return [page.fact(title, cell(pair), f"L = {row['L']}, T = {cell(row['T'])}") for title, pair, row in found if pair[0] == pair[0]]


def document(name: str, protocols: list[Protocol], drawings: list[tuple[Path, str]], made: Made | None = None) -> str:
    """`made`: what made the files, if the page belongs to a study."""
    sections = [("Protocol", f"<p>{PROTOCOL}</p>" + tables(protocols)), ("Pictures", pictures(drawings))]
    return whole_page.document(f"psflip study: {name}, protocol", made, facts(protocols), study_table(protocols), sections)


def cooling_document(name: str, protocols: list[Protocol], at: list[dict[str, tuple[float, float]]], drawings: list[tuple[Path, str]]) -> str:
    """The page of field cooling over concentrations. `at`: temperatures of transitions of each concentration."""
    cells = [[str(p.L), f"{p.concentration:g}", str(p.samples), cell(of["T_neel"]), cell(of["T_compensation"])] for p, of in zip(protocols, at)]
    explained = (
        f"<p>The Néel temperature is {PEAK}, from a parabola through three points. The compensation temperature is the highest temperature below the Néel temperature at which the moment "
        f"along the field changes its sign and is more than three errors from zero on either side. A dash ({page.DASH}) means that there is none.</p>"
    )
    transitions = page.table(["L", "x", "samples", "Néel temperature", "compensation temperature"], cells, words=0)
    sections = [("Transitions", explained + transitions), ("Pictures", pictures(drawings))]
    return page.document(f"psflip study: {name}, field cooling", f"<p>{PROTOCOL}</p>", [], "", sections)
