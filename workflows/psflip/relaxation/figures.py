"""Pictures of relaxations: energy, coherence length, correlations rescaled, ageing, collapse of the Binder ratio, spins of two-dimensional lattices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from psflip.campaign.hdf5 import hdf5_file
from psflip.plots.plot_style import COLOURS, empty, legend_above, style_of
from psflip.relaxation.analysis import Curves
from psflip.relaxation.lengths import DOMAINS, GLASS, NOISE, cut_off
from psflip.relaxation.scaling import Collapse

LINE = {"color": "0.3", "linewidth": 0.8, "zorder": 5}  # of fits
SHOWN_TIMES = 8  # curves of C4
MAX_ERROR = 0.1  # of Binder ratios that are shown
MAX_PANELS = 4  # of pictures of spins


def label(curves: Curves, t: int, several: bool) -> str:
    size = f"$L = {curves.data.L}$, " if several else ""
    return f"{size}$T = {curves.data.temperatures[t]:g}$"


def temperatures_of(all_curves: list[Curves]) -> list[float]:
    return list(dict.fromkeys(float(T) for curves in all_curves for T in curves.data.temperatures))


def name_sizes_and_temperatures(all_curves: list[Curves], axes) -> None:
    """Gives the legend a marker of each size and a colour of each temperature."""
    for index, curves in enumerate(all_curves):
        axes.errorbar([], [], **(style_of(index) | {"linestyle": "none", "markersize": 3, "color": "black"}), label=f"$L = {curves.data.L}$")
    for index, T in enumerate(temperatures_of(all_curves)):
        axes.plot([], [], color=COLOURS[index % len(COLOURS)], label=f"$T = {T:g}$")


def against_time(all_curves: list[Curves], name: str, axes, ylabel: str, fits: list[dict] | None = None) -> None:
    """Draws a curve for each size and temperature; of several sizes, markers are sizes and colours temperatures. With `fits` both axes are logarithmic."""
    several, temperatures, is_logarithmic = len(all_curves) > 1, temperatures_of(all_curves), fits is not None
    for index, curves in enumerate(all_curves):
        for t, T in enumerate(curves.data.temperatures):
            if name in curves.rows:
                colour = {"color": COLOURS[temperatures.index(float(T)) % len(COLOURS)], "markersize": 3}
                style = style_of(index) | colour if several else style_of(t) | {"label": label(curves, t, False)}
                axes.errorbar(curves.data.times, curves.value(name)[:, t], curves.error(name)[:, t], **style)
    axes.set_ylabel(ylabel)
    if not axes.containers:
        return empty(axes, "This quantity was not measured.")
    if is_logarithmic and shows_nothing(axes):
        return empty(axes, "No value exceeds its error.")
    axes.set(xscale="log", yscale="log" if is_logarithmic else "linear", xlabel="$t$ (sweeps)")
    if several:
        name_sizes_and_temperatures(all_curves, axes)
        legend_above(axes, 4)
    else:
        axes.legend()
    for fit in reversed({(fit["L"], fit["T"]): fit for fit in reversed(fits or [])}.values()):  # the first window of each
        draw_fit(axes, fit)


def shows_nothing(axes) -> bool:
    """Whether no point of the curves lies above zero, so that a logarithmic axis has nothing to show."""
    return not any(np.any(np.asarray(line.get_ydata(), float) > 0) for line in axes.lines)


def draw_fit(axes, fit: dict) -> None:
    t = np.array([fit["t_from"], fit["t_to"]])
    axes.plot(t, fit["amplitude"] * t ** fit["power"], **LINE)


def correlations(curves: Curves, t: int, axes) -> None:
    """r^a C against r / xi12 at times spread over the relaxation, a as in lengths.py; only significant values."""
    if "xi12" not in curves.rows:
        return empty(axes, "This quantity was not measured.")
    values, errors = curves.rows["correlation"][0, :, t], curves.error("correlation")[:, t]
    xi = curves.value("xi12")[:, t]
    there = np.flatnonzero(np.isfinite(xi))
    if not len(there):
        return empty(axes, "No correlation exceeds its error.")
    chosen = there[np.unique(np.linspace(0, len(there) - 1, SHOWN_TIMES).round().astype(int))]
    colours = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, len(chosen)))
    r = np.arange(1, values.shape[-1] + 1)
    glass = "link" in curves.rows
    scale = r ** (GLASS if glass else DOMAINS)[0]
    for colour, i in zip(colours, chosen):
        used = slice(0, cut_off(values[i], errors[i]))
        axes.errorbar(r[used] / xi[i], scale[used] * values[i][used], scale[used] * errors[i][used], color=colour, marker="o", markersize=3, label=f"$t = {curves.data.times[i]}$")
    if shows_nothing(axes):
        return empty(axes, "No correlation exceeds its error.")
    axes.set(yscale="log", xlabel=r"$r / \xi_{12}(t)$", ylabel=r"$r^{1/2}\, C_4(r, t)$" if glass else "$C(r, t)$", title=label(curves, t, True))
    axes.legend(ncols=2)


def two_times(curves: Curves, t: int, axes, fits: list[dict] | None = None) -> None:
    """Draws C(t_w, t_w + t) against t, significant values alone, with the fit of lambda/z at t_w = 0; without `fits` all values against t / t_w."""
    data, is_rescaled = curves.data, fits is None
    values, errors = curves.rows["two_time_overlap"][0, :, t], curves.error("two_time_overlap")[:, t]
    for index, i in enumerate(i for i, waiting in enumerate(data.waiting) if waiting > 0 or not is_rescaled):
        later = (data.times > data.waiting[i]) & (is_rescaled | (values[:, i] > NOISE * errors[:, i]))
        if later.any():
            x = (data.times[later] - data.waiting[i]) / (data.waiting[i] if is_rescaled else 1)
            axes.errorbar(x, values[later, i], errors[later, i], **style_of(index), label=f"$t_w = {data.waiting[i]}$")
    if not axes.containers:
        return empty(axes, "The study has no waiting times." if is_rescaled else "After the waiting times,\nno value exceeds its error.")
    if shows_nothing(axes):
        return empty(axes, "No correlation is above zero.")
    for fit in fits or []:
        if (fit["L"], fit["T"]) == (data.L, data.temperatures[t]):
            draw_fit(axes, fit)
    axes.set(xscale="log", yscale="log", xlabel="$t / t_w$" if is_rescaled else "$t$ (sweeps)", ylabel="$C(t_w, t_w + t)$", title=label(curves, t, True))
    axes.legend()


def collapse(all_curves: list[Curves], axes) -> None:
    """Binder ratio against xi_L / L out of equilibrium: at T_c the sizes fall on one curve, up to corrections (arXiv:1509.07814)."""
    temperatures, shown = temperatures_of(all_curves), 0
    for index, curves in enumerate(all_curves):
        if "xi" not in curves.rows:
            return empty(axes, "This quantity was not measured.")
        marker = style_of(index) | {"linestyle": "none", "markersize": 3}
        for t, T in enumerate(curves.data.temperatures):
            x, y = curves.value("xi")[:, t] / curves.data.L, curves.value("binder")[:, t]
            used = np.isfinite(x) & (curves.error("binder")[:, t] < MAX_ERROR)
            shown += used.sum()
            colour = COLOURS[temperatures.index(float(T)) % len(COLOURS)]
            axes.errorbar(x[used], y[used], curves.error("binder")[used, t], curves.error("xi")[used, t] / curves.data.L, **(marker | {"color": colour}))
    if not shown:
        return empty(axes, f"No Binder ratio has an error below {MAX_ERROR:g}.")
    name_sizes_and_temperatures(all_curves, axes)
    axes.set(xlabel=r"$\xi_L(t) / L$", ylabel="Binder ratio $g(t)$")
    axes.legend()


def collapse_at_T_c(collapsed: Collapse, axes) -> None:
    """The Binder ratio less what the fit says of T - T_c, all sizes and temperatures, and the curve that they share."""
    points = collapsed.points
    x, g, errors = points.x[0], collapsed.shifted(), points.error(points.g)
    for index, L in enumerate(np.unique(points.L)):
        of = points.L == L
        axes.errorbar(x[of], g[of], errors[of], **(style_of(index) | {"linestyle": "none", "markersize": 3}), label=f"$L = {L:g}$")
    line = np.linspace(x.min(), x.max(), 200)
    axes.plot(line, collapsed.master(line), **LINE)
    axes.set(xlabel=r"$\xi_L(t) / L$", ylabel=r"$g(t)$ at $T_c$")
    axes.legend()


def pictures(all_curves: list[Curves], fits: list[dict], decays: list[dict], collapsed: Collapse | None) -> dict[str, tuple[str, Callable]]:
    """Returns name -> caption and a function that draws into axes. Correlations and ageing are shown for the largest size, at every temperature."""
    largest = all_curves[-1]
    found: dict[str, tuple[str, Callable]] = {
        "energy": ("Energy per site after the start.", lambda axes: against_time(all_curves, "energy", axes, "$e(t)$")),
        "xi": ("Coherence length, with fits A t<sup>1/z</sup> in their windows.", lambda axes: against_time(all_curves, "xi12", axes, r"$\xi_{12}(t)$", fits)),
    }
    if len(all_curves) > 1:
        found["collapse"] = ("Binder ratio against ξ<sub>L</sub>/L: at T<sub>c</sub> all sizes fall on one curve.", lambda axes: collapse(all_curves, axes))
    if collapsed:
        caption = "Binder ratio without the terms in T − T<sub>c</sub> that the fit of the collapse has. The line is the curve that all sizes and temperatures share."
        found["collapse_fit"] = (caption, lambda axes: collapse_at_T_c(collapsed, axes))
    for t, temperature in enumerate(largest.data.temperatures):
        name, at = f"T{temperature:g}".replace(".", "p"), f"at T = {temperature:g}"
        found[f"correlation_{name}"] = (f"Spatial correlation {at}, rescaled with the coherence length.", lambda axes, t=t: correlations(largest, t, axes))
        if len(largest.data.waiting):
            caption = f"Correlation of two times {at}. If the start is a waiting time, a line shows the fit A t<sup>−λ/z</sup>."
            found[f"two_times_{name}"] = (caption, lambda axes, t=t: two_times(largest, t, axes, decays))
        if any(largest.data.waiting > 0):
            found[f"ageing_{name}"] = (f"Ageing {at}: correlation of two times against t/t<sub>w</sub>.", lambda axes, t=t: two_times(largest, t, axes))
    return found


def first_lattice(words: np.ndarray) -> np.ndarray:
    """Returns (y, x), True if the spin is up, of the first realization of the first replica and temperature."""
    return (words[0, 0, 0] & np.uint64(1)).astype(bool)


def spins_at_times(path: Path) -> list[tuple[int, np.ndarray]]:
    """Returns times and spins of a state file at the waiting times, without the start, and at the end; empty for lattices of three dimensions."""
    with hdf5_file(path, "a state file") as file:
        found = []
        if file["spins"].ndim != 5:
            return found
        start = int(file["run_start"][0])
        if "snapshots" in file:
            found = [(int(t), first_lattice(file["snapshots/spins"][i])) for i, t in enumerate(file["snapshots/sweep"][:]) if t > 0]
        return [*found, (int(file["sweep"][0]) - start, first_lattice(file["spins"][:]))][-MAX_PANELS:]


def domains(shown: list[tuple[int, np.ndarray]]):
    """Returns a figure of all moments side by side."""
    figure, panels = plt.subplots(1, len(shown), figsize=(1.75 * len(shown), 2.1), squeeze=False)
    for axes, (time, up) in zip(panels[0], shown):
        axes.imshow(up, cmap="Greys", interpolation="nearest", origin="lower", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[], title=f"$t = {time}$")
        axes.minorticks_off()
    return figure
