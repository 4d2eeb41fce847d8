"""A folder of results as tables, labelled data, errors and plots: what `psflip.load` gives."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas
import xarray

from psflip.analysis.files import BITS, axes_of, numbers_of, open_file, temperatures_of, unpacked
from psflip.analysis.jackknife import Function, Means, estimate, warn_of_nan
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.results_folder import folder_of
from psflip.relaxation import stored as relaxation
from psflip.relaxation.stored import Relaxation
from psflip.results.reduced import Reduced, read_reduced

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TABLES = {"results.csv": ["L", "T"], "crossings.csv": ["observable", "L1", "L2"], "equilibration.csv": ["L", "T", "observable"], "columns.csv": ["table", "column"], "critical.csv": [], "provenance.csv": []}
MEASURED = ("mean", "error", "tau", "equilibration", "histogram", "log2", "lowest", "tempering")


class Results:
    """Of a study. Tables are read when they are first asked for, large arrays each time."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.reduced: Reduced = read_reduced(self.folder / "reduced.h5")

    def __repr__(self) -> str:
        sizes = ", ".join(f"L = {size.L} ({size.n_realizations} realizations, {len(size.temperatures)} temperatures)" for size in self.reduced.sizes)
        return f"{self.folder}: {self.reduced.model.full_name}; {sizes}"

    @property
    def config(self) -> dict:
        """The configuration with all defaults."""
        return self.reduced.config

    @property
    def sizes(self) -> list[int]:
        """The lattice sizes that were averaged."""
        return [size.L for size in self.reduced.sizes]

    # --- tables --------------------------------------------------------------------------------------------------------
    def _table(self, name: str) -> pandas.DataFrame:
        file = self.folder / name
        with reading(file, "a table of psflip"):
            table = pandas.read_csv(file)
            return table.set_index(TABLES[name]) if TABLES[name] else table

    @cached_property
    def results(self) -> pandas.DataFrame:
        """Disorder averages by (L, T); each average O has its standard error in O_err."""
        return self._table("results.csv")

    @cached_property
    def crossings(self) -> pandas.DataFrame:
        """Where the curves of two sizes cross, by (observable, L1, L2)."""
        return self._table("crossings.csv")

    @cached_property
    def columns(self) -> pandas.DataFrame:
        """Unit and meaning of the columns of all tables, by (table, column)."""
        return self._table("columns.csv")

    @cached_property
    def equilibration(self) -> pandas.DataFrame:
        """The last half of the runs minus earlier parts of them, by (L, T, observable)."""
        return self._table("equilibration.csv")

    @cached_property
    def provenance(self) -> pandas.DataFrame:
        """What made each file."""
        return self._table("provenance.csv")

    @cached_property
    def critical(self) -> pandas.DataFrame:
        """T_c, nu, eta and ratios of infinite size by name: value, error (statistics), range_error (second correction to scaling), omega_error. Empty where the
        study does not determine them."""
        return self._critical("result").set_index("name")

    @cached_property
    def fits(self) -> pandas.DataFrame:
        """The fits to the pairs of sizes, by smallest size. The critical point is that of the fit with weight 1."""
        return self._critical("fit").reset_index(drop=True)

    @cached_property
    def quotients(self) -> pandas.DataFrame:
        """Crossing temperature, value there, nu and eta of each pair of sizes."""
        return self._critical("quotient").reset_index(drop=True)

    def _critical(self, kind: str) -> pandas.DataFrame:
        table = self._table("critical.csv")
        chosen = table[table["table"] == kind].drop(columns="table")
        return chosen.dropna(axis="columns", how="all") if len(chosen) else chosen

    # --- labelled data -------------------------------------------------------------------------------------------------
    def averages(self, L: int) -> xarray.Dataset:
        """All that reduced.h5 has of a size: averages, errors, jackknife samples, distributions of overlaps."""
        self._known(L)
        return open_file(self.folder / "reduced.h5", f"L{L}")

    def observables(self, L: int, groups: tuple[str, ...] = ("mean", "error", "tau", "equilibration")) -> xarray.Dataset:
        """Measured of each realization that was averaged, by the paths of the observables files, as in ["mean/q2"]; `groups`: of
        mean, error, tau, equilibration, histogram, log2, lowest, tempering."""
        if unknown := set(groups) - set(MEASURED):
            raise StudyError(f"groups: {', '.join(sorted(unknown))} is none of {', '.join(MEASURED)}")
        averaged = self._numbers(L)
        parts = []
        for file in self._files(L):
            found = open_file(file, inside=groups)
            chosen = found[[name for name in found.data_vars if "realization" in found[name].dims]]
            parts.append(chosen.sel(realization=np.isin(found.realization, averaged)))
        return xarray.concat(parts, "realization", join="outer", data_vars="minimal", coords="minimal", compat="override", combine_attrs="drop_conflicts")

    def couplings(self, L: int) -> xarray.DataArray:
        """+1, -1, 0 where a bond is absent: (realization, direction, z, y, x), from the site to its neighbour in +x, +y, +z."""
        parts = [open_file(folder / "disorder.h5", inside=("couplings",))["couplings"] for folder in self._folders(L)]
        return self._averaged(xarray.concat(parts, "realization", join="outer"), L)

    def snapshots(self, L: int, realizations: list[int] | None = None) -> xarray.DataArray:
        """Spins +1 and -1 (snapshot, replica, temperature, realization, z, y, x) of the runs, of all realizations or of those numbers; the coordinate
        `snapshot` is the sweep since the end of thermalization. StudyError where the study kept none (run.snapshots)."""
        wanted = set(self._numbers(L).tolist() if realizations is None else realizations)
        if missing := wanted - set(self._numbers(L).tolist()):
            raise StudyError(f"snapshots: realization {min(missing)} of L = {L} was not averaged")
        parts = [part for folder in self._folders(L) if (part := snapshots_of(folder, wanted)) is not None]
        if not parts:
            raise StudyError(f"{self.folder}: no snapshots of L = {L}; the key run.snapshots of the study file asks for them")
        return xarray.concat(parts, "realization", join="inner")

    def _known(self, L: int) -> None:
        if L not in self.sizes:
            raise StudyError(f"{self.folder}: no L = {L}; there are {', '.join(map(str, self.sizes))}")

    def _numbers(self, L: int) -> np.ndarray:
        """Global numbers of the realizations that were averaged."""
        self._known(L)
        return open_file(self.folder / "reduced.h5", f"L{L}", ("realization",))["realization"].values

    def _averaged(self, found: xarray.DataArray, L: int) -> xarray.DataArray:
        return found.sel(realization=np.isin(found.realization, self._numbers(L)))

    def _files(self, L: int) -> list[Path]:
        """The observables files that were averaged."""
        self._known(L)
        lines = self.reduced.provenance.get("input_hashes", "").splitlines()
        parts = [Path(line.split("  ", 1)[1]).parts[-3:] for line in lines if "  " in line]
        found = [self.folder.joinpath(*part) for part in parts if part[0] == f"L{L}"]
        if missing := [file for file in found if not file.is_file()]:
            raise StudyError(f"{missing[0]}: no such file; single realizations are known where the whole folder of results is, tables and averages everywhere")
        return found

    def _folders(self, L: int) -> list[Path]:
        return [file.parent for file in self._files(L)]

    # --- errors --------------------------------------------------------------------------------------------------------
    def means(self, L: int) -> Means:
        """The thermal means of all realizations, for errors of functions of them."""
        values = self.observables(L, groups=("mean",))
        values = values.rename({name: str(name).removeprefix("mean/") for name in values.data_vars}).drop_attrs()
        share = int(self.config.get("multispin", {}).get("share", 1))
        pack = values.realization.values // share
        return Means(values.transpose("temperature", "realization"), share, pack, shared_noise(self._files(L), values.realization.values, share))

    def jackknife(self, f: Function, L: int | None = None) -> pandas.DataFrame:
        """`value` and `error` of a function of disorder averages of thermal means, as in `study.jackknife(lambda m: (3 - m.q4 / m.q2**2) / 2)`, by (L, T); of all
        sizes or of one. `error_shared`: the part of the error that comes from shared random numbers. What means there are: `study.means(8).values`."""
        parts = []
        for size in self.sizes if L is None else [L]:
            found = estimate(f, self.means(size))
            columns = {"value": found.value, "error": found.error, "error_shared": found.shared}
            table = pandas.DataFrame({name: np.atleast_1d(column.values) for name, column in columns.items()})
            table.insert(0, "L", size)
            if found.value.dims == ("temperature",):
                table.insert(1, "T", found.value.temperature.values)
            parts.append(table)
        whole = pandas.concat(parts, ignore_index=True)
        warn_of_nan(whole.value, whole.error)
        return whole.set_index([name for name in ("L", "T") if name in whole])

    # --- plots ---------------------------------------------------------------------------------------------------------
    def plot(self, name: str = "binder", axes: Axes | None = None, crossings: bool = True) -> Axes:
        """A column of `results` against temperature, a curve for each size; crossings are marked where they are known."""
        from psflip.analysis.plotting import curves

        return curves(self, name, axes, crossings)

    def plot_scaling(self, name: str = "", T_c: float = np.nan, nu: float = np.nan, axes: Axes | None = None) -> Axes:
        """A column of `results` against (T - T_c) L^(1/nu); T_c and nu: by default those of this study, else of the literature."""
        from psflip.analysis.plotting import scaling

        return scaling(self, name or next(iter(self.reduced.model.crossings), ""), T_c, nu, axes)


def shared_noise(files: list[Path], realizations: np.ndarray, share: int) -> dict[tuple[str, str], np.ndarray]:
    """By the names of one mean or of two: the sum over packs of what sharing adds to their (co)variance. Of a pack of n realizations of which m
    are averaged, m (m - 1) / (n (n - 1)) counts. Of quantities that every file has."""
    sums: dict[str, np.ndarray] = {}
    common: set[str] | None = None
    if share == 1:
        return {}
    for path in files:
        with hdf5_file(path, "observables as measure writes them") as file:
            numbers = file["realization"][()]
            packs = np.arange(numbers[0] // share, numbers[-1] // share + 1)
            n = np.array([(numbers // share == p).sum() for p in packs], dtype=float)
            m = np.array([(numbers[np.isin(numbers, realizations)] // share == p).sum() for p in packs], dtype=float)
            weights = np.where(m > 1, m * (m - 1) / np.maximum(n * (n - 1), 1), 0)
            group = file.get("shared", {})
            common = set(group) if common is None else common & set(group)
            for name in group:
                sums[name] = sums.get(name, 0) + (np.where(weights > 0, group[name][()], 0) * weights).sum(axis=1)
            means = set(file["mean"])
    return {names_in(name, means): value for name, value in sums.items() if name in (common or set())}


def names_in(name: str, means: set[str]) -> tuple[str, str]:
    """`q2_q4` is of q2 and q4, `q_abs` of q_abs alone."""
    if name in means:
        return name, name
    cuts = ((name[:i], name[i + 1 :]) for i, c in enumerate(name) if c == "_")
    return next(((one, other) for one, other in cuts if one in means and other in means), (name, name))


def snapshots_of(folder: Path, wanted: set[int]) -> xarray.DataArray | None:
    """Of the runs of a batch, one after the other; only the words of those realizations are read. None where it has none of them."""
    parts = []
    ends = {int(m[1]): file for file in folder.glob("run-*.h5") if (m := re.fullmatch(r"run-(\d+)\.h5", file.name))}
    for _, path in sorted(ends.items()):
        with hdf5_file(path, "a run as pt-run writes it") as file:
            numbers = numbers_of(file)
            bits = [bit for bit, number in enumerate(numbers) if int(number) in wanted]
            if "snapshots/spins" not in file or not bits:
                continue
            node = file["snapshots/spins"]
            axes = axes_of("snapshots/spins", node)
            at = axes.index("pack64")
            first, last = bits[0] // BITS, bits[-1] // BITS
            words = node[(*[slice(None)] * at, slice(first, last + 1))]
            axes[at] = "realization"
            coordinates = {"snapshot": file["snapshots/sweep"][()], "temperature": temperatures_of(file), "realization": numbers[bits]}
            spins = unpacked(words, at, (bit - first * BITS for bit in bits))
            parts.append(xarray.DataArray(spins, coordinates, axes, name="spins"))
    return xarray.concat(parts, "snapshot") if parts else None


def load(folder: str | Path) -> Results | Relaxation:
    """The results of a study: a folder that the workflow made, its `partial/`, what study.zip unpacks to, or the study file. Of a relaxation: a Relaxation. StudyError if
    there are none."""
    folder = folder_of(folder)
    if not (folder / "reduced.h5").is_file() and (folder / relaxation.NAME).is_file():
        return Relaxation(folder)
    if not (folder / "reduced.h5").is_file():
        raise StudyError(f"{folder}: no results of a study, as it has no reduced.h5; give a folder such as results/quickstart, or its partial/")
    return Results(folder)
