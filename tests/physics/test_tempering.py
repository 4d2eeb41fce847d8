"""The glass of L = 8 at 1/T = 2 needs tempering: two tempered runs from different random spins agree after 65536 sweeps, and a run at that
temperature alone is wrong after eight times as many (Fang et al., arXiv:1311.5582, figure 21: Binder ratios against sweeps, with and
without tempering; there not by 10^7).

All runs have the same couplings, so that the disorder drops out of differences, which are taken realization by realization.
"""

import numpy as np
import pytest

import physics_runs

pytestmark = pytest.mark.long

T, L, REALIZATIONS = 0.5, 8, 64
LADDER = np.geomspace(T, 1.8, 20).round(4)


def means(folder, couplings, *, seed, temperatures, sweeps):
    """Returns {name: (realization)} at T, of the last half of a run without thermalization. Realizations share no random numbers, so that they are
    independent."""
    folder.mkdir()
    disorder = physics_runs.write_disorder(folder / "disorder.h5", couplings)
    config = physics_runs.write_config(
        folder / "config.yaml", L=L, temperatures=temperatures, seed=seed, share=1, sweeps=sweeps, measure_every=32, swap=8, blocks=16, discard=0.5, realizations=len(couplings)
    )
    return {name: values[0] for name, values in physics_runs.means_of_realizations(folder, config, disorder).items()}


def deviation(a, b, name):
    """Mean over realizations of a - b in its errors."""
    difference = a[name] - b[name]
    return difference.mean() / (difference.std(ddof=1) / np.sqrt(len(difference)))


def test_a_cold_glass_needs_tempering(tmp_path):
    couplings = np.random.default_rng(8).choice([-1, 1], (REALIZATIONS, 3, L, L, L))
    tempered, again = (means(tmp_path / f"tempered{seed}", couplings, seed=seed, temperatures=LADDER, sweeps=1 << 16) for seed in (1, 2))
    alone = means(tmp_path / "alone", couplings, seed=3, temperatures=[T], sweeps=1 << 19)
    for name in ("energy", "q2", "q4", "q_link"):
        same, other = deviation(tempered, again, name), deviation(alone, tempered, name)
        print(f"{name}: {same:+.1f} errors between two tempered runs, {other:+.1f} without tempering")
        assert abs(same) < 3.5, name
        assert abs(other) > 5, name
    binder = lambda m: (3 - m["q4"].mean() / m["q2"].mean() ** 2) / 2
    print(f"Binder ratio: {binder(tempered):.4f} and {binder(again):.4f} tempered, {binder(alone):.4f} without")
    assert abs(binder(tempered) - binder(again)) < 0.01 < abs(binder(alone) - binder(tempered))
