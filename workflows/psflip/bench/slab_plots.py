"""Draws the timings of `bench-slab` as Lulli, Bernaschi and Parisi do (arXiv:1411.0127, Figures 12a, 12b and 13), with a curve for each number of slabs N.

- Efficiency of strong scaling against L.
- Time per flip of all devices together against L.
- x t / L^2 against the planes of a slab, x = L / N, on which all N fall together. The curve is flat if the ends and the transfer decide, and rises if the
  planes between them do.
- Efficiency of weak scaling against N.

Each halo transport and each number of packs has a column of panels. Panels without timings are left out. If a case has several timings, the fastest counts.

    python workflows/psflip bench.slab_plots --out FOLDER [--formats png svg] FILE.json ...

Writes bench_slabs.*, and prints a table: microseconds per sweep, number of packs, efficiency. Then it prints the two constants of plan/estimate.py that fit these
timings best, and the times of twice as many slabs that they predict.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from psflip.bench.bench_data import read_rows
from psflip.bench.bench_plots import draw, log_axis, plot_parser
from psflip.campaign.errors import StudyError
from psflip.plan.estimate import sweep_seconds
from psflip.plots.plot_style import style_of

MAX_SERIES = 7  # of a panel
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


def whole_of(timings: list[dict], of: dict) -> dict | None:
    """Returns the timing of whole lattices of the same batch on one device, by its fastest kernel. These lattices have the same size or, in weak scaling, about as many sites
    as each device of `of`."""
    same = ("columns", "share", "replicas", "temperatures")
    alone = [t for t in timings if t["slabs"] == 1 and is_weak(t) == is_weak(of) and all(t[key] == of[key] for key in same)]
    size = min((t["L"] for t in alone), key=lambda L: abs(L * of["slabs"] ** (1 / 3) - of["L"]), default=None) if is_weak(of) else of["L"]
    return min((t for t in alone if t["L"] == size), key=lambda t: t["ps_per_flip"], default=None)


def efficiency(timings: list[dict], of: dict) -> float | None:
    """Returns the speed of each device, compared with a device that has whole lattices."""
    whole = whole_of(timings, of)
    return whole["ps_per_flip"] / of["ps_per_flip_and_device"] if whole else None


def packs(timing: dict) -> int:
    return timing["columns"] * (128 // timing["share"])


def batch_text(timing: dict) -> str:
    return f"{packs(timing)} pack{'s' * (packs(timing) > 1)}"


def way_of(timing: dict) -> tuple[str, str]:
    """Returns the halo transport and the site order of slabs."""
    return (timing.get("halo", ""), timing.get("order", "standard")) if timing["slabs"] > 1 else ("", "")


def column_of(timings: list[dict], columns: int, halo: str) -> list[dict]:
    """Returns the timings of a column of panels: slabs with this halo transport, and whole lattices, the fastest of each case."""
    of = [t for t in timings if t["columns"] == columns and (t["slabs"] == 1 or way_of(t)[0] == halo)]
    return list({(is_weak(t), t["slabs"], t["L"], way_of(t)): t for t in sorted(of, key=lambda t: -t["us_per_sweep"])}.values())


def order_of_curves(timing: dict) -> tuple:
    order = way_of(timing)[1]
    return timing["slabs"], order == "sliced", order


def curves(timings: list[dict], key) -> list[tuple[tuple, list[dict]]]:
    """Returns the timings that a line joins, in the order of the key, with it. Errors: StudyError if there are too many lines for one panel."""
    found: dict[tuple, list[dict]] = {}
    for t in sorted(timings, key=lambda t: (t["L"], t["slabs"])):
        found.setdefault(key(t), []).append(t)
    if len(found) > MAX_SERIES:
        raise StudyError(f"these timings give {len(found)} curves in one panel; draw at most {MAX_SERIES}: give files with fewer numbers of slabs")
    return [(of, found[of]) for of in sorted(found)]


def draw_by_slabs(axes, timings: list[dict], x: str, y, least: int = 1) -> None:
    """Draws y against x, a curve for each number of slabs and site order."""
    orders = {way_of(t)[1] for t in timings if t["slabs"] > 1}
    for index, ((slabs, *_), of) in enumerate(curves(timings, order_of_curves)):
        label = f"$N = {slabs}$" + (f", {way_of(of[0])[1]}" if slabs > 1 and len(orders) > 1 else "")
        if slabs >= least:
            axes.plot([t[x] for t in of], [y(t) for t in of], label=label, **style_of(index))
    axes.set(xscale="log")
    log_axis(axes.xaxis, sorted({t[x] for t in timings}))


def log_times(axes, label: str) -> None:
    """Makes the axis of times logarithmic, with room for the legend above the curves."""
    axes.set(yscale="log", ylabel=label)
    axes.set_ylim(top=3 * axes.get_ylim()[1])
    log_axis(axes.yaxis)


def draw_strong(axes, timings: list[dict]) -> None:
    draw_by_slabs(axes, timings, "L", lambda t: efficiency(timings, t), least=2)
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    axes.set(xlabel="lattice size $L$", ylabel="efficiency of a device", ylim=(0, 1.25))


def draw_times(axes, timings: list[dict]) -> None:
    draw_by_slabs(axes, timings, "L", lambda t: t["ps_per_flip"])
    axes.set(xlabel="lattice size $L$")
    log_times(axes, "ps per flip of all devices")


def draw_collapse(axes, timings: list[dict]) -> None:
    draw_by_slabs(axes, timings, "planes", lambda t: t["planes"] * t["ps_per_flip_and_device"])
    axes.set(xlabel="planes of a slab, $x = L/N$")
    log_axis(axes.xaxis, sorted({2.0 ** round(np.log2(t["planes"])) for t in timings}))
    log_times(axes, "$x$ times ps per flip and device")


def draw_weak(axes, timings: list[dict]) -> None:
    for index, ((_, order), of) in enumerate(curves([t for t in timings if t["slabs"] > 1], lambda t: order_of_curves(t)[1:])):
        whole = whole_of(timings, of[0])
        line = sorted([*of, whole] if whole else of, key=lambda t: t["slabs"])
        axes.plot([t["slabs"] for t in line], [efficiency(timings, t) for t in line], label=f"{order} order", **style_of(index))
    for slabs in sorted({t["slabs"] for t in timings}):
        of = [t for t in timings if t["slabs"] == slabs]
        height = min(efficiency(timings, t) or 0 for t in of)
        axes.annotate(f"$L={of[0]['L']}$", (slabs, height), xytext=(0, -12), textcoords="offset points", ha="center", va="top", fontsize=8)
    axes.axhline(1.0, color="0.6", linewidth=0.8, zorder=0)
    numbers = sorted({t["slabs"] for t in timings})
    room = 0.15 * (numbers[-1] - numbers[0] + 1)
    axes.set(xlabel="slabs $N$, each with an equal number of sites", ylabel="efficiency of a device", ylim=(0, 1.25), xticks=numbers)
    axes.set_xlim(numbers[0] - room, numbers[-1] + room)
    axes.minorticks_off()


PANELS = ((draw_strong, False), (draw_times, False), (draw_collapse, False), (draw_weak, True))  # whether they show weak scaling


def figure_of(timings: list[dict]):
    ways = sorted({(t["columns"], way_of(t)[0]) for t in timings if t["slabs"] > 1})
    panels = [(panel, weak) for panel, weak in PANELS if any(is_weak(t) == weak for t in timings)]
    if not ways:
        raise StudyError("these files have no timings of several slabs; make them with bench-slab --slabs 1,2")
    figure, axes = plt.subplots(len(panels), len(ways), figsize=(4.8 * len(ways), 3.7 * len(panels)), squeeze=False)
    for (columns, halo), places in zip(ways, axes.T, strict=True):
        column = column_of(timings, columns, halo)
        for (panel, weak), place in zip(panels, places, strict=True):
            of = [t for t in column if is_weak(t) == weak]
            if not any(t["slabs"] > 1 for t in of):
                place.remove()
                continue
            panel(place, of)
            place.legend(fontsize=8, title=f"halos: {halo or 'one way'}, {batch_text(of[0])}", title_fontsize=8)
    figure.suptitle(timings[0]["device"].split(",")[0].removeprefix("cuda ") + f", share {timings[0]['share']}, {timings[0]['replicas']} replicas", fontsize=10)
    return figure


def fit(timings: list[dict]) -> list[str]:
    """Returns lines with BOUNDARY and LATENCY of plan/estimate.py, from slabs in the standard order whose halos do not travel through messages, and with predictions for
    twice as many slabs. The squares of relative deviations are least."""
    cut = [t for t in timings if t["slabs"] > 1 and not is_weak(t) and way_of(t)[0] in ("auto", "peer") and way_of(t)[1] == "standard"]
    pairs = [(t, whole) for t in cut if (whole := whole_of(timings, t))]
    if len(pairs) < 2:
        return []
    time = np.array([t["us_per_sweep"] for t, _ in pairs])
    alone, slabs, L = (np.array(values, float) for values in zip(*((w["us_per_sweep"], t["slabs"], t["L"]) for t, w in pairs), strict=True))
    boundary, latency = np.linalg.lstsq(np.stack([alone / L, np.ones(len(L))], 1) / time[:, None], 1 - alone / slabs / time, rcond=None)[0]
    off = np.max(np.abs((alone * (1 / slabs + boundary / L) + latency) / time - 1))
    lines = [f"plan/estimate.py: BOUNDARY = {boundary:.3g}, LATENCY = {latency * 1e-6:.2g}; deviations are at most {off:.0%}"]
    most = max(t["slabs"] for t in cut)
    for whole in {(w["L"], w["columns"]): w for t, w in pairs if t["slabs"] == most}.values():
        seconds = sweep_seconds(whole["us_per_sweep"] * 1e-6, whole["L"], 2 * most, boundary, latency * 1e-6)
        eta = whole["us_per_sweep"] * 1e-6 / seconds / (2 * most)
        lines.append(f"prediction: {2 * most} slabs, L = {whole['L']}, {batch_text(whole)}: {seconds * 1e6:.1f} microseconds per sweep, efficiency {eta:.2f}")
    return lines


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
    print("\n".join(table(timings) + fit(timings)))


if __name__ == "__main__":
    main()
