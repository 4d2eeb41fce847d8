"""Disorder averages of xi_L/L and U4 = [q^4]/[q^2]^2 against an independent public simulation (3840 realizations per size)."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import physics_runs
import physics_statistics as ps

pytestmark = pytest.mark.long

TEMPERATURES = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.65, 1.8, 2.0]
COMPARED = [0, 1, 2, 4]  # slots of the temperatures where values are published
# L: xi_L/L and its error, U4 and its error at T = 1.0, 1.1, 1.2, 1.4
PUBLISHED = {
    4: (
        (0.6852, 0.6205, 0.5627, 0.4624),
        (0.0044, 0.0038, 0.0033, 0.0026),
        (1.4277, 1.4924, 1.5642, 1.7347),
        (0.0053, 0.0055, 0.0058, 0.0062),
    ),
    6: (
        (0.7128, 0.6362, 0.5665, 0.4436),
        (0.0040, 0.0033, 0.0028, 0.0021),
        (1.4165, 1.4859, 1.5681, 1.7844),
        (0.0044, 0.0046, 0.0050, 0.0054),
    ),
    8: (
        (0.7319, 0.6446, 0.5635, 0.4204),
        (0.0042, 0.0035, 0.0030, 0.0021),
        (1.4090, 1.4860, 1.5834, 1.8565),
        (0.0048, 0.0050, 0.0054, 0.0066),
    ),
}
# L: realizations, sweeps of thermalize and of the run
LENGTH = {4: (4096, 8192, 8192), 6: (4096, 16384, 16384), 8: (3072, 32768, 32768)}


def simulate(folder, L):
    folder.mkdir()
    count, thermalize, sweeps = LENGTH[L]
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=L,
        temperatures=TEMPERATURES,
        seed=2013,
        share=128,
        thermalize=thermalize,
        sweeps=sweeps,
        measure_every=20,
        swap=10,
        blocks=1,
        realizations=count,
    )
    return physics_runs.Run(
        physics_runs.thermalize_and_run(folder, config, physics_runs.draw_disorder(folder, config, count))
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("disorder")
    with ThreadPoolExecutor(2) as pool:
        jobs = {L: pool.submit(simulate, folder / f"L{L}", L) for L in (8, 6, 4)}
        return {L: job.result() for L, job in jobs.items()}


def derived(q2, q4, kmin, L):
    return np.array([np.sqrt(q2 / kmin - 1) / (2 * np.sin(np.pi / L) * L), q4 / q2**2])


def jackknife(run):
    """xi_L/L and U4 (quantity, temperature), and both without each realization (quantity, temperature, realization)."""
    columns = np.array([run.q2[0], run.q4[0], run.kmin[0]])[:, COMPARED]
    n = columns.shape[-1]
    mean = columns.mean(axis=-1)
    return derived(*mean, run.L), derived(*(mean[..., None] * n - columns) / (n - 1), run.L)


def jackknife_error(left_out):
    n = left_out.shape[-1]
    return np.sqrt((n - 1) * left_out.var(axis=-1))


@pytest.mark.parametrize("L", [4, 6, 8])
def test_correlation_length_and_u4(runs, L):
    value, left_out = jackknife(runs[L])
    error = jackknife_error(left_out)
    xi, xi_error, u4, u4_error = map(np.array, PUBLISHED[L])
    z = (value - [xi, u4]) / np.hypot(error, [xi_error, u4_error])
    print(f"L = {L}: xi/L {value[0]} +- {error[0]}; U4 {value[1]} +- {error[1]}")
    run_temperatures = np.array(TEMPERATURES)[COMPARED]
    names = [f"{quantity} at T = {T}" for quantity in ("xi_L/L", "U4") for T in run_temperatures]
    ps.check_each(z, names, f"L = {L}", limit=3.5)


def test_curves_cross_where_published(runs):
    """xi_L/L of L = 4 and 8 cross at 1.204 +- 0.017."""
    T = np.array(TEMPERATURES)[COMPARED]

    def crossing(small, large):
        """Zero of a straight line through the differences at the four temperatures; arrays (temperature, ...)."""
        slope, offset = np.polyfit(T, (small - large).reshape(len(T), -1), 1)
        return -offset / slope

    (small, small_left_out), (large, large_left_out) = jackknife(runs[4]), jackknife(runs[8])
    found = crossing(small[0], large[0])[0]
    error = np.hypot(
        jackknife_error(crossing(small_left_out[0], large[0][:, None])),
        jackknife_error(crossing(small[0][:, None], large_left_out[0])),
    )
    print(f"xi_L/L of L = 4 and 8 cross at T = {found:.3f} +- {error:.3f}")
    assert abs(found - 1.204) < 3.5 * np.hypot(0.017, error)
