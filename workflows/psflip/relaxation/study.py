"""From relaxation files to numbers (relaxation.json, relaxation.csv, two_time.csv), pictures and a page (relaxation.html) in a folder."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import matplotlib.pyplot as plt

from psflip.campaign.command_line import Parser
from psflip.campaign.whole_files import write_json, write_text
from psflip.plots.plot_style import save, set_style, take_names
from psflip.relaxation import analysis, data, domains, figures, report, scaling, stored
from psflip.relaxation.whole_page import Made

FORMATS = ("svg", "png")


def write_table(path: Path, lines: list[list], kind: str) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    write_text(path, text.getvalue(), kind)


def draw(folder: Path, all_curves: list[analysis.Curves], found: dict, collapsed: scaling.Collapse | None, state: Path | None) -> list[tuple[Path, str]]:
    """Draws all pictures; the SVG files with their captions."""
    pictures = figures.pictures(all_curves, found["growth"], found["decay"], collapsed)
    shown = domains.moments(state) if state else []
    take_names(folder, [*pictures, *(["domains"] if shown else [])], FORMATS)
    set_style()
    if shown:
        save(domains.draw(shown), folder, "domains", FORMATS)
    for name, (_, draw_into) in pictures.items():
        figure, axes = plt.subplots()
        draw_into(axes)
        save(figure, folder, name, FORMATS)
    drawn = [(folder / f"{name}.svg", caption) for name, (caption, _) in pictures.items()]
    return [*drawn, *([(folder / "domains.svg", "Spins of one lattice: up is black.")] if shown else [])]


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--relaxations", required=True, nargs="+", help="relaxation files of one study, of all sizes, batches and parts")
    parser.add_input("--state", help="state file at the end of one of them, for pictures of the spins (two dimensions)")
    parser.add_input("--study", help="the study file, for provenance and how to make it again")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_input("--results", folder=True, help="folder of the study's results, if the numbers go elsewhere (default: --out)")
    parser.add_argument("--name", default="relaxation", help="of the study, in the page")
    given = parser.parse_args()
    all_curves = [analysis.curves_of(one) for one in data.read(given.relaxations)]
    collapsed = scaling.collapse(scaling.points_of(analysis.with_exponents(all_curves)))
    made = Made.of(given.study, given.results or given.out, given.out, given.relaxations[-1]) if given.study else None
    found = analysis.summary(all_curves, collapsed) | stored.cautions_of(made.cautions() if made else [])
    write_json(given.out / "relaxation.json", found, "relaxation")
    write_table(given.out / "relaxation.csv", analysis.table(all_curves), "table of relaxations")
    if any("two_time_overlap" in curves.rows for curves in all_curves):
        write_table(given.out / "two_time.csv", analysis.two_time_table(all_curves), "table of two times")
    drawings = draw(given.out / "relaxation", all_curves, found, collapsed, given.state)
    write_text(given.out / "relaxation.html", report.document(given.name, all_curves, found, drawings, made), "report")


if __name__ == "__main__":
    main()
