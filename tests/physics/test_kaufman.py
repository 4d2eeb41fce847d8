"""The exact energies and specific heats of the two-dimensional ferromagnet, which other tests compare with, are right themselves."""

import itertools
import json

import numpy as np

import kaufman
import physics_runs

T_C = 2 / np.log(1 + np.sqrt(2))


def test_tabulated_values():
    rows = json.loads((physics_runs.DATA / "ising2d_exact.json").read_text())["rows"]
    assert {r["L"] for r in rows} >= {4, 8, 16, 32, 1024}
    for row in rows:
        L, T = row["L"], 1 / float(row["beta"])
        e, C = kaufman.energy_and_heat(L, T)
        assert abs(e / float(row["e"]) - 1) < 1e-12, row
        assert abs(C / float(row["C"]) - 1) < 1e-9, row
        log_z = kaufman.log_partition_function(L, 1 / T).f / L**2
        assert abs(log_z / float(row["lnZ_per_site"]) - 1) < 1e-12, row


def test_all_states_of_16_spins():
    spins = np.array(list(itertools.product([1, -1], repeat=16))).reshape(-1, 4, 4)
    E = -sum((spins * np.roll(spins, 1, axis)).sum(axis=(1, 2)) for axis in (1, 2))
    for T in (0.7, 1.5, 2.0, T_C, 2.5, 5.0, 50.0):
        p = np.exp(-(E - E.min()) / T)
        p /= p.sum()
        mean = p @ E
        e, C = kaufman.energy_and_heat(4, T)
        assert np.allclose([e, C], [mean / 16, p @ (E - mean) ** 2 / 16 / T**2], rtol=1e-11)


def test_at_and_around_the_transition():
    """Smooth through T_c, where a factor of Z4 is zero, and as long lattices have it: e = -sqrt(2)."""
    for L in (8, 32, 256):
        below, at, above = (np.array(kaufman.energy_and_heat(L, T_C * (1 + d))) for d in (-1e-9, 0, 1e-9))
        assert np.allclose(below, at, rtol=1e-6) and np.allclose(above, at, rtol=1e-6)
    assert abs(kaufman.energy_and_heat(1024, T_C)[0] + np.sqrt(2)) < 1e-3
