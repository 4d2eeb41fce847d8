"""Draws what `bench-vector --lengths N --json` measured: how far lengths of spins are from 1 on the average against the number of sweeps, for each
update and precision (Weigel, arXiv:1101.1427, Fig. 12).

    python workflows/psflip bench.vector_plots --out FOLDER [--formats png svg] FILE.json ...

Writes vector_lengths.*. The rows are of one model and size.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from psflip.bench.bench_data import is_number, objects_of
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, reading
from psflip.plots.plot_style import save, set_style, style_of, take_names

NUMBERS = ("sweeps", "mean", "largest")
UPDATES = ("metropolis", "cone", "heat-bath", "over-relaxation")


def read_rows(path: Path) -> list[dict]:
    with reading(path, "a file of bench-vector --lengths --json"):
        rows = objects_of(path.read_text(encoding="utf-8"))
        for row in rows:
            if row["series"] != "lengths":
                raise ValueError(f"rows of {row['series']}, not of lengths")
            for name in NUMBERS:
                if not is_number(row[name]):
                    raise ValueError(f"{name} is no number")
            row["model"], row["update"], row["precision"], row["device"], row["L"]
    return rows


def figure_of(rows: list[dict]):
    updates = [update for update in UPDATES if any(row["update"] == update for row in rows)]
    figure, axes = plt.subplots(1, len(updates), figsize=(3.2 * len(updates), 3.8), sharey=True, squeeze=False)
    precisions = list(dict.fromkeys(row["precision"] for row in rows))
    for axis, update in zip(axes[0], updates, strict=True):
        for index, precision in enumerate(precisions):
            found = np.array([(row["sweeps"], row["mean"]) for row in rows if (row["update"], row["precision"]) == (update, precision)])
            if found.size:
                axis.plot(found[:, 0], found[:, 1], label=precision, **style_of(index))
        axis.set(title=update, xlabel="sweeps", xscale="log", yscale="log")
    axes[0][0].set_ylabel(r"mean of $\left|\,|S| - 1\,\right|$")
    axes[0][0].legend(fontsize=9)
    return figure


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("files", nargs="+")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"])
    options = parser.parse_args()
    rows = [row for file in options.files for row in read_rows(file)]
    kinds = {(row["model"], row["L"]) for row in rows}
    if len(kinds) != 1:
        raise StudyError(f"lengths of several lattices: {', '.join(map(str, sorted(kinds)))}; give the files of one" if kinds else "no rows in these files")
    ((model, L),) = kinds
    take_names(options.out, ("vector_lengths",), options.formats)
    set_style(11)
    figure = figure_of(rows)
    figure.suptitle(f"{model}, L = {L}, {', '.join(dict.fromkeys(row['device'] for row in rows))}", fontsize=10)
    save(figure, options.out, "vector_lengths", options.formats)


if __name__ == "__main__":
    main()
