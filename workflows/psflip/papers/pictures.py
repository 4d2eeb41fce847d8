"""Draws a picture of a paper's page from its description in the table of the paper, and stored rows.

A panel has
- `file`, `where`: the rows; `x`: an expression of their fields; `y`, `error`: expressions of fields and of the numbers of the figure; `take: min` chooses the smallest y of each x,
- `series`: a text with fields in braces, which names a line, as in `$L = {L}$`; `add`: further fields {name: expression},
- `xlabel`, `ylabel`, `title`; `scale`: x, y or xy for logarithmic axes; `ticks`: values of x with a label,
- `levels`: horizontal lines {label: y or the name of a number of the row}; `places`: vertical lines {label: x},
- `points`: published points {label: {x: [...], y: [...], error: [...]}}, with or without errors,
- `bars: true`: a group of bars for each x, with a bar for each series; points instead of bars if y is logarithmic, because such bars have no meaningful length."""

from __future__ import annotations

from typing import Any

from psflip.bench.bench_plots import log_axis
from psflip.campaign.errors import StudyError
from psflip.papers.stored import TAKES, Data, Row, numbers, value, with_fields
from psflip.plots.plot_style import name_lines, panel_figure, style_of


MOST = 1e4  # a longer logarithmic axis has labels at powers of ten only


def lines_of(panel: dict, data: Data, known: dict | None = None) -> dict[str, dict[Any, tuple[float, float]]]:
    """Returns {series: {x: (y, error)}}, in the order of the rows. `known`: numbers for expressions."""
    found: dict[str, dict[Any, list[tuple[float, float]]]] = {}
    for row in data.rows(panel["file"], panel.get("where"), known):
        known_here = (known or {}) | row
        point = (value(panel["y"], known_here), value(panel["error"], known_here) if "error" in panel else 0.0)
        found.setdefault(panel["series"].format(**with_fields(row, panel.get("add", {}))), {}).setdefault(value(panel["x"], row), []).append(point)
    if not found:
        raise StudyError(f"no row of {panel['file']} fits {panel.get('where')}")
    take = TAKES[panel.get("take", "only")]
    in_order = list if panel.get("bars") else sorted
    return {name: {x: take(points) for x, points in in_order(of.items())} for name, of in found.items()}


def draw_lines(axes, lines: dict[str, dict]) -> None:
    for index, (name, of) in enumerate(lines.items()):
        ys, errors = zip(*of.values())
        axes.errorbar(list(of), ys, errors if any(errors) else None, label=name, **style_of(index))


def draw_bars(axes, lines: dict[str, dict], are_points: bool) -> None:
    groups = list(dict.fromkeys(x for of in lines.values() for x in of))
    width = 0.8 / len(lines)
    for index, (name, of) in enumerate(lines.items()):
        places = [groups.index(x) + (0 if are_points else index * width - 0.4) for x in of]
        if are_points:
            axes.plot(places, [y for y, _ in of.values()], label=name, **(style_of(index) | {"linestyle": "none"}))
            continue
        axes.bar(places, [y for y, _ in of.values()], width, align="edge", label=name, color=style_of(index)["color"])
    axes.set_xticks(range(len(groups)), groups, rotation=30, ha="right")
    axes.tick_params(axis="x", which="minor", bottom=False, top=False)


def draw_panel(axes, panel: dict, data: Data, found: dict) -> None:
    lines = lines_of(panel, data, found)
    is_log = {axis: axis in panel.get("scale", "") for axis in "xy"}
    axes.set(**{f"{axis}scale": "log" for axis in "xy" if is_log[axis]}, xlabel=panel.get("xlabel", ""), ylabel=panel["ylabel"], title=panel.get("title", ""))
    if panel.get("bars"):
        draw_bars(axes, lines, are_points=is_log["y"])
    else:
        draw_lines(axes, lines)
    for index, (name, points) in enumerate(panel.get("points", {}).items()):
        axes.errorbar(points["x"], points["y"], points.get("error"), label=name, **(style_of(len(lines) + index) | {"linestyle": "none", "markerfacecolor": "white"}))
    for index, (name, level) in enumerate(panel.get("levels", {}).items()):
        axes.axhline(found.get(level, level), label=name, color="0.4", linewidth=1.0, linestyle=style_of(index + 1)["linestyle"], zorder=0)
    for name, place in panel.get("places", {}).items():
        axes.axvline(place, label=name, color="0.4", linewidth=1.0, zorder=0)
    for axis, (low, high), ticks in ((axes.xaxis, axes.get_xlim(), panel.get("ticks")), (axes.yaxis, axes.get_ylim(), None)):
        if is_log[axis.axis_name] and (ticks or high < MOST * low):
            log_axis(axis, ticks)
        elif ticks:
            axis.set_ticks(ticks)
    name_lines(axes, room=panel.get("room", 0.0))


def picture_of(row: Row, data: Data):
    """Returns the picture of a figure."""
    picture, found = row.picture or {}, numbers(row.numbers, data)
    figure, axes = panel_figure(len(picture["panels"]), picture.get("columns", 2))
    for place, panel in zip(axes, picture["panels"], strict=True):
        draw_panel(place, panel, data, found)
    return figure
