"""Draws what `bench-rng --json` measured: the time of a flip of the glass against L for every generator and site order (Lulli, Bernaschi, Parisi,
arXiv:1411.0127, Figure 9), and the time of a flip of the ferromagnet divided by the time with LCG32 (Weigel, arXiv:1101.1427, section 3.3).

    python workflows/psflip bench.rng_plots --out FOLDER [--formats png svg] [--published docs/data/rng_published.json] FILE.json ...

Writes rng_glass.* and rng_ferromagnet.*, each if the files have its series. All files are of one device.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from psflip.bench.bench_plots import draw, log_axis, plot_parser
from psflip.bench.rng_tables import add_published, read
from psflip.campaign.errors import StudyError
from psflip.plots.plot_style import style_of


def generators_of(rows: list[dict]) -> list[str]:
    return list(dict.fromkeys(row["generator"] for row in rows))


def glass_figure(rows: list[dict]):
    orders = list(dict.fromkeys(row["order"] for row in rows))
    figure, axes = plt.subplots(1, len(orders), figsize=(4.0 * len(orders) + 0.8, 4.6), sharey=True, squeeze=False)
    for axis, order in zip(axes[0], orders, strict=True):
        for index, generator in enumerate(generators_of(rows)):
            of = {r["L"]: r["ps_per_flip"] for r in rows if (r["order"], r["generator"]) == (order, generator)}
            sizes = sorted(of)
            axis.plot(sizes, [of[L] for L in sizes], label=generator, **style_of(index))
        axis.set(title=f"{order} order", xscale="log", yscale="log", xlabel="lattice size $L$")
        log_axis(axis.xaxis, sorted({r["L"] for r in rows if r["order"] == order}))
        log_axis(axis.yaxis)
    axes[0][0].set_ylabel("ps per flip")
    figure.suptitle(rows[0]["device"], fontsize=10)
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    return figure


def ferromagnet_figure(rows: list[dict], published: dict):
    """Draws a group of bars for each generator, with a bar for each size and order and a published bar."""
    base = published["relative_to"]
    cases = list(dict.fromkeys((r["dimension"], r["L"], r["order"]) for r in rows))
    times = {(r["generator"], (r["dimension"], r["L"], r["order"])): r["ps_per_flip"] for r in rows}
    generators = generators_of(rows)
    figure, axis = plt.subplots(figsize=(9.6, 4.2))
    bars = [(f"{d}D, L = {L}, {o}", {g: times[g, (d, L, o)] / times[base, (d, L, o)] for g in generators if (g, (d, L, o)) in times})
            for d, L, o in cases if (base, (d, L, o)) in times]  # fmt: skip
    for index, (label, heights) in enumerate([*bars, ("Tesla C1060, published", published["ratios"])]):
        places = [i + 0.8 * (index / (len(bars) + 1) - 0.5) for i, g in enumerate(generators) if g in heights]
        color = style_of(index)["color"] if index < len(bars) else "0.6"
        axis.bar(places, [heights[g] for g in generators if g in heights], 0.8 / (len(bars) + 1), align="edge", label=label, color=color)
    axis.set_xticks(range(len(generators)), generators, rotation=30, ha="right")
    axis.set(ylabel=f"time per flip relative to {base}", title=rows[0]["device"])
    axis.legend(fontsize=9)
    return figure


def main() -> None:
    parser = plot_parser(__doc__)
    add_published(parser)
    options = parser.parse_args()
    rows, published = read(options)
    shown = {name: [row for row in rows if row["series"] == name and "note" not in row] for name in ("glass", "ferromagnet")}
    figures = {"rng_glass": lambda: glass_figure(shown["glass"]), "rng_ferromagnet": lambda: ferromagnet_figure(shown["ferromagnet"], published["ferromagnet"])}
    figures = {name: make for name, make in figures.items() if shown[name.removeprefix("rng_")]}
    if not figures:
        raise StudyError("these files have no times of flips; bench-rng writes them")
    draw(options, figures)


if __name__ == "__main__":
    main()
