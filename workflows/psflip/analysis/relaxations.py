"""A finished study off equilibrium in Python: its tables."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pandas

from psflip.campaign.errors import reading
from psflip.relaxation import stored


class Relaxation:
    """The results of a study with a section `relax`, as `psflip.load` returns them.

    Example: `study = psflip.load("results/relax3d")`, then `study.results.loc[64]`.
    Times are in sweeps, and temperatures have the name `T`."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.summary: dict = stored.read(self.folder)

    def __repr__(self) -> str:
        return f"{self.folder}: relaxation of {', '.join(f'L = {L}' for L in self.sizes)}"

    def _table(self, name: str, index: list[str]) -> pandas.DataFrame:
        file = self.folder / name
        with reading(file, "a table of psflip"):
            return pandas.read_csv(file).set_index(index)

    @property
    def sizes(self) -> list[int]:
        """The lattice sizes."""
        return sorted({one["L"] for one in self.summary["sizes"]})

    @cached_property
    def results(self) -> pandas.DataFrame:
        """Averages over realizations, a row for each (L, T, t).

        Example: `study.results.loc[64, 1.1]["xi12"]`.
        Columns: factor of the temperature, number of realizations, and each average O with its standard error O_err. Of a protocol of vectors t is the last time of a stage."""
        return self._table("relaxation.csv", ["L", "T", "t"])

    @cached_property
    def two_time(self) -> pandas.DataFrame:
        """Correlations of spins at t_w and t_w + t, a row for each (L, T, t_w, t).

        Example: `study.two_time.loc[64, 1.1, 1024]["C"]`.
        Columns: factor, realizations, C, C_err, link, link_err."""
        return self._table("two_time.csv", ["L", "T", "t_w", "t"])

    @cached_property
    def growth(self) -> pandas.DataFrame:
        """Fits of the coherence length, xi_12 = A t^(1/z), a row for each size, temperature and window.

        Example: `study.growth.query("L == 64")[["T", "xi_from", "z", "z_err"]]`.
        Columns: L, T, xi_from, t_from, z, z_err, and what else relaxation.json has of a fit."""
        return pandas.DataFrame(self.summary.get("growth", []))
