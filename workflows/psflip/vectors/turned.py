"""Spins of one lattice as a page that is turned with the mouse: one file with plotly's script inside (5 MB), which opens without a network. The same spins give
the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from psflip.campaign.errors import StudyError
from psflip.campaign.whole_files import write_text
from psflip.vectors.spin_file import AXES, Picture

MAX_SPINS = 32**3  # beyond that browsers are slow
TWO_SPECIES = [[0, "#0072B2"], [0.5, "#0072B2"], [0.5, "#D55E00"], [1, "#D55E00"]]


def needles(picture: Picture, by: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (3 for each spin, x y z), tail, tip and a gap, and their colours."""
    colour = picture.colour(by)
    at = np.stack([c.ravel() for c in np.indices(colour.shape)[::-1]], axis=1).astype(float)
    half = 0.45 * picture.spins.reshape(3, -1).T
    points = np.stack([at - half, at + half, np.full_like(at, np.nan)], axis=1)
    return points.reshape(-1, 3), np.repeat(colour.ravel(), 3)


def page(picture: Picture, by: str) -> str:
    """HTML; StudyError without plotly, and for lattices that are too large. Lines lead from tail to tip, where a point is."""
    try:
        from plotly import graph_objects
    except ImportError:
        raise StudyError("--html needs plotly, which is not installed; pip install plotly==7.1.0") from None
    if picture.spins[0].size > MAX_SPINS:
        raise StudyError(f"--html draws up to {MAX_SPINS} spins, not {picture.spins[0].size}; leave it out")
    points, colours = needles(picture, by)
    scale = TWO_SPECIES if by == "species" else "RdBu_r"
    bar = {"title": by} if by != "species" else {"title": by, "tickvals": [-0.5, 0.5], "ticktext": ["a", "b"]}
    shades = {"color": colours, "colorscale": scale, "cmin": -1, "cmax": 1}
    x, y, z = points.T
    lines = graph_objects.Scatter3d(x=x, y=y, z=z, mode="lines", line={**shades, "width": 4}, hoverinfo="skip")
    tips = graph_objects.Scatter3d(x=x[1::3], y=y[1::3], z=z[1::3], mode="markers", marker={**shades, "color": colours[1::3], "size": 3, "colorbar": bar})
    figure = graph_objects.Figure([lines, tips])
    title = f"{picture.title}; colour: {by}".replace("$", "")
    figure.update_layout(title=title, showlegend=False, scene={"aspectmode": "data", **{f"{k}axis_title": k for k in AXES}})
    text = figure.to_html(include_plotlyjs=True, div_id="spins", full_html=True)
    return "<!DOCTYPE html>\n" + text[text.index("<html") :].replace("<head>", "<head><title>psflip study: spins</title>", 1)


def write(picture: Picture, by: str, path: Path) -> None:
    """Writes the page. Replaces an existing file only if psflip wrote it."""
    write_text(path, page(picture, by), "report")
