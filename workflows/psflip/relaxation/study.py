"""From relaxation files to numbers (relaxation.json, relaxation.csv, two_time.csv), pictures and a page (relaxation.html) in a folder."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from psflip.campaign.whole_files import write_json, write_text
from psflip.plots.plot_style import save, set_style, take_names
from psflip.relaxation import analysis, data, figures, report, scaling, stored, whole_page
from psflip.relaxation.whole_page import Made
from psflip.results.columns import write_rows

FORMATS = ("svg", "png")


def draw(folder: Path, all_curves: list[analysis.Curves], found: dict, collapsed: scaling.Collapse | None, state: Path | None) -> list[tuple[Path, str]]:
    """Draws all pictures, and returns the SVG files with their captions."""
    pictures = figures.pictures(all_curves, found["growth"], found["decay"], collapsed)
    shown = figures.spins_at_times(state) if state else []
    take_names(folder, [*pictures, *(["domains"] if shown else [])], FORMATS)
    set_style()
    captions = {name: caption for name, (caption, _) in pictures.items()}
    for name, (_, draw_into) in pictures.items():
        figure, axes = plt.subplots()
        draw_into(axes)
        save(figure, folder, name, FORMATS)
    if shown:
        save(figures.domains(shown), folder, "domains", FORMATS)
        captions["domains"] = "Spins of one lattice: up is black."
    return [(folder / f"{name}.svg", caption) for name, caption in captions.items()]


def main() -> None:
    given = whole_page.parser_of(__doc__, "relaxation", "state file at the end of one of them, for pictures of the spins (two dimensions)").parse_args()
    all_curves = [analysis.curves_of(one) for one in data.read(given.relaxations)]
    collapsed = scaling.collapse(scaling.points_of(analysis.with_exponents(all_curves)))
    made = Made.of(given)
    found = analysis.summary(all_curves, collapsed) | stored.cautions_of(made.cautions() if made else [])
    write_json(given.out / "relaxation.json", found, "relaxation")
    write_rows(given.out / "relaxation.csv", analysis.table(all_curves), "table of relaxations")
    if any("two_time_overlap" in curves.rows for curves in all_curves):
        write_rows(given.out / "two_time.csv", analysis.two_time_table(all_curves), "table of two times")
    drawings = draw(given.out / "relaxation", all_curves, found, collapsed, given.state)
    write_text(given.out / "relaxation.html", report.document(given.name, all_curves, found, drawings, made), "report")


if __name__ == "__main__":
    main()
