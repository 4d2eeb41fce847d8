"""Tables and the picture of merit.py, from the files that it keeps."""

import json
import sys
from pathlib import Path

import h5py
import numpy as np


def show(given):
    {"tau": print_tau, "noise": print_noise, "growth": print_growth, "clusters": print_clusters}[given.command](given)


def groups_of(given):
    """{update: {name: [values of each seed]}} and the attributes of the file."""
    with h5py.File(given.keep / f"{given.command}-{given.L}.h5") as file:
        found = {}
        for update in given.updates:
            seeds = [file[name] for name in file if name.rsplit("-", 1)[0] == update]
            if seeds:
                found[update] = {name: np.array([seed[name][:] for seed in seeds], dtype=float) for name in seeds[0]}
        return found, dict(file.attrs)


def resampled(numbers, function, copies=400):
    """Value and bootstrap error of a function of indices of realizations or studies."""
    draws = np.random.default_rng(1)
    values = np.array([function(draws.integers(numbers, size=numbers)) for _ in range(copies)])
    return function(np.arange(numbers)), values.std(axis=0, ddof=1)


def with_error(value, error, digits):
    return f"{value:.{digits}f}({error:.{digits}f})"


def print_tau(given):
    found, about = groups_of(given)
    T, R, first = about["temperatures"], about["realizations"], next(iter(found))
    print(f"L = {given.L}, {R} realizations, {about['sweeps']} sweeps: tau in sweeps, ratio to {first}, independent samples of one temperature per second")
    for name in ("q2", "e"):

        def tau(update, chosen, level=0):
            values = found[update]
            of_means, single = values[f"{name}_of_means"][:, level].mean(axis=0), values[f"{name}_single"].mean(axis=0)
            return about["sweeps"] / 2 * of_means[:, chosen].sum(axis=1) / single[:, chosen].sum(axis=1)

        for update in found:
            value, error = resampled(R, lambda chosen: tau(update, chosen))
            ratio, ratio_error = resampled(R, lambda chosen: tau(update, chosen) / tau(first, chosen))
            cold = T <= np.median(T)
            mean, mean_error = resampled(R, lambda chosen: np.exp(np.log(tau(update, chosen) / tau(first, chosen))[cold].mean()))
            others = [tau(update, np.arange(R), level) for level in (1, 2)]
            difference = (found[update][f"{name}_mean"] - found[first][f"{name}_mean"]).mean(axis=(0, 2))
            copies = 1 if name == "q2" and not about.get("ferromagnet") else about["replicas"]
            parts = [found[u][f"{name}_of_means"][:, 0].mean(axis=(0, 2)) / R / copies / len(found[u]["q2_mean"]) for u in (update, first)]
            away = difference / np.sqrt(sum(parts))
            equal = f"means differ by {np.abs(away).max():.1f} errors at most, {np.sqrt((away**2).mean()):.2f} in the root mean square"
            print(f"{name} {update}: mean ratio of the colder half: {with_error(mean, mean_error, 3)}; {equal}")
            for t in [np.abs(T - wanted).argmin() for wanted in given.shown]:
                text = f"    T = {T[t]:.3f}: tau {with_error(value[t], error[t], 1)} (with 16 and 32 blocks, not 8: {others[0][t]:.1f}, {others[1][t]:.1f}), ratio {with_error(ratio[t], ratio_error[t], 2)}"
                if update in given.ps:
                    rate = 1 / (2 * value[t] * given.sites * about["replicas"] * len(T) * given.ps[update] * 1e-12)
                    text += f", {rate:.3g} per second"
                print(text)


def print_clusters(given):
    found, about = groups_of(given)
    for update, values in found.items():
        means = {name: seeds.mean(axis=0) for name, seeds in values.items()}
        for t in [np.abs(about["temperatures"] - wanted).argmin() for wanted in given.shown]:
            texts = [f"{name} {with_error(x[t].mean(), x[t].std(ddof=1) / np.sqrt(len(x[t])), 4)}" for name, x in means.items()]
            print(f"L = {given.L}, {update}, T = {about['temperatures'][t]:.3f}: {', '.join(texts)}")


def print_noise(given):
    """Variances of the average of a study of 128 realizations: the thermal part from seeds of the dynamics on equal couplings, the rest from couplings."""
    found, about = groups_of(given)
    T, first = about["temperatures"], next(iter(found))
    functions = {"q2": lambda e, q2, q4: q2, "e": lambda e, q2, q4: e, "Binder": lambda e, q2, q4: (3 - q4 / q2**2) / 2}
    for name, function in functions.items():
        for blocks in given.windows:

            def series(update):  # (seed, window, study, temperature)
                means = found[update]["means"]
                return function(*np.moveaxis(means.reshape(*means.shape[:2], -1, blocks, *means.shape[3:]).mean(axis=3), 1, 0))

            values = {update: series(update) for update in found}

            def parts(chosen):
                """Thermal variance of each update, and variance from couplings, at each temperature."""
                drawn = {update: x[:, :, chosen] for update, x in values.items()}
                thermal = {update: x.var(axis=0, ddof=1).mean(axis=(0, 1)) for update, x in drawn.items()}
                disorder = [x.mean(axis=0).var(axis=1, ddof=1).mean(axis=0) - thermal[update] / len(x) for update, x in drawn.items()]
                return np.array([*thermal.values(), np.mean(disorder, axis=0)])

            def merit(chosen):
                found_parts = parts(chosen)
                total = found_parts[:-1] + found_parts[-1]
                cost = np.array([given.ps.get(update, np.nan) for update in found])[:, None]
                return total * cost / (total[0] * cost[0])

            number = next(iter(values.values())).shape[2]
            (value, error), (ratio, ratio_error) = resampled(number, parts), resampled(number, merit)
            sweeps = about["sweeps"] * blocks // next(iter(found.values()))["means"].shape[2]
            for t in [np.abs(T - wanted).argmin() for wanted in given.shown]:
                print(f"{name}, L = {given.L}, {sweeps} sweeps, T = {T[t]:.3f}: error from couplings {np.sqrt(max(value[-1][t], 0)):.3g}")
                for i, update in enumerate(found):
                    scatter = values[update].var(axis=2, ddof=1).mean(axis=(0, 1))[t] / value[-1][t]
                    equal = sweeps * value[i][t] / value[-1][t], sweeps * error[i][t] / value[-1][t]
                    text = f"error^2 {1 + value[i][t] / value[-1][t]:.3f} (scatter of studies {scatter:.2f}), thermal = couplings at {with_error(*equal, 0)} sweeps"
                    print(f"    {update}: {text}, error^2 x seconds {with_error(ratio[i][t], ratio_error[i][t], 3)}")


def curves_of(values):
    """Rows (1 + group, time, temperature), of all groups and without one: ln xi_12 from C_4, and the energy that was released."""
    sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "workflows")]
    from psflip.relaxation.analysis import GLASS, lengths_at_all_times
    from psflip.relaxation.data import leave_one_out

    energy, correlation = (np.moveaxis(values[name][0], -1, 0) for name in ("energy", "correlation"))
    groups = np.arange(len(energy))
    lengths = lengths_at_all_times(leave_one_out(np.moveaxis(correlation, 2, -1), groups), GLASS)["xi12"]
    return {"xi_12": np.log(lengths), "energy": -leave_one_out(energy, groups)}


def factors(times, rows, reference_times, reference, smooth):
    """ln r(t) in rows: the time at which the reference has the same value is t / r(t). smooth: the reference is a polynomial of ln t, without its noise from time to time."""
    x, found = np.log(reference_times), []
    at = np.linspace(x[0], x[-1], 2000) if smooth else x
    for row, values in zip(rows, reference):
        curve = np.polyval(np.polyfit(x, values, 5, w=1 / jackknife(reference)), at) if smooth else values
        found.append(np.log(times) - np.interp(row, curve, at, left=np.nan, right=np.nan))
    return np.array(found)


def jackknife(rows):
    return np.sqrt((len(rows) - 2) / (len(rows) - 1) * ((rows[1:] - rows[1:].mean(axis=0)) ** 2).sum(axis=0))


def average_factor(times, local, begin):
    """From time `begin` on, of ln r: rows of the average and of the slope against ln t, and the largest distance of a time from the average in errors."""
    error = jackknife(local)
    used = np.isfinite(local).all(axis=0) & (times >= begin) & (error > 0)
    if used.sum() < 4:
        return None
    weights, x = error[used] ** -2.0, np.log(times[used])
    x = x - np.average(x, weights=weights)
    r = np.average(local[:, used], axis=1, weights=weights)
    slope = (local[:, used] * weights * x).sum(axis=1) / (weights * x**2).sum()
    return r, slope, (np.abs(local[0, used] - r[0]) / error[used]).max()


def print_growth(given):
    found, about = groups_of(given)
    T, first, shown = about["temperatures"], next(iter(found)), {}
    times = {update: values["times"][0] for update, values in found.items()}
    curves = {update: curves_of(values) for update, values in found.items()}
    for t in range(len(T)):
        for update, rows in curves.items():
            xi = rows["xi_12"][:, :, t]
            print(f"L = {given.L}, T = {T[t]:.2f}, {update}: xi_12 {np.exp(xi[0, -1]):.3f}({np.exp(xi[0, -1]) * jackknife(xi)[-1]:.3f}) after {times[update][-1]:.0f} sweeps")
            for name in rows if update != first else ():
                local = factors(times[update], rows[name][:, :, t], times[first], curves[first][name][:, :, t], name == "xi_12")
                shown[update, t, name] = local
                for begin in given.begins:
                    if line := average_factor(times[update], local, begin):
                        r, slope, away = line
                        fit = f"r = {np.exp(r[0]):.3f}({np.exp(r[0]) * jackknife(r):.3f}), d ln r / d ln t = {slope[0]:.3f}({jackknife(slope):.3f})"
                        print(f"    {name}, t from {begin}: {fit}, largest distance {away:.1f} errors")
    if given.data:
        write(given, about, times, curves, shown)
    if given.plot:
        draw(given, T, times, curves, shown)


def write(given, about, times, curves, shown):
    def numbers(values):
        return [float(f"{x:.6g}") if np.isfinite(x) else None for x in values]

    found = []
    for update, rows in curves.items():
        for t, T in enumerate(about["temperatures"]):
            entry = {"T": float(T), "update": update, "t": numbers(times[update])}
            for name, of in rows.items():
                value, error = of[0, :, t], jackknife(of[:, :, t])
                length = name == "xi_12"
                entry |= {name: numbers(np.exp(value) if length else -value), f"{name}_error": numbers(np.exp(value) * error if length else error)}
                if (update, t, name) in shown:
                    local = shown[update, t, name]
                    entry |= {f"r_{name}": numbers(np.exp(local[0])), f"r_{name}_error": numbers(np.exp(local[0]) * jackknife(local))}
            found.append(entry)
    head = {"L": given.L, "realizations": int(about["realizations"]), "replicas": given.replicas, "curves": found}
    given.data.write_text(json.dumps(head, separators=(",", ":")).replace('{"T"', '\n{"T"') + "\n")


def draw(given, T, times, curves, shown):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(T), figsize=(10, 7), sharey="row", layout="constrained", height_ratios=(3, 2))
    for t, (above, below) in enumerate(zip(*axes)):
        for update, rows in curves.items():
            name, number = update.rsplit("-", 1)
            label = f"demons, {number} sites" if name == "demon" else name
            local = shown.get((update, t, "xi_12"))
            if local is None:
                above.plot(times[update], np.exp(rows["xi_12"][0, :, t]), "-", label=label)
                continue
            r = np.exp(average_factor(times[update], local, given.begins[-1])[0][0])
            (line,) = above.plot(times[update] / r, np.exp(rows["xi_12"][0, :, t]), "o", ms=3.5, mfc="none", label=f"{label}, r = {r:.2f}")
            error = np.exp(local[0]) * jackknife(local)
            below.errorbar(times[update], np.exp(local[0]), error, fmt="o-", ms=3, lw=0.7, color=line.get_color())
        above.set(xscale="log", yscale="log", title=f"T = {T[t]:.1f}, L = {given.L}", xlabel="t / r, sweeps", ylim=(1, 7))
        above.set_yticks([1, 2, 3, 4, 5, 6], ["1", "2", "3", "4", "5", "6"], minor=False)
        above.minorticks_off()
        below.set(xscale="log", xlabel="t, sweeps", ylim=(0, 5), xlim=above.get_xlim())
        below.axhline(1, color="gray", lw=0.7)
        above.legend(frameon=False)
    axes[0][0].set_ylabel(r"$\xi_{12}$")
    axes[1][0].set_ylabel("r(t)")
    figure.savefig(given.plot, dpi=110)
