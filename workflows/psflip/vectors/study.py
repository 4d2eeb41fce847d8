"""From relaxation files of vector spins to numbers (relaxation.json, relaxation.csv), pictures of averages and of spins, and a page (relaxation.html) in a
folder."""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.whole_files import write_json, write_text
from psflip.campaign.yaml_text import load_yaml
from psflip.plots.plot_style import save, set_style, take_names
from psflip.relaxation import stored, whole_page
from psflip.relaxation.analysis import text
from psflip.relaxation.whole_page import Made
from psflip.results.columns import write_rows
from psflip.results.literature import Model, model_of
from psflip.vectors import figures, protocols, report, spin_file, spins
from psflip.vectors.protocols import Protocol

FORMATS = ("svg", "png")
COLUMNS = ("energy", *(f"energy_{name}" for name in protocols.TERMS), "moment_x", "moment_y", "moment_z", "m", "ms", "even", "odd", "chi_m", "chi_ms", "chi_x",
           "chi_y", "chi_z")  # fmt: skip


def table(found: list[Protocol]) -> list[list]:
    """Returns head and rows of relaxation.csv: a row for each size, temperature of the study and stage. t is its last time, T times factor its temperature."""
    lines: list[list] = [["L", "T", "t", "factor", "h", "samples", *(f"{name}{end}" for name in COLUMNS for end in ("", "_err"))]]
    for p in found:
        numbers = [row for name in COLUMNS for row in (p.mean(name), p.error(name))]
        for i, t in enumerate(p.times):
            lines.append([p.L, f"{p.T_study:g}", int(t), f"{p.T[i] / p.T_study:.9g}", f"{p.h[i]:.9g}", p.samples, *(text(row[i]) for row in numbers)])
    return lines


def plain(rows: list[dict]) -> list[dict]:
    """Splits values and errors into separate entries for JSON; null for a missing value."""
    found = []
    for row in rows:
        pairs = {name: value for name, value in row.items() if isinstance(value, tuple)}
        numbers = {f"{name}{end}": x if x == x else None for name, pair in pairs.items() for end, x in zip(("", "_err"), pair)}
        found.append({name: value for name, value in row.items() if name not in pairs} | numbers)
    return found


def summary(found: list[Protocol]) -> dict:
    sizes = [{"L": p.L, "T": p.T_study, "samples": p.samples, "stages": len(p.times)} for p in found]
    return {"kind": "relaxation", "sizes": sizes} | {name: plain(rows_of(found)) for name, (rows_of, *_) in report.TABLES.items()}


def model_in(path: Path) -> Model:
    with hdf5_file(path, "a relaxation file") as file:
        return model_of(load_yaml(text_of(file.attrs["physics"])))


def draw(folder: Path, found: list[Protocol], model: Model, state: Path | None, disorder: Path | None) -> list[tuple[Path, str]]:
    """Draws all pictures, and returns the SVG files with their captions."""
    shown = spin_file.read(state, disorder, 0, 0, 0) if state else []
    by, drawn = spins.best_colour(model.staggered), figures.pictures(found)
    take_names(folder, [*drawn, *spins.captions_of(shown, by)], FORMATS)
    for name, figure in drawn.items():
        save(figure, folder, name, FORMATS)
    captions = {name: figures.CAPTIONS[name] for name in drawn} | (spins.draw(shown, folder, by, spins.best_normal(shown[-1]), 0, list(FORMATS)) if shown else {})
    return [(folder / f"{name}.svg", caption) for name, caption in captions.items()]


def main() -> None:
    parser = whole_page.parser_of(__doc__, "protocol", "state file at the end of one of them, for pictures of the spins")
    parser.add_input("--disorder", help="disorder file of that one, for colours of species")
    given = parser.parse_args()
    set_style()
    found = protocols.read_study(given.relaxations)
    made = Made.of(given)
    write_json(given.out / "relaxation.json", summary(found) | stored.cautions_of(made.cautions() if made else []), "relaxation")
    write_rows(given.out / "relaxation.csv", table(found), "table of relaxations")
    drawings = draw(given.out / "relaxation", found, model_in(given.relaxations[0]), given.state, given.disorder)
    write_text(given.out / "relaxation.html", report.document(given.name, found, drawings, made), "report")


if __name__ == "__main__":
    main()
