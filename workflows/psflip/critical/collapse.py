"""Scaling collapse, beside crossings and quotients as another way to the same numbers: all curves R(T, L) at once as

    R = (b_0 + b_1 x + b_2 x^2) L^-omega + d L^(-2 omega) + c x^2 L^(-1/nu) + a_0 + a_1 x + a_2 x^2 + ...,    x = (T - T_c) / T_c L^(1/nu),

where c makes the scaling field that of any smooth function of T, and at this T_c and nu ln chi as (2 - eta) ln L and the same terms, but for c x L^(-1/nu). Without
L^(-2 omega) the three-dimensional ferromagnet of L = 6 to 24 has chi^2 as expected and an eta that is off by four errors. Fits to the data with |x| below different bounds
and L >= L_min are averaged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from psflip.results.reduced import Reduced, Size
from scipy.optimize import least_squares

from psflip.critical.curves import usable
from psflip.critical.jackknife import error, rows_of
from psflip.critical.least_squares import Averaged, Fit, average, block_whitening, fit, inflation, spread
from psflip.critical.quotients import SQUARES, SUSCEPTIBILITY

DEGREES = (3, 5)  # in x
BESIDE_POWERS = 7  # parameters: T_c, 1/nu, b_0, b_1, b_2, d, c
CHANGES = (0.05, 0.1, 0.2, 0.4)  # of the steepest R over the window, in units of its value at the crossing
LEAST_SIZES = 4  # that two corrections need
STEPS = 10  # of Gauss and Newton, for a sample that starts at the solution of all realizations
LARGEST_ERROR = 0.3  # of T_c and 1/nu, relative: of a fit that does not determine them nothing is left
CONVERGED = 1e-4  # last step, in errors of the parameters


@dataclass(frozen=True)
class Start:
    """Where the search begins: T_c, 1/nu, and the largest |dR/dx| / R of all R."""

    T_c: float
    inverse_nu: float
    steepness: float


@dataclass
class Points:
    """The data of a window: of each point its temperature and size, rows (1 + G, point) and their whitening."""

    T: np.ndarray
    L: np.ndarray
    rows: np.ndarray
    white: np.ndarray
    largest_block: int

    @property
    def groups(self) -> int:
        return len(self.rows) - 1


@dataclass
class Collapsed:
    """One R. The fit of the largest weight is that to sizes from `L_min` and |x| <= `width`, with `coefficients` T_c, 1/nu, b_0, b_1, b_2, d, c, a_0, a_1, ..."""

    quantity: str
    numbers: dict[str, Averaged]  # T_c, inverse_nu and, where there is a susceptibility, two_minus_eta
    L_min: int
    width: float
    coefficients: np.ndarray
    chi2: float
    dof: int
    p: float


def scaled(T: np.ndarray, L: np.ndarray, T_c: np.ndarray, inverse_nu: np.ndarray) -> np.ndarray:
    """x of each row (rows, point)."""
    T_c, inverse_nu = np.atleast_1d(T_c)[:, None], np.atleast_1d(inverse_nu)[:, None]
    return (T - T_c) / T_c * L**inverse_nu


def terms(x: np.ndarray, L: np.ndarray, omega: float, inverse_nu: np.ndarray, degree: int, power: int = 2) -> np.ndarray:
    """What b_0, b_1, b_2, d, c, a_0, a_1, ... multiply (rows, point, coefficient); `power`: of x beside c."""
    first = L**-omega
    columns = [np.broadcast_to(first, x.shape), x * first, x**2 * first, np.broadcast_to(first**2, x.shape), x**power * L ** -np.atleast_1d(inverse_nu)[:, None], np.ones_like(x)]
    for _ in range(degree):
        columns.append(columns[-1] * x)
    return np.stack(columns, axis=-1)


def model(parameters: np.ndarray, points: Points, omega: float) -> np.ndarray:
    """R (rows, point) of parameters (rows, T_c, 1/nu and coefficients)."""
    x = scaled(points.T, points.L, parameters[:, 0], parameters[:, 1])
    degree = parameters.shape[1] - BESIDE_POWERS - 1
    return (terms(x, points.L, omega, parameters[:, 1], degree) @ parameters[:, 2:, None])[..., 0]


def window(sizes: list[Size], name: str, start: Start, width: float) -> Points | None:
    """The temperatures with |x| <= width of each size, the nearest to x = 0 where they are more than a tenth of the jackknife groups; None with fewer sizes than
    corrections need."""
    T, L, blocks = [], [], []
    for size in sizes:
        rows = rows_of(size, name)
        there = usable(rows)
        x = np.abs(scaled(size.temperatures, np.array(float(size.L)), start.T_c, start.inverse_nu)[0])
        order = [i for i in np.argsort(x) if there[i] and x[i] <= width][: (len(rows) - 1) // 10]
        if len(order) > 1:
            order.sort()
            T, L, blocks = [*T, size.temperatures[order]], [*L, np.full(len(order), float(size.L))], [*blocks, rows[:, order]]
    if len(blocks) < LEAST_SIZES:
        return None
    return Points(np.concatenate(T), np.concatenate(L), np.hstack(blocks), block_whitening(blocks), max(block.shape[1] for block in blocks))


def jacobian(parameters: np.ndarray, points: Points, omega: float) -> np.ndarray:
    """Of the model at one set of parameters (point, parameter), by differences."""
    steps = np.diag(1e-6 * np.maximum(np.abs(parameters), 1e-3))
    return ((model(parameters + steps, points, omega) - model(parameters - steps, points, omega)) / (2 * np.diag(steps)[:, None])).T


def fit_collapse(points: Points, start: Start, omega: float, degree: int) -> Fit | None:
    """None where the search ends nowhere, or that of a sample elsewhere than at a small distance. The samples follow by steps with the derivatives of the solution of all realizations."""
    white, y = points.white, points.rows @ points.white.T
    first = terms(scaled(points.T, points.L, start.T_c, start.inverse_nu), points.L, omega, start.inverse_nu, degree)[0]
    dof = len(white) - first.shape[1] - 2
    if dof < 1:
        return None
    begin = np.concatenate([[start.T_c, start.inverse_nu], np.linalg.lstsq(white @ first, y[0], rcond=None)[0]])
    found = least_squares(lambda p: white @ model(p[None], points, omega)[0] - y[0], begin, lambda p: white @ jacobian(p, points, omega), x_scale="jac")
    if not found.success or not found.x[0] > 0 or not found.x[1] > 0:
        return None
    inverse = np.linalg.pinv(white @ jacobian(found.x, points, omega))
    rows = np.tile(found.x, (len(y), 1))
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            step = (y - model(rows, points, omega) @ white.T) @ inverse.T
            rows = rows + step
            if (np.abs(step) <= CONVERGED * error(rows)).all():
                break
        else:
            return None
        if not np.isfinite(rows).all() or not (error(rows[:, :2]) < LARGEST_ERROR * found.x[:2]).all():
            return None
    chi2 = ((y - model(rows, points, omega) @ white.T) ** 2).sum(axis=1)
    return Fit(spread(rows, inflation(points.largest_block, points.groups)), chi2, dof, points.groups, blocks=True)


def two_minus_eta_of(sizes: list[Size], quantity: str, start: Start, width: float, collapsed: Fit, omega: float) -> Fit | None:
    """Fit of ln chi with 2 - eta as its first parameter, at T_c and 1/nu of each row of a collapse and with as many powers of x."""
    name = SUSCEPTIBILITY[quantity]
    if not all((size.get(name) > 0).any() for size in sizes) or (points := window(sizes, name, start, width)) is None or not (points.rows > 0).all():
        return None
    rows = np.log(points.rows) + (sizes[0].dimension * np.log(points.L) if name in SQUARES else 0)
    T_c, inverse_nu = collapsed.parameters[:, :2].T
    degree = collapsed.parameters.shape[1] - BESIDE_POWERS - 1
    x = scaled(points.T, points.L, T_c, inverse_nu)
    of_size = np.broadcast_to(np.log(points.L)[:, None], (*x.shape, 1))
    design = np.concatenate([of_size, terms(x, points.L, omega, inverse_nu, degree, 1)], axis=-1)
    return fit(design, rows, block_whitening([rows[:, points.L == L] for L in np.unique(points.L)]), points.largest_block)


@dataclass(frozen=True)
class Try:
    """One choice of data and degree, with its fits."""

    L_min: int
    width: float
    degree: int
    ratio: Fit
    chi: Fit | None

    @property
    def both(self) -> Fit:
        """What weighs an eta: whether T_c and nu describe R, and it chi."""
        return Fit(self.chi.parameters, self.ratio.chi2 + self.chi.chi2, self.ratio.dof + self.chi.dof, self.chi.groups, blocks=True)


def tries(data: Reduced, quantity: str, start: Start, omega: float) -> list[Try]:
    found = []
    for L_min in [size.L for size in data.sizes][: len(data.sizes) - LEAST_SIZES + 1]:
        sizes = [size for size in data.sizes if size.L >= L_min]
        for width in (change / start.steepness for change in CHANGES):
            points = window(sizes, quantity, start, width)
            for degree in DEGREES if points else ():
                if ratio := fit_collapse(points, start, omega, degree):
                    found.append(Try(L_min, width, degree, ratio, two_minus_eta_of(sizes, quantity, start, width, ratio, omega)))
    return found


def averaged(found: list[Try], weighing: list[Fit], numbers: list[np.ndarray]) -> Averaged:
    """The error of the choice of sizes has, beside the scatter, half of the change when the smallest size of the best fit is left out: a collapse of many precise data may have a good
    chi^2 and still be off by the corrections that its smallest size has."""
    one = average(weighing, numbers)
    best = found[one.best]
    others = [i for i, t in enumerate(found) if (t.width, t.degree) == (best.width, best.degree) and t.L_min > best.L_min]
    change = 0.5 * float(numbers[min(others, key=lambda i: found[i].L_min)][0] - numbers[one.best][0]) if others else 0.0
    return replace(one, range_error=float(np.hypot(one.range_error, change)))


def collapse(data: Reduced, quantity: str, start: Start, omega: float) -> Collapsed | None:
    """None where there are fewer than four sizes with enough temperatures near the crossing."""
    found = tries(data, quantity, start, omega)
    if not found:
        return None
    numbers = {name: averaged(found, [t.ratio for t in found], [t.ratio.parameters[:, k] for t in found]) for k, name in enumerate(("T_c", "inverse_nu"))}
    if with_eta := [t for t in found if t.chi]:
        numbers["two_minus_eta"] = averaged(with_eta, [t.both for t in with_eta], [t.chi.parameters[:, 0] for t in with_eta])
    best = found[numbers["T_c"].best]
    return Collapsed(quantity, numbers, best.L_min, best.width, best.ratio.parameters[0], float(best.ratio.chi2[0]), best.ratio.dof, best.ratio.p)
