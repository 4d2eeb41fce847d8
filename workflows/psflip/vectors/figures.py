"""Pictures of protocols: averages against temperature and against the field, leg by leg, or against time where neither changes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from psflip.plots.plot_style import COLOURS, COLUMN, MARKERS, PAGE, TEMPERATURE
from psflip.vectors.legs import legs_of
from psflip.vectors.protocols import Protocol

FIELD, TIME = "field $h$ ($J$)", "$t$ (sweeps)"
LABELS = {"energy": "energy per spin $E / (N J)$", "moment_z": r"moment along the field $\mu_z$", "m": r"moment $\langle|\mu|\rangle$",
          "ms": r"staggered magnetisation $\langle|m_s|\rangle$", "chi_m": r"susceptibility $\chi$ ($1/J$)", "chi_ms": r"staggered susceptibility $\chi_s$ ($1/J$)",
          "chi_z": r"susceptibility along the field $\chi_z$ ($1/J$)"}  # fmt: skip


def panels_of(protocols: list[Protocol], along: str) -> tuple[str, ...]:
    """Returns the averages that are drawn against T, h or t."""
    order = "ms" if protocols[0].staggered else "m"
    return {"T": ("moment_z", order, "energy", f"chi_{order}"), "h": ("moment_z", order, "energy", "chi_z"), "t": ("moment_z", order, "energy")}[along]


def name_of(protocol: Protocol, protocols: list[Protocol], along: str) -> str:
    """Returns size, and the temperature of the study if protocols differ in it or no axis shows it."""
    several = len({p.T_study for p in protocols}) > 1 or along != "T"
    return f"$L={protocol.L}$" + (f", $T={protocol.T_study:g}$" if several else "")


Line = tuple[int, Protocol, np.ndarray, slice, bool]  # number of the protocol, x of its stages, the stages of the line, whether it is dashed with open symbols


def figure_of(protocols: list[Protocol], along: str, lines: list[Line], label: str):
    names = panels_of(protocols, along)
    rows = 2 if len(names) > 3 else 1
    columns = -(-len(names) // rows)
    figure, panels = plt.subplots(rows, columns, figsize=(min(COLUMN * columns, PAGE), 2.3 * rows + 0.4), squeeze=False, sharex=True)
    marks = [{"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], "markersize": 3.5} for i in range(len(protocols))]
    for axes, name in zip(panels.flat, names):
        for i, protocol, x, stages, is_open in lines:
            look = {"markerfacecolor": "white" if is_open else marks[i]["color"], "linestyle": "--" if is_open else "-", "linewidth": 0.9}
            axes.errorbar(x[stages], protocol.mean(name)[stages], protocol.error(name)[stages], **marks[i], **look)
        axes.set_ylabel(LABELS[name])
        if name == "moment_z":
            axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
        if along == "t":
            axes.set_xscale("log")
    for axes in panels[-1]:
        axes.set_xlabel(label)
    handles = [Line2D([], [], label=name_of(p, protocols, along), **mark) for p, mark in zip(protocols, marks)]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(4, len(handles)))
    return figure


CAPTIONS = {
    "temperature": "Averages of the stages against temperature. Symbols are full while the temperature falls and open while it rises.",
    "field": "Averages of the stages against the field. Symbols are full while the field falls and open while it rises.",
    "time": "Averages against time, at fixed temperature and field.",
}


def pictures(protocols: list[Protocol]) -> dict:
    """Returns name -> figure: a line for each leg on which temperature or field changes, or lines against time if neither changes."""
    found = {}
    for name, along, label in (("temperature", "T", TEMPERATURE), ("field", "h", FIELD)):
        lines = [(i, p, getattr(p, along), leg.stages, leg.up) for i, p in enumerate(protocols) for leg in legs_of(p) if leg.along == along]
        if lines:
            found[name] = figure_of(protocols, along, lines, label)
    return found or {"time": figure_of(protocols, "t", [(i, p, p.times, slice(None), False) for i, p in enumerate(protocols)], TIME)}
