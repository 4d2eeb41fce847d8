"""Pictures of protocols: averages against temperature and against the field, leg by leg, or against time where neither changes."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.lines import Line2D

from psflip.plots.plot_style import COLOURS, COLUMN, MARKERS, PAGE, TEMPERATURE
from psflip.vectors.legs import Leg, legs_of
from psflip.vectors.protocols import Protocol

FIELD, TIME = "field $h$ ($J$)", "$t$ (sweeps)"
LABELS = {"energy": "energy per spin $E / (N J)$", "moment_z": r"moment along the field $\mu_z$", "m": r"moment $\langle|\mu|\rangle$",
          "ms": r"staggered magnetisation $\langle|m_s|\rangle$", "chi_m": r"susceptibility $\chi$ ($1/J$)", "chi_ms": r"staggered susceptibility $\chi_s$ ($1/J$)",
          "chi_z": r"susceptibility along the field $\chi_z$ ($1/J$)"}  # fmt: skip


def panels_of(protocols: list[Protocol], along: str) -> tuple[str, ...]:
    """What is drawn against T, h or t."""
    order = "ms" if protocols[0].staggered else "m"
    return {"T": ("moment_z", order, "energy", f"chi_{order}"), "h": ("moment_z", order, "energy", "chi_z"), "t": ("moment_z", order, "energy")}[along]


def name_of(protocol: Protocol, protocols: list[Protocol], along: str) -> str:
    """Size, and the temperature of the study where it tells protocols from each other or nothing else tells it."""
    several = len({p.T_study for p in protocols}) > 1 or along != "T"
    return f"$L={protocol.L}$" + (f", $T={protocol.T_study:g}$" if several else "")


def draw_line(axes, protocol: Protocol, name: str, index: int, x, stages: slice, open_marker: bool) -> None:
    colour = COLOURS[index % len(COLOURS)]
    axes.errorbar(x[stages], protocol.mean(name)[stages], protocol.error(name)[stages], color=colour, marker=MARKERS[index % len(MARKERS)], markersize=3.5,
                  markerfacecolor="white" if open_marker else colour, linestyle="--" if open_marker else "-", linewidth=0.9)  # fmt: skip


def draw_legs(axes, protocols: list[Protocol], legs: list[list[Leg]], name: str, along: str) -> None:
    """One line for each leg; those on which T or h grows are dashed with open symbols."""
    for index, (protocol, own) in enumerate(zip(protocols, legs)):
        for leg in own:
            draw_line(axes, protocol, name, index, getattr(protocol, along), leg.stages, leg.up)


def figure_of(protocols: list[Protocol], along: str, draw_into, label: str):
    names = panels_of(protocols, along)
    rows = 2 if len(names) > 3 else 1
    columns = -(-len(names) // rows)
    figure, panels = plt.subplots(rows, columns, figsize=(min(COLUMN * columns, PAGE), 2.3 * rows + 0.4), squeeze=False, sharex=True)
    for axes, name in zip(panels.flat, names):
        draw_into(axes, name)
        axes.set_ylabel(LABELS[name])
        if name == "moment_z":
            axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    for axes in panels[-1]:
        axes.set_xlabel(label)
    marks = [{"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], "markersize": 3.5} for i in range(len(protocols))]
    handles = [Line2D([], [], label=name_of(p, protocols, along), **mark) for p, mark in zip(protocols, marks)]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(4, len(handles)))
    return figure


def against(protocols: list[Protocol], along: str):
    """Against T or h; None where it changes on no leg."""
    legs = [[leg for leg in legs_of(protocol) if leg.along == along] for protocol in protocols]
    if not any(legs):
        return None
    return figure_of(protocols, along, lambda axes, name: draw_legs(axes, protocols, legs, name, along), TEMPERATURE if along == "T" else FIELD)


def against_time(protocols: list[Protocol]):
    """Of protocols whose temperature and field never change; None of others."""
    if any(legs_of(protocol) for protocol in protocols):
        return None

    def draw_into(axes, name: str) -> None:
        for index, protocol in enumerate(protocols):
            draw_line(axes, protocol, name, index, protocol.times, slice(None), False)
        axes.set_xscale("log")

    return figure_of(protocols, "t", draw_into, TIME)


CAPTIONS = {
    "temperature": "Averages of the stages against temperature: full symbols while it falls, open ones while it rises.",
    "field": "Averages of the stages against the field: full symbols while it falls, open ones while it rises.",
    "time": "Averages against time, at fixed temperature and field.",
}


def pictures(protocols: list[Protocol]) -> dict:
    """Name -> figure, those that there are."""
    found = {"temperature": against(protocols, "T"), "field": against(protocols, "h"), "time": against_time(protocols)}
    return {name: figure for name, figure in found.items() if figure is not None}
