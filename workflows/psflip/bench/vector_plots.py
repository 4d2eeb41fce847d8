"""Draws what `bench-vector --lengths N --json` measured: the mean deviation of spin lengths from 1 against the number of sweeps, for each
update and precision (Weigel, arXiv:1101.1427, Fig. 12).

    python workflows/psflip bench.vector_plots --out FOLDER [--formats png svg] FILE.json ...

Writes vector_lengths.*. All rows are of one model and size.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from psflip.bench.bench_data import read_rows
from psflip.bench.bench_plots import draw, plot_parser
from psflip.campaign.errors import StudyError
from psflip.plots.plot_style import style_of

FORMS = {"lengths": {"model": str, "update": str, "precision": str, "device": str, "L": int, "sweeps": float, "mean": float, "largest": float}}
UPDATES = ("metropolis", "cone", "heat-bath", "over-relaxation")


def figure_of(rows: list[dict], title: str):
    updates = [update for update in UPDATES if any(row["update"] == update for row in rows)]
    figure, axes = plt.subplots(1, len(updates), figsize=(3.2 * len(updates), 3.8), sharey=True, squeeze=False)
    for axis, update in zip(axes[0], updates, strict=True):
        for index, precision in enumerate(dict.fromkeys(row["precision"] for row in rows)):
            found = [(row["sweeps"], row["mean"]) for row in rows if (row["update"], row["precision"]) == (update, precision)]
            if found:
                axis.plot(*zip(*found), label=precision, **style_of(index))
        axis.set(title=update, xlabel="sweeps", xscale="log", yscale="log")
    axes[0][0].set_ylabel(r"mean of $\left|\,|S| - 1\,\right|$")
    axes[0][0].legend(fontsize=9)
    figure.suptitle(title, fontsize=10)
    return figure


def main() -> None:
    options = plot_parser(__doc__).parse_args()
    rows = [row for file in options.files for row in read_rows(file, "bench-vector --lengths", FORMS)]
    kinds = {(row["model"], row["L"]) for row in rows}
    if len(kinds) != 1:
        raise StudyError(f"these are lengths of several lattices, {', '.join(map(str, sorted(kinds)))}; give the files of one lattice" if kinds else "these files have no rows; bench-vector --json writes them")
    ((model, L),) = kinds
    title = f"{model}, L = {L}, {', '.join(dict.fromkeys(row['device'] for row in rows))}"
    draw(options, {"vector_lengths": lambda: figure_of(rows, title)})


if __name__ == "__main__":
    main()
