"""Draws the figures of a study from reduced.h5.

    python workflows/psflip plots.plots --reduced reduced.h5 --critical critical.json --out FOLDER
"""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from psflip.campaign.command_line import Parser
from psflip.critical.stored import read_critical
from psflip.plots import figures
from psflip.plots.figures import Figure
from psflip.plots.plot_style import TEMPERATURE, empty_figure, figure_by_size, legend_above, readable, save, set_style, style_of, take_names
from psflip.plots.plots_critical import band_figure, collapse_figure, exponents_figure, extrapolation_figure, zero_temperature_figure
from psflip.plots.plots_crossings import crossing_figure, crossing_temperature_figure, draw_curves, enough_temperatures, nothing_to_draw, texts_at
from psflip.plots.plots_equilibration import equilibration_figure, houdayer_figure, links_figure, swap_figure, walk_figure
from psflip.plots.plots_realizations import realizations_figure, spread_figure, weight_figure
from psflip.plots.side_by_side import side_by_side
from psflip.results.averages import Size
from psflip.results.reduced import Reduced, read_reduced
from psflip.vectors import spin_file, spins

LINE = 0.15  # inches: height of a line of text


def curve_figure(data: Reduced, of: Figure):
    if not enough_temperatures(data, of.needs):
        return nothing_to_draw(data, of)
    figure, axes = plt.subplots()
    draw_curves(axes, data, of.needs)
    legend_above(axes)
    axes.set(xlabel=TEMPERATURE, ylabel=of.label)
    return figure


def overlap_temperature(data: Reduced, which: str) -> float:
    """Returns for `cold` the lowest temperature that all sizes reach, and for `hot` the highest. For `middle` it is the crossing, else the published T_c, else the median of
    the temperatures."""
    if which == "cold":
        return max(size.temperatures[0] for size in data.sizes)
    if which == "hot":
        return min(size.temperatures[-1] for size in data.sizes)
    crossing, known = data.first_headline(reversed(data.model.crossings)), data.model.known
    if crossing or known:
        return crossing.T if crossing else known.T_c[0]
    return float(np.median(np.concatenate([size.temperatures for size in data.sizes])))


def slot_at(size: Size, T: float) -> int:
    return int(np.argmin(np.abs(size.temperatures - T)))


def density_figure(data: Reduced, of: Figure, which: str, density_of, name: str, ylabel: str, **of_axes):
    """Draws the densities density_of(size) at one temperature. If all sizes have this temperature, the axis shows it, else the legend."""
    T = overlap_temperature(data, which)
    several = len(temperatures := {f"{size.temperatures[slot_at(size, T)]:.4g}" for size in data.sizes}) > 1

    def draw(axes, index: int, size: Size) -> None:
        q, densities, errors = density_of(size)
        if len(q):
            slot = slot_at(size, T)
            density, error, style = densities[slot], errors[slot], style_of(index, "marker")
            axes.plot(q, density, label=f"$L={size.L}$" + (f", $T={size.temperatures[slot]:.4g}$" if several else ""), **style)
            axes.fill_between(q, density - error, density + error, color=style["color"], alpha=0.25, linewidth=0)
            readable(axes, q, density, texts_at(size.L, "q", q, density, error))

    xlabel = name if several else f"{name} at $T={temperatures.pop()}$"
    figure = figure_by_size(data.sizes, draw, of.missing, xlabel=xlabel, ylabel=ylabel, **of_axes)
    figure.axes[0].set_ylim(bottom=0)
    return figure


def link_figure(data: Reduced, of: Figure):
    """Draws the density of the link overlap at the lowest temperature, in the range of non-zero density."""
    figure = density_figure(data, of, "cold", Size.link_density, r"link overlap $q_{\mathrm{link}}$", r"density $P(q_{\mathrm{link}})$")
    lines = [line.get_xydata() for line in figure.axes[0].lines]
    if there := [line[line[:, 1] > 1e-3 * line[:, 1].max(), 0] for line in lines]:
        figure.axes[0].set_xlim(min(x.min() for x in there) - 0.05, 1)
    return figure


def overlap_figure(data: Reduced, of: Figure):
    figure = density_figure(data, of, of.name.removeprefix("overlap_"), Size.overlap_density, "overlap $q$", "density $P(q)$", xlim=(-1, 1))
    if figure.axes[0].lines:
        figure.axes[0].set_xticks(np.linspace(-1, 1, 5))
    return figure


def spins_figure(data: Reduced, of: Figure, results: Path | None):
    """Draws the spins of a state file in the folder of results."""
    if results is None or not (shown := spin_file.of_results(results, [size.L for size in data.sizes])):
        return empty_figure("There is no state file.")
    by = "species" if of.name == "spins_species" else spins.best_colour(data.model.staggered)
    return spins.slices([shown], by, spins.best_normal(shown), 0) if of.name == "spins_slice" else spins.arrows(shown, by)


DRAWINGS = {
    "crossing": crossing_figure,
    "crossing_temperatures": crossing_temperature_figure,
    "curve": curve_figure,
    "overlap": overlap_figure,
    "link": link_figure,
    "spread": spread_figure,
    "realizations": realizations_figure,
    "weight": weight_figure,
    "equilibration": equilibration_figure,
    "links": links_figure,
    "swap": swap_figure,
    "houdayer": houdayer_figure,
    "walk": walk_figure,
}
SPINS = "spins"
OF_CRITICAL_POINT = {"exponents": exponents_figure, "extrapolation": extrapolation_figure, "critical_band": band_figure, "collapse": collapse_figure, "zero_temperature": zero_temperature_figure}


def draw(data: Reduced, figure: Figure, critical: dict | None = None, results: Path | None = None):
    """Draws a figure, titled with the model unless it is the default spin glass. `critical`: critical.json; `results`: the folder with the files of all batches, for
    pictures of spins."""
    if figure.drawing == SPINS:
        drawn = spins_figure(data, figure, results)
    elif figure.drawing in OF_CRITICAL_POINT:
        drawn = OF_CRITICAL_POINT[figure.drawing](data, critical or {}, figure)
    else:
        drawn = DRAWINGS[figure.drawing](data, figure)
    if label := data.model.label:
        lines = textwrap.wrap(label, int(16 * drawn.get_figwidth()))
        drawn.suptitle("\n".join(lines), fontsize="medium")
        drawn.set_figheight(drawn.get_figheight() + LINE * len(lines))
    return drawn


def draw_and_save(data: Reduced, figure: Figure, critical: dict | None, results: Path | None, folder: Path, formats: list[str]) -> None:
    save(draw(data, figure, critical, results), folder, figure.name, formats)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_input("--critical", help="critical.json, for the figures of the critical point")
    parser.add_input("--results", folder=True, help="folder of the study's results, for pictures of vector spins")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--threads", type=int, default=1, help="number of processes that draw at the same time (default: 1)")
    parser.add_argument("--source", default="all", choices=figures.SOURCES, help="the figures of the averages, of the critical point, or all (default)")
    parser.add_argument("--formats", nargs="+", default=figures.FORMATS, choices=figures.FORMATS)
    given = parser.parse_args()
    data, critical = read_reduced(given.reduced), read_critical(given.critical) if given.critical else None
    chosen = [figure for figure in figures.figures_of(data.model) if given.source in ("all", figure.source)]
    take_names(given.out, [figure.name for figure in chosen], given.formats)
    set_style()
    side_by_side([partial(draw_and_save, data, figure, critical, given.results, given.out, given.formats) for figure in chosen], given.threads)


if __name__ == "__main__":
    main()
