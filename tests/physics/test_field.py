"""Cubic lattices in a field, exactly: spins without bonds, and bonds along x alone, which are rings of L spins.

Every copy has other random numbers; errors come from the copies, and temperatures that exchange may be correlated.
"""

import numpy as np
import pytest

import physics_runs
import physics_statistics as ps

TEMPERATURES = [0.8, 1.2, 1.7, 2.5, 4.0]
COPIES, L, FIELD = 128, 6, 0.6


def means_of(folder, couplings, update):
    """{name: (temperature, copy)} of `measure`."""
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=L,
        temperatures=TEMPERATURES,
        share=1,
        replicas=1,
        thermalize=256,
        sweeps=4096,
        measure_every=4,
        realizations=len(couplings),
        model=f"field: {FIELD}",
        update=update,
    )
    return physics_runs.means_of_realizations(folder, config, disorder)


def check(means, exact, what):
    """exact: {name: values of the temperatures}; means averaged over equal copies."""
    names = [f"{name} at T = {T}" for name in exact for T in TEMPERATURES]
    copies = np.concatenate([means[name] for name in exact]).T
    values = np.concatenate([exact[name] for name in exact])
    ps.check_each(ps.z_scores(copies, values), names, what)
    ps.check_chi2(ps.hotelling(copies, values), len(names), what)


@pytest.mark.parametrize("update", ["metropolis", "heat-bath"])
def test_spins_without_bonds(update, tmp_path):
    means = means_of(tmp_path, np.zeros((COPIES, 3, L, L, L), int), update)
    x = FIELD / np.array(TEMPERATURES)
    check(means, {"m": np.tanh(x), "specific_heat": (x / np.cosh(x)) ** 2}, f"no bonds, {update}")
    assert np.allclose(means["energy"], -FIELD * means["m"], rtol=1e-12)


def ring_averages(J, T):
    """<E>, <M> and the variances of both of a ring of L spins, by all its states."""
    spins = 2 * (np.arange(2**L)[:, None] >> np.arange(L) & 1) - 1
    M = spins.sum(axis=1)
    E = -(J * spins * np.roll(spins, -1, axis=1)).sum(axis=1) - FIELD * M
    p = np.exp(-(E - E.min()) / T)
    p /= p.sum()
    return p @ E, p @ M, p @ (E - p @ E) ** 2, p @ (M - p @ M) ** 2


@pytest.mark.parametrize("update", ["metropolis", "heat-bath"])
def test_rings(update, tmp_path):
    signs = np.random.default_rng(5).choice([-1, 1], (L, L, L))  # (z, y, x)
    couplings = np.zeros((COPIES, 3, L, L, L), int)
    couplings[:, 0] = signs
    means = means_of(tmp_path, couplings, update)
    N = L**3
    sums = np.array([sum(np.array(ring_averages(J, T)) for J in signs.reshape(-1, L)) for T in TEMPERATURES]).T
    energy, m, energy_variance, m_variance = sums
    exact = {
        "energy": energy / N,
        "m": m / N,
        "m2": (m / N) ** 2 + m_variance / N**2,
        "specific_heat": energy_variance / (N * np.array(TEMPERATURES) ** 2),
    }
    check(means, exact, f"rings, {update}")
