"""Honest comparisons of independent copies with exact values."""

import numpy as np
from scipy import stats


def z_scores(copies, exact):
    """Deviations of the mean of copies (copy, quantity) from `exact` in standard errors, each turned from Student's t with
    (copies - 1) degrees of freedom into the normal deviation of the same probability."""
    copies = np.asarray(copies, dtype=float)
    n = len(copies)
    error = copies.std(axis=0, ddof=1) / np.sqrt(n)
    t = (copies.mean(axis=0) - exact) / error
    return np.sign(t) * stats.norm.isf(stats.t.sf(np.abs(t), n - 1))


def hotelling(copies, exact):
    """chi^2 with as many degrees of freedom as quantities, of the same probability as Hotelling's T^2 for the mean of copies
    (copy, quantity): quantities may be correlated with each other (temperatures that exchange), copies are independent.
    """
    copies = np.asarray(copies, dtype=float)
    n, p = copies.shape
    assert n > p + 1, "needs more copies than quantities"
    deviation = copies.mean(axis=0) - exact
    scale = copies.std(axis=0, ddof=1)
    covariance = np.atleast_2d(np.cov((copies / scale).T))
    t2 = n * (deviation / scale) @ np.linalg.solve(covariance, deviation / scale)
    return stats.chi2.isf(stats.f.sf(t2 * (n - p) / (p * (n - 1)), p, n - p), p)


def check_chi2(chi2, dof, what):
    """chi^2 lies between its 0.1% and 99.9% points."""
    probability = stats.chi2.sf(chi2, dof)
    print(f"{what}: chi^2 = {chi2:.1f} for {dof} degrees of freedom, P = {probability:.4f}")
    assert (
        0.001 < probability < 0.999
    ), f"{what}: chi^2 = {chi2:.1f} for {dof} degrees of freedom, P = {probability:.2g}"


def check_each(z, names, what, limit=4.5):
    """No deviation beyond `limit` standard errors."""
    z = np.ravel(z)
    worst = int(np.argmax(np.abs(z)))
    print(f"{what}: largest of {len(z)} deviations {z[worst]:+.2f} standard errors ({names[worst]})")
    assert abs(z[worst]) < limit, f"{what}: {names[worst]} is off by {z[worst]:+.2f} standard errors"


def pack_correlation(values, share):
    """Correlation of the values of two realizations of one pack, by the one-way analysis of variance over packs of `share`
    consecutive realizations: rho and its standard error if the realizations are independent, and F with its probability.
    """
    groups = np.asarray(values, dtype=float).reshape(-1, share)
    packs = len(groups)
    between = share * groups.mean(axis=1).var(ddof=1)
    within = groups.var(axis=1, ddof=1).mean()
    F = between / within
    rho = (F - 1) / (F - 1 + share)
    error = np.sqrt(2.0 / (packs - 1)) / share
    return rho, error, F, stats.f.sf(F, packs - 1, packs * (share - 1))
