"""Critical temperature and nu from relaxations that need not come to equilibrium (M. Lulli, G. Parisi, A. Pelissetto, arXiv:1509.07814): at every time the Binder ratio is a
function of x = xi_L(t)/L and of D = (T - T_c) L^(1/nu) alone, up to corrections of small sizes and early times, so that at T_c all sizes fall on one curve. Fitted is

    g = F(x) + D G(x) + D^2 H(x)

with polynomials of x, to all sizes, temperatures and times in a window of x."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from psflip.critical.jackknife import student_factor

DEGREES = (6, 3, 1)  # of F, G and H
WINDOW = (0.4, 1.0)  # of x: earlier times have corrections, with which chi^2 of the two-dimensional ferromagnet exceeds the number of points
MAX_ERROR = 0.05  # of g
GRID = (np.linspace(0.0, 1.0, 13), (0.25, 0.5, 1.0, 1.5))  # where the search begins: T_c from the lowest to the highest temperature, 1/nu
BOUNDS = (0.05, 5.0)  # of 1/nu; T_c at most the range of the temperatures outside of it
DETERMINED = 0.5  # largest relative error of nu in a result
ROUNDS = 3  # of weights, which need the slope of F


@dataclass
class Points:
    """Of every size, temperature and time in the window; x and g (1 + G, point) for the jackknife samples, in `blocks` that are left out one after the other."""

    L: np.ndarray
    T: np.ndarray
    x: np.ndarray
    g: np.ndarray
    blocks: list[slice]  # rows of samples of one leave-one-out each

    def error(self, rows: np.ndarray) -> np.ndarray:
        """Standard error of each column of rows (1 + G, n), with Student's factor. Blocks are independent."""
        variance = np.zeros(rows.shape[1])
        for block in self.blocks:
            samples = rows[block]
            factor = student_factor(len(samples)) ** 2 * (len(samples) - 1) / len(samples)
            variance += factor * ((samples - samples.mean(axis=0)) ** 2).sum(axis=0)
        return np.sqrt(variance)


@dataclass
class Collapse:
    """Holds T_c and 1/nu with errors, from a fit to `points`. chi^2 contains only the errors of single points."""

    T_c: float
    T_c_error: float
    inverse_nu: float
    inverse_nu_error: float
    coefficients: np.ndarray  # of F, G and H, in x
    chi2_diagonal: float
    points: Points

    @property
    def nu(self) -> float:
        return 1 / self.inverse_nu

    @property
    def nu_error(self) -> float:
        return self.inverse_nu_error / self.inverse_nu**2

    def summary(self) -> dict:
        """As relaxation.json has it."""
        return {
            "T_c": self.T_c,
            "T_c_err": self.T_c_error,
            "nu": self.nu,
            "nu_err": self.nu_error,
            "chi2_diagonal": self.chi2_diagonal,
            "points": len(self.points.T),
            "sizes": sorted({int(L) for L in self.points.L}),
            "x_from": WINDOW[0],
            "x_to": WINDOW[1],
        }

    def shifted(self) -> np.ndarray:
        """g at T_c: without what the fit says that D adds."""
        free = DEGREES[0] + 1
        return self.points.g[0] - design(self.points, 0, self.T_c, self.inverse_nu)[:, free:] @ self.coefficients[free:]

    def master(self, x: np.ndarray) -> np.ndarray:
        """F(x)."""
        return np.polynomial.polynomial.polyval(x, self.coefficients[: DEGREES[0] + 1])


def together(sizes: list[np.ndarray], same: bool) -> tuple[np.ndarray, list[slice]]:
    """Rows (1 + G, n) of every size side by side. same: the groups are of the same realizations, which are left out of all sizes at once; else the sizes are independent, and
    groups are left out of one of them while the others are whole."""
    if same:
        return np.hstack(sizes), [slice(1, len(sizes[0]))]
    rows, blocks = [np.hstack([size[:1] for size in sizes])], []
    for i, size in enumerate(sizes):
        begin = sum(map(len, rows))
        rows.append(np.hstack([size[1:] if i == j else np.tile(other[:1], (len(size) - 1, 1)) for j, other in enumerate(sizes)]))
        blocks.append(slice(begin, begin + len(size) - 1))
    return np.vstack(rows), blocks


def points_of(all_curves: list, window: tuple[float, float] = WINDOW) -> Points | None:
    """Returns the points of a collapse; None with fewer than two sizes or temperatures, or if temperatures changed."""
    found, there = [], [c for c in all_curves if "xi" in c.rows and np.all(c.data.factors == 1.0)]
    for curves in there:
        x, g = curves.rows["xi"] / curves.data.L, curves.rows["binder"]
        with np.errstate(invalid="ignore"):
            used = np.isfinite(x).all(axis=0) & (x[0] >= window[0]) & (x[0] <= window[1]) & (curves.error("binder") > 0) & (curves.error("binder") < MAX_ERROR)
        T = np.broadcast_to(curves.data.temperatures, used.shape)[used]
        found.append((np.full(len(T), float(curves.data.L)), T, x[:, used], g[:, used]))
    if len(found) < 2 or any(len(np.unique(T)) < 2 for _, T, _, _ in found):
        return None
    same = len({(c.data.realizations, c.data.groups) for c in there}) == 1
    (x, blocks), (g, _) = (together([one[i] for one in found], same) for i in (2, 3))
    return Points(np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found]), x, g, blocks)


def design(points: Points, row: int, T_c: float, inverse_nu: float) -> np.ndarray:
    """(point, coefficient)."""
    D, x = (points.T - T_c) * points.L**inverse_nu, points.x[row]
    return np.stack([D**power * x**k for power, degree in enumerate(DEGREES) for k in range(degree + 1)], axis=1)


def linear(points: Points, row: int, place: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients at T_c and 1/nu, and the weighted rests."""
    X = design(points, row, *place) * weights[:, None]
    scale = np.sqrt((X**2).sum(axis=0))
    coefficients = np.linalg.lstsq(X / scale, points.g[row] * weights, rcond=1e-12)[0] / scale
    return coefficients, X @ coefficients - points.g[row] * weights


def search(points: Points, row: int, weights: np.ndarray, begin: np.ndarray) -> np.ndarray:
    """T_c and 1/nu of the least sum of squares near `begin`."""
    low, high = points.T.min(), points.T.max()
    bounds = ([2 * low - high, BOUNDS[0]], [2 * high - low, BOUNDS[1]])
    return least_squares(lambda place: linear(points, row, place, weights)[1], np.clip(begin, *bounds), x_scale=(0.1, 1.0), bounds=bounds).x


def best_start(points: Points, weights: np.ndarray) -> np.ndarray:
    low, high = points.T.min(), points.T.max()
    places = [np.array([low + part * (high - low), inverse_nu]) for part in GRID[0] for inverse_nu in GRID[1]]
    return min(places, key=lambda place: (linear(points, 0, place, weights)[1] ** 2).sum())


def weights_of(points: Points, coefficients: np.ndarray) -> np.ndarray:
    """1 / error of g - F'(x) x: x has an error, too."""
    free = DEGREES[0] + 1
    slope = np.polynomial.polynomial.polyval(points.x[0], np.polynomial.polynomial.polyder(coefficients[:free]))
    return 1 / points.error(points.g - slope * points.x)


def collapse(points: Points | None) -> Collapse | None:
    """None without points enough, if T_c is not between the temperatures, or if they determine neither T_c nor nu."""
    if points is None or len(points.T) < 2 * (sum(DEGREES) + len(DEGREES) + 2):
        return None
    weights = 1 / points.error(points.g)
    place = best_start(points, weights)
    for _ in range(ROUNDS):
        place = search(points, 0, weights, place)
        weights = weights_of(points, linear(points, 0, place, weights)[0])
    rows = np.array([search(points, row, weights, place) for row in range(len(points.g))])
    errors = points.error(rows)
    inside = 1.01 * BOUNDS[0] < rows[0, 1] < 0.99 * BOUNDS[1] and points.T.min() <= rows[0, 0] <= points.T.max()
    if not (inside and errors[0] < points.T.max() - points.T.min() and errors[1] < DETERMINED * rows[0, 1]):
        return None
    coefficients, rest = linear(points, 0, rows[0], weights)
    return Collapse(*(float(n) for n in (rows[0, 0], errors[0], rows[0, 1], errors[1])), coefficients, float(rest @ rest), points)
