"""Coverage of the thermal errors of Heisenberg ferromagnets below, at and above T_c, for tests/physics/error_coverage.py: realizations are independent studies of one system, whose truth is the mean
of all of them."""

from __future__ import annotations

import dataclasses
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import physics_runs

COLUMNS = ("energy", "m2", "chi_x")
TEMPERATURES = (1.3, 1.38, 1.443, 1.6, 1.8)
SHOWN = (1.3, 1.443, 1.8)


@dataclasses.dataclass(frozen=True)
class Design:
    replicas: int
    L: int = 8
    studies: int = 512
    in_file: int = 32  # studies


def observables_of(design: Design, config: Path, first: int) -> dict[str, np.ndarray]:
    """Column -> (value or error, temperature, study) of the studies of one file."""
    with tempfile.TemporaryDirectory() as made:
        disorder = physics_runs.draw_disorder(Path(made), config, design.in_file, first)
        run, out = physics_runs.thermalize_and_run(Path(made), config, disorder), Path(made) / "observables.h5"
        physics_runs.call("measure", "--config", config, "--disorder", disorder, "--run", run, "--out", out)
        with h5py.File(out) as file:
            return {name: np.array([file[f"mean/{name}"], file[f"error/{name}"]]) for name in COLUMNS}


def distances(design: Design, processes: int = 1) -> dict[str, np.ndarray]:
    """Column -> (temperature, study): (value - truth) / error, NaN where the error is withheld."""
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(processes) as pool:
        config = physics_runs.write_config(Path(folder) / "config.yaml", L=design.L, temperatures=TEMPERATURES, model="kind: heisenberg", share=1, replicas=design.replicas, seed=3,
                                           thermalize=2000, sweeps=20000, measure_every=5, swap=5, blocks=64, realizations=design.studies)  # fmt: skip
        files = list(pool.map(partial(observables_of, design, config), range(0, design.studies, design.in_file)))
    found = {name: np.concatenate([of_file[name] for of_file in files], axis=-1) for name in COLUMNS}
    return {name: (values - values.mean(axis=1, keepdims=True)) / errors for name, (values, errors) in found.items()}
