"""Numbers of relaxations: means with errors at every time, coherence lengths, and powers of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from psflip.campaign.study import MIN_GROUPS
from psflip.relaxation.data import Relaxation
from psflip.relaxation.fits import PowerLaw, error, power_law, straight_lines
from psflip.relaxation.lengths import DOMAINS, GLASS, NOISE, binder, integral_lengths, second_moment
from psflip.relaxation.scaling import Collapse

WINDOWS = (1.5, 2.0, 3.0, 4.0)  # fits of xi12 begin where it reaches these
DIFFUSIVE_WINDOWS = (2.0, 8.0, 16.0)  # of fits of xi12^2
MAX_PART = 0.15  # of L: fits of xi12 end there
SHARES = (64, 32, 1)  # multispin.share below the default
MEANS = ("energy", "q", "q2", "q4", "link", "chi", "binder", "xi", "xi12", "xi23")
OF_FERROMAGNETS = {"q": "m", "q2": "m2", "q4": "m4", "binder": "binder_m"}


@dataclass
class Curves:
    """Holds the curves of one lattice size: name -> rows (1 + G, time, temperature), NaN for a missing value."""

    data: Relaxation
    rows: dict[str, np.ndarray] = field(repr=False)

    def value(self, name: str) -> np.ndarray:
        return self.rows[name][0]

    def error(self, name: str) -> np.ndarray:
        rows = self.rows[name]
        return error(rows.reshape(len(rows), -1)).reshape(rows.shape[1:])


def lengths_at_all_times(correlation: np.ndarray, form: tuple[float, float]) -> dict[str, np.ndarray]:
    """(1 + G, time, temperature, distance) -> xi12 and xi23, (1 + G, time, temperature)."""
    found = {name: np.full(correlation.shape[:3], np.nan) for name in ("xi12", "xi23")}
    for i in range(correlation.shape[1]):
        for t in range(correlation.shape[2]):
            for name, rows in integral_lengths(correlation[:, i, t], form).items():
                found[name][:, i, t] = rows
    return found


def curves_of(data: Relaxation) -> Curves:
    rows = {name: data.rows[name] for name in ("energy", "q", "q2", "q4", "link", "two_time_overlap", "two_time_link", "correlation") if name in data.rows}
    if "q2" in rows:
        rows["chi"] = data.sites * rows["q2"]
        rows["binder"] = binder(rows["q2"], rows["q4"])
        rows["xi"] = second_moment(rows["q2"], data.rows["kmin2"], data.L)
    if "correlation" in rows:
        rows |= lengths_at_all_times(rows["correlation"], GLASS if "link" in rows else DOMAINS)
    return Curves(data, rows)


def weight_of_lengths(data: Relaxation) -> float:
    """A lattice holds (L / xi)^d domains, so that the relative error of xi grows with xi^(d/2)."""
    return -data.dimension / 2


def windows(data: Relaxation, xi: np.ndarray, begins: tuple[float, ...]) -> Iterator[tuple[float, np.ndarray]]:
    """Yields the length xi (time) at which a window begins, and the times in it at which the temperature equals the temperature of the study."""
    xi = np.nan_to_num(xi)
    for begin in begins:
        yield begin, (xi >= begin) & (xi <= MAX_PART * data.L) & (data.factors == 1.0)


def growth_fits(curves: Curves) -> list[tuple[int, float, PowerLaw]]:
    """Returns (temperature, least xi12, fit) of xi12 = A t^(1/z) in windows of xi12, without fits to the same times as one before."""
    data, found = curves.data, {}
    for t in range(len(data.temperatures) if "xi12" in curves.rows else 0):
        rows = curves.rows["xi12"][:, :, t]
        for least, window in windows(data, rows[0], WINDOWS):
            if fit := power_law(data.times, rows, window, weight_of_lengths(data)):
                found.setdefault((t, fit.t_from, fit.t_to), (t, least, fit))
    return list(found.values())


def with_errors(names: tuple[str, ...], rows: np.ndarray) -> dict[str, float]:
    """Returns the numbers of rows (1 + G, name), then their errors, under names that end in _err."""
    return {name: float(n) for name, n in zip((*names, *(f"{name}_err" for name in names)), [*rows[0], *error(rows)])}


def growth(curves: Curves) -> list[dict]:
    """Returns z at every temperature and window."""
    T, to = curves.data.temperatures, MAX_PART * curves.data.L
    return [
        {"L": curves.data.L, "T": float(T[t]), "xi_from": least, "xi_to": to} | fit.summary() | dict(zip(("z", "z_err"), fit.z)) for t, least, fit in growth_fits(curves)
    ]


def z_against_temperature(curves: Curves) -> list[dict]:
    """Returns z = a + b / T through all temperatures of a window of xi12, and their mean z T, which hardly changes below T_c of a glass. With two temperatures it is no fit, but a line."""
    found, T = [], curves.data.temperatures
    fits = growth_fits(curves)
    for least in WINDOWS:
        chosen = [(t, fit) for t, xi, fit in fits if xi == least]
        if len(chosen) < 2:
            continue
        z = np.stack([1 / fit.samples for _, fit in chosen], axis=1)  # (1 + G, temperature)
        x, weights = 1 / T[[t for t, _ in chosen]], 1 / error(z)
        design = np.stack([np.ones_like(x), x], axis=1) * weights[:, None]
        line = np.linalg.lstsq(design, (z * weights).T, rcond=None)[0].T
        product = ((z / x) * (weights * x) ** 2).sum(axis=1) / ((weights * x) ** 2).sum()
        rest = (z[0] - line[0] @ [np.ones_like(x), x]) * weights
        about = {"L": curves.data.L, "xi_from": least, "temperatures": [float(T[t]) for t, _ in chosen], "chi2_diagonal": float(rest @ rest)}
        found.append(about | with_errors(("a", "b", "zT"), np.column_stack([line, product])))
    return found


def decay(curves: Curves) -> list[dict]:
    """Returns C(0, t) = A t^(-lambda/z), if the start is a waiting time, and lambda with z of the same times. The fit takes times of the last decade and a half at which C is above
    noise and xi12 at most MAX_PART of L."""
    data = curves.data
    if "two_time_overlap" not in curves.rows or data.waiting[0] != 0:
        return []
    found = []
    for t, temperature in enumerate(data.temperatures):
        correlation = curves.rows["two_time_overlap"][:, :, t, 0]
        window = (data.times >= data.times[-1] / 30) & (data.factors == 1.0) & (correlation[0] > NOISE * error(correlation))
        if "xi12" in curves.rows:
            window &= np.nan_to_num(curves.rows["xi12"][0, :, t]) <= MAX_PART * data.L
        fit = power_law(data.times, correlation, window, 1.0)  # the error of C hardly changes
        if fit is None:
            continue
        of_lambda = {}
        if "xi12" in curves.rows and (length := power_law(data.times, curves.rows["xi12"][:, :, t], window, weight_of_lengths(data))) is not None:
            of_lambda = with_errors(("lambda",), (-fit.samples / length.samples)[:, None])
        found.append({"L": data.L, "T": float(temperature)} | fit.summary() | of_lambda)
    return found


def diffusive(curves: Curves) -> list[dict]:
    """Returns xi12^2 = a + b t in windows of xi12, without windows with the same times as one before. Large domains of a ferromagnet without conservation grow so."""
    data, found = curves.data, {}
    for t, temperature in enumerate(data.temperatures):
        rows = curves.rows["xi12"][:, :, t] ** 2
        errors, usable = error(rows), np.isfinite(rows).all(axis=0)
        for least, window in windows(data, np.sqrt(np.nan_to_num(rows[0])), DIFFUSIVE_WINDOWS):
            used = window & usable & (errors > 0)
            if used.sum() < 3 or (key := (t, int(data.times[used][0]), int(data.times[used][-1]))) in found:
                continue
            fits = straight_lines(data.times[used], rows[:, used], rows[:, used] ** (weight_of_lengths(data) / 2 - 1))
            rest = (fits[0] @ [np.ones(used.sum()), data.times[used]] - rows[0, used]) / errors[used]
            about = {"L": data.L, "T": float(temperature), "xi_from": least} | with_errors(("a", "b"), fits)
            found[key] = about | {"chi2_diagonal": float(rest @ rest), "points": int(used.sum()), "t_from": key[1], "t_to": key[2]}
    return list(found.values())


def text(number: float) -> str:
    return "" if np.isnan(number) else f"{number:.9g}"


def table(all_curves: list[Curves]) -> list[list]:
    """Returns head and rows of relaxation.csv, a row for each size, temperature and time. Ferromagnets have the magnetisation instead of the overlap."""
    magnetic = not any("link" in curves.rows for curves in all_curves)
    named = {name: OF_FERROMAGNETS.get(name, name) if magnetic else name for name in MEANS if not (magnetic and name == "link")}
    lines: list[list] = [["L", "T", "t", "factor", "realizations", *(column for name in named.values() for column in (name, f"{name}_err"))]]
    for curves in all_curves:
        data = curves.data
        there = [(curves.value(name), curves.error(name)) if name in curves.rows else None for name in named]
        for t, temperature in enumerate(data.temperatures):
            for i, time in enumerate(data.times):
                numbers = [number for pair in there for number in ((pair[0][i, t], pair[1][i, t]) if pair else (np.nan, np.nan))]
                lines.append([data.L, f"{temperature:g}", int(time), f"{data.factors[i]:g}", data.realizations, *map(text, numbers)])
    return lines


def two_time_table(all_curves: list[Curves]) -> list[list]:
    """Returns head and rows of two_time.csv: C(t_w, t_w + t) and the correlation of bonds between the two times, for each size, temperature, t_w and t."""
    lines: list[list] = [["L", "T", "t_w", "t", "factor", "realizations", "C", "C_err", "link", "link_err"]]
    for curves in all_curves:
        data = curves.data
        there = [(curves.value(name), curves.error(name)) for name in ("two_time_overlap", "two_time_link") if name in curves.rows]
        for t, temperature in enumerate(data.temperatures):
            for w, waiting in enumerate(data.waiting):
                for i in np.flatnonzero(data.times > waiting):
                    numbers = [number[i, t, w] for pair in there for number in pair]
                    lines.append([data.L, f"{temperature:g}", int(waiting), int(data.times[i] - waiting), f"{data.factors[i]:g}", data.realizations, *map(text, numbers)])
    return lines


def refused(data: Relaxation) -> str:
    """Why a size has no exponents, and what to do about it; plain text. Empty if the size has enough jackknife groups."""
    if data.groups >= MIN_GROUPS:
        return ""
    sharing = f", as {data.share} realizations share random numbers" if data.share > 1 else ""
    smaller = next((share for share in SHARES if share < data.share and data.realizations >= MIN_GROUPS * share), None)
    or_else = f", or start another study with multispin.share: {smaller}" if smaller else ""
    return (
        f"L = {data.L} has no exponents: {data.realizations} realizations make {data.groups} jackknife groups{sharing}, and errors of exponents need {MIN_GROUPS}. "
        f"Raise disorder.realizations to {MIN_GROUPS * data.share} or more{or_else}."
    )


def with_exponents(all_curves: list[Curves]) -> list[Curves]:
    """The sizes with enough jackknife groups."""
    return [c for c in all_curves if not refused(c.data)]


def summary(all_curves: list[Curves], collapsed: Collapse | None) -> dict:
    """All fits, as relaxation.json has them."""
    of_fits = with_exponents(all_curves)
    ferromagnet = all("link" not in c.rows and "xi12" in c.rows for c in all_curves)
    return {
        "kind": "relaxation",
        "sizes": [{"L": c.data.L, "realizations": c.data.realizations, "groups": c.data.groups, "times": len(c.data.times)} for c in all_curves],
        "refused": [text for c in all_curves if (text := refused(c.data))],
        "growth": [row for c in of_fits for row in growth(c)],
        "diffusive": [row for c in of_fits for row in diffusive(c)] if ferromagnet else [],
        "decay": [row for c in of_fits for row in decay(c)],
        "z_against_temperature": [row for c in of_fits for row in z_against_temperature(c)],
        "collapse": collapsed.summary() if collapsed else None,
    }
