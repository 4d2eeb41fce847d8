"""Writes tables and the meaning of their columns. The columns of results.csv have the texts of the datasets in reduced.h5."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from psflip.campaign.errors import printable, reading
from psflip.campaign.hdf5 import hdf5_file, text_of
from psflip.campaign.whole_files import whole

KIND = "table of columns"
HEAD = ("table", "column", "unit", "meaning")
T = "J/k_B"
Row = tuple[str, str, str]  # column, unit, meaning

PLAIN = {
    "L": ("1", "Lattice size."),
    "T": (T, "Temperature."),
    "n_realizations": ("1", "Realizations that were averaged."),
    "swap_rate": ("1", "Accepted fraction of the exchanges with the next higher temperature."),
}
TABLES: dict[str, tuple[Row, ...]] = {
    "crossings.csv": (
        ("observable", "", "The observable whose curves cross: a column of results.csv."),
        ("L1", "1", "The smaller size."),
        ("L2", "1", "The larger size."),
        ("T", T, "Temperature at which the curves cross; nan if there is no clear crossing."),
        ("T_err", T, "Standard error of T, from the jackknife over realizations and, without a test of the interpolation, from the scatter of fits."),
        ("value", "unit of the observable", "The observable at the crossing."),
        ("value_err", "unit of the observable", "Standard error of value."),
        ("p", "1", "Probability of a larger chi^2, the smaller one of the fits to the two curves; nan if both are interpolations."),
        ("T_first", T, "Lowest temperature in these fits."),
        ("T_last", T, "Highest temperature in these fits."),
        ("note", "", "Why there is no crossing or no error, or a remark on the fits."),
    ),
    "critical.csv": (
        ("table", "", "result (of infinite size), quotient (of a pair), fit (to pairs from L_min on), band (T_c against omega), level (of a pair, transition at T = 0)."),
        ("name", "", "Name of the number: T_c, nu, eta, T and value at a crossing, an observable at T_c; in fits also inverse_nu and two_minus_eta; T1 and T2 at a level, theta."),
        ("quantity", "", "The observable whose curves give the value."),
        ("L1", "1", "The smaller size of a pair."),
        ("L2", "1", "The larger size of a pair."),
        ("level", "1", "Value of the observable at the temperatures T1 of L1 and T2 of L2."),
        ("L_min", "1", "Smallest size in a fit."),
        ("value", "J/k_B of T, T1, T2 and T_c, else 1", "The value."),
        ("error", "unit of value", "Statistical standard error; for fits, it includes the error of sizes."),
        ("range_error", "unit of value", "Error of sizes, from the second correction to scaling."),
        ("omega_error", "unit of value", "Largest change of the value in the assumed range of omega."),
        ("chi2", "1", "chi^2 of the fit."),
        ("dof", "1", "Degrees of freedom of the fit."),
        ("p", "1", "Probability of a larger chi^2."),
        ("weight", "1", "1 for the fit or the level that is quoted, else 0."),
        ("published", "unit of value", "Value from the literature."),
        ("published_error", "unit of value", "Standard error of the published value."),
        ("note", "", "A remark; for the band, omega."),
    ),
    "equilibration.csv": (
        ("L", "1", "Lattice size."),
        ("T", T, "Temperature."),
        ("observable", "", "The observable: energy, q2, m2, ..."),
        ("bin_from", "1", "Start of the earlier part, as a fraction of the run."),
        ("bin_to", "1", "End of the earlier part, as a fraction of the run."),
        ("difference", "unit of the observable", "Average over the last half of the run minus the average over the earlier part; mean over realizations."),
        ("difference_err", "unit of the observable", "Standard error of difference, paired over realizations."),
        ("z", "1", "difference / difference_err, converted to standard deviations of a normal distribution."),
    ),
    "provenance.csv": (
        ("file", "", "Path in the folder of results."),
        ("kind", "", "Kind of file: disorder, state, run, observables or reduced."),
        ("L", "1", "Lattice size."),
        ("program", "", "The program that made the file."),
        ("version", "", "Version of psflip."),
        ("git_commit", "", "Commit of the sources of psflip."),
        ("physics_version", "1", "Increases if bits of spins or sums change."),
        ("backend", "", "cpu with its instructions and threads, or cuda with device and kernel."),
        ("device", "", "Processor or GPU."),
        ("host", "", "Machine."),
        ("slurm_job_id", "", "Slurm jobs that made the file."),
        ("start_time", "UTC", "Start of the first call."),
        ("end_time", "UTC", "End of the last call."),
        ("flips", "1", "Proposed spin flips."),
        ("wall_seconds", "s", "Wall time of all calls."),
        ("calls", "1", "Number of calls; 1 if nothing was interrupted."),
        ("gpu_energy_joules", "J (joule)", "Energy of the GPUs, if they report it."),
        ("config_hash", "", "XXH64 of the configuration."),
        ("input_hashes", "", "XXH64 and path of each input."),
        ("couplings_origin", "", "Origin of couplings that gen-disorder did not draw: by hand, with the fraction of +1 and other deviations from the model."),
        ("analysis_version", "1", "Increases if averages, errors or verdicts change."),
    ),
}


def columns_in(table: str) -> list[str]:
    """Returns the columns of one of TABLES."""
    return [column for column, _, _ in TABLES[table]]


def write_rows(file: Path, rows: Iterable[Iterable], kind: str) -> None:
    """Writes a table with its head as the first row. `kind`: one of campaign.whole_files.KINDS."""
    with whole(file, kind) as part, part.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows)


def of_results(reduced: Path, names: list[str]) -> Iterator[Row]:
    """Yields the columns `names` of results.csv with the texts of the datasets of these names in reduced.h5."""
    with hdf5_file(reduced, "a reduced file as reduce-disorder writes it") as file:
        group = next(file[name] for name in file if name.startswith("L") and name[1:].isdigit())
        for name in names:
            attributes = group[name].attrs if name in group and name not in PLAIN else {}
            unit, doc = PLAIN.get(name, tuple(printable(text_of(attributes.get(key, ""))) for key in ("unit", "doc")))
            yield name, unit.replace("J / k_B", T), doc


def columns_of(file: Path) -> list[str]:
    """Returns the head of a table, empty if there is no such file."""
    if not file.is_file():
        return []
    with reading(file, "a table of psflip"), file.open(newline="", encoding="utf-8") as stream:
        return next(csv.reader(stream), [])


def write_columns(out: Path, reduced: Path) -> None:
    """Writes the table of columns. `reduced`: reduced.h5, with results.csv next to it."""
    tables = {"results.csv": of_results(reduced, columns_of(reduced.parent / "results.csv")), **TABLES}
    write_rows(out, [HEAD, *((table, *row) for table, rows in tables.items() for row in rows)], KIND)
