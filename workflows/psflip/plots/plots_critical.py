"""The figures of the critical point, from critical.json and the curves."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
from psflip.critical.extrapolation import exponent_of, shift_of_exponent, shift_of_T
from psflip.results.cautions import mark, sizes_behind
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced

from psflip.plots.figures import Figure
from psflip.plots.plot_style import COLUMN, ON_TOP, PAGE, empty, labels_on_top, legend_above, readable, style_of
from psflip.results.crossing_curves import CROSSING_CURVES

NEAR = 0.2  # |T / T_c - 1| of the smallest size that a collapse shows
PUBLISHED = {"color": "0.45", "marker": "s", "linestyle": "none", "label": "published"}


def whole_error(result: dict) -> float:
    return math.hypot(result["error"], np.nan_to_num(result["range_error"]), np.nan_to_num(result["omega_error"]))


def missing(of: Figure):
    figure, axes = plt.subplots()
    empty(axes, of.missing)
    return figure


def names_in(critical: dict) -> list[str]:
    return list(dict.fromkeys(q["quantity"] for q in critical.get("quotients", [])))


def draw_pairs(axes, data: Reduced, critical: dict, index: int, name: str, x_of, value: str) -> None:
    """Of one quantity; full symbols for the ratio 2 of sizes."""
    style = style_of(index) | {"linestyle": "none"}
    pairs = [q for q in critical["quotients"] if q["quantity"] == name and math.isfinite(q[value]) and math.isfinite(q[f"{value}_err"])]
    for ratio in (2.0, 1.5):
        there = [q for q in pairs if q["L2"] / q["L1"] == ratio]
        x, y, error = [x_of(q["L1"], ratio) for q in there], [q[value] for q in there], [q[f"{value}_err"] for q in there]
        look = style | ({} if ratio == 2 else {"markerfacecolor": "white"})
        axes.errorbar(x, y, error, label=CROSSING_CURVES[name].label if ratio == 2 else None, **look)
        readable(axes, x, y, [f"L = {q['L1']} and {q['L2']}: {with_error(q[value], q[f'{value}_err'])}{mark(data, (q['L1'], q['L2']))}" for q in there])


def best_fit(critical: dict, number: str) -> dict | None:
    return max((fit for fit in critical["fits"] if fit["number"] == number), key=lambda fit: fit["weight"], default=None)


def draw_lines(axes, critical: dict, number: str, shift, x_of) -> None:
    """The fit that is quoted, from infinite L to the smallest; `shift` (L, k): coefficient of the amplitude of order k."""
    fit = best_fit(critical, number)
    if fit is None:
        return
    L = min(q["L1"] for q in critical["quotients"]) / np.linspace(0.02, 1, 100)
    for index, name in enumerate(names_in(critical)):
        if name in fit["amplitudes"]:
            y = fit["constant"] + sum(a * shift(L, k) for k, a in enumerate(fit["amplitudes"][name], start=1))
            axes.plot(x_of(L, 2.0), y, color=style_of(index)["color"], linestyle=style_of(index)["linestyle"])


def draw_limit(axes, result: dict | None, largest: float) -> None:
    """The result and what is published, beside each other at 0."""
    if result is None:
        return
    axes.errorbar(0, result["value"], whole_error(result), color="black", marker="*", markersize=6, linestyle="none", label="extrapolated", zorder=5)
    if "published" in result:
        axes.errorbar(-0.03 * largest, *result["published"], **PUBLISHED)


def sizes_on_top(axes, critical: dict, x_of) -> None:
    labels_on_top(axes, {float(x_of(L, 2.0)): str(L) for L in {q["L1"] for q in critical["quotients"]}}, "$L$ of the pair $L$, $2L$")


def exponents_figure(data: Reduced, critical: dict, of: Figure):
    pairs = [q for q in critical.get("quotients", []) if math.isfinite(q["nu"])]
    if len({(q["L1"], q["L2"]) for q in pairs}) < 2:
        return missing(of)
    omega = critical["omega"]["value"]

    def shift(L, k: int):
        return shift_of_exponent(L, 2.0, 1.0, exponent_of(k, omega))

    def x_of(L, s: float):
        return shift_of_exponent(L, s, 1.0, omega) / shift(1.0, 1)

    largest = max(x_of(q["L1"], q["L2"] / q["L1"]) for q in pairs)
    figure, (upper, lower) = plt.subplots(2, figsize=(COLUMN, 4.2), sharex=True)
    shown = {**critical, "quotients": [q | {"inverse_nu": 1 / q["nu"], "inverse_nu_err": q["nu_err"] / q["nu"] ** 2} for q in pairs], "fits": [of_eta(fit) for fit in critical["fits"]]}
    for axes, value, label in ((upper, "inverse_nu", r"$1/\nu$ of two sizes"), (lower, "eta", r"$\eta$ of two sizes")):
        for index, name in enumerate(names_in(critical)):
            draw_pairs(axes, data, shown, index, name, x_of, value)
        draw_lines(axes, shown, value, shift, x_of)
        draw_limit(axes, inverted(critical["results"].get("nu")) if value == "inverse_nu" else critical["results"].get("eta"), largest)
        axes.set(ylabel=label)
        axes.set_xlim(-0.06 * largest, 1.06 * largest)
        axes.margins(y=0.1)
    sizes_on_top(upper, critical, x_of)
    lower.set(xlabel=r"$L^{-\omega}$" + rf", $\omega={omega:.3g}$")
    legend_above(upper, 2, ON_TOP)
    return figure


def of_eta(fit: dict) -> dict:
    """A fit of 2 - eta as one of eta; others as they are."""
    if fit["number"] != "two_minus_eta":
        return fit
    amplitudes = {name: [-a for a in of_name] for name, of_name in fit["amplitudes"].items()}
    return fit | {"number": "eta", "constant": 2 - fit["constant"], "amplitudes": amplitudes}


def inverted(nu: dict | None) -> dict | None:
    if nu is None:
        return None
    slope = 1 / nu["value"] ** 2
    told = {"value": 1 / nu["value"], **{key: nu[key] * slope for key in ("error", "range_error", "omega_error")}}
    if "published" in nu:
        told["published"] = [1 / nu["published"][0], nu["published"][1] / nu["published"][0] ** 2]
    return told


def published_near(data: Reduced, T_c: dict) -> dict:
    """A result without the published value if no axis should reach that."""
    return T_c if data.compared else {key: value for key, value in T_c.items() if key != "published"}


def extrapolation_figure(data: Reduced, critical: dict, of: Figure):
    if "T_c" not in critical.get("results", {}):
        return missing(of)
    omega, inverse_nu = critical["omega"]["value"], 1 / critical["results"]["nu"]["value"]

    def shift(L, k: int):
        return shift_of_T(L, 2.0, inverse_nu, exponent_of(k, omega))

    def x_of(L, s: float):
        return shift_of_T(L, s, inverse_nu, omega) / shift(1.0, 1)

    figure, axes = plt.subplots()
    largest = max(x_of(q["L1"], q["L2"] / q["L1"]) for q in critical["quotients"])
    for index, name in enumerate(names_in(critical)):
        draw_pairs(axes, data, critical, index, name, x_of, "T")
    draw_lines(axes, critical, "T_c", shift, x_of)
    draw_limit(axes, published_near(data, critical["results"]["T_c"]), largest)
    sizes_on_top(axes, critical, x_of)
    axes.set_xlim(-0.06 * largest, 1.06 * largest)
    axes.set(xlabel=rf"$L^{{-(\omega + 1/\nu)}}$, $\omega + 1/\nu={omega + inverse_nu:.3g}$", ylabel="crossing temperature ($J / k_B$)")
    axes.margins(y=0.1)
    legend_above(axes, 2, ON_TOP)
    return figure


def band_figure(data: Reduced, critical: dict, of: Figure):
    if not critical.get("band"):
        return missing(of)
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
        return missing(of)
    T_c, nu = results["T_c"]["value"], results["nu"]["value"]
    names = names_in(critical)
    figure, (row,) = plt.subplots(1, len(names), figsize=(PAGE, 2.8), squeeze=False)
    reach = NEAR * min(size.L for size in data.sizes) ** (1 / nu)
    marks = [mark(data, sizes_behind(critical, name)) for name in ("T_c", "nu")]
    for axes, name in zip(row, names):
        for index, size in enumerate(data.sizes):
            T, value, error = size.curve(name)
            x = (T - T_c) / T_c * size.L ** (1 / nu)
            there = np.abs(x) <= reach
            axes.errorbar(x[there], value[there], error[there], label=f"$L={size.L}$", **style_of(index) | {"linestyle": "none"})
            readable(axes, x[there], value[there], [f"L = {size.L}, T = {t:.4g}" for t in T[there]])
        axes.set(ylabel=CROSSING_CURVES[name].label, xlabel=rf"$(T-T_c)\,L^{{1/\nu}}/T_c$, $T_c={T_c:.5g}${marks[0]}, $\nu={nu:.3g}${marks[1]}")
        legend_above(axes)
    return figure
