"""Draws what `bench-sites --json` measured of one large lattice in tiles (Weigel, arXiv:1101.1427, section 3.2): integrated autocorrelation times
of the energy and of m^2 against beta for every number of hits, and, with the times of a flip of the same lattice, tiles and hits among the files,
the time of an independent configuration, 2 tau sweeps.

    python workflows/psflip bench.sites_plots --out FOLDER [--rates-of L] [--formats png svg] FILE.json ...

Writes sites_tau.* and, with times of flips, sites_cost.*, and prints both as a table. Rows that are alike but for their seeds are averaged. The
lattices are of one size and model; flips may be those of another size, for what larger lattices would cost with the same times.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from psflip.bench.bench_data import is_number, objects_of
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.plots.plot_style import save, set_style, style_of, take_names

QUANTITIES = {"tau_e": "energy", "tau_m2": "$m^2$"}


LATTICE = ("dimension", "L", "beta", "tile", "hits")
NEEDED = {"averages": (*LATTICE, *QUANTITIES, *(name + "_error" for name in QUANTITIES)), "flips": (*LATTICE, "ps_per_flip")}


def read_rows(path: Path) -> list[dict]:
    with reading(path, "a file of bench-sites --json"):
        rows = objects_of(path.read_text(encoding="utf-8"))
        for row in rows:
            for name in NEEDED[row["series"]]:
                if not is_number(row[name]):
                    raise ValueError(f"{name} is no number")
            row["model"], row["device"]
    return rows


def times_of(rows: list[dict]) -> dict:
    """{(tile, hits): {beta: {quantity: (tau, error)}}}, in sweeps."""
    alike: dict = {}
    for row in rows:
        alike.setdefault((row["tile"], row["hits"]), {}).setdefault(row["beta"], []).append(row)
    mean = {}
    for kind in sorted(alike):
        mean[kind] = {}
        for beta, same in sorted(alike[kind].items()):
            errors = {name: np.sqrt(sum(row[name + "_error"] ** 2 for row in same)) / len(same) for name in QUANTITIES}
            mean[kind][beta] = {name: (float(np.mean([row[name] for row in same])), float(errors[name])) for name in QUANTITIES}
    return mean


def label_of(kind: tuple[int, int]) -> str:
    tile, hits = kind
    return f"$T = {tile}$, $k = {hits}$" if tile else "plain checkerboard"


def figure_of(times: dict, unit: dict, ylabel: str, title: str):
    """tau times a unit for each kind against beta."""
    figure, axes = plt.subplots(1, len(QUANTITIES), figsize=(9.2, 4.4))
    for axis, (name, label) in zip(axes, QUANTITIES.items(), strict=True):
        for index, kind in enumerate(unit):
            betas = list(times[kind])
            values = np.array([times[kind][beta][name] for beta in betas]) * unit[kind]
            axis.errorbar(betas, values[:, 0], values[:, 1], label=label_of(kind), **style_of(index))
        axis.set(title=label, xlabel=r"$\beta$", ylabel=ylabel, yscale="log")
    axes[0].legend(fontsize=9)
    figure.suptitle(title, fontsize=10)
    return figure


def table(times: dict, seconds: dict) -> str:
    """Markdown; seconds of a sweep, where they are known."""
    lines = ["| tile, hits | beta | tau of e, sweeps | tau of m^2, sweeps | independent e, ms | independent m^2, ms |", "|---|---|---|---|---|---|"]
    for kind, of in times.items():
        for beta, tau in of.items():
            cost = [f"{2e3 * tau[name][0] * seconds[kind]:.3g}" if kind in seconds else "" for name in QUANTITIES]
            lines.append(f"| {kind[0]}, {kind[1]} | {beta:.7g} | " + " | ".join([f"{tau[n][0]:.4g} +- {tau[n][1]:.2g}" for n in QUANTITIES] + cost) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("files", nargs="+")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--rates-of", type=int, metavar="L", help="size whose times of a flip are taken; that of the autocorrelation times unless given")
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"])
    options = parser.parse_args()
    rows = [row for file in options.files for row in read_rows(file)]
    averages = [row for row in rows if row["series"] == "averages"]
    if not averages:
        raise StudyError("no autocorrelation times in these files; bench-sites --measure writes them")
    lattices = {(row["model"], row["dimension"], row["L"]) for row in averages}
    if len(lattices) > 1:
        raise StudyError(f"autocorrelation times of several lattices: {', '.join(map(str, sorted(lattices)))}; give the files of one")
    ((model, dimension, L),) = lattices
    times = times_of(averages)
    timed = options.rates_of or L
    flips = [row for row in rows if row["series"] == "flips" and (row["model"], row["dimension"], row["L"]) == (model, dimension, timed)]
    if options.rates_of and not flips:
        raise StudyError(f"no times of a flip of L = {timed} in these files; bench-sites without --measure writes them")
    seconds = {(row["tile"], row["hits"]): 1e-12 * row["ps_per_flip"] * L**dimension for row in flips}
    seconds = {kind: seconds[kind] for kind in times if kind in seconds}
    title = f"{model}, {dimension} dimensions, L = {L}"
    title += f", times of a flip: {flips[0]['device']}, L = {timed}" if flips else f", {averages[0]['device']}"
    take_names(options.out, ("sites_tau", "sites_cost") if seconds else ("sites_tau",), options.formats)
    set_style(11)
    save(figure_of(times, dict.fromkeys(times, 1.0), "autocorrelation time (sweeps)", title), options.out, "sites_tau", options.formats)
    if seconds:
        unit = {kind: 2 * of for kind, of in seconds.items()}
        save(figure_of(times, unit, "time of an independent configuration (s)", title), options.out, "sites_cost", options.formats)
    print(table(times, seconds))


if __name__ == "__main__":
    main()
