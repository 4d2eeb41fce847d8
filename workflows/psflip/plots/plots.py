"""Draws the figures of a study from reduced.h5.

    python workflows/psflip plots.plots --reduced reduced.h5 --critical critical.json --out FOLDER
"""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from psflip.campaign.command_line import Parser
from psflip.critical.stored import read_critical
from psflip.plots import figures
from psflip.plots.figures import Figure
from psflip.plots.plot_style import CROSSING_LABELS, FIGURE_SIZE, LINES, ON_TOP, TEMPERATURE, empty, legend_above, readable, save, set_style, style_of, take_names
from psflip.plots.plots_critical import band_figure, collapse_figure, exponents_figure, extrapolation_figure
from psflip.plots.plots_equilibration import equilibration_figure, links_figure, swap_figure, walk_figure
from psflip.plots.plots_realizations import realizations_figure, spread_figure, weight_figure
from psflip.plots.side_by_side import side_by_side
from psflip.results.literature import Known
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced, Size, read_reduced
from psflip.vectors import spin_file, spins

CROSSING_MARKERS = ("*", "p", "h", "8", "d", "H")


def texts_at(L: int, name: str, where, values, errors) -> list[str]:
    return [f"L = {L}, {name} = {x:.4g}: {with_error(v, e)}" for x, v, e in zip(where, values, errors)]


def draw_curves(axes, data: Reduced, name: str, labels: bool = True, **changes) -> None:
    for index, size in enumerate(data.sizes):
        T, value, error = size.curve(name)
        if len(T):
            axes.errorbar(T, value, error, label=f"$L={size.L}$" if labels else None, **(style_of(index) | changes))
            readable(axes, T, value, texts_at(size.L, "T", T, value, error))


def draw_crossings(axes, data: Reduced, name: str, labels: bool = True, size: float = 7) -> None:
    for index, crossing in enumerate(data.shown(name)):
        label = rf"$L={crossing.L1},{crossing.L2}$ cross at ${with_error(crossing.T, crossing.T_err)}$"
        axes.errorbar(
            crossing.T,
            crossing.value,
            crossing.value_err,
            crossing.T_err,
            color="black",
            marker=CROSSING_MARKERS[index % len(CROSSING_MARKERS)],
            markersize=size,
            markerfacecolor="white",
            markeredgewidth=0.9,
            elinewidth=0.9,
            linestyle="none",
            zorder=5,
            label=label if labels else None,
        )
        T, value = with_error(crossing.T, crossing.T_err), with_error(crossing.value, crossing.value_err)
        readable(axes, [crossing.T], [crossing.value], [f"L = {crossing.L1} and {crossing.L2} cross at T = {T}, value {value}"])


def known_of(data: Reduced) -> Known | None:
    """What the literature has on the model of the study."""
    return data.model.known


def critical_label(known: Known) -> str:
    return rf"$T_c={known.T_c_text}$, $L\to\infty$"


def draw_critical_band(axes, known: Known, label: str | None = None) -> None:
    """A line of its own where the band is too narrow to be seen."""
    T, error = known.T_c
    axes.axvspan(T - error, T + error, facecolor="0.8", edgecolor="0.8", linewidth=0 if known.mark == "band" else 1, zorder=0, label=label)


def window_around_crossings(data: Reduced, name: str) -> tuple[float, float] | None:
    """Temperatures that hold the crossings and a few points on either side."""
    temperatures = [c.T for c in data.shown(name)]
    if not temperatures:
        return None
    everything = np.concatenate([size.temperatures for size in data.sizes])
    margin = max(0.1, 0.5 * (max(temperatures) - min(temperatures)))
    known = known_of(data)
    literature = [known.T_c[0]] if known else []
    low, high = min(temperatures + literature) - margin, max(temperatures + literature) + margin
    low, high = max(low, everything.min()), min(high, everything.max())
    return (low, high) if high - low < 0.7 * np.ptp(everything) else None


def enough_temperatures(data: Reduced, name: str) -> bool:
    """Whether a curve has two points."""
    return any(len(size.curve(name)[0]) > 1 for size in data.sizes)


def nothing_to_draw(data: Reduced, of: Figure):
    figure, axes = plt.subplots()
    axes.set(xlabel=TEMPERATURE, ylabel=of.label)
    empty(axes, "needs two temperatures" if any(size.has(of.needs) for size in data.sizes) else of.missing)
    return figure


def crossing_figure(data: Reduced, of: Figure):
    """Above: curves of all sizes; below: where they cross, at a larger scale. Both with the band of the literature, where
    it knows the model."""
    name = of.needs
    if not enough_temperatures(data, name):
        return nothing_to_draw(data, of)
    window = window_around_crossings(data, name)
    panels = 2 if window else 1
    figure, rows = plt.subplots(panels, figsize=(FIGURE_SIZE[0], (0.3 + 0.85 * panels) * FIGURE_SIZE[1]), squeeze=False)
    for index, axes in enumerate(rows[:, 0]):
        last = index == panels - 1
        if known := known_of(data):
            draw_critical_band(axes, known, None if index else critical_label(known))
        draw_curves(axes, data, name, labels=index == 0)
        if last:
            draw_crossings(axes, data, name)
        axes.set(xlabel=TEMPERATURE, ylabel=of.label)
    if window:
        axes.set(xlim=window, ylim=value_range(data, name, window))
        axes.xaxis.set_major_locator(MaxNLocator(6))
        rows[0, 0].axvspan(*window, facecolor="none", edgecolor="0.6", linewidth=0.8, linestyle=":", zorder=0)
    for axes in rows[:, 0]:
        legend_above(axes, 2 if axes is rows[-1, 0] and data.shown(name) else 3)
    return figure


def crossing_temperature_figure(data: Reduced, of: Figure):
    """Against the leading correction to scaling where it is known, else against 1/L; the pairs of the two quantities lie side by side."""
    figure, axes = plt.subplots()
    known = known_of(data)
    power = known.power if known else 1
    if known:
        axes.errorbar(0, *known.T_c, color="0.45", marker="s", linestyle="none", label=critical_label(known))
    pairs = []
    for index, name in enumerate(reversed(data.model.crossings)):
        found, label = data.scaling_pairs(name), CROSSING_LABELS[name]
        if not found:
            continue
        x = np.array([c.L1**-power for c in found])
        T, error = np.array([c.T for c in found]), np.array([c.T_err for c in found])
        shift = (index - 0.5) * 0.012 * x.max()
        axes.errorbar(x + shift, T, error, label=label, **(style_of(index) | {"linestyle": "none"}))
        readable(axes, x + shift, T, [f"{c.L1} and {c.L2}: T = {with_error(c.T, c.T_err)}" for c in found])
        pairs += [(value, f"{c.L1}, {c.L2}") for value, c in zip(x, found)]
    if len({x for x, _ in pairs}) < 2:
        axes.clear()
        empty(axes, of.missing)
        return figure
    top = axes.secondary_xaxis("top")
    ticks = {round(x, 9): label for x, label in pairs}
    top.set_xticks(list(ticks), list(ticks.values()), fontsize="small")
    top.set_xlabel("sizes $L$ that cross")
    top.minorticks_off()
    axes.tick_params(top=False, which="both")
    axes.set_xlim(left=-0.04 * max(ticks))
    scale = "$1/L$" if power == 1 else r"$L^{-(\omega + 1/\nu)}$"
    axes.set(xlabel=f"{scale} of the smaller size", ylabel="crossing temperature ($J / k_B$)")
    axes.margins(y=0.12)
    legend_above(axes, 2, ON_TOP)
    return figure


def value_range(data: Reduced, name: str, window: tuple[float, float]) -> tuple[float, float]:
    values = []
    for size in data.sizes:
        T, value, error = size.curve(name)
        inside = (T >= window[0]) & (T <= window[1])
        values += list((value - error)[inside]) + list((value + error)[inside])
        values += list(np.interp(window, T, value))
    for crossing in data.shown(name):
        values += [crossing.value - crossing.value_err, crossing.value + crossing.value_err]
    span = max(values) - min(values)
    return min(values) - 0.05 * span, max(values) + 0.05 * span


def curve_figure(data: Reduced, of: Figure):
    if not enough_temperatures(data, of.needs):
        return nothing_to_draw(data, of)
    figure, axes = plt.subplots()
    draw_curves(axes, data, of.needs)
    legend_above(axes)
    axes.set(xlabel=TEMPERATURE, ylabel=of.label)
    return figure


def overlap_temperature(data: Reduced, which: str) -> float:
    """Cold: the lowest temperature that all sizes reach; hot: the highest; middle: the crossing, or else the literature's T_c, or else
    the middle of the temperatures."""
    if which == "cold":
        return max(size.temperatures[0] for size in data.sizes)
    if which == "hot":
        return min(size.temperatures[-1] for size in data.sizes)
    crossing, known = data.first_headline(reversed(data.model.crossings)), known_of(data)
    if crossing or known:
        return crossing.T if crossing else known.T_c[0]
    return float(np.median(np.concatenate([size.temperatures for size in data.sizes])))


def slot_at(size: Size, T: float) -> int:
    return int(np.argmin(np.abs(size.temperatures - T)))


def draw_densities(axes, data: Reduced, T: float, of) -> bool:
    """The densities of(size) at T; whether there are any."""
    drawn = False
    for index, size in enumerate(data.sizes):
        q, density, error = of(size)
        if not len(q):
            continue
        slot = slot_at(size, T)
        style = style_of(index)
        line = {"color": style["color"], "linestyle": LINES[index % len(LINES)]}
        axes.plot(q, density[slot], label=f"$L={size.L}$, $T={size.temperatures[slot]:.4g}$", **line)
        low, high = density[slot] - error[slot], density[slot] + error[slot]
        axes.fill_between(q, low, high, color=line["color"], alpha=0.25, linewidth=0)
        readable(axes, q, density[slot], texts_at(size.L, "q", q, density[slot], error[slot]))
        drawn = True
    return drawn


def link_figure(data: Reduced, of: Figure):
    """Of the cold temperature, where there are values at all."""
    figure, axes = plt.subplots()
    drawn = draw_densities(axes, data, overlap_temperature(data, "cold"), Size.link_density)
    axes.set(xlabel=r"link overlap $q_{\mathrm{link}}$", ylabel=r"density $P(q_{\mathrm{link}})$")
    lines = [line.get_xydata() for line in axes.lines]
    if there := [line[line[:, 1] > 1e-3 * line[:, 1].max(), 0] for line in lines]:
        axes.set_xlim(min(x.min() for x in there) - 0.05, 1)
    axes.set_ylim(bottom=0)
    legend_above(axes) if drawn else empty(axes, of.missing)
    return figure


def overlap_figure(data: Reduced, of: Figure):
    figure, axes = plt.subplots()
    drawn = draw_densities(axes, data, overlap_temperature(data, of.name.removeprefix("overlap_")), Size.overlap_density)
    axes.set(xlabel="overlap $q$", ylabel="density $P(q)$", xlim=(-1, 1))
    axes.set_xticks(np.linspace(-1, 1, 5))
    axes.set_ylim(bottom=0)
    if drawn:
        legend_above(axes)
    else:
        empty(axes, "reduced.h5 is of an older version" if any(size.has(of.needs) for size in data.sizes) else of.missing)
    return figure


def spins_figure(data: Reduced, of: Figure, results: Path | None):
    """Of the state file that there is in the folder of results."""
    if results is None or not (shown := spin_file.of_results(results, [size.L for size in data.sizes])):
        figure, axes = plt.subplots()
        empty(axes, "there is no state file")
        return figure
    by = "species" if of.name == "spins_species" else spins.best_colour(data.model.staggered)
    return spins.slices([shown], by, spins.best_normal(shown), 0) if of.name == "spins_slice" else spins.arrows(shown, by)


def draw(data: Reduced, figure: Figure, critical: dict | None = None, results: Path | None = None):
    """With the model above it where it is not the ±J spin glass of three dimensions and equally many bonds of both signs. `critical`: as critical.json has it;
    `results`: the folder with the files of all batches, for pictures of spins."""
    if figure.drawing == SPINS:
        drawn = spins_figure(data, figure, results)
    elif figure.drawing in OF_CRITICAL_POINT:
        drawn = OF_CRITICAL_POINT[figure.drawing](data, critical or {}, figure)
    else:
        drawn = DRAWINGS[figure.drawing](data, figure)
    if label := data.model.label:
        drawn.suptitle(textwrap.fill(label, int(10 * drawn.get_figwidth())), fontsize="medium")
    return drawn


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
    "walk": walk_figure,
}
SPINS = "spins"
OF_CRITICAL_POINT = {"exponents": exponents_figure, "extrapolation": extrapolation_figure, "critical_band": band_figure, "collapse": collapse_figure}


def draw_and_save(data: Reduced, figure: Figure, critical: dict | None, results: Path | None, folder: Path, formats: list[str]) -> None:
    save(draw(data, figure, critical, results), folder, figure.name, formats)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_input("--critical", help="critical.json, for the figures of the critical point")
    parser.add_input("--results", folder=True, help="folder of the study's results, for pictures of vector spins")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--threads", type=int, default=1, help="processes that draw side by side (default: 1)")
    parser.add_argument("--formats", nargs="+", default=figures.FORMATS, choices=figures.FORMATS)
    given = parser.parse_args()
    data, critical = read_reduced(given.reduced), read_critical(given.critical) if given.critical else None
    chosen = figures.figures_of(data.model)
    take_names(given.out, [figure.name for figure in chosen], given.formats)
    set_style()
    side_by_side([partial(draw_and_save, data, figure, critical, given.results, given.out, given.formats) for figure in chosen], given.threads)


if __name__ == "__main__":
    main()
