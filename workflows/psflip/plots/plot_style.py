"""Sets the look of the plots, which is readable in print and with any colour vision. Makes legends, texts of points, and files."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from fontTools import subset

from psflip.campaign.errors import check_there
from psflip.campaign.whole_files import check_output, whole

# Okabe and Ito's palette without its yellow, which is too light for thin lines; every size also has its own marker.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
LINES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (4, 1.5, 1, 1.5)), (0, (7, 2)), (0, (3, 1, 1, 1, 1, 1)), (0, (2, 1)))

COLUMN, PAGE = 3.4, 7.0  # widths in inches: one and two columns of a journal
FIGURE_SIZE = (COLUMN, 2.5)
TEMPERATURE = r"temperature $T$ ($J / k_B$)"
POINTS = 8  # size of all text

STYLE: Any = {  # of matplotlib
    "figure.figsize": FIGURE_SIZE,
    "figure.constrained_layout.use": True,
    "figure.dpi": 160,
    "savefig.dpi": 300,
    "font.size": POINTS,
    "axes.labelsize": "medium",
    "axes.titlesize": "medium",
    "axes.linewidth": 0.6,
    "legend.fontsize": "medium",
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.0,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "xtick.minor.visible": True,
    "ytick.minor.visible": True,
    **{f"{axis}tick.minor.ndivs": 2 for axis in "xy"},
    **{f"{axis}tick.major.{name}": value for axis in "xy" for name, value in (("width", 0.6), ("size", 3.0))},
    **{f"{axis}tick.minor.{name}": value for axis in "xy" for name, value in (("width", 0.4), ("size", 1.6))},
    "lines.linewidth": 0.9,
    "lines.markersize": 3.2,
    "errorbar.capsize": 1.4,
    "svg.hashsalt": "psflip",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


def set_style(points: float = POINTS) -> None:
    """Sets the look of pictures in files. `points`: size of the text; lines and symbols grow with it."""
    matplotlib.use("Agg")
    lengths = ("font.size", "lines.linewidth", "lines.markersize", "errorbar.capsize")
    # A PDF holds outlines of the letters that it shows. Without the tables for setting other text, embedding them takes half the time.
    tables = getattr(subset.Options, "_drop_tables_default", [])
    tables += [name for name in ("GSUB", "GPOS", "GDEF") if name not in tables]
    plt.rcParams.update(STYLE | {name: STYLE[name] * points / POINTS for name in lengths})


def style_of(index: int, *left_out: str) -> dict:
    """Returns colour, marker and line of the index-th size, without the names in `left_out`."""
    style = {name: of[index % len(of)] for name, of in (("color", COLOURS), ("marker", MARKERS), ("linestyle", LINES))}
    return {name: value for name, value in style.items() if name not in left_out}


PANEL = (4.6, 3.5)  # inches of a panel in pictures of the documentation
PANEL_POINTS = 9  # size of their text
MOST_LINES = 7  # with names in a panel


def panel_figure(count: int, columns: int = 2):
    """Returns a figure of the documentation with this number of panels of one size, and their axes."""
    set_style(PANEL_POINTS)
    plt.rcParams["savefig.dpi"] = 170
    columns = min(columns, count)
    rows = -(-count // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(PANEL[0] * columns, PANEL[1] * rows), squeeze=False)
    for place in axes.flat[count:]:
        place.remove()
    return figure, list(axes.flat[:count])


def name_lines(axes, title: str = "", room: float = 0.0) -> None:
    """Puts a legend with the names of all lines and bars inside the panel. `room`: fraction of the panel to leave for it above the data. Errors: ValueError if a panel has
    an axis without a label, or more lines than a reader can tell apart."""
    handles, names = axes.get_legend_handles_labels()
    if not axes.get_ylabel() or not (axes.get_xlabel() or axes.get_xticklabels()):
        raise ValueError(f"an axis of the panel {axes.get_title()!r} has no label")
    if len(names) > MOST_LINES:
        raise ValueError(f"the panel {axes.get_title()!r} has {len(names)} lines, at most {MOST_LINES}")
    if room:
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * (high / low) ** (room / (1 - room)) if axes.get_yscale() == "log" else high + (high - low) * room / (1 - room))
    if names:
        axes.legend(handles, names, title=title or None, loc="upper right" if room else "best", ncols=2 if room and len(names) > 3 else 1, fontsize="small", frameon=True, framealpha=0.8, edgecolor="none")


def empty(axes, why: str) -> None:
    axes.set(xticks=[], yticks=[])
    axes.minorticks_off()
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="0.35")


def empty_figure(why: str):
    figure, axes = plt.subplots()
    empty(axes, why)
    return figure


def legend_above(axes, columns: int = 3, above: float = 0.0) -> None:
    """Puts the legend outside the axes, where it hides no data, in at most `columns` columns. `above`: room on top of the axes, in units of their height."""
    handles, names = axes.get_legend_handles_labels()
    if names:
        rows = -(-len(names) // columns)
        axes.legend(handles, names, loc="lower center", bbox_to_anchor=(0.5, 1 + above), ncols=-(-len(names) // rows), borderpad=0.2)


def figure_by_size(sizes, draw_size, missing: str, columns: int = 3, **of_axes):
    """Returns a figure with axes into which `draw_size(axes, index, size)` draws size by size, labelled `$L=...$`. `missing`: the text of the figure if nothing was drawn."""
    figure, axes = plt.subplots()
    for index, size in enumerate(sizes):
        draw_size(axes, index, size)
    axes.set(**of_axes)
    if any(label.startswith("$L=") for label in axes.get_legend_handles_labels()[1]):
        legend_above(axes, columns)
    else:
        empty(axes, missing)
    return figure


ON_TOP = 0.22  # of the height of a panel, for an axis with a label


def labels_on_top(axes, labels: dict[float, str], title: str) -> None:
    """Adds an axis above with these labels at these places. A label that would overlap the label to its right is left out."""
    top, room = axes.secondary_xaxis("top"), 0.02 * max(map(len, labels.values())) + 0.02
    places: dict[float, str] = {}
    for x in sorted(labels, reverse=True):
        if not places or min(places) - x > room * max(labels):
            places[x] = labels[x]
    top.set_xticks(list(places), list(places.values()))
    top.set_xlabel(title)
    top.minorticks_off()
    axes.tick_params(top=False, which="both")


def readable(axes, x, y, texts) -> None:
    """Gives each point of a plot a text, which a reader of the SVG sees at the point (see `save`)."""
    known = axes.figure.__dict__.setdefault("readable_points", [])
    known.append((axes, np.column_stack([x, y]).astype(float), list(texts)))


def point_marks(figure) -> str:
    """Returns an invisible circle with a title for each readable point inside its axes. The figure must have been saved as SVG."""
    height, scale = figure.bbox.height, 72 / figure.dpi
    lines = []
    for axes, points, texts in getattr(figure, "readable_points", []):
        box = axes.bbox.padded(1)
        for (x, y), text in zip(axes.transData.transform(points), texts):
            if box.contains(x, y):
                lines.append(f'<circle cx="{x * scale:.1f}" cy="{(height - y) * scale:.1f}" r="5"><title>{escape(text)}</title></circle>')
    return '<g class="points" fill-opacity="0">' + "\n".join(lines) + "</g>\n" if lines else ""


def take_names(folder: Path, names, formats) -> None:
    """Makes the folder. StudyError, before any drawing, if the folder or a picture of `names` does not come from psflip."""
    if folder.exists():
        check_there(folder, folder=True)
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        for ending in formats:
            check_output(folder / f"{name}.{ending}", "picture")


def save(figure, folder, name: str, formats) -> None:
    """Writes all formats and closes the figure. Files have no dates, so that the same data give the same files, and name psflip as their creator. In the SVG,
    every point given to `readable` has its text as a title."""
    if engine := figure.get_layout_engine():  # places axes and legends once for all formats
        engine.execute(figure)
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}}
    marked = {ending: given | {"Software" if ending == "png" else "Creator": "psflip"} for ending, given in undated.items()}
    for ending in formats:
        with whole(folder / f"{name}.{ending}", "picture") as part:
            figure.savefig(part, format=ending, metadata=marked[ending])
            if ending == "svg":
                head, end = part.read_text(encoding="utf-8").rsplit("</svg>", 1)
                part.write_text(f"{head}{point_marks(figure)}</svg>{end}", encoding="utf-8")
    plt.close(figure)
