"""From relaxation files of vector spins to numbers (relaxation.json, relaxation.csv), pictures of averages and of spins, and a page (relaxation.html) in a
folder."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.whole_files import write_json, write_text
from psflip.campaign.yaml_text import load_yaml
from psflip.plots.plot_style import save, set_style, take_names
from psflip.relaxation import stored
from psflip.relaxation.whole_page import Made
from psflip.results.literature import Model, model_of
from psflip.vectors import figures, protocols, report, spin_file, spins
from psflip.vectors.protocols import Protocol

FORMATS = ("svg", "png")
COLUMNS = ("energy", *(f"energy_{name}" for name in protocols.TERMS), "moment_x", "moment_y", "moment_z", "m", "ms", "even", "odd", "chi_m", "chi_ms", "chi_x",
           "chi_y", "chi_z")  # fmt: skip


def table(found: list[Protocol]) -> str:
    """relaxation.csv: one row for each size, temperature of the study and stage; t is its last time, T times factor its temperature."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["L", "T", "t", "factor", "h", "samples", *(f"{name}{end}" for name in COLUMNS for end in ("", "_err"))])
    for p in found:
        numbers = [part for name in COLUMNS for part in (p.mean(name), p.error(name))]
        for i, t in enumerate(p.times):
            texts = ["" if row[i] != row[i] else f"{row[i]:.9g}" for row in numbers]
            out.writerow([p.L, f"{p.T_study:g}", int(t), f"{p.T[i] / p.T_study:.9g}", f"{p.h[i]:.9g}", p.samples, *texts])
    return text.getvalue()


def plain(rows: list[dict]) -> list[dict]:
    """For JSON: values and errors apart, null where there is none."""
    found = []
    for row in rows:
        pairs = {name: value for name, value in row.items() if isinstance(value, tuple)}
        numbers = {f"{name}{end}": x if x == x else None for name, pair in pairs.items() for end, x in zip(("", "_err"), pair)}
        found.append({name: value for name, value in row.items() if name not in pairs} | numbers)
    return found


def summary(found: list[Protocol]) -> dict:
    rows = {"temperature": report.temperature_rows(found), "field": report.field_rows(found), "loops": report.loop_rows(found)}
    sizes = [{"L": p.L, "T": p.T_study, "samples": p.samples, "stages": len(p.times)} for p in found]
    return {"kind": "relaxation", "sizes": sizes} | {name: plain(own) for name, own in rows.items()}


def model_in(path: Path) -> Model:
    with hdf5_file(path, "a relaxation file") as file:
        return model_of(load_yaml(text_of(file.attrs["physics"])))


def draw(folder: Path, found: list[Protocol], model: Model, state: Path | None, disorder: Path | None) -> list[tuple[Path, str]]:
    """Draws all pictures; the SVG files with their captions."""
    shown = spin_file.read(state, disorder, 0, 0, 0) if state else []
    by = spins.best_colour(model.staggered)
    of_spins = spins.names_of(shown, by)
    set_style()
    drawn = figures.pictures(found)
    take_names(folder, [*drawn, *of_spins], FORMATS)
    for name, figure in drawn.items():
        save(figure, folder, name, FORMATS)
    if shown:
        spins.draw(shown, folder, by, spins.best_normal(shown[-1]), 0, list(FORMATS))
    captions = figures.CAPTIONS | spins.captions(by)
    return [(folder / f"{name}.svg", captions[name]) for name in (*drawn, *of_spins)]


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--relaxations", required=True, nargs="+", help="relaxation files of one study, of all sizes, batches and parts")
    parser.add_input("--state", help="state file at the end of one of them, for pictures of the spins")
    parser.add_input("--disorder", help="disorder file of that one, for colours of species")
    parser.add_input("--study", help="the study file, for provenance and how to make it again")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_input("--results", folder=True, help="folder of the study's results, if the numbers go elsewhere (default: --out)")
    parser.add_argument("--name", default="protocol", help="of the study, in the page")
    given = parser.parse_args()
    found = protocols.read_study([Path(path) for path in given.relaxations])
    model = model_in(Path(given.relaxations[0]))
    made = Made.of(given.study, given.results or given.out, given.out, given.relaxations[-1]) if given.study else None
    write_json(given.out / "relaxation.json", summary(found) | stored.cautions_of(made.cautions() if made else []), "relaxation")
    write_text(given.out / "relaxation.csv", table(found), "table of relaxations")
    drawings = draw(given.out / "relaxation", found, model, given.state, given.disorder)
    write_text(given.out / "relaxation.html", report.document(given.name, found, drawings, made), "report")


if __name__ == "__main__":
    main()
