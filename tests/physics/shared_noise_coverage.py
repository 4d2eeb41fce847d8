"""Coverage of the errors of derivatives and of moments of the overlap of bonds where realizations share random numbers, for tests/physics/error_coverage.py: studies of a few packs each, whose truth
is the average over all of them."""

from __future__ import annotations

import dataclasses
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import h5py
import numpy as np
import physics_runs

COLUMNS = ("q2", "q_link_variance", "q2_link_correlation", "q2_spread", "guerra", "q2_dbeta", "binder_dbeta", "xi_over_L_dbeta")
LADDERS = {0.5: (0.95, 2.0), 0.8: (1.97, 3.4), 0.9: (2.84, 4.2), 0.95: (3.3, 4.6), 0.97: (3.6, 4.9)}  # around the transition


@dataclasses.dataclass(frozen=True)
class Design:
    p_ferro: float
    L: int = 4
    share: int = 128
    packs: int = 1600
    in_file: int = 2  # packs

    @property
    def temperatures(self) -> np.ndarray:
        return np.round(np.linspace(*LADDERS[self.p_ferro], 12), 6)


def observables_of(config: Path, folder: Path, count: int, first: int) -> Path:
    """The file of the realizations first ... first + count - 1, which is simulated unless the folder has it."""
    out = folder / f"o{first}.h5"
    if not out.exists():
        with tempfile.TemporaryDirectory() as made:
            disorder = physics_runs.draw_disorder(Path(made), config, count, first)
            run = physics_runs.thermalize_and_run(Path(made), config, disorder)
            physics_runs.call("measure", "--config", config, "--disorder", disorder, "--run", run, "--out", out)
    return out


def observables(design: Design, keep: Path, pool: ProcessPoolExecutor) -> tuple[Path, list[Path]]:
    """The configuration, and one file for each two packs."""
    folder = keep / f"shared-{design.p_ferro}-{design.packs}"
    folder.mkdir(exist_ok=True)
    config = physics_runs.write_config(folder / "config.yaml", L=design.L, temperatures=design.temperatures, share=design.share, replicas=2, p_ferro=design.p_ferro,
                                       thermalize=300, sweeps=1280, measure_every=5, swap=5, blocks=32, realizations=design.share * design.packs)  # fmt: skip
    count = design.share * design.in_file
    return config, list(pool.map(partial(observables_of, config, folder, count), range(0, design.share * design.packs, count)))


def averages(config: Path, files: list[Path]) -> dict[str, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "reduced.h5"
        physics_runs.call("reduce-disorder", "--config", config, "--log-level", "error", "--out", out, "--csv", Path(folder) / "results.csv", *files)
        with h5py.File(out) as file:
            (group,) = (file[name] for name in file if name.startswith("L"))
            return {name + ending: group[name + ending][:] for name in COLUMNS for ending in ("", "_err")}


def distances(design: Design, packs: int, keep: Path, processes: int = 1) -> dict[str, np.ndarray]:
    """Name -> (study, temperature): (value - truth) / error, NaN where the error is withheld."""
    with ProcessPoolExecutor(processes) as pool:
        config, files = observables(design, keep, pool)
        number = packs // design.in_file
        parts = [files[first : first + number] for first in range(0, len(files) - number + 1, number)]
        truth, *studies = pool.map(partial(averages, config), [files, *parts])
    return {name: np.array([(study[name] - truth[name]) / study[f"{name}_err"] for study in studies]) for name in COLUMNS}
