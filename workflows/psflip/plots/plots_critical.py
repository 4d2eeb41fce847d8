"""Draws the figures of the critical point from critical.json and the curves."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
from psflip.critical.extrapolation import exponent_of, shift_of_exponent, shift_of_T
from psflip.critical.stored import whole_error
from psflip.results.cautions import mark, sizes_behind
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

from psflip.plots.figures import Figure
from psflip.plots.plot_style import COLUMN, ON_TOP, PAGE, empty_figure, labels_on_top, legend_above, readable, style_of
from psflip.results.crossing_curves import CROSSING_CURVES

NEAR = 0.2  # |T / T_c - 1| of the smallest size that a collapse shows
PUBLISHED = {"color": "0.45", "marker": "s", "linestyle": "none", "label": "published"}


def names_in(pairs: list[dict]) -> list[str]:
    return list(dict.fromkeys(pair["quantity"] for pair in pairs))


def draw_pairs(axes, data: Reduced, pairs: list[dict], index: int, name: str, x_of, value: str) -> None:
    """Draws the pairs of one quantity: full symbols for the ratio 2 of sizes, open symbols for 3/2."""
    pairs = [q for q in pairs if q["quantity"] == name and math.isfinite(q[value]) and math.isfinite(q[f"{value}_err"])]
    for ratio, look in ((2.0, {"label": CROSSING_CURVES[name].label}), (1.5, {"markerfacecolor": "white"})):
        there = [q for q in pairs if q["L2"] / q["L1"] == ratio]
        x, y, error = [x_of(q["L1"], ratio) for q in there], [q[value] for q in there], [q[f"{value}_err"] for q in there]
        axes.errorbar(x, y, error, **(style_of(index) | {"linestyle": "none"} | look))
        readable(axes, x, y, [f"L = {q['L1']} and {q['L2']}: {with_error(q[value], q[f'{value}_err'])}{mark(data, (q['L1'], q['L2']))}" for q in there])


def draw_corrections(axes, data: Reduced, critical: dict, pairs: list[dict], number: str, value: str, result: dict | None, shift) -> None:
    """Draws pairs, the quoted fit and its limit against the leading correction. `shift(L, s, order)`: the coefficient of the amplitude of this order."""

    def x_of(L, s: float):
        return shift(L, s, 1) / shift(1.0, 2.0, 1)

    largest = max(x_of(q["L1"], q["L2"] / q["L1"]) for q in pairs)
    L = min(q["L1"] for q in pairs) / np.linspace(0.02, 1, 100)
    fit = max((fit for fit in critical["fits"] if fit["number"] == number), key=lambda fit: fit["weight"], default={"amplitudes": {}})
    for index, name in enumerate(names_in(critical["quotients"])):
        draw_pairs(axes, data, pairs, index, name, x_of, value)
        if name in fit["amplitudes"]:
            y = fit["constant"] + sum(a * shift(L, 2.0, k) for k, a in enumerate(fit["amplitudes"][name], start=1))
            axes.plot(x_of(L, 2.0), y, **style_of(index, "marker"))
    if result:
        axes.errorbar(0, result["value"], whole_error(result), color="black", marker="*", markersize=6, linestyle="none", label="extrapolated", zorder=5)
        if "published" in result:
            axes.errorbar(-0.03 * largest, *result["published"], **PUBLISHED)
    axes.set_xlim(-0.06 * largest, 1.06 * largest)
    axes.margins(y=0.1)


def finish(axes, critical: dict, shift) -> None:
    """Writes the sizes on top, and the legend above them."""
    sizes = {q["L1"] for q in critical["quotients"]}
    labels_on_top(axes, {float(shift(L, 2.0, 1) / shift(1.0, 2.0, 1)): str(L) for L in sizes}, "$L$ of the pair $L$, $2L$")
    legend_above(axes, 2, ON_TOP)


def exponents_figure(data: Reduced, critical: dict, of: Figure):
    pairs = [q for q in critical.get("quotients", []) if math.isfinite(q["nu"])]
    if len({(q["L1"], q["L2"]) for q in pairs}) < 2:
        return empty_figure(of.missing)
    omega, results = critical["omega"]["value"], critical["results"]

    def shift(L, s: float, order: int):
        return shift_of_exponent(L, s, 1.0, exponent_of(order, omega))

    figure, (upper, lower) = plt.subplots(2, figsize=(COLUMN, 4.2), sharex=True)
    pairs = [q | {"inverse_nu": 1 / q["nu"], "inverse_nu_err": q["nu_err"] / q["nu"] ** 2} for q in pairs]
    of_fits = {**critical, "fits": [of_eta(fit) for fit in critical["fits"]]}
    draw_corrections(upper, data, of_fits, pairs, "inverse_nu", "inverse_nu", inverted(results.get("nu")), shift)
    draw_corrections(lower, data, of_fits, pairs, "eta", "eta", results.get("eta"), shift)
    upper.set(ylabel=r"$1/\nu$ of a pair of sizes")
    lower.set(ylabel=r"$\eta$ of a pair of sizes", xlabel=r"$L^{-\omega}$" + rf", $\omega={omega:.3g}$")
    finish(upper, critical, shift)
    return figure


def of_eta(fit: dict) -> dict:
    """Converts a fit of 2 - eta to a fit of eta. Returns other fits as they are."""
    if fit["number"] != "two_minus_eta":
        return fit
    amplitudes = {name: [-a for a in of_name] for name, of_name in fit["amplitudes"].items()}
    return fit | {"number": "eta", "constant": 2 - fit["constant"], "amplitudes": amplitudes}


def inverted(nu: dict | None) -> dict | None:
    """Converts a result of nu to a result of 1/nu."""
    if nu is None:
        return None
    slope = 1 / nu["value"] ** 2
    published = {"published": [1 / nu["published"][0], nu["published"][1] / nu["published"][0] ** 2]} if "published" in nu else {}
    return {"value": 1 / nu["value"], **{key: nu[key] * slope for key in ("error", "range_error", "omega_error")}, **published}


def published_near(data: Reduced, T_c: dict) -> dict:
    """Returns a result without the published value if this value lies too far away to be drawn."""
    return T_c if data.compared else {key: value for key, value in T_c.items() if key != "published"}


def extrapolation_figure(data: Reduced, critical: dict, of: Figure):
    if "T_c" not in critical.get("results", {}):
        return empty_figure(of.missing)
    omega, inverse_nu = critical["omega"]["value"], 1 / critical["results"]["nu"]["value"]

    def shift(L, s: float, order: int):
        return shift_of_T(L, s, inverse_nu, exponent_of(order, omega))

    figure, axes = plt.subplots()
    draw_corrections(axes, data, critical, critical["quotients"], "T_c", "T", published_near(data, critical["results"]["T_c"]), shift)
    axes.set(xlabel=rf"$L^{{-(\omega + 1/\nu)}}$, $\omega + 1/\nu={omega + inverse_nu:.3g}$", ylabel="crossing temperature ($J / k_B$)")
    finish(axes, critical, shift)
    return figure


def band_figure(data: Reduced, critical: dict, of: Figure):
    if not critical.get("band"):
        return empty_figure(of.missing)
    omega, T_c, error = np.array(critical["band"]).T
    figure, axes = plt.subplots()
    axes.plot(omega, T_c, color="black", label="extrapolated")
    axes.fill_between(omega, T_c - error, T_c + error, color="#0072B2", alpha=0.25, linewidth=0, label="statistical error")
    assumed = critical["omega"]
    axes.axvspan(assumed["value"] - assumed["error"], assumed["value"] + assumed["error"], facecolor="0.9", zorder=0, label=r"range of $\omega$")
    if published := published_near(data, critical["results"]["T_c"]).get("published"):
        axes.axhline(published[0], color="0.45", linestyle="--", label="published")
        axes.axhspan(published[0] - published[1], published[0] + published[1], facecolor="0.45", alpha=0.2, linewidth=0)
    readable(axes, omega, T_c, [f"omega = {w:.3g}: T_c = {with_error(T, e)}{mark(data, sizes_behind(critical, 'T_c'))}" for w, T, e in critical["band"]])
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.set(xlabel=r"$\omega$", ylabel="$T_c$ ($J / k_B$)", xlim=(omega.min(), omega.max()))
    legend_above(axes, 2)
    return figure


def collapse_figure(data: Reduced, critical: dict, of: Figure):
    results = critical.get("results", {})
    if not {"T_c", "nu"} <= set(results):
        return empty_figure(of.missing)
    T_c, nu = results["T_c"]["value"], results["nu"]["value"]
    marks = [mark(data, sizes_behind(critical, name)) for name in ("T_c", "nu")]
    reach = NEAR * min(size.L for size in data.sizes) ** (1 / nu)
    xlabel = rf"$(T-T_c)\,L^{{1/\nu}}/T_c$, $T_c={T_c:.5g}${marks[0]}, $\nu={nu:.3g}${marks[1]}"
    return collapsed(data, names_in(critical["quotients"]), lambda L, T: (T - T_c) / T_c * L ** (1 / nu), xlabel, reach)[0]


def collapsed(data: Reduced, names: list[str], x_of, xlabel: str, reach: float = math.inf):
    """Draws a panel of all sizes against x_of(L, T) for each quantity. Returns the figure and its axes."""
    figure, (row,) = plt.subplots(1, len(names), figsize=(PAGE, 2.8), squeeze=False)
    for axes, name in zip(row, names):
        for index, size in enumerate(data.sizes):
            T, value, error = size.curve(name)
            x = x_of(size.L, T)
            there = np.abs(x) <= reach
            axes.errorbar(x[there], value[there], error[there], label=f"$L={size.L}$", **style_of(index) | {"linestyle": "none"})
            readable(axes, x[there], value[there], [f"L = {size.L}, T = {t:.4g}" for t in T[there]])
        axes.set(ylabel=CROSSING_CURVES[name].label, xlabel=xlabel)
        legend_above(axes)
    return figure, row


def zero_temperature_figure(data: Reduced, critical: dict, of: Figure):
    levels = critical.get("levels", [])
    best = next((e for e in levels if e["quoted"]), None)
    if best is None:
        return empty_figure(of.missing)
    nu, names = best["nu"], names_in(levels)
    figure, row = collapsed(data, names, lambda L, T: T * L ** (1 / nu), rf"$L^{{1/\nu}}\,T$ ($J / k_B$), $\nu={nu:.3g}${mark(data, (best['L1'], best['L2']))}")
    for axes, name in zip(row, names):
        for level in {e["level"] for e in levels if e["quantity"] == name}:
            axes.axhline(level, color="0.6", linewidth=0.6, linestyle=":", zorder=0)
    return figure
