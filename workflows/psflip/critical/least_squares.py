"""Makes generalised least squares with a covariance that is an estimate from jackknife samples, and weights of fits to parts of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc

from psflip.critical.jackknife import covariance

MIN_P = 0.05  # smallest p of an acceptable fit
SINGULAR = 1e-12  # eigenvalues of the correlation matrix below this part of the largest eigenvalue are rounding noise


@dataclass(frozen=True)
class Fit:
    """Holds a fit to all realizations and to every sample, with one covariance: `parameters` (1 + G, k), `chi2` (1 + G). The deviations of the samples of the parameters
    are multiplied by sqrt(inflation), because the covariance is an estimate from G samples."""

    parameters: np.ndarray
    chi2: np.ndarray
    dof: int
    groups: int
    prior_errors: np.ndarray | None = None  # (k) the errors of the parameters that priors add to the error from the samples

    @property
    def p(self) -> float:
        """Returns the probability of a larger chi2."""
        return hotelling_p(float(self.chi2[0]), self.dof, self.groups)

    @property
    def log_weight(self) -> np.ndarray:
        """Returns, for every sample (1 + G), the logarithm of the Akaike weight exp(dof - chi2' / 2) of a fit to a part of the data (Jay and Neil, arXiv:2008.01069).
        For the covariance of G samples, chi2' = chi2 (G - dof) / (G - 1)."""
        return self.dof - 0.5 * self.chi2 * (self.groups - self.dof) / (self.groups - 1)


def hotelling_p(chi2: float, dof: int, groups: int) -> float:
    """Returns the probability of a larger chi2, which is Hotelling's T^2 of dof directions with a covariance from `groups` samples; NaN for an interpolation."""
    if dof < 1 or groups <= dof:
        return np.nan
    return float(fdtrc(dof, groups - dof, chi2 * (groups - dof) / (dof * (groups - 1))))


def inflation(dof: int, groups: int) -> float:
    """Returns the true variance of the parameters over the variance of the jackknife with a fixed covariance. The covariance has nu = G - 1 degrees
    of freedom. The jackknife variance is low by (nu - dof) / nu, and the noise of the covariance adds dof / (nu - dof - 1) of the variance."""
    nu = groups - 1
    return nu * (nu - 1) / ((nu - dof) * (nu - dof - 1))


def whitening(matrix: np.ndarray) -> np.ndarray:
    """Returns W (modes, n) with W C W^T = 1. If C is singular within the precision of numbers, W leaves out the modes without variance. A fit then loses one degree of
    freedom for each of these modes."""
    scale = np.sqrt(np.diag(matrix))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    there = values > SINGULAR * values[-1]
    return (vectors[:, there] / np.sqrt(values[there])).T / scale


def possible(points: int, parameters: int, groups: int) -> bool:
    """Returns whether the covariance of the data is known well enough for a fit: data exceed the parameters by at most a tenth of the groups."""
    return parameters <= points <= parameters + groups // 10 and points + 2 < groups


def fit(design: np.ndarray, rows: np.ndarray, prior: np.ndarray | None = None) -> Fit | None:
    """Fits data rows (1 + G, n) to design @ parameters; design is (n, k), or (1 + G, n, k) if it depends on the row. `prior`: standard deviations (k) of normal priors
    around 0, infinite without a prior. Priors count as data: their deviations are terms of chi^2.
    Returns None if the covariance has fewer modes than there are parameters without prior."""
    groups, white = len(rows) - 1, whitening(covariance(rows))
    penalty = np.diag(1 / prior)[np.isfinite(prior)] if prior is not None else np.zeros((0, design.shape[-1]))
    dof = len(white) + len(penalty) - design.shape[-1]
    if dof < 0:
        return None
    X = white @ (design if design.ndim == 3 else design[None])  # (1 or 1 + G, mode, parameter)
    X = np.concatenate([X, np.broadcast_to(penalty, (len(X), *penalty.shape))], axis=1)
    y = np.pad(rows @ white.T, ((0, 0), (0, len(penalty))))[..., None]
    Q, R = np.linalg.qr(X)
    found = np.linalg.solve(R, Q.swapaxes(1, 2) @ y)
    chi2 = ((y - X @ found) ** 2).sum(axis=(1, 2)) if dof else np.zeros(len(rows))
    of_priors = np.linalg.norm(np.linalg.solve(R[0], Q[0, len(white) :].T), axis=1)
    return Fit(spread(found[..., 0], inflation(dof, groups)), chi2, dof, groups, of_priors)


def spread(rows: np.ndarray, factor: float) -> np.ndarray:
    """Multiplies the variance of the samples by `factor`, around the same mean."""
    mean = rows[1:].mean(axis=0)
    return np.concatenate([rows[:1], mean + (rows[1:] - mean) * np.sqrt(factor)])


def weights_of(fits: list[Fit]) -> np.ndarray:
    """Returns weights (fit, 1 + G) whose sum over fits is 1."""
    logs = np.array([f.log_weight for f in fits])
    found = np.exp(logs - logs.max(axis=0))
    return found / found.sum(axis=0)
