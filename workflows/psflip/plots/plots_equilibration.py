"""Draws the figures on equilibration: averages against the sweeps, exchanges, and the random walk in temperature."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, NullLocator
from psflip.plots.figures import Figure
from psflip.plots.plot_style import COLUMN, TEMPERATURE, empty, figure_by_size, legend_above, readable, style_of
from psflip.results.averages import Size
from psflip.results.notation import with_error
from psflip.results.paired import Paired
from psflip.results.reduced import Reduced

MAX_LABELS = 8  # for which an axis has room


def swap_figure(data: Reduced, of: Figure):
    def draw(axes, index: int, size: Size) -> None:
        T = size.temperatures
        rate = size.get("swap_rate")[: len(T) - 1]
        if np.isfinite(rate).any():
            middle = 0.5 * (T[1:] + T[:-1])
            axes.plot(middle, rate, label=f"$L={size.L}$", **style_of(index))
            readable(axes, middle, rate, [f"L = {size.L}, T = {a:.4g} and {b:.4g}: {r:.3f}" for a, b, r in zip(T, T[1:], rate)])

    return figure_by_size(data.sizes, draw, of.missing, xlabel=TEMPERATURE, ylabel="accepted fraction of exchanges", ylim=(0, 1))


def houdayer_figure(data: Reduced, of: Figure):
    def draw(axes, index: int, size: Size) -> None:
        if not size.has(of.needs):
            return
        T, sites, accepted = size.temperatures, size.get(of.needs), size.get("houdayer_acceptance")
        axes.plot(T, sites / size.sites, label=f"$L={size.L}$", **style_of(index))
        axes.plot(T, accepted, markerfacecolor="white", **style_of(index))
        readable(axes, T, sites / size.sites, [f"L = {size.L}, T = {t:.4g}: {s:.4g} sites" for t, s in zip(T, sites)])
        readable(axes, T, accepted, [f"L = {size.L}, T = {t:.4g}: {a:.3f} of the moves" for t, a in zip(T, accepted)])

    return figure_by_size(data.sizes, draw, of.missing, xlabel=TEMPERATURE, ylabel="cluster size / N, accepted fraction", ylim=(0, None))


def equilibration_figure(data: Reduced, of: Figure):
    """Draws paired differences at the coldest temperature, in units of the error of the average, against the bins from the last quarter back."""
    coldest = {size.temperatures[0] for size in data.sizes}

    def draw(axes, index: int, size: Size) -> None:
        found, of_average = Paired.of(size, of.needs), size.get(f"{of.needs}_err", size.temperatures)[0]
        if found is None or not of_average > 0:
            return
        legend = f"$L={size.L}$" + (f", $T={size.temperatures[0]:.4g}$" if len(coldest) > 1 else "")
        bins = np.arange(1, len(found.z) + 1)
        difference, error, z = found.difference[:, 0] / of_average, found.error[:, 0] / of_average, found.z[:, 0]
        axes.errorbar(bins + 0.06 * index, difference, error, label=legend, **style_of(index))
        texts = [f"L = {size.L}, from {0.5 ** (k + 1):.3g} to {0.5**k:.3g} of the run: {with_error(d, e)} errors, z = {x:.1f}" for k, d, e, x in zip(bins, difference, error, z)]
        readable(axes, bins + 0.06 * index, difference, texts)

    where = f" at $T={min(coldest):.4g}$" if len(coldest) == 1 else ""
    ylabel = f"{of.label}: last half minus earlier part\n(in errors of the average{where})"
    figure = figure_by_size(data.sizes, draw, of.missing, xlabel="end of the earlier part, as a fraction of the run", ylabel=ylabel)
    axes = figure.axes[0]
    if axes.get_legend():
        axes.axhspan(-1, 1, color="0.9", zorder=0)
        axes.axhline(0, color="0.5", linewidth=0.8, zorder=0)
        axes.set_yscale("symlog", linthresh=1, linscale=0.7)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ends = range(1, int(axes.get_xlim()[1]) + 1)
        every = -(-len(ends) // MAX_LABELS)
        axes.set_xticks(list(ends), [f"1/{2**k}" if k % every == 1 % every else "" for k in ends])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.invert_xaxis()
    return figure


def links_figure(data: Reduced, of: Figure):
    """Draws the energy and the energy from the link overlap against the sweeps, at the coldest temperature. The lower panel has their difference."""
    figure, (above, below) = plt.subplots(2, figsize=(COLUMN, 3.6), sharex=True, height_ratios=(3, 2))
    for index, size in enumerate(data.sizes):
        if not (size.has("log2_energy") and size.has("log2_q_link")):
            continue
        energy, error = size.get("log2_energy")[:, 0], size.get("log2_energy_err")[:, 0]
        links = size.energy_of_links(size.get("log2_q_link"))[:, 0]
        of_links = size.dimension * size.get("log2_q_link_err")[:, 0] / size.temperatures[0]
        sweeps, style = size.get("log2_edges")[1:], style_of(index) | {"linestyle": "-", "linewidth": 0.8}
        above.errorbar(sweeps, energy, error, label=f"$L={size.L}$, $T={size.temperatures[0]:.4g}$", **style)
        above.errorbar(sweeps, links, of_links, markerfacecolor="white", **style)
        below.errorbar(sweeps * 1.05**index, energy - links, np.hypot(error, of_links), **style)
        texts = [f"L = {size.L}, t = {t:g}: e = {with_error(*a)}, from links {with_error(*b)}" for t, a, b in zip(sweeps, zip(energy, error), zip(links, of_links))]
        readable(above, sweeps, energy, texts)
    if not above.containers:
        below.set_visible(False)
        empty(above, of.missing)
        return figure
    above.set(xscale="log", ylabel=r"$e$ and $-\beta d\,(1-q_{\mathrm{link}})$")
    below.axhline(0, color="0.5", linewidth=0.8, zorder=0)
    below.set(xlabel="sweeps after thermalization", ylabel="difference")
    legend_above(above)
    return figure


def walk_figure(data: Reduced, of: Figure):
    """Draws the fraction of the realizations whose walk in temperature has at least this autocorrelation time."""

    def draw(axes, index: int, size: Size) -> None:
        tau = np.sort(size.get("tau_walk"))
        tau = tau[np.isfinite(tau) & (tau > 0)]
        if not len(tau):
            return
        rank = np.unique(np.concatenate([np.arange(1, 101), np.geomspace(1, len(tau), 400).astype(int)]))
        rank = rank[rank <= len(tau)][::-1]  # all of the slowest, some of the rest
        tau, fraction = tau[-rank], rank / len(tau)
        axes.step(tau, fraction, where="pre", label=f"$L={size.L}$", **style_of(index, "marker"))
        axes.set(xscale="log", yscale="log")
        few = np.unique(np.geomspace(1, len(rank), 24).astype(int))  # from the slowest
        readable(axes, tau[-few], fraction[-few], [f"L = {size.L}: {100 * f:.3g} % have {t:.3g} sweeps or more" for t, f in zip(tau[-few], fraction[-few])])

    return figure_by_size(data.sizes, draw, of.missing, xlabel=r"$\tau$ of the walk in temperature (sweeps)", ylabel=r"fraction with at least $\tau$")
