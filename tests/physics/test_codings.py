"""The two-dimensional ferromagnet whose words hold copies, replicas and temperatures, or boxes of one lattice, through the programs and with
tempering: energy and specific heat of large lattices are Kaufman's, and all codings agree. Copies without disorder are independent."""

import numpy as np
import pytest

import kaufman
import physics_runs
import physics_statistics as ps

pytestmark = pytest.mark.long

T_C = 2 / np.log(1 + np.sqrt(2))
TEMPERATURES = [2.15, T_C, 2.4, 2.6]
COPIES = 32
MEASURED = ("energy", "m_abs", "m2", "m4")


def measure(folder, L, seed, *, sweeps, swap=10, **settings):
    """{name: (temperature, copy)}."""
    folder.mkdir(exist_ok=True)
    common = dict(share=1, replicas=1, realizations=COPIES, temperatures=TEMPERATURES, thermalize=sweeps // 4, sweeps=sweeps, measure_every=2 * swap)
    config = physics_runs.write_config(folder / "config.yaml", L=L, seed=seed, model="kind: ferromagnet, dimension: 2", swap=swap, **common, **settings)
    return physics_runs.means_of_realizations(folder, config, physics_runs.draw_disorder(folder, config, COPIES))


@pytest.mark.parametrize(("tile", "hits"), [(0, 1), (4, 1), (4, 10)])
def test_kaufman_of_sites(tile, hits, tmp_path):
    L = 64
    means = measure(tmp_path, L, 3, sweeps=16000 if hits == 1 else 48000, lanes="sites", tile=tile, hits=hits)
    exact = np.array([kaufman.energy_and_heat(L, T) for T in TEMPERATURES]).T
    copies = np.concatenate([means["energy"], means["specific_heat"]]).T
    names = [f"{name} at T = {T:.4g}" for name in ("energy", "specific heat") for T in TEMPERATURES]
    ps.check_each(ps.z_scores(copies, exact.ravel()), names, f"tile {tile}, {hits} hits")


def binder(means):
    """By temperature, with its error from the copies."""
    m2, m4 = means["m2"], means["m4"]
    pseudo = [(3 - np.mean(np.delete(m4, i, 1), 1) / np.mean(np.delete(m2, i, 1), 1) ** 2) / 2 for i in range(COPIES)]
    return (3 - m4.mean(1) / m2.mean(1) ** 2) / 2, np.std(pseudo, 0) * np.sqrt(COPIES - 1)


@pytest.mark.parametrize(("L", "sweeps"), [(32, 8000), (64, 8000), (128, 8000)])
def test_codings_agree(L, sweeps, tmp_path):
    codings = {"realizations": dict(lanes="realizations"), "replicas": dict(lanes="replicas")}
    if L % 64 == 0:
        codings |= {"sites": dict(lanes="sites"), "tiles": dict(lanes="sites", tile=L // 16, hits=2)}
    means = {name: measure(tmp_path / name, L, number, sweeps=sweeps, **how) for number, (name, how) in enumerate(codings.items())}
    first, *others = codings
    for other in others:
        a, b = means[first], means[other]
        z = [(a[name].mean(1) - b[name].mean(1)) / np.sqrt((a[name].var(1, ddof=1) + b[name].var(1, ddof=1)) / COPIES) for name in MEASURED]
        (g, g_error), (h, h_error) = binder(a), binder(b)
        z.append((g - h) / np.hypot(g_error, h_error))
        names = [f"{name} at T = {T:.4g}" for name in (*MEASURED, "binder") for T in TEMPERATURES]
        ps.check_each(z, names, f"L = {L}, {first} and {other}", limit=4)
