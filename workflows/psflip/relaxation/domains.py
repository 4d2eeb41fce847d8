"""Pictures of the spins of a two-dimensional lattice at the waiting times and at the end, from a state file of relax."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from psflip.campaign.hdf5 import hdf5_file

MOST = 4  # panels


def first_lattice(words: np.ndarray) -> np.ndarray:
    """(y, x): True where the spin is up, of the first realization of the first replica and temperature."""
    return (words[0, 0, 0] & np.uint64(1)).astype(bool)


def moments(path: Path) -> list[tuple[int, np.ndarray]]:
    """Times and spins, the start left out; none for lattices of three dimensions."""
    with hdf5_file(path, "a state file") as file:
        found = []
        if file["spins"].ndim != 5:
            return found
        start = int(file["run_start"][0])
        if "snapshots" in file:
            found = [(int(t), first_lattice(file["snapshots/spins"][i])) for i, t in enumerate(file["snapshots/sweep"][:]) if t > 0]
        return [*found, (int(file["sweep"][0]) - start, first_lattice(file["spins"][:]))][-MOST:]


def draw(shown: list[tuple[int, np.ndarray]]):
    """Returns a figure of all moments side by side."""
    figure, panels = plt.subplots(1, len(shown), figsize=(1.75 * len(shown), 2.1), squeeze=False)
    for axes, (time, up) in zip(panels[0], shown):
        axes.imshow(up, cmap="Greys", interpolation="nearest", origin="lower", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[], title=f"$t = {time}$")
        axes.minorticks_off()
    return figure
