"""Field cooling of vector spins over concentrations of the species b: runs gen-disorder and relax for each concentration with the schedule of a study
file, and makes cooling.csv (averages of each temperature), transitions.csv (Neel and compensation temperatures), pictures and a page, cooling.html. A concentration whose
relaxation is there already is not run again; with other keys use another folder."""

from __future__ import annotations

import argparse
from math import isfinite
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.programs import call
from psflip.campaign.whole_files import write_text
from psflip.places import BIN
from psflip.plots.plot_style import COLOURS, PAGE, TEMPERATURE, empty_figure, save, set_style, take_names
from psflip.results.columns import write_rows
from psflip.results.notation import with_error
from psflip.vectors import protocols, report, spin_file, spins
from psflip.vectors.legs import Leg, first_zero, peak
from psflip.vectors.protocols import Protocol, jackknife

TENTHS = tuple(round(0.1 * i, 1) for i in range(11))
COLUMNS = ("energy", "moment_x", "moment_y", "moment_z", "ms", "even", "odd", "chi_ms", "chi_even", "chi_odd", "chi_x", "chi_y", "chi_z",
           "even_x", "even_z", "odd_x", "odd_z", "a_z", "b_z")  # fmt: skip
SECONDS = 20 * 24 * 3600  # more than a job has
CAPTIONS = {
    "cooling": "Averages of the stages against temperature, by concentration.",
    "transitions": "Néel and compensation temperatures against concentration.",
}
LABELS = {"T_neel": "Néel temperature, peak of $\\chi_s$", "T_compensation": "compensation, $\\mu_z = 0$"}
PANELS = (("moment_z", r"moment along the field $\mu_z$"), ("ms", r"staggered magnetisation $\langle|m_s|\rangle$"),
          ("even", r"sublattice magnetisation $\langle|m_A|\rangle$"), ("chi_ms", r"staggered susceptibility $\chi_s$ ($1/J$)"))  # fmt: skip


def transitions(protocol: Protocol) -> dict[str, tuple[float, float]]:
    """Returns the Neel temperature, from the peak of the typical staggered susceptibility, and the highest compensation temperature below it, at which the moment along
    the field changes its sign. Errors come from the jackknife over samples; NaN if there is none."""
    neel = jackknife([peak(protocol.T, chi) for chi in protocol.left_out_typical("chi_ms")])
    whole = Leg("T", False, 0, len(protocol.T) - 1)
    return {"T_neel": neel, "T_compensation": first_zero(protocol, whole, neel[0] if np.isfinite(neel[0]) else np.inf)}


def relaxation(study: Path, x: float, folder: Path, options: argparse.Namespace) -> Path:
    """Returns the relaxation file of one concentration, and makes it if it is missing."""
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
            raise StudyError((done.stderr or done.stdout).strip() or f"{name} ended with exit code {done.returncode} and without a message")
    return out


def write_tables(found: list[Protocol], at: list[dict[str, tuple[float, float]]], folder: Path) -> None:
    """Writes cooling.csv and transitions.csv."""
    averages: list[list] = [["L", "x", "T", "h", "samples", *[f"{name}{end}" for name in COLUMNS for end in ("", "_err")]]]
    for p in found:
        numbers = [row for name in COLUMNS for row in (p.mean(name), p.error(name))]
        averages += [[p.L, p.concentration, f"{p.T[i]:.6g}", f"{p.h[i]:.6g}", p.samples, *[f"{row[i]:.8g}" for row in numbers]] for i in range(len(p.T))]
    write_rows(folder / "cooling.csv", averages, "table of protocols")
    transitions: list[list] = [["L", "x", "samples", "T_neel", "T_neel_err", "T_compensation", "T_compensation_err"]]
    transitions += [[p.L, p.concentration, p.samples, *[f"{v:.6g}" for name in ("T_neel", "T_compensation") for v in of[name]]] for p, of in zip(found, at)]
    write_rows(folder / "transitions.csv", transitions, "table of transitions")


def against_temperature(found: list[Protocol]):
    """One line for each concentration, coloured from 0 to 1."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.2), sharex=True)
    colours = matplotlib.colormaps["viridis"]
    for axes, (name, label) in zip(panels.flat, PANELS):
        for p in found:
            axes.errorbar(p.T, p.mean(name), p.error(name), color=colours(0.95 * p.concentration), marker="o", markersize=3, linestyle="-", linewidth=0.8)
        axes.set_ylabel(label)
    for axes in panels[1]:
        axes.set_xlabel(TEMPERATURE)
    panels[0, 0].axhline(0, color="0.6", linewidth=0.8)
    shades = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, 1 / 0.95), colours)
    bar = figure.colorbar(shades, ax=panels, label="concentration $x$ of species b", fraction=0.04)
    bar.ax.set_ylim(0, 1)
    return figure


def against_concentration(found: list[Protocol], at: list[dict]):
    if not np.isfinite([of[name][0] for of in at for name in LABELS]).any():
        return empty_figure("no transition between the highest and the lowest temperature")
    figure, axes = plt.subplots()
    x = np.array([p.concentration for p in found])
    for i, (name, label) in enumerate(LABELS.items()):
        value, error = np.array([of[name] for of in at]).T
        there = np.isfinite(value)
        if there.any():
            axes.errorbar(x[there], value[there], np.nan_to_num(error[there]), color=COLOURS[i], marker="os"[i], linestyle="none", label=label)
    axes.set(xlabel="concentration $x$ of species b", ylabel=TEMPERATURE)
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure


def draw(found: list[Protocol], at: list[dict], options: argparse.Namespace) -> list[tuple[Path, str]]:
    """Draws all pictures, and returns the SVG files with their captions. Spins are shown for the concentration in the middle."""
    formats = sorted({*options.formats, "svg"})
    take_names(options.out, CAPTIONS, formats)
    set_style()
    save(against_temperature(found), options.out, "cooling", formats)
    save(against_concentration(found, at), options.out, "transitions", formats)
    x = found[len(found) // 2].concentration
    state, disorder = options.out / f"state-{x:g}.h5", options.out / f"disorder-{x:g}.h5"
    shown = spin_file.read(state, disorder, 0, 0, 0) if state.is_file() and disorder.is_file() else []
    by = spins.best_colour(found[0].staggered)
    of_spins = spins.draw(shown, options.out, by, spins.best_normal(shown[-1]), 0, formats) if shown else {}
    captions = CAPTIONS | {name: f"x = {x:g}. {text}" for name, text in of_spins.items()}
    return [(options.out / f"{name}.svg", text) for name, text in captions.items()]


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
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"], help="formats in addition to the SVG in cooling.html")
    options = parser.parse_args()
    if options.realizations < 1 or any(not 0 <= x <= 1 for x in options.concentrations):
        raise StudyError("give --realizations of 1 or more, and concentrations from 0 to 1")
    options.out.mkdir(parents=True, exist_ok=True)
    found, at = [], []
    for x in sorted(set(options.concentrations)):
        found.append(protocols.read(relaxation(Path(options.study), x, options.out, options)))
        at.append(transitions(found[-1]))
        print(f"x = {x:g}: " + ", ".join(f"{name} = {with_error(value, error)}" if isfinite(value) else f"no {name}" for name, (value, error) in at[-1].items()), flush=True)
    write_tables(found, at, options.out)
    drawings = draw(found, at, options)
    write_text(options.out / "cooling.html", report.cooling_document(options.out.resolve().name, found, at, drawings), "report")


if __name__ == "__main__":
    main()
