"""Draws the figures of crossings: curves of all sizes with the crossings of pairs, and crossing temperatures against the size."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator, NullLocator

from psflip.critical.crossings import Crossing
from psflip.plots.figures import Figure
from psflip.plots.plot_style import COLUMN, ON_TOP, TEMPERATURE, empty_figure, labels_on_top, legend_above, readable, style_of
from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.cautions import mark
from psflip.results.literature import Known
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

CURVES = 1.95  # inches: height of a panel of curves
ROW = 0.16  # height of a pair of sizes in the panel of crossings
ROOM = 0.24  # width of a number next to its point, in units of the width of that panel


def texts_at(L: int, name: str, where, values, errors) -> list[str]:
    return [f"L = {L}, {name} = {x:.4g}: {with_error(v, e)}" for x, v, e in zip(where, values, errors)]


def draw_points(axes, index: int, L: int, T, value, error, has_label: bool = True) -> None:
    """Draws points against temperature with errors and readable texts, in the style of the index-th size."""
    if len(T):
        axes.errorbar(T, value, error, label=f"$L={L}$" if has_label else None, **style_of(index))
        readable(axes, T, value, texts_at(L, "T", T, value, error))


def draw_curves(axes, data: Reduced, name: str, has_label: bool = True) -> None:
    for index, size in enumerate(data.sizes):
        draw_points(axes, index, size.L, *size.curve(name), has_label)


def number_of(data: Reduced, crossing: Crossing) -> str:
    """Returns the temperature with its error, and with a mark if the equilibrium of one of the sizes is in doubt."""
    return with_error(crossing.T, crossing.T_err) + mark(data, (crossing.L1, crossing.L2))


def write_number(axes, crossing: Crossing, row: int, text: str) -> None:
    """Writes the number on the side of its error bar that has more room, or nowhere if neither has enough."""
    low, high = axes.get_xlim()
    error = np.nan_to_num(crossing.T_err)
    left, right = (crossing.T - error - low) / (high - low), (high - crossing.T - error) / (high - low)
    if max(left, right) > ROOM:
        side, sign = ("right", -1) if left > right else ("left", 1)
        axes.annotate(text, (crossing.T + sign * error, row), (4 * sign, 0), textcoords="offset points", ha=side, va="center")


def draw_crossings(axes, data: Reduced, name: str) -> None:
    """Draws a row for each pair of sizes with the crossing of their curves."""
    pairs = data.shown(name)
    for row, crossing in enumerate(pairs):
        text = number_of(data, crossing)
        axes.errorbar(crossing.T, row, None, crossing.T_err, color="black", marker="o", markersize=3, linestyle="none")
        write_number(axes, crossing, row, text)
        value = with_error(crossing.value, crossing.value_err)
        readable(axes, [crossing.T], [row], [f"L = {crossing.L1} and {crossing.L2} cross at T = {text} with the value {value}"])
    axes.set_yticks(range(len(pairs)), [f"{c.L1}, {c.L2}" for c in pairs])
    axes.set(ylim=(len(pairs) - 0.4, -0.6), xlabel=TEMPERATURE, ylabel="pair")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="y", length=0)


def critical_label(known: Known) -> str:
    return rf"$T_c={known.T_c_text}$, $L\to\infty$"


def draw_critical_band(axes, known: Known, label: str | None = None) -> None:
    """Draws a band, or a line if the band is too narrow to be seen."""
    T, error = known.T_c
    axes.axvspan(T - error, T + error, facecolor="0.8", edgecolor="0.8", linewidth=0 if known.mark == "band" else 0.8, zorder=0, label=label)


def window_around_crossings(data: Reduced, name: str) -> tuple[float, float] | None:
    """Returns a range of temperatures that holds the crossings and a few points on either side; None if it is nearly the whole range."""
    temperatures = [c.T for c in data.shown(name)]
    if not temperatures:
        return None
    everything = np.concatenate([size.temperatures for size in data.sizes])
    margin = max(0.1, 0.5 * (max(temperatures) - min(temperatures)))
    literature = [data.compared.T_c[0]] if data.compared else []
    low, high = min(temperatures + literature) - margin, max(temperatures + literature) + margin
    low, high = max(low, everything.min()), min(high, everything.max())
    return (low, high) if high - low < 0.7 * np.ptp(everything) else None


def enough_temperatures(data: Reduced, name: str) -> bool:
    """Returns whether a curve has at least two points."""
    return any(len(size.curve(name)[0]) > 1 for size in data.sizes)


def nothing_to_draw(data: Reduced, of: Figure):
    figure = empty_figure("Two temperatures are needed." if any(size.has(of.needs) for size in data.sizes) else of.missing)
    figure.axes[0].set(xlabel=TEMPERATURE, ylabel=of.label)
    return figure


def crossing_figure(data: Reduced, of: Figure):
    """Draws the curves of all sizes, below them the range of the crossings enlarged, and at the bottom a row for each pair of sizes. All panels have the published T_c, if
    there is one."""
    name = of.needs
    if not enough_temperatures(data, name):
        return nothing_to_draw(data, of)
    window, pairs = window_around_crossings(data, name), data.shown(name)
    heights = [CURVES] * (2 if window else 1) + [ROW * (len(pairs) + 0.5)] * bool(pairs)
    figure, rows = plt.subplots(len(heights), figsize=(COLUMN, sum(heights) + 0.75 + 0.35 * bool(window)), height_ratios=heights, squeeze=False)
    panels = list(rows[:, 0])
    curves = panels[:-1] if pairs else panels
    for index, axes in enumerate(panels):
        if data.compared:
            draw_critical_band(axes, data.compared, None if index else critical_label(data.compared))
    for index, axes in enumerate(curves):
        draw_curves(axes, data, name, has_label=index == 0)
        axes.set(xlabel=TEMPERATURE, ylabel=of.label)
    if window:
        curves[-1].set(xlim=window, ylim=value_range(data, name, window))
        curves[-1].xaxis.set_major_locator(MaxNLocator(6))
        curves[0].axvspan(*window, facecolor="none", edgecolor="0.6", linewidth=0.6, linestyle=":", zorder=0)
    if pairs:
        panels[-1].sharex(curves[-1])
        draw_crossings(panels[-1], data, name)
        curves[-1].set_xlabel("")
        curves[-1].tick_params(labelbottom=False)
    legend_above(curves[0])
    return figure


def crossing_temperature_figure(data: Reduced, of: Figure):
    """Draws crossing temperatures against the leading correction to scaling if it is known, else against 1/L. Points of the two quantities are slightly apart."""
    known, compared = data.model.known, data.compared
    power = known.power if known else 1
    found = {name: data.scaling_pairs(name) for name in reversed(data.model.crossings)}
    pairs = {c.L1**-power: f"{c.L1}, {c.L2}" for crossings in found.values() for c in crossings}
    if len(pairs) < 2:
        return empty_figure(of.missing)
    figure, axes = plt.subplots()
    if compared:
        axes.errorbar(0, *compared.T_c, color="0.45", marker="s", linestyle="none", label=critical_label(compared))
    for index, (name, crossings) in enumerate(found.items()):
        if crossings:
            x, T, error = np.array([(c.L1**-power, c.T, c.T_err) for c in crossings]).T
            x += (index - 0.5) * 0.012 * x.max()
            axes.errorbar(x, T, error, label=CROSSING_CURVES[name].label, **(style_of(index) | {"linestyle": "none"}))
            readable(axes, x, T, [f"{c.L1} and {c.L2}: T = {number_of(data, c)}" for c in crossings])
    labels_on_top(axes, pairs, "pair of sizes")
    axes.set_xlim(left=-0.04 * max(pairs))
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
        values += [*(value - error)[inside], *(value + error)[inside], *np.interp(window, T, value)]
    margin = 0.05 * np.ptp(values)
    return min(values) - margin, max(values) + margin
