"""Draws the ladders of pt-run --tune-ladder before and after tuning: acceptance, origin of the walkers, diffusivity, round trips.

    python workflows/psflip plots.ladder_plot --numbers L8.h5 --out L8.png L8.svg
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from psflip.campaign.command_line import Parser
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.ladders import sites_of, trips_per_flips
from matplotlib.ticker import MaxNLocator, NullLocator

from psflip.plots.figures import FORMATS
from psflip.plots.plot_style import COLOURS, PAGE, TEMPERATURE, legend_above, save, set_style
from psflip.results.notation import with_error


@dataclass
class Round:
    """Holds one ladder that was tried."""

    temperatures: np.ndarray
    acceptance: np.ndarray
    acceptance_error: np.ndarray
    cold_fraction: np.ndarray
    diffusivity: np.ndarray
    round_trips: float  # per sweep, of all walkers of one replica of one realization
    round_trips_error: float

    @property
    def middle(self) -> np.ndarray:
        return 0.5 * (self.temperatures[1:] + self.temperatures[:-1])


@dataclass
class Tuning:
    L: int
    sites: int
    rounds: list[Round]
    constant: int
    chosen: int
    choices: np.ndarray  # (choice, 2): temperatures, estimated round trips per 10^9 flips

    @classmethod
    def read(cls, path: Path) -> "Tuning":
        with hdf5_file(path, "numbers of a tuning as pt-run --tune-ladder writes them") as file:
            root = file.attrs
            names = list(Round.__dataclass_fields__)
            groups = [file[f"round{i}"] for i in range(root["rounds"])]
            rounds = [Round(*(group[name][...] if name in group else float(group.attrs[name]) for name in names)) for group in groups]
            sites, count = sites_of(root), file["choices/count"][...]
            choices = np.column_stack([count, trips_per_flips(file["choices/round_trips"][...], count, sites)])
            return cls(int(root["L"]), sites, rounds, int(root["constant"]), int(root["chosen"]), choices)

    def shown(self) -> list[tuple[str, Round, dict]]:
        """Returns name, ladder and style of the ladders to draw: before and after tuning. If feedback changed the ladder of equal acceptances, this ladder is also drawn."""
        styles = [{"color": COLOURS[i], "marker": marker} for i, marker in enumerate("os^")]
        found = [("before", self.rounds[0])]
        if self.chosen != self.constant:
            found += [("equal acceptance", self.rounds[self.constant]), ("feedback", self.rounds[self.chosen])]
        elif self.chosen:
            found.append(("after", self.rounds[self.chosen]))
        return [(name, ladder, style) for (name, ladder), style in zip(found, styles)]


GUIDE = {"color": "0.6", "linewidth": 0.9, "linestyle": (0, (4, 3))}


def draw_acceptance(axes, tuning: Tuning) -> None:
    """Draws each pair as a bar from one temperature to the next."""
    for name, ladder, style in tuning.shown():
        T = ladder.temperatures
        axes.errorbar(ladder.middle, ladder.acceptance, ladder.acceptance_error, 0.5 * np.diff(T), linestyle="none", label=f"{name}: {len(T)} temperatures", capsize=0, **style)
    axes.set(xlabel=TEMPERATURE, ylabel="accepted fraction of exchanges", ylim=(0, 1))
    legend_above(axes, 1)


def draw_cold_fraction(axes, tuning: Tuning) -> None:
    axes.plot([0, 1], [1, 0], label="best flow", **GUIDE)
    for _, ladder, style in tuning.shown():
        axes.plot(np.linspace(0, 1, len(ladder.cold_fraction)), ladder.cold_fraction, **style)
    axes.set(xlabel="place in the ladder (0 cold, 1 hot)", ylabel="fraction last at the cold end", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    legend_above(axes)


def draw_diffusivity(axes, tuning: Tuning) -> None:
    for _, ladder, style in tuning.shown():
        axes.plot(ladder.middle, ladder.diffusivity, **style)
        if np.nanmax(ladder.diffusivity, initial=0) > 0:
            axes.set_yscale("log")
    axes.set(xlabel=TEMPERATURE, ylabel=r"diffusivity ($(J/k_B)^2$ per sweep)")


def draw_round_trips(axes, tuning: Tuning) -> None:
    if len(tuning.choices) > 1:
        axes.plot(*tuning.choices.T, label="estimated for other numbers of temperatures", **GUIDE)
    for name, ladder, style in tuning.shown():
        count = len(ladder.temperatures)
        rate, error = (trips_per_flips(value, count, tuning.sites) for value in (ladder.round_trips, ladder.round_trips_error))
        axes.errorbar(count, rate, error, linestyle="none", label=f"{name}: {with_error(rate, error)}", **style)
    axes.set(xlabel="number of temperatures", ylabel="round trips per $10^9$ flips")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.xaxis.set_minor_locator(NullLocator())
    legend_above(axes, 1)


def figure_of(tuning: Tuning):
    figure, panels = plt.subplots(2, 2, figsize=(PAGE, 6.0))
    for axes, draw in zip(panels.flat, (draw_acceptance, draw_cold_fraction, draw_diffusivity, draw_round_trips)):
        draw(axes, tuning)
    ends = tuning.rounds[0].temperatures
    figure.suptitle(f"Temperatures for $L={tuning.L}$ from {ends[0]:.4g} to {ends[-1]:.4g}", fontsize="medium")
    return figure


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--numbers", required=True)
    parser.add_output("--out", "picture", required=True, nargs="+")
    given = parser.parse_args()
    set_style()
    first = given.out[0]
    if any((path.parent, path.stem) != (first.parent, first.stem) for path in given.out):
        parser.error("the outputs may differ in their endings only")
    if wrong := [path for path in given.out if path.suffix[1:] not in FORMATS]:
        parser.error(f"{wrong[0]}: the ending is not known; use .{', .'.join(FORMATS)}")
    save(figure_of(Tuning.read(given.numbers)), first.parent, first.stem, [path.suffix[1:] for path in given.out])


if __name__ == "__main__":
    main()
