"""Field cooling of vector spins over concentrations of the species b: runs gen-disorder and relax for each concentration with the schedule of a study
file, and makes cooling.csv (averages of each temperature), transitions.csv (Neel and compensation temperatures), pictures and a page, cooling.html. A concentration whose
relaxation is there already is not run again; with other keys use another folder."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.programs import call
from psflip.campaign.whole_files import whole, write_text
from psflip.places import BIN
from psflip.vectors import protocols, report
from psflip.vectors.legs import changes_of_sign, peak, zero_between
from psflip.vectors.protocols import Protocol

TENTHS = tuple(round(0.1 * i, 1) for i in range(11))
COLUMNS = ("energy", "moment_x", "moment_y", "moment_z", "ms", "even", "odd", "chi_ms", "chi_even", "chi_odd", "chi_x", "chi_y", "chi_z",
           "even_x", "even_z", "odd_x", "odd_z", "a_z", "b_z")  # fmt: skip
SECONDS = 20 * 24 * 3600  # more than a job has


def transitions(protocol: Protocol) -> dict[str, tuple[float, float]]:
    """Neel temperature, from the peak of the typical staggered susceptibility, and the highest compensation temperature below it, where the moment along the
    field changes its sign, with errors by the jackknife over samples; NaN where there is none."""
    neel = protocols.jackknife(np.array([peak(protocol.T, chi) for chi in protocol.left_out_typical("chi_ms")]))
    moment, error = protocol.mean("moment_z"), protocol.error("moment_z")
    below = neel[0] if np.isfinite(neel[0]) else np.inf
    signs = changes_of_sign(protocol.T, moment, error, below)
    compensation = (float("nan"), float("nan"))
    if signs:
        compensation = protocols.jackknife(np.array([zero_between(protocol.T, m, signs[0]) for m in protocol.left_out("moment_z")]))
    return {"T_neel": neel, "T_compensation": compensation}


def relaxation(study: Path, x: float, folder: Path, options: argparse.Namespace) -> Path:
    """The relaxation file of one concentration, made where it is missing."""
    out, disorder = folder / f"relax-{x:g}.h5", folder / f"disorder-{x:g}.h5"
    if out.exists():
        return out
    common = ["--config", study, "--set", f"model.concentration={x:g}"]
    for change in options.set:
        common += ["--set", change]
    runs = [["gen-disorder", *common, "--first", 0, "--count", options.realizations, "--out", disorder]] if not disorder.exists() else []
    runs.append(["relax", *common, "--disorder", disorder, "--out", out, "--state-out", folder / f"state-{x:g}.h5", "--backend", options.backend,
                 "--threads", options.threads])  # fmt: skip
    for name, *words in runs:
        done = call([Path(options.bin) / name, *words], SECONDS)
        if done.returncode:
            raise StudyError((done.stderr or done.stdout).strip() or f"{name} ended with {done.returncode} and said nothing")
    return out


def write_tables(found: list[Protocol], folder: Path) -> None:
    """cooling.csv and transitions.csv."""
    with whole(folder / "cooling.csv", "table of protocols") as part, part.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["L", "x", "T", "h", "samples", *[f"{name}{end}" for name in COLUMNS for end in ("", "_err")]])
        for p in found:
            numbers = [(p.mean(name), p.error(name)) for name in COLUMNS]
            for i in range(len(p.T)):
                out.writerow([p.L, p.concentration, f"{p.T[i]:.6g}", f"{p.h[i]:.6g}", p.samples, *[f"{v[i]:.8g}" for pair in numbers for v in pair]])
    with whole(folder / "transitions.csv", "table of transitions") as part, part.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["L", "x", "samples", "T_neel", "T_neel_err", "T_compensation", "T_compensation_err"])
        for p in found:
            at = transitions(p)
            out.writerow([p.L, p.concentration, p.samples, *[f"{v:.6g}" for name in ("T_neel", "T_compensation") for v in at[name]]])


def draw(found: list[Protocol], at: list[dict], options: argparse.Namespace) -> list[tuple[Path, str]]:
    """Draws all pictures; the SVG files with their captions. Spins are those of the concentration in the middle."""
    from psflip.vectors import cooling_figures, spin_file, spins

    formats = sorted({*options.formats, "svg"})
    cooling_figures.draw(found, at, options.out, formats)
    x = found[len(found) // 2].concentration
    state, disorder = options.out / f"state-{x:g}.h5", options.out / f"disorder-{x:g}.h5"
    shown = spin_file.read(state, disorder, 0, 0, 0) if state.is_file() and disorder.is_file() else []
    by = spins.best_colour(found[0].staggered)
    if shown:
        spins.draw(shown, options.out, by, spins.best_normal(shown[-1]), 0, formats)
    of_spins = {name: f"x = {x:g}. {text}" for name, text in spins.captions(by).items()}
    return [(options.out / f"{name}.svg", text) for name, text in (cooling_figures.CAPTIONS | {name: of_spins[name] for name in spins.names_of(shown, by)}).items()]


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("study")
    parser.add_argument("--out", required=True, type=Path, help="folder of the files of all concentrations")
    parser.add_argument("--concentrations", nargs="+", type=float, default=TENTHS, metavar="X", help="0, 0.1, ..., 1 unless given")
    parser.add_argument("--realizations", type=int, default=4, help="of each concentration")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another value of a key of the study")
    parser.add_argument("--backend", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--bin", default=BIN, help="folder of the programs")
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"], help="besides those in cooling.html")
    options = parser.parse_args()
    if options.realizations < 1 or any(not 0 <= x <= 1 for x in options.concentrations):
        raise StudyError("--realizations is 1 or more, and concentrations are from 0 to 1")
    options.out.mkdir(parents=True, exist_ok=True)
    found = []
    for x in sorted(set(options.concentrations)):
        found.append(protocols.read(relaxation(Path(options.study), x, options.out, options)))
        temperatures = transitions(found[-1]).items()
        print(f"x = {x:g}: " + ", ".join(f"{name} = {value:.4g} +- {error:.2g}" for name, (value, error) in temperatures), flush=True)
    write_tables(found, options.out)
    at = [transitions(p) for p in found]
    drawings = draw(found, at, options)
    write_text(options.out / "cooling.html", report.cooling_document(options.out.resolve().name, found, at, drawings), "report")


if __name__ == "__main__":
    main()
