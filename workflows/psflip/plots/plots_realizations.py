"""The figures on single realizations: their overlaps at the coldest temperature, and how much they differ."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from psflip.plots.figures import Figure
from psflip.plots.plot_style import COLOURS, LINES, PAGE, TEMPERATURE, empty, legend_above, readable, style_of
from psflip.results.notation import with_error
from psflip.results.overlaps import NEAR, Overlaps, weight_near_zero
from psflip.results.averages import Size
from psflip.results.reduced import Reduced

QUANTILES = (0, 25, 50, 75, 100)  # of the weight near zero, percent


def chosen(weight: np.ndarray) -> list[int]:
    """The realizations at the quantiles of the weight near zero; of equal weight the first."""
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
    """P_J(|q|) of the largest size: the average, and realizations from the least weight near zero to the most."""
    found = [(size, overlaps) for size in data.sizes if (overlaps := Overlaps.of(size))]
    if not found:
        figure, axes = plt.subplots()
        empty(axes, of.missing)
        return figure
    size, overlaps = found[-1]
    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 3.4))
    overlap_panels(axes, size, overlaps)
    for panel in axes.flat:
        panel.set(xlim=(0, 1))
        panel.set_xlabel("$|q|$")
        panel.set_ylabel("$P_J(|q|)$")
        panel.set_ylim(0, 1.35 * panel.get_ylim()[1])
    figure.supxlabel(rf"$L={size.L}$, $T={size.temperatures[0]:.4g}\,J/k_B$", fontsize="medium")
    return figure


def weight_figure(data: Reduced, of: Figure):
    """The fraction of the realizations that have at least this weight near zero."""
    figure, axes = plt.subplots()
    drawn = False
    for index, size in enumerate(data.sizes):
        if not (overlaps := Overlaps.of(size)):
            continue
        weight = np.sort(weight_near_zero(overlaps))
        fraction = np.arange(len(weight), 0, -1) / len(weight)
        axes.step(weight, fraction, where="pre", color=style_of(index)["color"], linestyle=LINES[index % len(LINES)], label=f"$L={size.L}$, $T={size.temperatures[0]:.4g}$")
        few = np.unique(np.linspace(0, len(weight) - 1, 30).astype(int))
        readable(axes, weight[few], fraction[few], [f"L = {size.L}: {100 * f:.3g} % have {w:.3g} or more" for w, f in zip(weight[few], fraction[few])])
        drawn = True
    axes.set(xlabel=rf"weight of $|q| \leq {NEAR}$", ylabel="realizations with at least this weight", ylim=(0, 1))
    axes.set_xlim(left=0)
    legend_above(axes) if drawn else empty(axes, of.missing)
    return figure


def spread_figure(data: Reduced, of: Figure):
    """A measure of the differences between realizations against temperature, from where it is larger than twice its error."""
    figure, axes = plt.subplots()
    if of.level is not None:
        axes.axhline(of.level, color="0.5", linewidth=0.8, zorder=0, label=of.level_name)
    drawn = False
    for index, size in enumerate(data.sizes):
        T, value, error = size.curve(of.needs)
        clear = (error > 0) & (error < 0.5 * np.abs(value))
        T, value, error = T[clear], value[clear], error[clear]
        if not len(T):
            continue
        axes.errorbar(T, value, error, label=f"$L={size.L}$", **style_of(index))
        readable(axes, T, value, [f"L = {size.L}, T = {t:.4g}: {with_error(v, e)}" for t, v, e in zip(T, value, error)])
        drawn = True
    axes.set(xlabel=TEMPERATURE, ylabel=of.label)
    legend_above(axes, 4) if drawn else empty(axes, of.missing)
    return figure
