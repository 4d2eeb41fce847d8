"""Prints the results of a study and the paths of its files.

    psflip show my.yaml
    psflip show results/quickstart
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.results_folder import folder_of
from psflip.campaign.study import RELAXATION
from psflip.critical.stored import read_critical, whole_error
from psflip.plots.figures import names_of
from psflip.relaxation import stored as from_relaxation
from psflip.results.averages import Size
from psflip.results.cautions import cautions, mark, remark, sizes_behind
from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.notation import with_error
from psflip.results.reduced import NotReduced, Reduced, read_reduced

EXTRAPOLATED = ("T_c", "nu", "eta")
FILES = (("report", "report.html"), ("table", "results.csv"), ("archive", "study.zip"))


def crossings(data: Reduced) -> list[str]:
    lines = [said] if (said := data.model.no_crossings) else []
    if len(data.sizes) == 1 and data.model.crossings:
        return [*lines, f"L = {data.sizes[0].L} alone has no crossing, because a crossing needs two sizes; add one to lattice.L, such as {2 * data.sizes[0].L}"]
    for name in reversed(data.model.crossings):
        title, crossing = CROSSING_CURVES[name].text, data.headline(name)
        if crossing is None:
            notes = {c.note for c in data.crossings.get(name, []) if c.note}
            reason = f", because {notes.pop()}" if len(notes) == 1 else ""
            lines.append(f"Crossing of {title}: none in this range of temperatures{reason}; take more realizations, or other temperatures")
            continue
        T = with_error(crossing.T, crossing.T_err) + mark(data, (crossing.L1, crossing.L2))
        lines.append(f"Crossing of {title}, L = {crossing.L1} and {crossing.L2}: T = {T} J/k_B")
    return lines


def critical_point(data: Reduced, folder: Path) -> list[str]:
    """Returns lines with T_c and exponents and their whole errors, if any were found."""
    file = folder / "critical.json"
    if not file.is_file():
        return []
    critical = read_critical(file)
    results = {name: critical["results"][name] for name in EXTRAPOLATED if name in critical["results"]}
    found = [f"{name} = {with_error(r['value'], whole_error(r))}{mark(data, sizes_behind(critical, name))}" for name, r in results.items()]
    poor = [name for name, r in results.items() if not r["acceptable"]]
    if found:
        doubt = [f"No fit describes the data of {', '.join(poor)} well, because p is below 0.05 for all fits: do not trust {'its error' if len(poor) == 1 else 'their errors'}"] if poor else []
        return [f"Extrapolated to infinite size: {', '.join(found)}", *doubt]
    if data.model.orders_at_zero:
        levels = [e for e in critical.get("levels", []) if e["quoted"]]
        return [exponents(data, e) for e in levels] or [f"There are no exponents of T = 0. {critical['missing']}"]
    return [f"There is no T_c of infinite size. {critical['missing']}"] if critical["missing"] and not data.model.no_crossings else []


def exponents(data: Reduced, e: dict) -> str:
    """Returns the exponents of a level, such as `nu = 3.5(2), theta = -0.286(16)`, with the sizes behind them."""
    numbers = ", ".join(f"{name} = {with_error(e[name], e[f'{name}_err'])}{mark(data, (e['L1'], e['L2']))}" for name in ("nu", "theta"))
    return f"Transition at T = 0: {numbers} at {CROSSING_CURVES[e['quantity']].text} = {e['level']:g}, L = {e['L1']} and {e['L2']}, without extrapolation"


def extent(values: np.ndarray, form: str) -> str:
    """Returns `3 to 5`, or one number if the least and the largest value round alike."""
    return " to ".join(dict.fromkeys(format(value, form) for value in (values.min(), values.max())))


def houdayer_moves(size: Size) -> str:
    """Returns the range of acceptance and of mean sizes of clusters of Houdayer moves over the temperatures."""
    accepted, sites = (values[np.isfinite(values)] for values in (size.get("houdayer_acceptance"), size.get("houdayer_cluster_size")))
    return f"Houdayer moves exchanged clusters in {extent(100 * accepted, '.0f')}% of the moves, of {extent(sites, '.3g')} sites on average"


def summary(data: Reduced, folder: Path) -> list[str]:
    model = data.model
    lines = [model.full_name] if model.label else []
    lines += crossings(data) + critical_point(data, folder) + [text for text in (remark(data), model.warning) if text]
    for size in data.sizes:
        fraction = size.get("equilibrated_fraction")
        if len(fraction):
            basis = f" by {size.verdict_basis}" if size.verdict_basis else ""
            verdict = f"{100 * fraction.min():.1f}% equilibrated{basis}" if fraction.min() == fraction.min() else f"equilibrium {size.verdict_basis}"
            lines.append(f"L = {size.L}: {size.n_realizations} realizations, {verdict}")
        if size.has("houdayer_cluster_size"):
            lines.append(f"L = {size.L}: {houdayer_moves(size)}")
        if size.couplings_origin:
            lines.append(f"L = {size.L}: gen-disorder did not draw these couplings, {size.couplings_origin}")
    lines += [caution.sentence() for caution in cautions(data)]
    files = (("plot", f"plots/{names_of(model)[0]}.png"), *FILES)
    return lines + [f"{title + ':':9}{folder / name}" for title, name in files]


def last_line(folder: Path) -> str:
    """Returns the last line of a finished study: its results, and the path of the report."""
    try:
        data = read_reduced(folder / "reduced.h5")
    except NotReduced as error:
        return printable(f"Report: {folder / 'report.html'} ({error})")
    label = data.model.label
    found = ([label] if label else []) + crossings(data) + ([text] if (text := remark(data)) else [])
    return printable(f"{'. '.join(found)}. Report: {folder / 'report.html'}")


def relaxation_line(folder: Path) -> str:
    """Returns the last line of a finished relaxation."""
    return printable(f"{'. '.join(from_relaxation.results(from_relaxation.read(folder)))}. Report: {folder / 'relaxation.html'}")


def of_kind(kind: str, folder: Path) -> list[str]:
    """Returns the lines on a finished study of one kind."""
    return from_relaxation.summary(folder) if kind == RELAXATION else summary(read_reduced(folder / "reduced.h5"), folder)


def of_folder(folder: Path) -> list[str]:
    """Returns the lines on a finished study, on a finished relaxation, or on both; StudyError if neither is finished."""
    relaxed, lines = (folder / from_relaxation.NAME).is_file(), []
    if not relaxed and not (folder / "reduced.h5").exists():
        raise StudyError(f"{folder}: this study is not finished; psflip run makes or resumes it, psflip status prints its progress, and psflip partial averages what is measured so far")
    if (folder / "reduced.h5").exists():
        try:
            lines = summary(read_reduced(folder / "reduced.h5"), folder)
        except NotReduced as error:
            raise StudyError(f"{folder}: this study is not finished: {error}") from None
    return lines + (from_relaxation.summary(folder) if relaxed else [])


def main() -> int:
    parser = Parser(__doc__, "psflip show")
    parser.add_argument("results", type=Path, help="the study file, or the folder of its results")
    print(printable("\n".join(of_folder(folder_of(parser.parse_args().results)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
