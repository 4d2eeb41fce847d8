"""Draws the timings of `bench-slab`. Panels without timings are left out.

- Efficiency of strong scaling against L.
- x t / L^2 against the planes of a slab, x = L / N, on which all numbers of slabs N fall together (Lulli, Bernaschi, Parisi, arXiv:1411.0127, Fig. 13).
  The curve is flat if the ends and the transfer decide, and rises if the planes between them do.
- Efficiency of weak scaling against N.

    python workflows/psflip bench.slab_plots --out FOLDER [--formats png svg] FILE.json ...

Writes bench_slabs.*, and prints a table: microseconds per sweep, number of packs, efficiency.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from psflip.bench.bench_data import read_rows
from psflip.bench.bench_plots import draw, log_axis, plot_parser
from psflip.campaign.errors import StudyError
from psflip.plots.plot_style import style_of

POSITIVE = ("L", "slabs", "planes", "columns", "share", "replicas", "temperatures", "us_per_sweep", "ps_per_flip", "ps_per_flip_and_device")
FORM = dict.fromkeys(POSITIVE, float) | {"device": str, "halo?": str, "order?": str}


def read(file: Path) -> list[dict]:
    rows = read_rows(file, "bench-slab", {"slabs": FORM, "": FORM})
    for row in rows:
        if wrong := [name for name in POSITIVE if row[name] <= 0]:
            raise StudyError(f"{file}: {wrong[0]} = {row[wrong[0]]} is not positive; make the file again with bench-slab --json FILE")
    return rows


def is_weak(timing: dict) -> bool:
    return timing.get("scaling") == "weak"


def efficiency(timings: list[dict], of: dict) -> float | None:
    """Returns the speed of each device, compared with a device that has whole lattices of the same batch and uses its best kernel. These lattices have the same size or, in
    weak scaling, about as many sites as each device."""
    same = ("columns", "share", "replicas", "temperatures")
    alone = [t for t in timings if t["slabs"] == 1 and is_weak(t) == is_weak(of) and all(t[key] == of[key] for key in same)]
    size = min((t["L"] for t in alone), key=lambda L: abs(L * of["slabs"] ** (1 / 3) - of["L"]), default=None) if is_weak(of) else of["L"]
    times = [t["ps_per_flip"] for t in alone if t["L"] == size]
    return min(times) / of["ps_per_flip_and_device"] if times else None


def packs(timing: dict) -> int:
    return timing["columns"] * (128 // timing["share"])


def batch_text(timing: dict) -> str:
    return f"{packs(timing)} pack{'s' * (packs(timing) > 1)}"


def way_of(timing: dict) -> tuple[str, str]:
    """Returns the halo transport and the site order of slabs."""
    return (timing.get("halo", ""), timing.get("order", "standard")) if timing["slabs"] > 1 else ("", "")


def curves(timings: list[dict]) -> list[list[dict]]:
    """Returns the timings that a line joins, by L: they have equal numbers of slabs and packs, and equal halo transport and site order."""
    found: dict[tuple, list[dict]] = {}
    for t in sorted(timings, key=lambda t: t["L"]):
        found.setdefault((t["slabs"], t["columns"], way_of(t)), []).append(t)
    return [found[key] for key in sorted(found)]


def draw_strong(axes, timings: list[dict]) -> None:
    for index, of in enumerate(curves(timings)):
        if of[0]["slabs"] > 1:
            axes.plot([t["L"] for t in of], [efficiency(timings, t) for t in of], **style_of(index))
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xscale="log", xlabel="lattice size $L$", ylabel="efficiency of a device", ylim=(0, 1.1))
    log_axis(axes.xaxis, sorted({t["L"] for t in timings}))


def draw_collapse(axes, timings: list[dict]) -> None:
    for index, of in enumerate(curves(timings)):
        slabs = of[0]["slabs"]
        halo, order = way_of(of[0])
        label = f"{slabs} slabs by {halo or 'one way'}{', sliced' * (order == 'sliced')}, {batch_text(of[0])}" if slabs > 1 else f"1 slab, {batch_text(of[0])}"
        axes.plot([t["planes"] for t in of], [t["planes"] * t["ps_per_flip_and_device"] for t in of], label=label, **style_of(index))
    axes.set(xscale="log", yscale="log", xlabel="planes of a slab, $x = L/N$", ylabel="$x$ times ps per flip and device")
    log_axis(axes.xaxis, sorted({t["planes"] for t in timings}))
    log_axis(axes.yaxis)
    axes.legend(fontsize=8)


def draw_weak(axes, timings: list[dict]) -> None:
    for index, columns in enumerate(sorted({t["columns"] for t in timings})):
        of = sorted((t for t in timings if t["columns"] == columns), key=lambda t: t["slabs"])
        axes.plot([t["slabs"] for t in of], [efficiency(timings, t) for t in of], label=batch_text(of[0]), **style_of(index))
        for t in of:
            axes.annotate(f"$L={t['L']}$", (t["slabs"], efficiency(timings, t) or 0), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=7)
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlabel="slabs $N$, each with an equal number of sites", ylabel="efficiency of a device", ylim=(0, 1.15), xticks=sorted({t["slabs"] for t in timings}))
    axes.minorticks_off()
    axes.legend(fontsize=8)


def figure_of(timings: list[dict]):
    strong, weak = [t for t in timings if not is_weak(t)], [t for t in timings if is_weak(t)]
    panels = [(panel, of) for panel, of in ((draw_strong, strong), (draw_collapse, strong), (draw_weak, weak)) if of]
    rows = (len(panels) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(9.6, 4.2 * rows), squeeze=False)
    for place, (panel, of) in zip(axes.flat, panels, strict=False):
        panel(place, of)
    for place in axes.flat[len(panels) :]:
        place.remove()
    figure.suptitle(timings[0]["device"].split(",")[0].removeprefix("cuda ") + f", share {timings[0]['share']}, {timings[0]['replicas']} replicas", fontsize=10)
    return figure


def table(timings: list[dict]) -> list[str]:
    lines = [f"{'scaling':<8}{'L':>5}{'packs':>7}{'slabs':>7}{'halo':>6}{'order':>10}{'us per sweep':>14}{'ps per flip':>13}{'efficiency':>12}"]
    for t in sorted(timings, key=lambda t: (is_weak(t), t["columns"], t["L"], t["slabs"])):
        eta = efficiency(timings, t)
        halo, order = way_of(t)
        lines.append(
            f"{'weak' if is_weak(t) else 'strong':<8}{t['L']:>5}{packs(t):>7}{t['slabs']:>7}{halo:>6}{order:>10}{t['us_per_sweep']:>14.2f}"
            f"{t['ps_per_flip']:>13.4f}{'' if eta is None else f'{eta:.3f}':>12}"
        )
    return lines


def main() -> None:
    options = plot_parser(__doc__).parse_args()
    timings = [timing for file in options.files for timing in read(file)]
    if not timings:
        raise StudyError("these files have no timings; bench-slab --json writes them")
    draw(options, {"bench_slabs": lambda: figure_of(timings)})
    print("\n".join(table(timings)))


if __name__ == "__main__":
    main()
