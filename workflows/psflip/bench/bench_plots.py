"""Draws the curves of `bench-flip --sweep-sizes`: time per flip against L for every share, and against the number of columns.

    python workflows/psflip bench.bench_plots --out FOLDER [--formats png svg] FILE.json|FILE.csv ...

Writes bench_sizes.*, bench_columns.* for the series columns, and bench_kernels.* for sweeps alone with kernels chosen by name
(bench-flip --kernel streaming --site-order standard,sliced). All timings are of one device and one model; --model chooses one of several.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from psflip.bench.bench_data import SPIN_GLASS, Timing, floor, read_timings
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.plots.plot_style import PANEL_POINTS, name_lines, panel_figure, save, set_style, style_of, take_names

TICKS_L = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)


def plot_parser(about: str) -> Parser:
    """Returns the options that all pictures of benchmarks have."""
    parser = Parser(about)
    parser.add_input("files", nargs="+")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"])
    return parser


def draw(options: argparse.Namespace, figures: dict[str, Callable[[], Any]]) -> None:
    """Draws the figures and writes them by name into the folder --out."""
    take_names(options.out, tuple(figures), options.formats)
    set_style(PANEL_POINTS)
    for name, make in figures.items():
        save(make(), options.out, name, options.formats)


def newest(timings: list[Timing], key) -> list[Timing]:
    """Returns the newest timing of each key, in the order of the keys."""
    return [t for _, t in sorted({key(t): t for t in sorted(timings, key=lambda t: t.date)}.items())]


def log_axis(axis, ticks=None) -> None:
    """Plain numbers on a logarithmic axis: at the given ticks, or at 1, 2 and 5 of every decade."""
    axis.set_major_locator(FixedLocator(ticks) if ticks else LogLocator(subs=(1, 2, 5)))
    axis.set_minor_locator(NullLocator() if ticks else LogLocator(subs=range(1, 10), numticks=100))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def finish(axes, timings: list[Timing], xlabel: str, title: str) -> None:
    axes.set(xlabel=xlabel, ylabel="time per proposed flip (ps)" + (" and core" if timings[0].threads else ""))
    axes.set_title(title)
    log_axis(axes.yaxis)
    name_lines(axes, room=0.27)


def draw_floors(axes, timings: list[Timing]) -> None:
    """Draws the time of three-input logic alone, which is known for one kind of GPU and one model."""
    if timings[0].model == SPIN_GLASS and timings[0].hardware.startswith("NVIDIA H200"):
        for operations, line in ((15, "--"), (14, ":")):
            label = f"floor, {operations} operations: {floor(operations):.4f} ps"
            axes.axhline(floor(operations), color="0.45", linestyle=line, label=label, zorder=0)


def draw_curve(axes, curve: list[Timing], x, index: int, label: str) -> None:
    """Draws a line through all points. Markers are open if the lattices do not stay in shared memory."""
    style = style_of(index)
    axes.plot([x(t) for t in curve], [t.per_core for t in curve], label=label, **style)
    streaming = [t for t in curve if t.streaming]
    style |= {"linestyle": "none", "markerfacecolor": "white"}
    axes.plot([x(t) for t in streaming], [t.per_core for t in streaming], zorder=3, **style)


def sizes_figure(timings: list[Timing]):
    figure, (axes,) = panel_figure(1)
    axes.set(xscale="log", yscale="log")
    for index, share in enumerate(sorted({t.share for t in timings}, reverse=True)):
        curve = newest([t for t in timings if t.share == share], lambda t: t.L)
        label = f"share {share}" if share > 1 else "share 1 (independent numbers)"
        for part in ([t for t in curve if t.L <= 64], [t for t in curve if t.L > 64]):
            draw_curve(axes, part, lambda t: t.L, index, label if part and part[0] is curve[0] else None)
    draw_floors(axes, timings)
    sizes = {t.L for t in timings}
    log_axis(axes.xaxis, [L for L in TICKS_L if min(sizes) <= L <= max(sizes)])
    if min(sizes) <= 64 < max(sizes):
        axes.axvline(78, color="0.7", linewidth=0.8, zorder=0)
        low = dict(transform=axes.get_xaxis_transform(), y=0.05, va="bottom", fontsize="small", color="0.3")
        axes.text(x=74, ha="right", s="24 temperatures, 2 replicas", **low)
        axes.text(x=82, ha="left", s="1 temperature,\n4 replicas", **low)
    finish(axes, timings, "lattice size $L$", title_of(timings))
    return figure


def columns_figure(timings: list[Timing]):
    figure, (axes,) = panel_figure(1)
    axes.set(yscale="log")
    axes.set_xscale("log", base=2)
    for index, L in enumerate(sorted({t.L for t in timings})):
        curve = newest([t for t in timings if t.L == L], lambda t: t.columns)
        draw_curve(axes, curve, lambda t: t.columns, index, f"$L = {L}$")
    draw_floors(axes, timings)
    columns = sorted({t.columns for t in timings})
    finish(axes, timings, "columns of 128 realizations", title_of(timings, "share 128, 24 temperatures, 2 replicas"))
    log_axis(axes.xaxis, columns)
    return figure


def kernels_figure(timings: list[Timing]):
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    axes.set(xscale="log")
    for index, kernel in enumerate(sorted({t.asked for t in timings})):
        curve = newest([t for t in timings if t.asked == kernel], lambda t: t.L)
        axes.plot([t.L for t in curve], [t.per_core for t in curve], label=kernel, markersize=3, **style_of(index))
    sizes = {t.L for t in timings}
    log_axis(axes.xaxis, [L for L in TICKS_L if min(sizes) <= L <= max(sizes)])
    shapes = sorted({f"share {t.share}, {t.temperatures} temperature{'s' * (t.temperatures > 1)}, {t.replicas} replicas" for t in timings})
    axes.set(xlabel="lattice size $L$", ylabel="time per proposed flip (ps)")
    axes.set_title(f"{timings[0].hardware}, sweeps alone; {'; '.join(shapes)}")
    figure.legend(loc="outside lower center", ncols=3, fontsize="small")
    return figure


def title_of(timings: list[Timing], shape: str = "") -> str:
    model = "" if timings[0].model == SPIN_GLASS else f"{timings[0].model}, "
    second = [shape] * bool(shape) + ["open markers: tiled or streaming kernel"] * any(t.streaming for t in timings)
    return "\n".join([model + timings[0].hardware + ", exchanges and measurements included", *second])


def main() -> None:
    parser = plot_parser(__doc__)
    parser.add_argument("--model", help="model of the timings, by its name in bench-flip")
    options = parser.parse_args()
    every = [t for file in options.files for t in read_timings(file) if options.model in (None, t.model)]
    timings, kernels = [t for t in every if t.production], [t for t in every if not t.production and t.kernel != "auto"]
    if not timings and not kernels:
        raise StudyError(
            "these files have no timings with exchanges and measurements (bench-flip --sweep-sizes or --production), and no timings of kernels by name (--kernel)"
            + (f" of {options.model}" if options.model else "")
        )
    if len(devices := sorted({t.hardware for t in timings + kernels})) > 1:
        raise StudyError(f"these are timings of several devices, {'; '.join(devices)}; give files of one")
    if len(models := sorted({t.model for t in timings + kernels})) > 1:
        raise StudyError(f"these are timings of several models, {', '.join(models)}; choose one with --model")
    columns = [t for t in timings if t.series == "columns"]
    sizes = [t for t in timings if t.series != "columns"]
    drawn = {"bench_sizes": (sizes_figure, sizes), "bench_columns": (columns_figure, columns), "bench_kernels": (kernels_figure, kernels)}
    draw(options, {name: lambda figure=figure, of=of: figure(of) for name, (figure, of) in drawn.items() if of})


if __name__ == "__main__":
    main()
