"""Compares measured derivatives of Binder ratio, xi/L and q^2 or m^2 with respect to beta with derivatives of the curves over temperatures.

Both derivatives come from one run, so that their differences have small errors, taken from jackknife samples. Temperatures are
correlated. The curves are splines through temperatures so close that the interpolation error is far below the errors.
"""

import h5py
import numpy as np
import pytest
from scipy import stats
from scipy.interpolate import CubicSpline

import physics_runs
import physics_statistics as ps

GLASS = ("p_ferro: 0.5", ["q2", "binder", "xi_over_L"], np.linspace(1.0, 1.8, 9))
FERROMAGNET = ("kind: ferromagnet, dimension: 2", ["m2", "binder_m", "xi_m_over_L"], np.linspace(2.2, 2.6, 9))
SEEN = [2, 4, 6]  # temperatures that are compared, far from the ends of the spline


def reduced_samples(folder, model, replicas, temperatures):
    """{name: value (temperature)}, {name: jackknife samples (group, temperature)} of one size."""
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=6,
        temperatures=temperatures,
        model=model,
        share=1,
        replicas=replicas,
        thermalize=1024,
        sweeps=4096,
        measure_every=4,
        realizations=256,
    )
    disorder = physics_runs.draw_disorder(folder, config, 256)
    physics_runs.reduce(folder, config, disorder, physics_runs.thermalize_and_run(folder, config, disorder))
    with h5py.File(folder / "reduced.h5") as file:
        of = file["L6"]
        return {name: of[name][:] for name in of["jackknife"]}, {name: data[:] for name, data in of["jackknife"].items()}


@pytest.mark.parametrize("case, replicas", [(GLASS, 2), (GLASS, 4), (FERROMAGNET, 2)], ids=["glass-2", "glass-4", "ferromagnet"])
def test_slopes(case, replicas, tmp_path):
    model, names, temperatures = case
    values, samples = reduced_samples(tmp_path, model, replicas, temperatures)
    beta = 1 / temperatures[::-1]

    def difference(of, name):
        """The slope over that of the spline, less 1."""
        return of[f"{name}_dbeta"][SEEN] / CubicSpline(beta, of[name][::-1])(beta[::-1][SEEN], 1) - 1

    for name in names:
        groups = len(samples[name])
        left_out = np.array([difference({key: data[g] for key, data in samples.items()}, name) for g in range(groups)])
        covariance = (groups - 1) * np.cov(left_out.T, bias=True)
        off = difference(values, name)
        print(name, off, np.sqrt(np.diag(covariance)))
        assert np.all(np.sqrt(np.diag(covariance)) < 0.05), "nothing is tested"
        t2 = off @ np.linalg.solve(covariance, off)
        p, n = len(SEEN), groups
        ps.check_chi2(stats.chi2.isf(stats.f.sf(t2 * (n - p) / (p * (n - 1)), p, n - p), p), p, f"slope of {name}")
