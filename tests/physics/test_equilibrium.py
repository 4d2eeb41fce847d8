"""Are runs that are too short caught, and those in equilibrium let pass? Every study is compared with the truth of a run 100 times as long.

The log2 test of single realizations has almost no power; the differences between the last log2 bins, paired over realizations, have. Of
the coldest temperatures of L = 8 after 1024 sweeps, averages are off by many of their errors while nearly all realizations pass. In
equilibrium the paired z are normal numbers, so that a study of 12 temperatures drifts by more than 4 sigma less often than one in a hundred.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import physics_runs

pytestmark = pytest.mark.long

COLD = np.geomspace(0.7, 1.8, 16).round(4)
WARM = np.geomspace(1.2, 2.4, 12).round(4)


def study(folder, *, seed=1, **options):
    """Datasets and attributes of the reduced file of one study of 128 realizations."""
    folder.mkdir()
    config = physics_runs.write_config(folder / "config.yaml", seed=seed, **options)
    disorder = physics_runs.draw_disorder(folder, config, 128)
    return physics_runs.reduce(folder, config, disorder, physics_runs.thermalize_and_run(folder, config, disorder))


def bias(found, truth, name):
    """(temperature) of an average in its errors; the same couplings, so that the disorder drops out."""
    return (found[name] - truth[name]) / found[f"{name}_err"]


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """L = 8, 2^18 sweeps after 2^17."""
    folder = tmp_path_factory.mktemp("truth")
    data, attributes = study(folder / "L8", L=8, temperatures=COLD, thermalize=1 << 17, sweeps=1 << 18, measure_every=64, discard=0.5)
    print(f"truth: largest paired z {attributes['largest_paired_z']:.2f}, {data['equilibrated'].mean():.3f} equilibrated")
    assert attributes["stationary"] and abs(attributes["largest_paired_z"]) < 4
    return data


@pytest.mark.parametrize("sweeps, min_z, max_bias", [(1024, 8.0, -2.0), (4096, 5.0, -1.0)])
def test_short_runs_drift(tmp_path, truth, sweeps, min_z, max_bias):
    data, attributes = study(tmp_path / "short", L=8, temperatures=COLD, sweeps=sweeps, measure_every=8, discard=0)
    off, z = bias(data, truth, "q2")[0], attributes["largest_paired_z"]
    log2 = (data["max_deviation"] <= 4).mean()
    print(f"{sweeps} sweeps: [q2] off by {off:.1f} errors, largest paired z {z:.1f}, log2 passes {log2:.3f}, all tests {data['equilibrated'].mean():.3f}")
    assert off < max_bias and log2 > 0.9
    assert not attributes["stationary"] and abs(z) > min_z


def test_the_last_half_is_better_than_all(tmp_path, truth):
    """Without thermalization; the same run."""
    options = dict(L=8, temperatures=COLD, sweeps=1 << 15, measure_every=16)
    whole, half = study(tmp_path / "whole", discard=0, **options)[0], study(tmp_path / "half", discard=0.5, **options)[0]
    a, b = bias(whole, truth, "q2")[0], bias(half, truth, "q2")[0]
    print(f"[q2] off by {a:.2f} errors in the average of all sweeps, {b:.2f} in that of the last half")
    assert a < -0.3 and abs(b) < 0.5 * abs(a)
    np.testing.assert_array_equal(whole["paired_q2"], half["paired_q2"])


def test_false_alarms(tmp_path):
    """100 studies in equilibrium at two values of share: the z of each comparison are normal, and hardly a study is called drifting."""
    for share in (1, 128):
        one = lambda seed: study(
            tmp_path / f"{share}-{seed}", seed=seed, L=4, temperatures=WARM, share=share, thermalize=512, sweeps=2048, measure_every=8, discard=0.5
        )
        with ThreadPoolExecutor(2) as pool:
            studies = list(pool.map(one, range(1, 101)))
        alarms = sum(not attributes["stationary"] for _, attributes in studies)
        for name in ("energy", "q2", "q_link"):
            z = np.array([data[f"paired_{name}_z"][:2] for data, _ in studies])  # (study, bin, temperature)
            spread = z.std(axis=0)
            print(f"share {share}, {name}: z {z.mean():+.3f} +- {spread.mean():.3f}, by temperature {spread.min():.2f} to {spread.max():.2f}")
            assert abs(z.mean()) < 0.3  # neighbouring temperatures move together: as 12 independent numbers, 4 sigma
            assert 0.85 < spread.mean() < 1.15
            assert spread.max() < 1.35  # 100 studies: 1 +- 0.07
        print(f"share {share}: {alarms} of 100 studies drift")
        assert alarms <= 1
