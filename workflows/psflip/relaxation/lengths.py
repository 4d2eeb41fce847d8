"""Coherence lengths of relaxations. Every function takes rows of jackknife samples, (1 + G, ...)."""

from __future__ import annotations

import numpy as np
from scipy.special import gamma, gammaincc, ndtr

from psflip.critical.jackknife import error

GLASS = (0.5, 1.5)  # a and b of C = A r^-a exp(-(r/xi)^b), the form beyond the cut-off
DOMAINS = (0.0, 2.0)  # of a ferromagnet with domains: T. Ohta, D. Jasnow, K. Kawasaki, Phys. Rev. Lett. 49, 1223 (1982)
NOISE = 3.0  # the cut-off: first r where C4 < NOISE times its error
MIN_PROBABILITY = 0.01  # of a cut-off that counts


def cut_off(correlation: np.ndarray, errors: np.ndarray) -> int:
    """How many of C4(1), C4(2), ... are significant."""
    lost = np.flatnonzero(correlation < NOISE * errors)
    return int(lost[0]) if len(lost) else len(correlation)


def cut_off_probabilities(rows: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Returns (1 + G, 1 + distance) from rows (1 + G, distance) of C4: the probability that exactly this number of distances is significant after noise of these errors is added to C4. Means over cut-offs
    change smoothly with C4. Lengths with one cut-off jump, which jackknife errors do not measure."""
    with np.errstate(divide="ignore", invalid="ignore"):
        significant = ndtr(np.nan_to_num(rows / errors, posinf=np.inf, neginf=-np.inf) - NOISE)
    at_least = np.concatenate([np.ones((len(rows), 1)), np.cumprod(significant, axis=1)], axis=1)
    exactly = at_least - np.concatenate([at_least[:, 1:], np.zeros((len(rows), 1))], axis=1)
    return np.where(exactly < MIN_PROBABILITY, 0.0, exactly)


def tails(rows: np.ndarray, kept: int, form: tuple[float, float]) -> np.ndarray:
    """(3, rows): integrals of r^k C4, k = 1, 2, 3, from the last kept distance to infinity, of a form fitted to the last kept ones; 0 where that does not fall."""
    if kept < 3:
        return np.zeros((3, len(rows)))
    a, b = form
    used = np.arange(max(1, kept // 2), kept + 1)
    slope, intercept = np.polyfit(used**b, np.log(rows[:, used - 1] * used**a).T, 1)
    rate = np.where(slope < 0.0, -slope, np.inf)
    order = (np.arange(1, 4)[:, None] + 1 - a) / b
    return np.where(slope < 0.0, np.exp(intercept) / b * rate**-order * gamma(order) * gammaincc(order, rate * kept**b), 0.0)


def integrals(rows: np.ndarray, kept: int, form: tuple[float, float]) -> np.ndarray:
    """(3, rows): I_k = int_0^inf r^k C4(r) dr, k = 1, 2, 3, C4(0) = 1: trapezoids up to the last kept distance, then the tail; up to L/2 alone where all are significant."""
    r = np.arange(0, kept + 1, dtype=float)
    values = np.concatenate([np.ones((len(rows), 1)), rows[:, :kept]], axis=1)
    whole = np.stack([np.trapezoid(r**k * values, r, axis=1) for k in (1, 2, 3)])
    return whole + (tails(rows, kept, form) if kept < rows.shape[1] else 0.0)


def integral_lengths(rows: np.ndarray, form: tuple[float, float] = GLASS) -> dict[str, np.ndarray]:
    """rows (1 + G, distance) of C4 -> xi_12 = I_2/I_1 and xi_23 = I_3/I_2, (1 + G); NaN where fewer than two significant distances are more probable. Integrals are means over the cut-offs.

    F. Belletti et al. (Janus), J. Stat. Phys. 135, 1121 (2009)."""
    probabilities = cut_off_probabilities(rows, error(rows))
    with np.errstate(divide="ignore", invalid="ignore"):
        sums = np.zeros((3, len(rows)))
        for kept in range(2, rows.shape[1] + 1):
            there = probabilities[:, kept] > 0.0
            sums[:, there] += probabilities[there, kept] * integrals(rows[there], kept, form)
        sums[:, probabilities[:, 2:].sum(axis=1) < 0.5] = np.nan
        return {"xi12": sums[1] / sums[0], "xi23": sums[2] / sums[1]}


def second_moment(q2: np.ndarray, kmin2: np.ndarray, L: int) -> np.ndarray:
    """xi_L = sqrt(chi(0)/chi(k_min) - 1) / (2 sin(pi/L)); NaN where chi(0) < chi(k_min) or chi(k_min) is a rounding error, as libcore has it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(np.where(kmin2 > 1e-30 * q2, q2 / kmin2 - 1, np.nan)) / (2 * np.sin(np.pi / L))


def binder(q2: np.ndarray, q4: np.ndarray) -> np.ndarray:
    """g = (3 - [q^4]/[q^2]^2)/2."""
    return (3 - q4 / q2**2) / 2
