"""Exact ground states of square lattices against all states of 4 x 4, and against the energies that both replicas of a Gaussian glass reach with Houdayer moves."""

import h5py
import numpy as np
import pytest

import physics_runs
from ground_state import bonds_of, ground_state

TEMPERATURES = np.geomspace(0.1, 1.6, 16)


@pytest.mark.parametrize("values", ["gaussian", "discrete"])
def test_energies_of_4_x_4(values):
    random = np.random.default_rng(3)
    ends = bonds_of(4)
    states = (np.arange(2**15)[:, None] >> np.arange(16) & 1) * 2 - 1  # of all pairs of opposite states
    products = states[:, ends[:, 0]] * states[:, ends[:, 1]]
    for _ in range(20):
        couplings = random.normal(size=32) if values == "gaussian" else random.choice([-1.0, 1.0], size=32)
        energy, spins = ground_state(couplings, 4)
        assert energy == pytest.approx((-products @ couplings).min(), abs=1e-9)
        assert energy == pytest.approx(-couplings @ (spins[ends[:, 0]] * spins[ends[:, 1]]), abs=1e-12)


def least_energies(run, couplings):
    """Least energy in the snapshots at the eight coldest temperatures, (replica, realization)."""
    with h5py.File(run) as file:
        words = file["snapshots/spins"][:, :, :8]  # (snapshot, replica, temperature, pack64, y, x)
    bits = np.stack([words >> np.uint64(bit) & np.uint64(1) for bit in range(64)], axis=4).astype(np.int8)
    spins = (2 * bits - 1).reshape(*words.shape[:3], -1, *words.shape[4:])[:, :, :, : len(couplings)]
    energies = -sum((couplings[:, direction] * spins * np.roll(spins, -1, axis=-1 - direction)).sum(axis=(-1, -2)) for direction in range(2))
    return energies.min(axis=(0, 2))


@pytest.mark.parametrize("L, sweeps", [(6, 4096), pytest.param(10, 32768, marks=pytest.mark.long)])
def test_replicas_reach_ground_states(L, sweeps, tmp_path):
    count = 32
    config = physics_runs.write_config(
        tmp_path / "config.yaml", L=L, temperatures=TEMPERATURES, share=1, realizations=count, model="dimension: 2, couplings: gaussian", thermalize=512,
        sweeps=sweeps, measure_every=64, swap=8, snapshots=64, dynamics="houdayer_every: 8, houdayer_below: 1",
    )  # fmt: skip
    disorder = physics_runs.draw_disorder(tmp_path, config, count)
    state, run = tmp_path / "state.h5", tmp_path / "run.h5"
    physics_runs.call("thermalize", "--config", config, "--disorder", disorder, "--out", state)
    physics_runs.call("pt-run", "--config", config, "--disorder", disorder, "--state", state, "--out", run)
    with h5py.File(disorder) as file:
        couplings = file["couplings"][:].astype(float)  # (realization, direction, y, x)
    exact = np.array([ground_state(of_one.reshape(-1), L)[0] for of_one in couplings])
    for energies in least_energies(run, couplings):
        np.testing.assert_allclose(energies, exact, rtol=0, atol=1e-5)
