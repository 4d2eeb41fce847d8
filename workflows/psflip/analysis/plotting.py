"""Plots of one line, in the look of the report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from psflip.campaign.errors import StudyError
from psflip.plots.figures import FIGURES
from psflip.plots.plot_style import STYLE, TEMPERATURE, legend_above, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Study = Any  # analysis.results.Results, which imports this module


@contextmanager
def drawn(axes: Axes | None) -> Iterator[Axes]:
    """Yields the given axes, or new ones, in the look of the report."""
    with matplotlib.rc_context(STYLE):
        yield plt.subplots()[1] if axes is None else axes


def label_of(name: str) -> str:
    return next((figure.label for figure in FIGURES if figure.needs == name and figure.label), name.replace("_", " "))


def default_of(study: Study) -> str:
    """Returns the first column with values of those whose curves cross in this model, Binder ratios, and the energy."""
    names = (*study.reduced.model.crossings, "binder", "binder_m", "energy")
    return next((name for name in names if name in study.results and study.results[name].notna().any()), "energy")


def checked(study: Study, name: str) -> str:
    """Returns the name of a column of results.csv, the default if none is given."""
    name = name or default_of(study)
    if name not in study.results:
        averages = [column for column in study.results if f"{column}_err" in study.results]
        raise StudyError(f"plot: results.csv has no column {name!r}; use one of {', '.join(averages)}")
    return name


def draw(study: Study, name: str, axes: Axes, x) -> None:
    """Draws the points of all sizes with errors at x(L, T). Lines between them guide the eye."""
    for i, (L, rows) in enumerate(study.results.groupby(level="L")):
        T = rows.index.get_level_values("T").to_numpy()
        errors = rows[f"{name}_err"] if f"{name}_err" in rows else None
        axes.errorbar(x(L, T), rows[name], errors, label=f"$L = {L}$", **style_of(i))


def curves(study: Study, name: str, axes: Axes | None, crossings: bool) -> Axes:
    name = checked(study, name)
    with drawn(axes) as axes:
        draw(study, name, axes, lambda L, T: T)
        if crossings and name in study.reduced.crossings:
            for c in study.reduced.shown(name):
                axes.errorbar(c.T, c.value, c.value_err, c.T_err, fmt="x", color="0.2", zorder=3)
        axes.set(xlabel=TEMPERATURE, ylabel=label_of(name))
        legend_above(axes)
    return axes


def scaling(study: Study, name: str, T_c: float, nu: float, axes: Axes | None) -> Axes:
    known = study.reduced.model.known
    found = (known.T_c[0], known.nu[0]) if known else (np.nan, np.nan)
    if (study.folder / "critical.csv").is_file() and {"T_c", "nu"} <= set(study.critical.index):
        found = float(study.critical.loc["T_c", "value"]), float(study.critical.loc["nu", "value"])
    T_c, nu = (given if given == given else taken for given, taken in zip((T_c, nu), found))
    if not (T_c > 0 and nu > 0):
        raise StudyError("plot_scaling: neither this study nor the literature knows T_c and nu; give T_c=... and nu=..., positive numbers")
    name = checked(study, name)
    with drawn(axes) as axes:
        draw(study, name, axes, lambda L, T: (T - T_c) * L ** (1 / nu))
        axes.set(xlabel=rf"$(T - T_c)\,L^{{1/\nu}}$, $T_c = {T_c:.5g}$, $\nu = {nu:.4g}$", ylabel=label_of(name))
        legend_above(axes)
    return axes
