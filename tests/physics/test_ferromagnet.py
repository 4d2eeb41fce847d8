"""The ferromagnet: two dimensions against Kaufman's exact energies and specific heats, three against sums over layers and the Binder ratio at
T_c, and a lattice in a field with and without tempering."""

import numpy as np
import pytest

import exact_layers
import kaufman
import physics_runs
import physics_statistics as ps

SQUARE_T_C = 2 / np.log(1 + np.sqrt(2))
TEMPERATURES = sorted([1.9, 2.05, 2.15, 2.2, SQUARE_T_C, 2.35, 2.45, 2.6, 2.8, 3.1])
COPIES = 128


def measure(folder, model, **settings):
    """{name: (temperature, copy)} of `measure` for COPIES copies without disorder."""
    folder.mkdir(exist_ok=True)
    config = physics_runs.write_config(
        folder / "config.yaml", share=1, realizations=COPIES, model=f"kind: ferromagnet, {model}", **settings
    )
    return physics_runs.means_of_realizations(folder, config, physics_runs.draw_disorder(folder, config, COPIES))


@pytest.mark.parametrize(
    "L, update",
    [
        (8, "metropolis"),
        pytest.param(16, "metropolis", marks=pytest.mark.long),
        pytest.param(32, "metropolis", marks=pytest.mark.long),
        (16, "demon"),
        pytest.param(32, "demon", marks=pytest.mark.long),
    ],
)
def test_kaufman(L, update, tmp_path):
    check_kaufman(tmp_path, L, update, thermalize=8 * L * L, sweeps=32 * L * L, measure_every=8)


def check_kaufman(folder, L, update, **lengths):
    means = measure(folder, "dimension: 2", L=L, temperatures=TEMPERATURES, blocks=16, update=update, **lengths)
    exact = np.array([kaufman.energy_and_heat(L, T) for T in TEMPERATURES]).T
    copies = np.concatenate([means["energy"], means["specific_heat"]]).T
    names = [f"{name} at T = {T:.4g}" for name in ("energy", "specific heat") for T in TEMPERATURES]
    ps.check_each(ps.z_scores(copies, exact.ravel()), names, f"L = {L}, {update}")
    ps.check_chi2(ps.hotelling(copies, exact.ravel()), len(names), f"L = {L}, {update}")


@pytest.mark.parametrize(
    "L, update",
    [
        (8, "wolff, wolff_clusters: 2"),
        (16, "swendsen-wang"),
        pytest.param(32, "wolff", marks=pytest.mark.long),
        pytest.param(64, "swendsen-wang", marks=pytest.mark.long),
        pytest.param(128, "swendsen-wang", marks=pytest.mark.long),
    ],
)
def test_kaufman_with_clusters(L, update, tmp_path):
    """Sweeps need not grow as L^2 at T_c."""
    check_kaufman(tmp_path, L, update, thermalize=256, sweeps=2048, measure_every=2, swap=2, replicas=1)


@pytest.mark.parametrize("update", ["swendsen-wang", "wolff, wolff_clusters: 3"])
def test_layers_with_clusters(update, tmp_path):
    """The ferromagnet of 4 x 4 x 4 sites, open in z."""
    temperatures = [2.5, 3.0, 3.5, 4.0, 4.5, 5.5]
    couplings = np.ones((COPIES, 3, 4, 4, 4), int)
    couplings[:, 2, -1] = 0
    config = physics_runs.write_config(
        tmp_path / "config.yaml",
        L=4,
        temperatures=temperatures,
        share=1,
        realizations=COPIES,
        model="kind: ferromagnet, dimension: 3",
        update=update,
        thermalize=256,
        sweeps=4096,
        measure_every=2,
        swap=2,
    )
    means = physics_runs.means_of_realizations(tmp_path, config, physics_runs.write_disorder(tmp_path / "disorder.h5", couplings))
    exact = [exact_layers.averages(couplings[0], 0.0, T) for T in temperatures]
    names = ("energy", "specific_heat", "m2")
    copies = np.concatenate([means[name] for name in names]).T
    values = np.array([averages[name] for name in names for averages in exact])
    labels = [f"{name} at T = {T}" for name in names for T in temperatures]
    ps.check_each(ps.z_scores(copies, values), labels, update)
    ps.check_chi2(ps.hotelling(copies, values), len(labels), update)


@pytest.mark.long
def test_tempering_changes_nothing_in_a_field(tmp_path):
    """Temperatures simulated together and one by one give the same energies and magnetisations."""
    temperatures = [4.6, 5.2, 6.0]
    for field in (0.0, 0.1, 0.5, 1.0, 2.0):
        common = dict(L=16, thermalize=512, sweeps=1024, measure_every=8, blocks=4, replicas=1)
        together = measure(tmp_path / f"all{field}", f"field: {field}", temperatures=temperatures, **common)
        alone = [measure(tmp_path / f"{T}-{field}", f"field: {field}", temperatures=[T], seed=2, **common) for T in temperatures]
        z = []
        for name in ("energy", "m_abs"):
            a, b = together[name], np.concatenate([one[name] for one in alone])
            error = np.sqrt(a.var(axis=1, ddof=1) / COPIES + b.var(axis=1, ddof=1) / COPIES)
            z.append((a.mean(axis=1) - b.mean(axis=1)) / error)
        ps.check_each(z, [f"{name} at T = {T}" for name in ("energy", "|m|") for T in temperatures], f"h = {field}", limit=3.5)
        assert np.all(np.diff(together["m_abs"].mean(axis=1)) < 0)
        assert field == 0 or np.allclose(together["m"].mean(axis=1), together["m_abs"].mean(axis=1), rtol=0.05)


@pytest.mark.long
def test_binder_ratio_of_three_dimensions(tmp_path):
    """At T_c <m^4>/<m^2>^2 of finite sizes comes from below to 1.6036(1), with corrections of L^-0.83 (Hasenbusch, arXiv:1004.4486): for
    L = 8 and 12, extrapolated by that power, within 0.01, which is the size of the corrections that are left."""
    ratios = []
    for L in (8, 12):
        means = measure(
            tmp_path / f"L{L}",
            "dimension: 3",
            L=L,
            temperatures=[1 / 0.221654626, 4.6, 4.75, 5.0],
            thermalize=16 * L * L,
            sweeps=64 * L * L,
            measure_every=8,
            blocks=16,
            replicas=1,
        )
        m2, m4 = means["m2"][0], means["m4"][0]
        ratio = m4.mean() / m2.mean() ** 2
        pulls = m4 / m4.mean() - 2 * m2 / m2.mean()
        ratios.append((ratio, ratio * pulls.std(ddof=1) / np.sqrt(COPIES)))
        print(f"L = {L}: {ratio:.4f} +- {ratios[-1][1]:.4f}")
    (small, small_error), (large, large_error) = ratios
    factor = 1 / ((12 / 8) ** 0.83 - 1)
    limit = large + factor * (large - small)
    error = np.hypot((1 + factor) * large_error, factor * small_error)
    print(f"extrapolated: {limit:.4f} +- {error:.4f}")
    assert abs(limit - 1.6036) < 0.01 + 3 * error
    assert error < 0.03
