"""Draws the figures on single realizations: their overlaps at the coldest temperature, and how much they differ."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from psflip.plots.figures import Figure
from psflip.plots.plot_style import COLOURS, PAGE, TEMPERATURE, empty_figure, figure_by_size, readable, style_of
from psflip.plots.plots_crossings import draw_points
from psflip.results.overlaps import NEAR, Overlaps, weight_near_zero
from psflip.results.averages import Size
from psflip.results.reduced import Reduced

QUANTILES = (0, 25, 50, 75, 100)  # of the weight near zero, percent


def chosen(weight: np.ndarray) -> list[int]:
    """Returns the realizations at the quantiles of the weight near zero. Of equal weights, the first realization counts."""
    order = np.argsort(weight, kind="stable")
    return [int(order[round(percent / 100 * (len(order) - 1))]) for percent in QUANTILES]


def overlap_panels(axes, size: Size, overlaps: Overlaps) -> None:
    bins = max(4, min(overlaps.fraction.shape[1] // 2, (len(overlaps.q) - 1) // 4))
    edges, density = overlaps.density(bins)
    weight = weight_near_zero(overlaps)
    numbers = size.get("realization", np.arange(len(weight)))
    panels = [(density.mean(axis=0), "average")]
    panels += [(density[r], f"realization {numbers[r]:.0f}\n{percent}%: weight {weight[r]:.3f}") for percent, r in zip(QUANTILES, chosen(weight))]
    for panel, (values, text) in zip(axes.flat, panels):
        panel.stairs(values, edges, color=COLOURS[0], fill=True, alpha=0.35)
        panel.stairs(values, edges, color=COLOURS[0])
        panel.text(0.04, 0.95, text, transform=panel.transAxes, va="top")
        readable(panel, (edges[1:] + edges[:-1]) / 2, values, [f"{text.splitlines()[0]}, |q| = {a:.3g} to {b:.3g}: {v:.3g}" for a, b, v in zip(edges, edges[1:], values)])


def realizations_figure(data: Reduced, of: Figure):
    """Draws overlaps of the largest size: the average P(|q|), and P_J(|q|) of realizations from the least weight near zero to the most."""
    found = [(size, overlaps) for size in data.sizes if (overlaps := Overlaps.of(size))]
    if not found:
        return empty_figure(of.missing)
    size, overlaps = found[-1]
    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 3.4))
    overlap_panels(axes, size, overlaps)
    for panel in axes.flat:
        panel.set(xlim=(0, 1), ylim=(0, 1.35 * panel.get_ylim()[1]), xlabel="$|q|$", ylabel="$P_J(|q|)$")
    axes.flat[0].set(ylabel="$P(|q|)$")
    figure.supxlabel(rf"$L={size.L}$, $T={size.temperatures[0]:.4g}\,J/k_B$", fontsize="medium")
    return figure


def weight_figure(data: Reduced, of: Figure):
    """Draws the fraction of the realizations that have at least this weight near zero."""

    def draw(axes, index: int, size: Size) -> None:
        if not (overlaps := Overlaps.of(size)):
            return
        weight = np.sort(weight_near_zero(overlaps))
        fraction = np.arange(len(weight), 0, -1) / len(weight)
        axes.step(weight, fraction, where="pre", label=f"$L={size.L}$, $T={size.temperatures[0]:.4g}$", **style_of(index, "marker"))
        few = np.unique(np.linspace(0, len(weight) - 1, 30).astype(int))
        readable(axes, weight[few], fraction[few], [f"L = {size.L}: {100 * f:.3g} % have {w:.3g} or more" for w, f in zip(weight[few], fraction[few])])

    of_axes = {"xlabel": rf"weight of $|q| \leq {NEAR}$", "ylabel": "fraction with at least this weight", "ylim": (0, 1)}
    figure = figure_by_size(data.sizes, draw, of.missing, **of_axes)
    figure.axes[0].set_xlim(left=0)
    return figure


def spread_figure(data: Reduced, of: Figure):
    """Draws a measure of the differences between realizations against temperature. Leaves out values below twice their errors."""

    def draw(axes, index: int, size: Size) -> None:
        if index == 0 and of.level is not None:
            axes.axhline(of.level, color="0.5", linewidth=0.8, zorder=0, label=of.level_name)
        T, value, error = size.curve(of.needs)
        clear = (error > 0) & (error < 0.5 * np.abs(value))
        draw_points(axes, index, size.L, T[clear], value[clear], error[clear])

    return figure_by_size(data.sizes, draw, of.missing, 4, xlabel=TEMPERATURE, ylabel=of.label)
