"""Draws the timings of `bench-slab`: efficiency against L, and x t / L^2 against the planes of a slab, x = L / N, on which all numbers of slabs N fall
together (Lulli, Bernaschi, Parisi, arXiv:1411.0127, Fig. 13): flat where ends and transfer decide, rising where the planes between do.

    python workflows/scripts bench.slab_plots --out FOLDER [--formats png svg] FILE.json ...

Writes bench_slabs.*, and prints a table of microseconds per sweep and efficiency.
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt

from bench.bench_plots import log_axis
from campaign.command_line import Parser
from campaign.errors import FAULTS, StudyError
from plots.plot_style import save, set_style, style_of, take_names

FIELDS = ("L", "slabs", "planes", "columns", "us_per_sweep", "ps_per_flip", "ps_per_flip_and_device", "device")


def read(file: Path) -> list[dict]:
    try:
        found = json.loads(file.read_text())
        if all(set(FIELDS) <= set(timing) for timing in found):
            return found
    except (OSError, *FAULTS):
        pass
    raise StudyError(f"{file}: no timings of bench-slab; make them with bench-slab --json FILE")


def efficiency(timings: list[dict], of: dict) -> float | None:
    """Of the device as compared with one that has whole lattices of the same batch, by its best kernel."""
    same = ("L", "columns", "share", "replicas", "temperatures")
    alone = [t["ps_per_flip"] for t in timings if t["slabs"] == 1 and all(t[key] == of[key] for key in same)]
    return min(alone) / of["ps_per_flip_and_device"] if alone else None


def figure_of(timings: list[dict]):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2))
    numbers = sorted({(t["slabs"], t["columns"]) for t in timings})
    for index, (slabs, columns) in enumerate(numbers):
        of = sorted((t for t in timings if (t["slabs"], t["columns"]) == (slabs, columns)), key=lambda t: t["L"])
        label = f"{slabs} slab{'s' * (slabs > 1)}, {columns} column{'s' * (columns > 1)}"
        right.plot([t["planes"] for t in of], [t["planes"] * t["ps_per_flip_and_device"] for t in of], label=label, **style_of(index))
        if slabs > 1:
            left.plot([t["L"] for t in of], [efficiency(timings, t) for t in of], label=label, **style_of(index))
    left.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    left.set(xscale="log", xlabel="lattice size $L$", ylabel="efficiency of a device", ylim=(0, 1.1))
    log_axis(left.xaxis, sorted({t["L"] for t in timings}))
    right.set(xscale="log", yscale="log", xlabel="planes of a slab, $x = L/N$", ylabel="$x$ times ps per flip and device")
    log_axis(right.xaxis, sorted({t["planes"] for t in timings}))
    log_axis(right.yaxis)
    figure.suptitle(timings[0]["device"].split(",")[0].removeprefix("cuda ") + f", share {timings[0]['share']}, {timings[0]['replicas']} replicas", fontsize=10)
    handles, labels = right.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=9)
    return figure


def table(timings: list[dict]) -> list[str]:
    lines = [f"{'L':>4}{'columns':>9}{'slabs':>7}{'us per sweep':>14}{'ps per flip':>13}{'efficiency':>12}"]
    for t in sorted(timings, key=lambda t: (t["columns"], t["L"], t["slabs"])):
        eta = efficiency(timings, t)
        lines.append(f"{t['L']:>4}{t['columns']:>9}{t['slabs']:>7}{t['us_per_sweep']:>14.2f}{t['ps_per_flip']:>13.4f}{'' if eta is None else f'{eta:.3f}':>12}")
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
    set_style()
    save(figure_of(timings), options.out, "bench_slabs", options.formats)
    print("\n".join(table(timings)))


if __name__ == "__main__":
    main()
