"""Coherence lengths of relaxations. Every function takes rows of jackknife samples and chooses cut-offs anew in each of them."""

from __future__ import annotations

import numpy as np

from psflip.critical.jackknife import error

GLASS = (0.5, 1.5)  # a and b of C = A r^-a exp(-(r/xi)^b), the form beyond the cut-off
DOMAINS = (0.0, 2.0)  # of a ferromagnet with domains: T. Ohta, D. Jasnow, K. Kawasaki, Phys. Rev. Lett. 49, 1223 (1982)
NOISE = 3.0  # the cut-off: first r where C4 < NOISE times its error


def cut_off(correlation: np.ndarray, errors: np.ndarray) -> int:
    """How many of C4(1), C4(2), ... are significant."""
    lost = np.flatnonzero(correlation < NOISE * errors)
    return int(lost[0]) if len(lost) else len(correlation)


def tail(correlation: np.ndarray, kept: int, power: int, form: tuple[float, float]) -> float:
    """Integral of r^power C4 from the last kept distance to infinity, of a form fitted to the last kept ones."""
    if kept < 3:
        return 0.0
    a, b = form
    r = np.arange(1, kept + 1, dtype=float)
    used = slice(max(0, kept // 2 - 1), kept)
    slope, intercept = np.polyfit(r[used] ** b, np.log(correlation[:kept][used] * r[used] ** a), 1)
    if slope >= 0.0:
        return 0.0
    x = np.linspace(kept, kept + 12 * (-slope) ** (-1 / b), 600)
    return np.trapezoid(x ** (power - a) * np.exp(intercept + slope * x**b), x)


def integral(correlation: np.ndarray, kept: int, power: int, form: tuple[float, float]) -> float:
    """I_k = int_0^inf r^k C4(r) dr, C4(0) = 1: trapezoids up to the last kept distance, then the tail; up to L/2 alone where all are significant."""
    r = np.arange(0, kept + 1, dtype=float)
    values = r**power * np.concatenate([[1.0], correlation[:kept]])
    return np.trapezoid(values, r) + (tail(correlation, kept, power, form) if kept < len(correlation) else 0.0)


def integral_lengths(rows: np.ndarray, form: tuple[float, float] = GLASS) -> dict[str, np.ndarray]:
    """rows (1 + G, distance) of C4 -> xi_12 = I_2/I_1 and xi_23 = I_3/I_2, (1 + G); NaN with fewer than two significant distances.

    F. Belletti et al. (Janus), J. Stat. Phys. 135, 1121 (2009)."""
    errors = error(rows)
    found = {"xi12": np.full(len(rows), np.nan), "xi23": np.full(len(rows), np.nan)}
    for i, correlation in enumerate(rows):
        kept = cut_off(correlation, errors)
        if kept < 2:
            continue
        one, two, three = (integral(correlation, kept, power, form) for power in (1, 2, 3))
        found["xi12"][i], found["xi23"][i] = two / one, three / two
    return found


def second_moment(q2: np.ndarray, kmin2: np.ndarray, L: int) -> np.ndarray:
    """xi_L = sqrt(chi(0)/chi(k_min) - 1) / (2 sin(pi/L)); NaN where chi(0) < chi(k_min)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.sqrt(q2 / kmin2 - 1) / (2 * np.sin(np.pi / L))


def binder(q2: np.ndarray, q4: np.ndarray) -> np.ndarray:
    """g = (3 - [q^4]/[q^2]^2)/2."""
    return (3 - q4 / q2**2) / 2
