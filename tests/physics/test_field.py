"""Cubic lattices in a field, exactly: spins without bonds, bonds along x alone, which are rings of L spins, and glasses that are open in z.

Every copy has other random numbers; errors come from the copies, and temperatures that exchange may be correlated.
"""

import numpy as np
import pytest

import exact_layers
import physics_runs
import physics_statistics as ps

TEMPERATURES = [0.8, 1.2, 1.7, 2.5, 4.0]
COPIES, L, FIELD = 128, 6, 0.6
GLASSES = 2


def means_of(folder, couplings, update, share=1, seed=1):
    """{name: (temperature, copy)} of `measure`."""
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=couplings.shape[-1],
        temperatures=TEMPERATURES,
        seed=seed,
        share=share,
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


def spins_without_bonds():
    """Couplings of the copies and {name: exact values of the temperatures}."""
    x = FIELD / np.array(TEMPERATURES)
    return np.zeros((COPIES, 3, L, L, L), int), {"m": np.tanh(x), "specific_heat": (x / np.cosh(x)) ** 2}


@pytest.mark.parametrize("update", ["metropolis", "heat-bath"])
def test_spins_without_bonds(update, tmp_path):
    couplings, exact = spins_without_bonds()
    means = means_of(tmp_path, couplings, update)
    check(means, exact, f"no bonds, {update}")
    assert np.allclose(means["energy"], -FIELD * means["m"], rtol=1e-12)


def ring_averages(J, T):
    """<E>, <M> and the variances of both of a ring of L spins, by all its states."""
    spins = 2 * (np.arange(2**L)[:, None] >> np.arange(L) & 1) - 1
    M = spins.sum(axis=1)
    E = -(J * spins * np.roll(spins, -1, axis=1)).sum(axis=1) - FIELD * M
    p = np.exp(-(E - E.min()) / T)
    p /= p.sum()
    return p @ E, p @ M, p @ (E - p @ E) ** 2, p @ (M - p @ M) ** 2


def rings():
    """Couplings of the copies and {name: exact values of the temperatures}."""
    signs = np.random.default_rng(5).choice([-1, 1], (L, L, L))  # (z, y, x)
    couplings = np.zeros((COPIES, 3, L, L, L), int)
    couplings[:, 0] = signs
    N = L**3
    sums = np.array([sum(np.array(ring_averages(J, T)) for J in signs.reshape(-1, L)) for T in TEMPERATURES]).T
    energy, m, energy_variance, m_variance = sums
    return couplings, {
        "energy": energy / N,
        "m": m / N,
        "m2": (m / N) ** 2 + m_variance / N**2,
        "specific_heat": energy_variance / (N * np.array(TEMPERATURES) ** 2),
    }


@pytest.mark.parametrize("update", ["metropolis", "heat-bath"])
def test_rings(update, tmp_path):
    couplings, exact = rings()
    check(means_of(tmp_path, couplings, update), exact, f"rings, {update}")


def glasses(share):
    """Couplings of 4 x 4 x 4 glasses, and for each of the first ones the columns of its copies and {name: exact values of the temperatures}."""
    couplings = np.random.default_rng(6).choice([-1, 1], (COPIES * max(share, GLASSES), 3, 4, 4, 4))
    couplings[:, 2, -1] = 0
    own = couplings[:GLASSES].copy()
    columns = physics_runs.place_copies(own, couplings, COPIES)
    exact = []
    for J in own:
        averages = [exact_layers.averages(J, FIELD, T) for T in TEMPERATURES]
        exact.append({name: np.array([one[name] for one in averages]) for name in averages[0]})
    return couplings, columns, exact


def test_sums_over_layers_do_not_depend_on_the_direction():
    """A lattice that is open in x and z is the same lattice after an exchange of x and z."""
    J = np.random.default_rng(7).normal(size=(3, 4, 4, 4))
    J[0, :, :, -1] = J[2, -1] = 0
    turned = J[::-1].transpose(0, 3, 2, 1)
    a, b = (exact_layers.averages(couplings, FIELD, 0.8) for couplings in (J, turned))
    assert np.allclose(list(a.values()), list(b.values()), rtol=1e-10)


@pytest.mark.parametrize("update, share", [("metropolis", 1), pytest.param("heat-bath", 128, marks=pytest.mark.long)])
def test_glasses(update, share, tmp_path):
    couplings, columns, exact = glasses(share)
    means = means_of(tmp_path, couplings, update, share)
    for its_columns, values in zip(columns, exact):
        check({name: means[name][:, its_columns] for name in values}, values, f"glass, {update}, share {share}")
