"""The two-dimensional ferromagnet of 1024 x 1024 through the programs, with the plain checkerboard and with tiles that are updated 10 and 100 times
in a step: energies and specific heats are Kaufman's at beta = 0.40, 0.43 and beta_c. Half a minute each on a GPU; skipped where none works."""

import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "physics"))
import kaufman
import physics_runs

L, COPIES = 1024, 16
TEMPERATURES = [2 / np.log(1 + np.sqrt(2)), 1 / 0.43, 1 / 0.40]
# Sweeps of thermalization and run. At beta_c the energy's autocorrelation time is some 16000 sweeps, that of m^2 60000.
CASES = [(0, 1, 400000, 800000), (16, 10, 600000, 1200000), (16, 100, 600000, 1200000)]


@pytest.fixture(scope="module", autouse=True)
def gpu():
    physics_runs.need_gpu()


@pytest.mark.parametrize(("tile", "hits", "thermalize", "sweeps"), CASES)
def test_energy_and_heat(tile, hits, thermalize, sweeps, tmp_path):
    config = physics_runs.write_config(
        tmp_path / "config.yaml",
        L=L,
        seed=1024 + hits,
        share=1,
        replicas=1,
        realizations=COPIES,
        temperatures=TEMPERATURES,
        lanes="sites",
        tile=tile,
        hits=hits,
        swap=10 * hits,
        thermalize=thermalize,
        sweeps=sweeps,
        measure_every=max(100, 10 * hits),
        model="kind: ferromagnet, dimension: 2",
    )
    disorder = physics_runs.draw_disorder(tmp_path, config, COPIES)
    means = physics_runs.means_of_realizations(tmp_path, config, disorder, backend="cuda")
    exact = np.array([kaufman.energy_and_heat(L, T) for T in TEMPERATURES]).T
    copies = np.concatenate([means["energy"], means["specific_heat"]]).T
    names = [f"{name} at T = {T:.5g}" for name in ("energy", "specific heat") for T in TEMPERATURES]
    error = copies.std(axis=0, ddof=1) / np.sqrt(COPIES)
    z = (copies.mean(axis=0) - exact.ravel()) / error
    for name, found, e, wanted, off in zip(names, copies.mean(axis=0), error, exact.ravel(), z, strict=True):
        print(f"tile {tile}, {hits} hits, {name}: {found:.6f} +- {e:.6f}, exact {wanted:.6f}, {off:+.2f}")
    assert (error[:3] < 2e-4).all() and (error[3:] < 0.1 * exact[1]).all()
    assert (np.abs(z) < 4).all()
