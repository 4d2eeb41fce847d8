"""Do error bars cover? Independent studies of two sizes: the scatter of their results over the errors that they quote.

    PSFLIP_BIN=build/bin python tests/physics/coverage.py --p-ferro 0.5 0.85 1 --studies 40
"""

import argparse
import dataclasses
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
from scipy.interpolate import CubicSpline

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "workflows")]

import physics_runs
from psflip.results.reduced import read_reduced

CURVES = ("binder", "xi_over_L", "q2")
CROSSINGS = ("binder", "xi_over_L")


@dataclasses.dataclass
class Design:
    """What all studies of a table have in common."""

    p_ferro: float
    share: int
    sizes: tuple
    ladder: tuple  # lowest and highest temperature, how many
    realizations: int
    thermalize: int
    sweeps: int
    measure_every: int

    def temperatures(self):
        return np.round(np.geomspace(*self.ladder), 6)


# Ladders around the crossings, with enough realizations for a crossing in each study. At p_ferro 0.5 the Binder ratios differ by little below
# the crossing, and by nothing in runs that are too short for L = 8.
DESIGNS = [
    Design(0.5, 128, (4, 8), (0.95, 1.55, 9), 6144, 4000, 2000, 50),
    Design(0.85, 1, (4, 6), (2.55, 3.3, 12), 512, 300, 320, 5),
    Design(0.85, 128, (4, 6), (2.55, 3.3, 12), 512, 300, 320, 5),
    Design(1, 1, (4, 6), (4.25, 4.75, 12), 256, 300, 320, 5),
]


class Study:
    """Of one reduced file: differences large - small of curves (value, error) at all temperatures, crossings (temperature, error, value,
    error), and the averages that both are made of."""

    def __init__(self, path, sizes):
        with h5py.File(path) as file:
            small, large = groups = [file[f"L{L}"] for L in sizes]
            self.T = small["temperatures"][:]
            self.difference = {name: difference(small, large, name) for name in CURVES}
            self.averages = {name: np.array([group[name][:] for group in groups]) for name in ("q2", "q4", "chi_sg", "chi_kmin")}
        found = {name: crossings[0] for name, crossings in read_reduced(path).crossings.items()}
        self.crossing = {name: [found[name].T, found[name].T_err, found[name].value, found[name].value_err] for name in CROSSINGS}


def difference(small, large, name):
    """large - small and its error at all temperatures."""
    samples = large[f"jackknife/{name}"][:] - small[f"jackknife/{name}"][:]
    variance = (len(samples) - 1) * samples.var(axis=0)
    for group in (small, large):
        if f"{name}_err_shared" in group:
            variance += group[f"{name}_err_shared"][:] ** 2
    return large[name][:] - small[name][:], np.sqrt(variance)


def study(design, seed, folder):
    """Runs the programs in a separate folder, which is removed."""
    folder = Path(folder) / f"p{design.p_ferro}-share{design.share}-seed{seed}"
    folder.mkdir()
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=", ".join(map(str, design.sizes)),
        temperatures=design.temperatures(),
        seed=seed,
        share=design.share,
        thermalize=design.thermalize,
        sweeps=design.sweeps,
        measure_every=design.measure_every,
        swap=5,
        blocks=8,
        realizations=design.realizations,
        p_ferro=design.p_ferro,
    )
    files = [observables(folder, config, L, design.realizations) for L in design.sizes]
    reduced = folder / "reduced.h5"
    physics_runs.call("reduce-disorder", "--config", config, "--out", reduced, "--csv", folder / "results.csv", *files)
    result = Study(reduced, design.sizes)
    shutil.rmtree(folder)
    return result


def observables(folder, config, L, count):
    disorder, state, run, out = (folder / f"{name}{L}.h5" for name in ("disorder", "state", "run", "observables"))
    common = ("--config", config, "--L", L)
    physics_runs.call("gen-disorder", *common, "--first", 0, "--count", count, "--out", disorder)
    physics_runs.call("thermalize", *common, "--disorder", disorder, "--out", state)
    physics_runs.call("pt-run", *common, "--disorder", disorder, "--state", state, "--out", run)
    physics_runs.call("measure", *common, "--disorder", disorder, "--run", run, "--out", out)
    return out


def studies(design, count, folder, first_seed=1):
    """Runs `count` studies with other seeds, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda seed: study(design, seed, folder), range(first_seed, first_seed + count)))


@dataclasses.dataclass
class Scatter:
    """Results of independent studies against the errors that they quote."""

    found: int  # studies with value and error
    mean: float
    quoted: float  # root of the mean square of the errors
    ratio: float  # the standard deviation of the values over that
    within: float  # part of the studies within their error of the mean

    def error(self):
        """Of the ratio, for normal values."""
        return 1 / np.sqrt(2 * (self.found - 1))


def scatter(values, errors):
    values, errors = np.asarray(values, dtype=float), np.asarray(errors, dtype=float)
    there = np.isfinite(values) & np.isfinite(errors)
    values, errors = values[there], errors[there]
    quoted = np.sqrt((errors**2).mean())
    within = (np.abs(values - values.mean()) < errors).mean()
    return Scatter(len(values), values.mean(), quoted, values.std(ddof=1) / quoted, within)


def of_differences(results, name):
    """Scatter at each temperature."""
    values, errors = (np.array([result.difference[name][i] for result in results]) for i in (0, 1))
    return [scatter(*columns) for columns in zip(values.T, errors.T)]


def of_crossings(results, name):
    """Scatter of temperature and value."""
    columns = np.array([result.crossing[name] for result in results]).T
    return scatter(*columns[:2]), scatter(*columns[2:])


def of_all_realizations(design, results):
    """Differences large - small as one study with the realizations of all studies has them."""
    q2, q4, chi_sg, chi_kmin = (np.mean([result.averages[name] for result in results], axis=0) for name in results[0].averages)
    L = np.array(design.sizes)[:, None]
    curves = {"binder": (3 - q4 / q2**2) / 2, "xi_over_L": np.sqrt(chi_sg / chi_kmin - 1) / (2 * L * np.sin(np.pi / L)), "q2": q2}
    return {name: large - small for name, (small, large) in curves.items()}


def falling_root(T, difference, near):
    spline = CubicSpline(T, difference)
    roots = [root for root in spline.roots(extrapolate=False) if spline(root, 1) < 0]
    return min(roots, key=lambda root: abs(root - near))


HEAD = """\
| p_ferro, share | quantity | studies | mean | quoted error | scatter / quoted | within it | bias |
|---|---|---|---|---|---|---|---|"""


def table(design, results):
    """Rows of markdown. Bias: of the mean against a study with all realizations, in quoted errors; for curves the largest one."""
    everything, place = of_all_realizations(design, results), f"| {design.p_ferro:g}, {design.share} |"
    for name in CURVES:
        of_T = of_differences(results, name)
        ratio = np.array([s.ratio for s in of_T])
        bias = max(((s.mean - exact) / s.quoted for s, exact in zip(of_T, everything[name])), key=abs)
        spread = f"{ratio.mean():.2f} ({ratio.min():.2f} to {ratio.max():.2f})"
        within = np.mean([s.within for s in of_T])
        yield f"{place} {name}, difference | {of_T[0].found} | | | {spread} | {within:.2f} | {bias:+.2f} |"
    for name in CROSSINGS:
        for what, s in zip(("crossing", "value there"), of_crossings(results, name)):
            exact = falling_root(results[0].T, everything[name], s.mean) if what == "crossing" else None
            bias = "" if exact is None else f"{(s.mean - exact) / s.quoted:+.2f}"
            yield f"{place} {name}, {what} | {s.found} | {s.mean:.4f} | {s.quoted:.4f} | {s.ratio:.2f} +- {s.error():.2f} | {s.within:.2f} | {bias} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--p-ferro", type=float, nargs="+", default=[0.5, 0.85, 1])
    parser.add_argument("--studies", type=int, default=40)
    parser.add_argument("--realizations", type=int, help="default: as many as give crossings")
    options = parser.parse_args()
    print(HEAD)
    for design in DESIGNS:
        if design.p_ferro not in options.p_ferro:
            continue
        design = dataclasses.replace(design, realizations=options.realizations or design.realizations)
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(table(design, studies(design, options.studies, folder))), flush=True)


if __name__ == "__main__":
    main()
