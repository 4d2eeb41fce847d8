"""Ferromagnets of 1024 x 1024 whose subdomains are the lanes of words have Kaufman's energies and specific heats. They are updated by the plain
checkerboard, in tiles with 10 and 100 hits, and by demons. Takes eight minutes on a GPU; skipped without one. Errors come from independent lattices."""

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "physics"))
import kaufman
import physics_runs

pytestmark = pytest.mark.long

L, LATTICES = 1024, 16
BETA_C = np.log(1 + np.sqrt(2)) / 2
# Edge of the tiles, hits, steps at beta = 0.40 and 0.43, steps at beta_c, and what errors of the energy and the specific heat must not exceed there.
# m^2, which the energy follows, has an autocorrelation time of some 60000 sweeps with the plain checkerboard, and several times that with a hundred hits,
# in tiles of edge 16 more than a run can wait for: these are in equilibrium by themselves after fewer.
CASES = [(0, 1, 20000, 1500000, 3e-4, 0.06), (16, 10, 4000, 220000, 3e-4, 0.06), (32, 100, 500, 16000, 6e-4, 0.15)]


@pytest.fixture(scope="module", autouse=True)
def gpu():
    physics_runs.need_gpu()


def averages(folder, dynamics, beta, steps):
    """Returns the energies of the lattices and the fluctuations of each lattice's energy."""
    out, seeds = folder / "averages.json", ",".join(str(seed) for seed in range(1, LATTICES + 1))
    command = [physics_runs.BIN / "bench-sites", "--backend", "cuda", "--L", L, *dynamics, "--beta", repr(float(beta)), "--seed", seeds]
    command += ["--together", LATTICES, "--thermalize", steps // 2, "--measure", steps, "--json", out]
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
    rows = json.loads(out.read_text())
    assert len(rows) == LATTICES
    return np.array([row["e"] for row in rows]), np.array([row["C"] for row in rows])


def pooled_heat(beta, e, C):
    """Returns the specific heat about the common mean energy. About a lattice's own mean energy it is too small by the error of that mean."""
    return C.mean() + beta**2 * L**2 * e.var(ddof=1)


def with_error(value, *samples):
    """Returns a function of the values of independent lattices with its error, by jackknife."""
    left_out = [value(*(np.delete(sample, i) for sample in samples)) for i in range(LATTICES)]
    return value(*samples), np.sqrt(LATTICES - 1) * np.std(left_out)


@pytest.mark.parametrize(("tile", "hits", "steps", "critical_steps", "e_error", "heat_error"), CASES)
def test_energy_and_heat(tile, hits, steps, critical_steps, e_error, heat_error, tmp_path):
    lengths = {0.40: steps, 0.43: steps, BETA_C: critical_steps}
    check_energy_and_heat(["--tile", tile, "--hits", hits], lengths, e_error, heat_error, tmp_path)


def test_energy_and_heat_with_demons(tmp_path):
    check_energy_and_heat(["--demon-sites", 16], {0.40: 40000, 0.43: 100000}, 3e-4, 0.06, tmp_path)


def check_energy_and_heat(dynamics, lengths, e_error, heat_error, tmp_path):
    deviations = []
    for beta, steps in lengths.items():
        e, C = averages(tmp_path, dynamics, beta, steps)
        found = with_error(np.mean, e), with_error(lambda e, C, beta=beta: pooled_heat(beta, e, C), e, C)
        for name, (value, error), exact in zip(("e", "C"), found, kaufman.energy_and_heat(L, 1 / beta), strict=True):
            deviations.append((value - exact) / error)
            print(f"{dynamics}, beta = {beta:.7f}: {name} = {value:.6f} +- {error:.6f}, exact {exact:.6f}, {deviations[-1]:+.2f}")
            assert error < {"e": e_error, "C": heat_error * exact}[name]
    # Student's t of 15: one of 18 beyond 4 has probability 0.02 by chance, and seeds are fixed
    assert np.all(np.abs(deviations) < 4)
