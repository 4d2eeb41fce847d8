"""Draws the timings of `bench-slab`: efficiency of strong scaling against L; x t / L^2 against the planes of a slab, x = L / N, on which all numbers of
slabs N fall together (Lulli, Bernaschi, Parisi, arXiv:1411.0127, Fig. 13): flat where ends and transfer decide, rising where the planes between do;
and efficiency of weak scaling against N. Panels without timings are left out.

    python workflows/psflip bench.slab_plots --out FOLDER [--formats png svg] FILE.json ...

Writes bench_slabs.*, and prints a table: microseconds per sweep, number of packs, efficiency.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt

from psflip.bench.bench_data import is_number, objects_of
from psflip.bench.bench_plots import log_axis
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import FAULTS, StudyError
from psflip.plots.plot_style import save, set_style, style_of, take_names

POSITIVE = ("L", "slabs", "planes", "columns", "share", "replicas", "temperatures", "us_per_sweep", "ps_per_flip", "ps_per_flip_and_device")


def is_timing(row: dict) -> bool:
    return (
        all(is_number(row[key]) and row[key] > 0 for key in POSITIVE)
        and isinstance(row["device"], str)
        and isinstance(row.get("halo", ""), str)
    )


def read(file: Path) -> list[dict]:
    try:
        found = objects_of(file.read_text(encoding="utf-8"))
        if all(is_timing(row) for row in found):
            return found
    except (OSError, *FAULTS):
        pass
    raise StudyError(f"{file}: no timings of bench-slab, or damaged; make them with bench-slab --json FILE")


def is_weak(timing: dict) -> bool:
    return timing.get("scaling") == "weak"


def efficiency(timings: list[dict], of: dict) -> float | None:
    """Of the device as compared with one that has whole lattices of the same batch, by its best kernel: of the same size or, in weak scaling, of the one
    that has as many sites as each device."""
    same = ("columns", "share", "replicas", "temperatures")
    alone = [t for t in timings if t["slabs"] == 1 and is_weak(t) == is_weak(of) and all(t[key] == of[key] for key in same)]
    size = min((t["L"] for t in alone), key=lambda L: abs(L * of["slabs"] ** (1 / 3) - of["L"]), default=None) if is_weak(of) else of["L"]
    times = [t["ps_per_flip"] for t in alone if t["L"] == size]
    return min(times) / of["ps_per_flip_and_device"] if times else None


def packs(timing: dict) -> int:
    return timing["columns"] * (128 // timing["share"])


def batch_text(timing: dict) -> str:
    count = packs(timing)
    return f"{count} pack{'s' * (count > 1)}"


def curves(timings: list[dict]) -> list[list[dict]]:
    """Timings that a line joins: of one number of slabs and packs and one way of halos, by L."""
    found: dict[tuple, list[dict]] = {}
    for t in sorted(timings, key=lambda t: t["L"]):
        found.setdefault((t["slabs"], t["columns"], t.get("halo", "") if t["slabs"] > 1 else ""), []).append(t)
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
        label = f"{slabs} slabs by {of[0].get('halo', 'one way')}, {batch_text(of[0])}" if slabs > 1 else f"1 slab, {batch_text(of[0])}"
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
    axes.set(xlabel="slabs $N$, sites of each the same", ylabel="efficiency of a device", ylim=(0, 1.15), xticks=sorted({t["slabs"] for t in timings}))
    axes.minorticks_off()
    axes.legend(fontsize=8)


def figure_of(timings: list[dict]):
    strong, weak = [t for t in timings if not is_weak(t)], [t for t in timings if is_weak(t)]
    wanted = ((draw_strong, strong), (draw_collapse, strong), (draw_weak, weak))
    panels = [(draw, of) for draw, of in wanted if of]
    rows = (len(panels) + 1) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(9.6, 4.2 * rows), squeeze=False)
    for place, (draw, of) in zip(axes.flat, panels, strict=False):
        draw(place, of)
    for place in axes.flat[len(panels) :]:
        place.remove()
    figure.suptitle(timings[0]["device"].split(",")[0].removeprefix("cuda ") + f", share {timings[0]['share']}, {timings[0]['replicas']} replicas", fontsize=10)
    return figure


def table(timings: list[dict]) -> list[str]:
    lines = [f"{'scaling':<8}{'L':>5}{'packs':>7}{'slabs':>7}{'halo':>6}{'us per sweep':>14}{'ps per flip':>13}{'efficiency':>12}"]
    for t in sorted(timings, key=lambda t: (is_weak(t), t["columns"], t["L"], t["slabs"])):
        eta = efficiency(timings, t)
        cut = t["slabs"] > 1
        lines.append(
            f"{'weak' if is_weak(t) else 'strong':<8}{t['L']:>5}{packs(t):>7}{t['slabs']:>7}{t.get('halo', '') if cut else '':>6}{t['us_per_sweep']:>14.2f}"
            f"{t['ps_per_flip']:>13.4f}{'' if eta is None else f'{eta:.3f}':>12}"
        )
    return lines


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("files", nargs="+")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"])
    options = parser.parse_args()
    timings = [timing for file in options.files for timing in read(Path(file))]
    if not timings:
        raise StudyError("no timings in these files")
    take_names(options.out, ("bench_slabs",), options.formats)
    set_style(11)
    save(figure_of(timings), options.out, "bench_slabs", options.formats)
    print("\n".join(table(timings)))


if __name__ == "__main__":
    main()
