"""Pictures of field cooling: moment along the field, staggered magnetisation and its susceptibility against temperature by concentration; Neel and
compensation temperatures against concentration."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from psflip.plots.plot_style import COLOURS, PAGE, TEMPERATURE, empty, save, set_style, take_names
from psflip.vectors.protocols import Protocol

CAPTIONS = {
    "cooling": "Averages of the stages against temperature, by concentration.",
    "transitions": "Néel and compensation temperatures against concentration.",
}
NAMES = tuple(CAPTIONS)
PANELS = (("moment_z", r"moment along the field $\mu_z$"), ("ms", r"staggered magnetisation $\langle|m_s|\rangle$"),
          ("even", r"sublattice magnetisation $\langle|m_A|\rangle$"), ("chi_ms", r"staggered susceptibility $\chi_s$ ($1/J$)"))  # fmt: skip


def against_temperature(found: list[Protocol]):
    """One line for each concentration, coloured from 0 to 1."""
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 5.2), sharex=True)
    colours = matplotlib.colormaps["viridis"]
    for axes, (name, label) in zip(panels.flat, PANELS):
        for p in found:
            axes.errorbar(p.T, p.mean(name), p.error(name), color=colours(0.95 * p.concentration), marker="o", markersize=3, linestyle="-", linewidth=0.8)
        axes.set_ylabel(label)
    for axes in panels[1]:
        axes.set_xlabel(TEMPERATURE)
    panels[0, 0].axhline(0, color="0.6", linewidth=0.8)
    shades = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, 1 / 0.95), colours)
    bar = figure.colorbar(shades, ax=panels, label="concentration $x$ of species b", fraction=0.04)
    bar.ax.set_ylim(0, 1)
    return figure


def against_concentration(found: list[Protocol], at: list[dict]):
    figure, axes = plt.subplots()
    x = np.array([p.concentration for p in found])
    for i, (name, label) in enumerate((("T_neel", "Néel temperature, peak of $\\chi_s$"), ("T_compensation", "compensation, $\\mu_z = 0$"))):
        value, error = np.array([of[name] for of in at]).T
        there = np.isfinite(value)
        if there.any():
            axes.errorbar(x[there], value[there], np.nan_to_num(error[there]), color=COLOURS[i], marker="os"[i], linestyle="none", label=label)
    if not axes.containers:
        empty(axes, "no transition between the highest and the lowest temperature")
        return figure
    axes.set(xlabel="concentration $x$ of species b", ylabel=TEMPERATURE)
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure


def draw(found: list[Protocol], at: list[dict], folder: Path, formats: list[str]) -> None:
    take_names(folder, NAMES, formats)
    set_style()
    save(against_temperature(found), folder, "cooling", formats)
    save(against_concentration(found, at), folder, "transitions", formats)
