"""Draws what `bench-sites --json` measured of one large lattice in tiles (Weigel, arXiv:1101.1427, section 3.2): integrated autocorrelation times
of the energy and of m^2 against beta, for every number of hits. If the files have times of a flip of the same lattice, tiles and hits, it also draws
the time of an independent configuration, 2 tau sweeps.

    python workflows/psflip bench.sites_plots --out FOLDER [--rates-of L] [--formats png svg] FILE.json ...

Writes sites_tau.* and sites_cost.*, and prints both as a table. Rows that differ in their seeds only are averaged. All lattices are of one size and
model. --rates-of takes the times of a flip of another size.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np

from psflip.bench.bench_data import read_rows
from psflip.bench.bench_plots import draw, plot_parser
from psflip.campaign.errors import StudyError
from psflip.plots.plot_style import style_of

QUANTITIES = {"tau_e": "energy", "tau_m2": "$m^2$"}
LATTICE = {"model": str, "device": str, "dimension": int, "L": int, "tile": int, "hits": int}
FORMS = {"averages": LATTICE | {name: float for tau in QUANTITIES for name in (tau, f"{tau}_error", "beta")}, "flips": LATTICE | {"ps_per_flip": float}}


def times_of(rows: list[dict]) -> dict:
    """Returns {(tile, hits): {beta: {quantity: (tau, error)}}}, in sweeps."""
    alike: dict[tuple, list[dict]] = {}
    for row in rows:
        alike.setdefault((row["tile"], row["hits"], row["beta"]), []).append(row)
    found: dict = {}
    for (tile, hits, beta), same in sorted(alike.items()):
        mean = {name: (float(np.mean([row[name] for row in same])), math.hypot(*(row[f"{name}_error"] for row in same)) / len(same)) for name in QUANTITIES}
        found.setdefault((tile, hits), {})[beta] = mean
    return found


def figure_of(times: dict, unit: dict, ylabel: str, title: str):
    """Draws tau times a unit of each kind against beta."""
    figure, axes = plt.subplots(1, len(QUANTITIES), figsize=(9.2, 4.4))
    for axis, (name, label) in zip(axes, QUANTITIES.items(), strict=True):
        for index, (tile, hits) in enumerate(unit):
            of = times[tile, hits]
            values = np.array([tau[name] for tau in of.values()]) * unit[tile, hits]
            axis.errorbar(list(of), values[:, 0], values[:, 1], label=f"$T = {tile}$, $k = {hits}$" if tile else "plain checkerboard", **style_of(index))
        axis.set(title=label, xlabel=r"$\beta$", ylabel=ylabel, yscale="log")
    axes[0].legend(fontsize=9)
    figure.suptitle(title, fontsize=10)
    return figure


def table(times: dict, seconds: dict) -> str:
    """Returns a Markdown table. `seconds`: of a sweep, if they are known."""
    lines = ["| tile, hits | beta | tau of e, sweeps | tau of m^2, sweeps | independent e, ms | independent m^2, ms |", "|---|---|---|---|---|---|"]
    for kind, of in times.items():
        for beta, tau in of.items():
            cost = [f"{2e3 * tau[name][0] * seconds[kind]:.3g}" if kind in seconds else "" for name in QUANTITIES]
            lines.append(f"| {kind[0]}, {kind[1]} | {beta:.7g} | " + " | ".join([f"{tau[n][0]:.4g} +- {tau[n][1]:.2g}" for n in QUANTITIES] + cost) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = plot_parser(__doc__)
    parser.add_argument("--rates-of", type=int, metavar="L", help="size whose times of a flip are taken (default: the size of the autocorrelation times)")
    options = parser.parse_args()
    rows = [row for file in options.files for row in read_rows(file, "bench-sites", FORMS)]
    averages = [row for row in rows if row["series"] == "averages"]
    if not averages:
        raise StudyError("these files have no autocorrelation times; bench-sites --measure writes them")
    lattices = {(row["model"], row["dimension"], row["L"]) for row in averages}
    if len(lattices) > 1:
        raise StudyError(f"these are autocorrelation times of several lattices, {', '.join(map(str, sorted(lattices)))}; give the files of one lattice")
    ((model, dimension, L),) = lattices
    times, timed = times_of(averages), options.rates_of or L
    flips = [
        row for row in rows if row["series"] == "flips" and (row["model"], row["dimension"], row["L"]) == (model, dimension, timed) and row.get("slabs", 1) == 1
    ]
    if options.rates_of and not flips:
        raise StudyError(f"these files have no times of a flip of L = {timed}; bench-sites without --measure writes them")
    seconds = {kind: 1e-12 * row["ps_per_flip"] * L**dimension for row in flips if (kind := (row["tile"], row["hits"])) in times}
    title = f"{model}, {dimension} dimensions, L = {L}"
    title += f", times of a flip: {flips[0]['device']}, L = {timed}" if flips else f", {averages[0]['device']}"
    figures = {"sites_tau": lambda: figure_of(times, dict.fromkeys(times, 1.0), "autocorrelation time (sweeps)", title)}
    if seconds:
        unit = {kind: 2 * seconds[kind] for kind in times if kind in seconds}
        figures["sites_cost"] = lambda: figure_of(times, unit, "time of an independent configuration (s)", title)
    draw(options, figures)
    print(table(times, seconds))


if __name__ == "__main__":
    main()
