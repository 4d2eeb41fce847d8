"""Gaussian couplings, for any lattice and temperature: [e] = -(beta z / 2) (1 - [q_link]), by parts over the couplings (Bray, Moore, J. Phys. C 13, 419,
1980; Katzgraber, Palassini, Young, Phys. Rev. B 63, 184422, 2001). It holds in equilibrium only: before it is reached energies are too high and links of
independent replicas too low, so that the two sides come from below and above."""

import numpy as np
import pytest

import physics_runs
import physics_statistics as ps

COUNT = 1024
TEMPERATURES = {2: [0.4, 0.6, 0.8, 1.1, 1.5], 3: [0.7, 0.9, 1.2, 1.6, 2.2]}


def sides(folder, dimension, L, update, count=COUNT, **settings):
    """(realization, temperature): e and what it is by the links."""
    temperatures = TEMPERATURES[dimension]
    model = f"dimension: {dimension}, couplings: gaussian"
    config = physics_runs.write_config(
        folder / "config.yaml", L=L, temperatures=temperatures, share=1, realizations=count, model=model, update=update, blocks=4, **settings
    )
    disorder = physics_runs.draw_disorder(folder, config, count)
    means = physics_runs.means_of_realizations(folder, config, disorder)
    return means["energy"].T, -dimension / np.array(temperatures) * (1 - means["q_link"].T)


EQUILIBRIUM = dict(thermalize=2048, sweeps=2048, measure_every=16)
CASES = [
    (2, 4, "metropolis"),
    pytest.param(2, 8, "heat-bath", marks=pytest.mark.long),
    pytest.param(3, 4, "metropolis", marks=pytest.mark.long),
    pytest.param(3, 4, "heat-bath", marks=pytest.mark.long),
]


@pytest.mark.parametrize("dimension, L, update", CASES)
def test_energy_and_links(dimension, L, update, tmp_path):
    energy, by_links = sides(tmp_path, dimension, L, update, **EQUILIBRIUM)
    names = [f"e + beta z/2 (1 - q_link) at T = {T}" for T in TEMPERATURES[dimension]]
    difference, zero = energy - by_links, np.zeros(energy.shape[1])
    ps.check_each(ps.z_scores(difference, zero), names, f"{dimension} dimensions, L = {L}, {update}")
    ps.check_chi2(ps.hotelling(difference, zero), len(names), f"{dimension} dimensions, L = {L}, {update}")
    assert (difference.std(axis=0, ddof=1) / np.sqrt(COUNT) < 0.03).all() and energy.mean() < -0.9


def test_it_is_seen_before_equilibrium(tmp_path):
    energy, by_links = sides(tmp_path, 3, 4, "metropolis", thermalize=0, sweeps=32, measure_every=4)
    z = ps.z_scores(energy - by_links, np.zeros(energy.shape[1]))
    assert (z[0] > 10) and (energy.mean(axis=0) > by_links.mean(axis=0))[0]
