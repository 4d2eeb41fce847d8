"""The figures on equilibration: averages against the sweeps, exchanges, and the random walk in temperature."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

from plots.plot_style import LINES, TEMPERATURE, empty, readable, style_of
from results.notation import with_error
from results.reduced import Reduced


def swap_figure(data: Reduced):
    figure, axes = plt.subplots()
    drawn = False
    for index, size in enumerate(data.sizes):
        T, rate = size.temperatures, size.get("swap_rate")
        rate = rate[: len(T) - 1]
        if len(rate) and np.isfinite(rate).any():
            middle = 0.5 * (T[1:] + T[:-1])
            axes.plot(middle, rate, label=f"$L={size.L}$", **style_of(index))
            texts = [f"L = {size.L}, T = {a:.4g} and {b:.4g}: {r:.3f}" for a, b, r in zip(T, T[1:], rate)]
            readable(axes, middle, rate, texts)
            drawn = True
    axes.set(xlabel=TEMPERATURE, ylabel="accepted fraction of exchanges", ylim=(0, 1))
    if drawn:
        axes.legend(loc="lower right", handlelength=2.6)
    else:
        empty(axes, "no exchanges")
    return figure


def equilibration_figure(data: Reduced, name: str, label: str):
    """Bin averages at the coldest temperature against the upper edges of the log2 bins."""
    figure, axes = plt.subplots()
    coldest = {size.temperatures[0] for size in data.sizes}
    drawn = 0
    for index, size in enumerate(data.sizes):
        value, error = size.get(f"log2_{name}"), size.get(f"log2_{name}_err")
        if value.ndim != 2 or not np.isfinite(value[:, 0]).any():
            continue
        legend = f"$L={size.L}$" + (f", $T={size.temperatures[0]:.4g}$" if len(coldest) > 1 else "")
        sweeps = size.get("log2_edges")[1:]
        axes.errorbar(sweeps, value[:, 0], error[:, 0], label=legend, **style_of(index))
        texts = [f"L = {size.L}, up to {s:.0f} sweeps: {with_error(v, e)}" for s, v, e in zip(sweeps, value[:, 0], error[:, 0])]
        readable(axes, sweeps, value[:, 0], texts)
        drawn += 1
    where = f" at $T={min(coldest):.4g}$" if len(coldest) == 1 else ""
    axes.set(xlabel="sweeps since the end of thermalization", ylabel=label + where)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_minor_locator(LogLocator(base=2, subs=(1.0,)))
    if drawn:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(3, drawn), handlelength=2.6)
    else:
        empty(axes, "needs two replicas" if name == "q2" else "no bins")
    return figure


def walk_figure(data: Reduced):
    """Fraction of the realizations whose walk in temperature has at least this autocorrelation time."""
    figure, axes = plt.subplots()
    drawn = False
    for index, size in enumerate(data.sizes):
        tau = np.sort(size.get("tau_walk"))
        tau = tau[np.isfinite(tau) & (tau > 0)]
        if not len(tau):
            continue
        rank = np.unique(np.concatenate([np.arange(1, 101), np.geomspace(1, len(tau), 400).astype(int)]))
        rank = rank[rank <= len(tau)][::-1]  # all of the slowest, some of the rest
        tau, fraction = tau[-rank], rank / len(tau)
        line = {"color": style_of(index)["color"], "linestyle": LINES[index % len(LINES)]}
        axes.step(tau, fraction, where="pre", label=f"$L={size.L}$", **line)
        few = np.unique(np.geomspace(1, len(rank), 24).astype(int))  # from the slowest
        readable(axes, tau[-few], fraction[-few], [f"L = {size.L}: {100 * f:.3g} % have {t:.3g} sweeps or more" for t, f in zip(tau[-few], fraction[-few])])
        drawn = True
    axes.set(xlabel=r"$\tau$ of the walk in temperature (sweeps)", ylabel=r"realizations with at least $\tau$")
    if drawn:
        axes.set(xscale="log", yscale="log")
        axes.legend(loc="lower left", handlelength=2.6)
    else:
        empty(axes, "not known")
    return figure
