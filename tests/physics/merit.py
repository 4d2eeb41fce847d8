"""How fast does a dynamics give independent samples, small errors and coherence? Compares Metropolis, shared random numbers and demons on the
three-dimensional +-J glass, as in docs/demons.md. All updates get the same couplings. A command simulates what --keep lacks, then prints its table:

    PSFLIP_BIN=build/bin python tests/physics/merit.py tau --L 8 --realizations 512 --keep FOLDER
    PSFLIP_BIN=build/bin python tests/physics/merit.py noise --L 8 --realizations 8192 --keep FOLDER
    PSFLIP_BIN=build/bin python tests/physics/merit.py growth --L 32 --realizations 128 --keep FOLDER

tau: integrated autocorrelation times with tempering, and independent samples per second. noise: error^2 x seconds of studies of 128 realizations.
growth: the factor of time that maps the coherence length xi_12(t) of an update on the length of the first update.
--simulate only fills the folder, which needs the programs, h5py and numpy, for example on a machine with a GPU.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import h5py
import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", REPOSITORY / "build" / "bin"))
STUDY = 128  # realizations of one study of `noise`
GROUPS = 64  # of realizations, for errors of `growth`
UPDATES = {  # by command: update and multispin.share, or dynamics.demon_sites
    "tau": "metropolis-1 demon-4 demon-8 demon-16 demon-32",
    "noise": "metropolis-1 metropolis-32 metropolis-128 demon-16 demon-32",
    "growth": "metropolis-1 heat-bath-1 demon-8 demon-16 demon-32",
}
writing = Lock()


def dynamics(update):
    """The keys of an update: heat-bath-32 has share 32, demon-8 has eight sites per demon."""
    name, number = update.rsplit("-", 1)
    share, sites = (1, int(number)) if name == "demon" else (int(number), 16)
    return f"multispin: {{share: {share}}}\ndynamics: {{update: {name}, demon_sites: {sites}, sweeps_per_swap: 10}}\n"


def call(given, program, *arguments):
    command = [str(BIN / program), *map(str, arguments), "--log-level", "error"]
    if program != "gen-disorder":
        command += ["--backend", given.backend, "--threads", str(given.threads), "--progress", "off"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")


def sum_over_time(given, folder, config, disorder):
    """Means of e and q^2 and of their squares in time blocks of equal lengths, (block, temperature, realization)."""
    state, out = folder / "state.h5", folder / "run.h5"
    call(given, "thermalize", "--config", config, "--disorder", disorder, "--out", state)
    call(given, "pt-run", "--config", config, "--disorder", disorder, "--state", state, "--out", out)
    with h5py.File(out) as file:
        first = np.searchsorted(file["blocks/edges"][:], np.arange(given.blocks) * given.sweeps // given.blocks)  # blocks of the file grow with time
        count = np.add.reduceat(file["blocks/count"][:], first).reshape(-1, 1, 1)
        names = {"e": "energy", "e_square": "energy2", "q2": "overlap2", "q4": "overlap4"}
        return {name: np.add.reduceat(file[f"blocks/{data}"][:].mean(axis=1), first) / count for name, data in names.items()}


def tau_of(given, folder, config, disorder):
    """For each temperature and realization: variances of single measurements, and of means over the run from 8, 16 and 32 blocks."""
    sites, found = given.L**3, {}
    sums = sum_over_time(given, folder, config, disorder)
    for name, square, unit in (("e", "e_square", sites), ("q2", "q4", 1)):
        blocks = sums[name] / unit
        found[f"{name}_mean"] = blocks.mean(axis=0)
        of_means = np.array([blocks.reshape(n, -1, *blocks.shape[1:]).mean(axis=1).var(axis=0, ddof=1) / n for n in (8, 16, 32)])
        found[f"{name}_single"] = sums[square].mean(axis=0) / unit**2 - found[f"{name}_mean"] ** 2 + of_means[1]
        found[f"{name}_of_means"] = of_means * (given.replicas if name == "e" else 1)  # e: of one replica
    return found


def noise_of(given, folder, config, disorder):
    """Means of e, q^2 and q^4 over the realizations of each study, (quantity, block, study, temperature)."""
    sums = sum_over_time(given, folder, config, disorder)
    found = np.array([sums["e"] / given.L**3, sums["q2"], sums["q4"]])
    return {"means": found.reshape(*found.shape[:3], -1, STUDY).mean(axis=-1).swapaxes(2, 3)}


def growth_of(given, folder, config, disorder):
    """Means over groups of realizations of e (time, temperature, group) and C_4 (time, distance, temperature, group)."""
    out = folder / "relaxation.h5"
    call(given, "relax", "--config", config, "--disorder", disorder, "--out", out)
    with h5py.File(out) as file:
        pairs = given.replicas * (given.replicas - 1) // 2
        correlation = file["relaxation/correlation4"][:] / (pairs * 3 * given.L**3)
        energy = file["relaxation/energy"][:].mean(axis=1) / given.L**3
        grouped = [values.reshape(*values.shape[:-1], min(GROUPS, values.shape[-1]), -1).mean(axis=-1) for values in (energy, correlation)]
        return {"times": file["times"][:], "energy": grouped[0], "correlation": grouped[1]}


SIMULATIONS = {"tau": tau_of, "noise": noise_of, "growth": growth_of}


def simulate(given, update, seed, couplings):
    """Adds the group of an update and a seed to the file of the size, unless it is there."""
    name, path = f"{update}-{seed}", given.keep / f"{given.command}-{given.L}.h5"
    with writing:
        if path.exists():
            with h5py.File(path) as file:
                if name in file:
                    return
    begin = time.time()
    if begin - START > given.time_limit:
        print(f"left out: {given.command} L = {given.L} {name}", flush=True)
        return
    with tempfile.TemporaryDirectory(dir=given.scratch) as folder:
        folder = Path(folder)
        config = folder / "config.yaml"
        config.write_text(text_of(given, seed) + dynamics(update))
        found = SIMULATIONS[given.command](given, folder, config, couplings)
    with writing, h5py.File(path, "a") as file:
        if given.command != "growth":
            file.attrs["interval"], file.attrs["sweeps"], file.attrs["replicas"] = given.measure_every, given.sweeps, given.replicas
        file.attrs["temperatures"], file.attrs["realizations"] = given.temperatures, given.realizations
        for key, values in found.items():
            file.create_dataset(f"{name}/{key}", data=values.astype(np.float32), compression="gzip", shuffle=True)
    print(f"{given.command} L = {given.L} {name}: {time.time() - begin:.1f} s, {time.time() - START:.1f} s since the start", flush=True)


def text_of(given, seed):
    last = f"relax: {{last: {given.sweeps}, per_decade: 16}}\n"
    run = f"thermalize: {{sweeps: {given.thermalize}}}\nrun: {{sweeps: {given.sweeps}, measure_every: {given.measure_every}, blocks: {given.blocks}, discard: 0}}\n"
    return f"""seed: {seed}
lattice: {{L: [{given.L}]}}
disorder: {{realizations: {given.realizations}, batch: {given.realizations}}}
temperatures: {{list: {[float(T) for T in given.temperatures]}}}
replicas: {given.replicas}
{last if given.command == "growth" else run}"""


def simulate_all(given):
    """Runs all updates on the same couplings, of seed 1, with the seeds 1, 2, ... of the dynamics."""
    with tempfile.TemporaryDirectory(dir=given.scratch) as folder, ThreadPoolExecutor(given.workers) as pool:
        config, couplings = Path(folder) / "config.yaml", Path(folder) / "disorder.h5"
        config.write_text(text_of(given, 1))
        call(given, "gen-disorder", "--config", config, "--first", 0, "--count", given.realizations, "--out", couplings)
        with h5py.File(couplings, "a") as file:  # couplings of your own, for any seed
            for name in ("seed", "sealed"):
                file.attrs.pop(name, None)
        jobs = [pool.submit(simulate, given, update, seed, couplings) for seed in range(1, given.seeds + 1) for update in given.updates]
        for job in jobs:
            job.result()


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


def pairs(value, error, digits):
    return f"{value:.{digits}f}({error:.{digits}f})"


def print_tau(given):
    found, about = groups_of(given)
    T, R, level = about["temperatures"], about["realizations"], 1
    first = next(iter(found))
    print(f"L = {given.L}, {R} realizations, {about['sweeps']} sweeps: tau in sweeps, ratio to {first}, independent samples per second of one temperature")
    for name in ("q2", "e"):

        def tau(update, chosen, level=level):
            values = found[update]
            of_means, single = values[f"{name}_of_means"][:, level].mean(axis=0), values[f"{name}_single"].mean(axis=0)
            return about["sweeps"] / 2 * of_means[:, chosen].sum(axis=1) / single[:, chosen].sum(axis=1)

        for update in found:
            value, error = resampled(R, lambda chosen: tau(update, chosen))
            ratio, ratio_error = resampled(R, lambda chosen: tau(update, chosen) / tau(first, chosen))
            cold = T <= 1.2
            mean, mean_error = resampled(R, lambda chosen: np.exp(np.log(tau(update, chosen) / tau(first, chosen))[cold].mean()))
            other = tau(update, np.arange(R), 0), tau(update, np.arange(R), 2)
            print(f"{name} {update}: mean ratio below T = 1.2: {pairs(mean, mean_error, 3)}")
            for t in [np.abs(T - wanted).argmin() for wanted in given.shown]:
                text = f"    T = {T[t]:.3f}: tau {pairs(value[t], error[t], 1)} (8 and 32 blocks: {other[0][t]:.1f}, {other[1][t]:.1f}), ratio {pairs(ratio[t], ratio_error[t], 2)}"
                if update in given.ps:
                    rate = 1 / (2 * value[t] * given.L**3 * about["replicas"] * len(T) * given.ps[update] * 1e-12)
                    text += f", {rate:.3g} per second"
                print(text)


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
                    of = value[i][t] / value[-1][t], error[i][t] / value[-1][t]
                    scatter = values[update].var(axis=2, ddof=1).mean(axis=(0, 1))[t] / value[-1][t]
                    print(f"    {update}: thermal / couplings {pairs(*of, 4)}, scatter^2 of studies {scatter:.2f}, error^2 x seconds {pairs(ratio[i][t], ratio_error[i][t], 3)}")


def lengths(values):
    """Rows (1 + group, time, temperature) of ln xi_12 from C_4 (time, distance, temperature, group): of all groups, and without one."""
    sys.path[:0] = [str(REPOSITORY / "workflows")]
    from psflip.relaxation.data import leave_one_out
    from psflip.relaxation.analysis import GLASS, lengths_at_all_times

    groups = np.moveaxis(values, (3, 0, 2, 1), (0, 1, 2, 3))
    return np.log(lengths_at_all_times(leave_one_out(groups, np.arange(len(groups))), GLASS)["xi12"])


def factors(times, xi, reference_times, reference):
    """ln r(t) in rows: the time at which the reference has the same length is t / r(t)."""
    at = [np.interp(row, ref, np.log(reference_times), left=np.nan, right=np.nan) for row, ref in zip(xi, reference)]
    return np.log(times) - np.array(at)


def jackknife(rows):
    return np.sqrt((len(rows) - 2) / (len(rows) - 1) * ((rows[1:] - rows[1:].mean(axis=0)) ** 2).sum(axis=0))


def print_growth(given):
    found, about = groups_of(given)
    T = about["temperatures"]
    all_times = {update: values["times"][0] for update, values in found.items()}
    xi = {update: lengths(values["correlation"][0]) for update, values in found.items()}
    first, curves = next(iter(xi)), {}
    for update, times in all_times.items():
        for t in range(len(T)):
            local = factors(times, xi[update][:, :, t], all_times[first], xi[first][:, :, t])
            error = jackknife(local)
            curves[update, t] = times, np.exp(xi[update][0, :, t]), np.exp(local[0]), np.exp(local[0]) * error
            print(f"L = {given.L}, T = {T[t]:.2f}, {update}: xi_12 {np.exp(xi[update][0, -1, t]):.3f}({np.exp(xi[update][0, -1, t]) * jackknife(xi[update])[-1, t]:.3f}) at {times[-1]:.0f}")
            for begin in given.begins if update != first else ():
                used = np.isfinite(local).all(axis=0) & (times >= begin) & (error > 0)
                if used.sum() < 4:
                    continue
                weights, x = error[used] ** -2.0, np.log(times[used] / begin)
                x = x - np.average(x, weights=weights)
                r = np.average(local[:, used], axis=1, weights=weights)
                slope = (local[:, used] * weights * x).sum(axis=1) / (weights * x**2).sum()
                away = np.abs(local[0, used] - r[0]) / error[used]
                print(f"    t from {begin}: r = {np.exp(r[0]):.3f}({np.exp(r[0]) * jackknife(r):.3f}), d ln r / d ln t = {slope[0]:.4f}({jackknife(slope):.4f}), largest distance {away.max():.1f} errors")
    if given.plot:
        draw(given, T, curves, first)


def draw(given, T, curves, first):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(T), figsize=(10, 7), sharex=True, sharey="row", layout="constrained", height_ratios=(3, 2))
    for t, (above, below) in enumerate(zip(*axes)):
        for update in dict.fromkeys(name for name, _ in curves):
            times, length, r, error = curves[update, t]
            name, number = update.rsplit("-", 1)
            label = f"demons, {number} sites" if name == "demon" else name
            constant = 1.0 if update == first else np.average(r[np.isfinite(r) & (times >= given.begins[-1])])
            (line,) = above.plot(times / constant, length, "-" if update == first else "o", ms=3, mfc="none", label=label + ("" if update == first else f", r = {constant:.2f}"))
            if update != first:
                below.errorbar(times, r, error, fmt="o-", ms=3, lw=0.7, color=line.get_color())
        above.set(xscale="log", yscale="log", title=f"T = {T[t]:.1f}, L = {given.L}", xlabel="t / r, sweeps")
        below.set(xscale="log", xlabel="t, sweeps", ylim=(0.5, 3.5))
        above.legend(frameon=False)
    axes[0][0].set_ylabel(r"$\xi_{12}$")
    axes[1][0].set_ylabel("r(t)")
    figure.savefig(given.plot, dpi=110)


PRINTED = {"tau": print_tau, "noise": print_noise, "growth": print_growth}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=SIMULATIONS)
    parser.add_argument("--L", type=int, required=True)
    parser.add_argument("--keep", type=Path, required=True, help="folder of the file COMMAND-L.h5")
    parser.add_argument("--scratch", help="folder of run files, which are removed")
    parser.add_argument("--simulate", action="store_true", help="print no table")
    parser.add_argument("--updates", nargs="+", help="metropolis-SHARE, heat-bath-SHARE, demon-SITES; the first is the reference")
    parser.add_argument("--realizations", type=int, default=STUDY)
    parser.add_argument("--temperatures", type=float, nargs="+", help="default: 20 from 0.7 to 2.0, or 0.8 and 1.1 for growth")
    parser.add_argument("--seeds", type=int, help="runs of each update on the same couplings")
    parser.add_argument("--replicas", type=int)
    parser.add_argument("--thermalize", type=int, default=10000)
    parser.add_argument("--sweeps", type=int, default=80000)
    parser.add_argument("--measure-every", type=int, default=10)
    parser.add_argument("--blocks", type=int, help="time blocks of a run; a multiple of 32 for tau")
    parser.add_argument("--ps", nargs="*", default=[], metavar="UPDATE=PS", help="picoseconds per flip")
    parser.add_argument("--shown", type=float, nargs="+", default=[0.7, 1.0, 1.4], help="temperatures in the table")
    parser.add_argument("--windows", type=int, nargs="+", default=[1, 8], help="noise: blocks of a study")
    parser.add_argument("--begins", type=int, nargs="+", default=[10, 100, 1000], help="growth: first times of fits")
    parser.add_argument("--plot", help="growth: PNG file")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=float("inf"), help="start no simulation after this number of seconds")
    given = parser.parse_args()
    growth = given.command == "growth"
    given.updates = given.updates or UPDATES[given.command].split()
    given.temperatures = given.temperatures or ([0.8, 1.1] if growth else np.geomspace(0.7, 2.0, 20).round(6))
    given.seeds = given.seeds or (4 if given.command == "noise" else 1)
    given.replicas = given.replicas or (4 if growth else 2)
    given.blocks = given.blocks or (8 if given.command == "noise" else 32)
    given.ps = {name: float(ps) for name, ps in (item.split("=") for item in given.ps)}
    given.keep.mkdir(parents=True, exist_ok=True)
    simulate_all(given)
    if not given.simulate:
        PRINTED[given.command](given)


START = time.time()
if __name__ == "__main__":
    main()
