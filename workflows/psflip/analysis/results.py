"""A folder of results as tables, labelled data, errors and plots: what `psflip.load` gives."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pandas
import xarray

from psflip.analysis.batches import joined, joined_snapshots, of_realizations, snapshots_of
from psflip.analysis.files import T as TEMPERATURE
from psflip.analysis.files import open_file
from psflip.analysis.jackknife import Function, Means, estimate, warn_of_nan
from psflip.analysis.relaxations import Relaxation
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.results_folder import folder_of
from psflip.relaxation import stored as relaxation
from psflip.results.reduced import Reduced, read_reduced

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TABLES = {"results.csv": ["L", "T"], "crossings.csv": ["observable", "L1", "L2"], "equilibration.csv": ["L", "T", "observable"], "columns.csv": ["table", "column"], "critical.csv": [], "provenance.csv": []}
MEASURED = ("mean", "error", "tau", "equilibration", "histogram", "log2", "lowest", "tempering", "houdayer")


class Results:
    """The results of a study, as `psflip.load` returns them.

    Example: `study = psflip.load("results/my")`, then `study.results.loc[8]`, `study.at(1.1)`, `study.plot()`.
    Temperatures have the name `T` in all tables and arrays. Write `array["T"]` for them: `array.T` is the transposed array of xarray. Tables are read when they are first asked for, large arrays each time."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.reduced: Reduced = read_reduced(self.folder / "reduced.h5")

    def __getattr__(self, name: str) -> NoReturn:
        known = sorted({*vars(self), *(one for one in dir(type(self)) if not one.startswith("_"))})
        raise AttributeError(f"a study has no {name!r}; it has {', '.join(known)}", name=name, obj=self)

    def __repr__(self) -> str:
        sizes = ", ".join(f"L = {size.L} ({size.n_realizations} realizations, {len(size.temperatures)} temperatures)" for size in self.reduced.sizes)
        return f"{self.folder}: {self.reduced.model.full_name}; {sizes}"

    @property
    def config(self) -> dict:
        """The configuration with all defaults, as nested dictionaries.

        Example: `study.config["run"]["sweeps"]`."""
        return self.reduced.config

    @property
    def sizes(self) -> list[int]:
        """The lattice sizes that were averaged.

        Example: `for L in study.sizes: ...`."""
        return [size.L for size in self.reduced.sizes]

    # --- tables --------------------------------------------------------------------------------------------------------
    def _table(self, name: str) -> pandas.DataFrame:
        file = self.folder / name
        with reading(file, "a table of psflip"):
            table = pandas.read_csv(file)
            return table.set_index(TABLES[name]) if TABLES[name] else table

    @cached_property
    def results(self) -> pandas.DataFrame:
        """Disorder averages, a row for each (L, T).

        Example: `study.results.loc[8][["binder", "binder_err"]]`.
        Columns: beta, n_realizations, averages such as energy, specific_heat, q2, binder and xi_over_L (of a ferromagnet m2, binder_m and xi_m_over_L), and for each
        average O its standard error O_err. `study.columns.loc["results.csv"]` explains all."""
        return self._table("results.csv")

    @cached_property
    def crossings(self) -> pandas.DataFrame:
        """Where the curves of two sizes cross, a row for each (observable, L1, L2).

        Example: `study.crossings.loc["binder"]`.
        Columns: T, T_err, value, value_err, p, T_first and T_last of the fits, and note. T is nan if curves do not cross."""
        return self._table("crossings.csv")

    @cached_property
    def columns(self) -> pandas.DataFrame:
        """What the columns of all tables mean, a row for each (table, column).

        Example: `study.columns.loc[("results.csv", "binder"), "meaning"]`.
        Columns: unit, meaning."""
        return self._table("columns.csv")

    @cached_property
    def equilibration(self) -> pandas.DataFrame:
        """The last half of the runs minus earlier parts of them, rows for each (L, T, observable).

        Example: `study.equilibration.xs("q2", level="observable")`.
        Columns: bin_from, bin_to, difference, difference_err, z."""
        return self._table("equilibration.csv")

    @cached_property
    def provenance(self) -> pandas.DataFrame:
        """What made each file, a row for each file.

        Example: `study.provenance.groupby("program")["wall_seconds"].sum()`.
        Columns: file, kind, L, program, version, git_commit, backend, device, host, start_time, end_time, flips, wall_seconds and others."""
        return self._table("provenance.csv")

    @cached_property
    def critical(self) -> pandas.DataFrame:
        """T_c, nu, eta and ratios of infinite size, a row for each name. Empty if the study does not determine them.

        Example: `study.critical.loc["T_c", "value"]`.
        Columns: value, error (statistics), range_error (second correction to scaling), omega_error, published, published_error and others."""
        return self._critical("result").set_index("name")

    @cached_property
    def fits(self) -> pandas.DataFrame:
        """The fits to the pairs of sizes, a row for each quantity and smallest size. The critical point comes from the fit with weight 1.

        Example: `study.fits[study.fits.weight == 1]`.
        Columns: name, quantity, L_min, value, error, chi2, dof, p, weight and others."""
        return self._critical("fit").reset_index(drop=True)

    @cached_property
    def quotients(self) -> pandas.DataFrame:
        """Crossing temperature, value there, nu and eta of pairs of sizes, a row for each number.

        Example: `study.quotients[study.quotients.name == "nu"]`.
        Columns: name, quantity, L1, L2, value, error and others."""
        return self._critical("quotient").reset_index(drop=True)

    @cached_property
    def levels(self) -> pandas.DataFrame:
        """theta and nu of pairs of sizes at fixed levels of xi_L/L and of the Binder ratio, if the model orders at T = 0 only. The quoted level has weight 1.

        Example: `study.levels[study.levels.name == "theta"]`.
        Columns: name, quantity, L1, L2, level, value, error, weight and others."""
        return self._critical("level").reset_index(drop=True)

    def _critical(self, kind: str) -> pandas.DataFrame:
        table = self._table("critical.csv")
        chosen = table[table["table"] == kind].drop(columns="table")
        return chosen.dropna(axis="columns", how="all") if len(chosen) else chosen

    # --- labelled data -------------------------------------------------------------------------------------------------
    def averages(self, L: int) -> xarray.Dataset:
        """All that reduced.h5 has of a size: averages, errors, jackknife samples, distributions of overlaps.

        Example: `study.averages(8)["histogram_density"].sel(T=0.8, method="nearest")`.
        Axes: T, group of the jackknife, bin (the centre of the bin of q), realization, log2_bin and others."""
        self._known(L)
        return open_file(self.folder / "reduced.h5", f"L{L}")

    def observables(self, L: int, groups: str | tuple[str, ...] = ("mean", "error", "tau", "equilibration")) -> xarray.Dataset:
        """What was measured of each realization that was averaged.

        Example: `study.observables(8)["mean/q2"].sel(T=1.1, method="nearest")`.
        `groups`: of mean, error, tau, equilibration, histogram, log2, lowest, tempering, houdayer. Variables have the paths of the datasets in the observables files.
        Axes: T, realization, log2_bin (its last sweep), time (sweeps), bin (its centre). If runs have different lengths, values that a shorter run lacks are nan."""
        groups = (groups,) if isinstance(groups, str) else groups
        if unknown := set(groups) - set(MEASURED):
            raise StudyError(f"groups: {', '.join(sorted(unknown))} is not known; use some of {', '.join(MEASURED)}")
        averaged = self._numbers(L)
        parts = [of_realizations(file, groups) for file in self._files(L)]
        return joined([part.sel(realization=np.isin(part.realization, averaged)) for part in parts])

    def couplings(self, L: int) -> xarray.DataArray:
        """Couplings from each site to its neighbours in +x, +y and +z; 0 if a bond is absent.

        Example: `study.couplings(8).sel(realization=0)`.
        Axes: realization, direction (0 is x), z, y, x."""
        if self.reduced.model.vectors:
            raise StudyError(f"{self.folder}: a study of vectors has no couplings of single bonds; psflip.open_file of a disorder.h5 shows what its sites hold")
        parts = [open_file(folder / "disorder.h5", inside=("couplings",))["couplings"] for folder in self._folders(L)]
        return self._averaged(xarray.concat(parts, "realization", join="outer"), L)

    def snapshots(self, L: int, realizations: list[int] | None = None) -> xarray.DataArray:
        """Spins of the runs, +1 and -1, of all realizations or of those numbers; of vectors their components.

        Example: `study.snapshots(8, [0, 1]).mean(["x", "y", "z"])`.
        Axes: snapshot (the sweep since the end of thermalization), replica, T, realization, z, y, x. Of runs of different length, only the snapshots that all have are returned.
        Raises StudyError if the study kept none (`run.snapshots`)."""
        wanted = set(self._numbers(L).tolist() if realizations is None else realizations)
        if missing := wanted - set(self._numbers(L).tolist()):
            raise StudyError(f"snapshots: realization {min(missing)} of L = {L} was not averaged")
        parts = [part for folder in self._folders(L) if (part := snapshots_of(folder, wanted)) is not None]
        if not parts:
            raise StudyError(f"{self.folder}: there are no snapshots of L = {L}; set run.snapshots in the study file")
        return joined_snapshots(parts)

    def _known(self, L: int) -> None:
        if L not in self.sizes:
            raise StudyError(f"{self.folder}: there is no L = {L}; use one of {', '.join(map(str, self.sizes))}")

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
            raise StudyError(f"{missing[0]}: no such file; single realizations need the whole folder of results, but tables and averages do not")
        return found

    def _folders(self, L: int) -> list[Path]:
        return [file.parent for file in self._files(L)]

    # --- errors --------------------------------------------------------------------------------------------------------
    def means(self, L: int) -> Means:
        """The thermal means of all realizations, for errors of functions of them.

        Example: `study.means(8).values`, an xarray with axes T and realization."""
        values = self.observables(L, groups=("mean",))
        values = values.rename({name: str(name).removeprefix("mean/") for name in values.data_vars}).drop_attrs()
        share = int(self.config.get("multispin", {}).get("share", 1))
        pack = values.realization.values // share
        return Means(values.transpose(TEMPERATURE, "realization"), share, pack, shared_noise(self._files(L), values.realization.values, share))

    def jackknife(self, f: Function, L: int | None = None) -> pandas.DataFrame:
        """The value and error of a function of disorder averages of thermal means, a row for each (L, T) of all sizes or of one.

        Example: `study.jackknife(lambda m: (3 - m.q4 / m.q2**2) / 2, 8)`; `study.means(8).values` has the names of the means.
        Columns: value, error, and error_shared, the part of the error that comes from shared random numbers."""
        parts = []
        for size in self.sizes if L is None else [L]:
            found = estimate(f, self.means(size))
            columns = {"value": found.value, "error": found.error, "error_shared": found.shared}
            table = pandas.DataFrame({name: np.atleast_1d(column.values) for name, column in columns.items()})
            table.insert(0, "L", size)
            if found.value.dims == (TEMPERATURE,):
                table.insert(1, TEMPERATURE, found.value[TEMPERATURE].values)
            parts.append(table)
        whole = pandas.concat(parts, ignore_index=True)
        warn_of_nan(whole.value, whole.error)
        return whole.set_index([name for name in ("L", TEMPERATURE) if name in whole])

    def at(self, T: float, table: pandas.DataFrame | None = None) -> pandas.DataFrame:
        """The rows of a table at the temperature nearest to T: of `results`, or of another table by T.

        Example: `study.at(1.1)`, `study.at(1.1, study.equilibration)`. Arrays of xarray have `sel(T=1.1, method="nearest")`.
        Columns: T, then the columns of the table; a row for each size."""
        table = self.results if table is None else table
        if TEMPERATURE not in table.index.names:
            raise StudyError(f"at: the table has the index {', '.join(map(str, table.index.names))}; one with T is needed")
        rows = table.reset_index(TEMPERATURE)
        lowest, highest = rows[TEMPERATURE].min(), rows[TEMPERATURE].max()
        if not lowest <= T <= highest:
            raise StudyError(f"at: T = {T} lies outside of the temperatures, {lowest:g} to {highest:g}")
        distance = (rows[TEMPERATURE] - T).abs()
        least = distance.min() if table.index.nlevels == 1 else distance.groupby(level=list(rows.index.names)).transform("min")
        return rows[distance == least]

    # --- plots ---------------------------------------------------------------------------------------------------------
    def plot(self, name: str = "", axes: Axes | None = None, crossings: bool = True) -> Axes:
        """Draws a column of `results` against temperature, a curve for each size, with crossings if they are known.

        Example: `study.plot("energy")`; `study.plot().figure.savefig("binder.pdf")`.
        `name`: by default the Binder ratio that the model has; in a field, where a spin glass has none, the correlation length that crosses. Returns the axes of matplotlib."""
        from psflip.analysis.plotting import curves

        return curves(self, name, axes, crossings)

    def plot_scaling(self, name: str = "", T_c: float = np.nan, nu: float = np.nan, axes: Axes | None = None) -> Axes:
        """Draws a column of `results` against (T - T_c) L^(1/nu).

        Example: `study.plot_scaling("xi_over_L", T_c=1.10, nu=2.56)`.
        `name`: by default as in `plot`. T_c and nu: by default the values of this study, else of the literature. Returns the axes of matplotlib."""
        from psflip.analysis.plotting import scaling

        return scaling(self, name, T_c, nu, axes)


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


def load(study: str | Path) -> Results | Relaxation:
    """Returns the results of a study: Results, or Relaxation if the study has a section `relax`.

    Example: `study = psflip.load("results/quickstart")`.
    `study`: a folder of results, its partial/, what study.zip unpacks to, or the study file of results/NAME.
    Raises StudyError if there are no results."""
    folder = folder_of(study)
    if (folder / "reduced.h5").is_file():
        return Results(folder)
    if (folder / relaxation.NAME).is_file():
        return Relaxation(folder)
    raise StudyError(f"{folder}: this folder has no results of a study, because it has no reduced.h5; give a folder such as results/quickstart, or its partial/")
