"""What sharing random numbers does to averages: nothing to their values, and what to their correlations.

Realizations of a pack decide with the same random numbers, so a small R raises the energy in many of them at once: thermal fluctuations of
the ENERGY at the same moment are correlated by 0.1 to 0.3 between realizations of a pack. Overlaps are not (their sign depends on the
couplings). Disorder averages are sums over realizations whose spread is dominated by the couplings as soon as a run is some
autocorrelation times long; then the correlation of what enters the average is compatible with zero. The specific heat, whose
spread is thermal for longer, keeps some 0.005 in runs of this length. In short runs at high temperature the common noise is most of
the error of [e]; quoted errors must contain it. The tests hold all four.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

import physics_runs
import physics_statistics as ps

pytestmark = pytest.mark.long

TEMPERATURES = [0.8, 0.95, 1.1, 1.25, 1.4]
PACKS = 64
QUANTITIES = ("energy", "specific heat", "|q|", "q2", "q4", "q_link")


def simulate(
    folder, share, *, temperatures=TEMPERATURES, seed, packs=PACKS, L=4, sweeps=8192, thermalize=2048, measure_every=8
):
    folder.mkdir()
    count = 128 * packs
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=L,
        temperatures=temperatures,
        seed=seed,
        share=share,
        thermalize=thermalize,
        sweeps=sweeps,
        measure_every=measure_every,
        swap=4,
        blocks=1,
        realizations=count,
    )
    disorder = physics_runs.draw_disorder(folder, config, count)
    return physics_runs.Run(physics_runs.thermalize_and_run(folder, config, disorder))


def quantities(run):
    """(quantity, temperature, realization)."""
    return np.array([run.mean_energy(), run.specific_heat(), run.q_abs[0], run.q2[0], run.q4[0], run.q_link[0]])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """{share: run}: the same couplings (seed) with other sharing, so other random numbers; and a run of short averages."""
    folder = tmp_path_factory.mktemp("sharing")
    short = {"temperatures": [1.0, 2.0, 5.0], "sweeps": 8, "thermalize": 256}
    with ThreadPoolExecutor(2) as pool:
        jobs = {
            1: pool.submit(simulate, folder / "share1", 1, seed=11, packs=16, thermalize=1024),
            128: pool.submit(simulate, folder / "share128", 128, seed=11),
            32: pool.submit(simulate, folder / "share32", 32, seed=11, packs=32),
            "moment": pool.submit(simulate, folder / "moment", 128, seed=12, L=6, packs=128, **short),
            "independent": pool.submit(simulate, folder / "independent", 1, seed=12, L=6, packs=32, **short),
        }
        return {key: job.result() for key, job in jobs.items()}


def test_what_enters_disorder_averages_is_uncorrelated_at_share_128(runs):
    values = quantities(runs[128])
    z, names = [], []
    for quantity, of_temperatures in zip(QUANTITIES, values):
        for T, of_realizations in zip(TEMPERATURES, of_temperatures):
            rho, error, F, probability = ps.pack_correlation(of_realizations, 128)
            print(f"{quantity:14} T = {T:4}: correlation {rho:+.5f} +- {error:.5f}, F = {F:.3f}")
            if quantity == "specific heat":
                assert abs(rho) < 0.015
                continue
            z.append(stats.norm.isf(probability))
            names.append(f"correlation of {quantity} at T = {T}")
    ps.check_each(z, names, "correlation of realizations of a pack", limit=4.0)


def test_averages_agree_at_share_1_32_and_128(runs):
    """Differences of the same realizations, pairwise between shares, with errors from groups of 128 (independent packs)."""
    for a, b in ((1, 32), (1, 128), (32, 128)):
        count = min(runs[a].q2.shape[-1], runs[b].q2.shape[-1])
        difference = quantities(runs[a])[..., :count] - quantities(runs[b])[..., :count]
        groups = difference.reshape(*difference.shape[:2], -1, 128).mean(axis=-1)
        z = ps.z_scores(np.moveaxis(groups, -1, 0), 0.0)
        names = [f"{quantity} at T = {T}" for quantity in QUANTITIES for T in TEMPERATURES]
        ps.check_each(z, names, f"share {a} against {b}", limit=4.0)


def test_momentary_correlations_are_those_of_shared_numbers(runs):
    """Averages over one measurement: energies of one replica less the other, so that only thermal noise is left."""
    for t, T in enumerate(runs["moment"].temperatures):
        noise = {key: (runs[key].energy[0] - runs[key].energy[1])[t] for key in ("moment", "independent")}
        shared, error, _, _ = ps.pack_correlation(noise["moment"], 128)
        free, free_error, _, _ = ps.pack_correlation(noise["independent"], 128)
        print(
            f"T = {T}: thermal noise of energies correlated by {shared:.3f} +- {error:.3f} at share 128, {free:+.4f} at share 1"
        )
        assert shared < 0.4, "energies of a pack fluctuate together more than shared random numbers explain"
        assert abs(free) < 4 * free_error, "share 1 must draw independent numbers"
        for name in ("q", "q2"):
            rho, error, _, _ = ps.pack_correlation(getattr(runs["moment"], name)[0][t], 128)
            print(f"T = {T}: {name} correlated by {rho:+.4f} +- {error:.4f}")
            assert abs(rho) < (4 * error if name == "q" else 0.02)


def short_study(folder, seed, p_ferro, T):
    """Disorder averages of 256 realizations in packs of 128, 400 sweeps."""
    folder.mkdir()
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=4,
        temperatures=[T],
        seed=seed,
        share=128,
        thermalize=128,
        sweeps=400,
        measure_every=5,
        swap=5,
        realizations=256,
        p_ferro=p_ferro,
    )
    disorder = physics_runs.draw_disorder(folder, config, 256)
    run = physics_runs.thermalize_and_run(folder, config, disorder)
    return physics_runs.disorder_averages(folder, config, disorder, run)


@pytest.mark.parametrize("p_ferro", [0.65, 0.7])
def test_quoted_errors_contain_the_shared_noise(tmp_path, p_ferro):
    """Independent studies (other seeds) scatter about the exact energy by their quoted errors, and by more than the jackknife
    says. Where tanh(1/T) = 2 p - 1, [e] = -3 (2 p - 1) for every L (Nishimori, Prog. Theor. Phys. 66, 1169 (1981)); both points
    are paramagnetic. The scatter of the other averages is that about their own mean.
    """
    seeds = range(100, 160)
    T = 1 / np.arctanh(2 * p_ferro - 1)
    with ThreadPoolExecutor(2) as pool:
        studies = list(pool.map(lambda seed: short_study(tmp_path / str(seed), seed, p_ferro, T), seeds))
    exact = {"energy": -3 * (2 * p_ferro - 1)}
    for name in ("energy", "specific_heat", "q_link"):
        compare(studies, name, exact.get(name), f"p = {p_ferro}")


@pytest.mark.parametrize("T", [4.2, 4.6])
def test_quoted_errors_of_ratios_contain_the_shared_noise(tmp_path, T):
    """Near the ferromagnet q^2 follows the noise that a pack shares: without it errors of Binder ratio and xi_L/L are too small by 2.5 to 3."""
    with ThreadPoolExecutor(2) as pool:
        studies = list(pool.map(lambda seed: short_study(tmp_path / str(seed), seed, 0.97, T), range(200, 260)))
    for name in ("binder", "xi_over_L"):
        compare(studies, name, None, f"p = 0.97, T = {T}")


def compare(studies, name, exact, where):
    """The scatter of an average about `exact`, or about its own mean, is the quoted error, and more than the jackknife alone says."""
    n = len(studies)
    value, error, shared = (np.array([s[name + end][0] for s in studies]) for end in ("", "_err", "_err_shared"))
    deviation = value - (value.mean() if exact is None else exact)
    dof = n if exact is not None else n - 1
    quoted, jackknife = (error**2).mean(), (error**2 - shared**2).mean()
    ratio, alone = ((deviation**2).sum() / dof / variance for variance in (quoted, jackknife))
    print(f"{where}, {name}: scatter^2 is {ratio:.2f} of the quoted error^2, {alone:.2f} of the jackknife's")
    # The mean of quoted squares has itself an error of a few percent, which the limits of chi^2 do not know.
    low, high = stats.chi2.ppf([0.0005, 0.9995], dof) / dof
    assert 0.95 * low < ratio < 1.05 * high, f"{name}: errors are wrong"
    assert alone > 1.05 * high, f"{name}: this test does not see shared noise"
