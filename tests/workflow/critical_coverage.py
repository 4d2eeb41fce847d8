"""Studies made of scaling forms: do T_c, exponents and ratios lie around the truth as their errors tell? As a command, the table of workflows/psflip/critical/README.md:

    .psflip/venv/bin/python tests/workflow/critical_coverage.py --studies 1000
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "workflows")]

from psflip.critical import zero_temperature
from psflip.critical.extrapolation import all_numbers
from psflip.critical.jackknife import group_count
from psflip.critical.quotients import quotients
from psflip.results.reduced import Reduced
from scaling_forms import AtZero, Truth, reduced_of

SIZES = (4, 6, 8, 12, 16)
TEMPERATURES, COLD = np.linspace(0.95, 1.3, 16), np.geomspace(0.2, 1.6, 32)
MILD, STRONG = Truth(amplitudes=(-0.05, -0.1), of_chi=(0.9, 0.15)), Truth()
ZERO = AtZero(nu=3.58, eta=0.0, dimension=2, stars=(1.1, 1.2), slopes=(0.5, 0.9), amplitudes=(0.0, 0.0), curvature=0.0)
SHOWN, LEVELS = ((4, 8), (8, 16)), (0.2, 0.4, 0.6, 0.8)  # pairs and levels of the table
CASES = {  # corrections, relative error of averages, slopes measured, temperatures
    "mild": (MILD, 0.002, False, TEMPERATURES),
    "mild, slopes measured": (MILD, 0.002, True, TEMPERATURES),
    "mild, errors five times as large": (MILD, 0.01, False, TEMPERATURES),
    "strong": (STRONG, 0.002, False, TEMPERATURES),
    "none, T = 0": (ZERO, 0.005, False, COLD),
}


def numbers(truth: Truth, data: Reduced) -> dict[str, tuple[float, float, float]]:
    """Name -> deviation from the truth, statistical error, error of the choice of sizes, at the true omega."""
    if isinstance(truth, AtZero):
        found = {f"theta of L = {e['L1']} and {e['L2']}, {e['quantity']} = {e['level']}": e for e in zero_temperature.of_study(data) if (e["L1"], e["L2"]) in SHOWN and e["level"] in LEVELS}
        return {name: (e["theta"] + 1 / truth.nu, e["theta_err"], 0.0) for name, e in found.items()}
    exact = {"T_c": truth.T_c, "inverse_nu": 1 / truth.nu, "two_minus_eta": 2 - truth.eta, "binder": truth.stars[0], "xi_over_L": truth.stars[1]}
    found = all_numbers(quotients(data, group_count(data)), truth.omega)
    return {name: (number.value - exact[name], number.error, number.range_error) for name, number in found.items()}


class Tally:
    """Of many studies: name -> (deviation, statistical error, error of the choice of sizes) of each."""

    def __init__(self, truth: Truth):
        self.truth = truth
        self.found: dict[str, list[tuple[float, float, float]]] = {}

    def add(self, data: Reduced) -> None:
        self.put(numbers(self.truth, data))

    def put(self, told: dict[str, tuple[float, float, float]]) -> None:
        for name, row in told.items():
            self.found.setdefault(name, []).append(row)

    def columns(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Deviations, and errors of statistics and of the choice of sizes; omega is the true one here."""
        off, error, of_range = np.array(self.found[name]).T
        return off, np.hypot(error, of_range)

    def within(self, name: str, errors: float) -> float:
        """Returns the fraction of the studies within `errors` errors of the truth."""
        off, error = self.columns(name)
        return float((np.abs(off) <= errors * error).mean())

    def bias(self, name: str) -> float:
        """Mean deviation in root mean squares of the error."""
        off, error = self.columns(name)
        return float(off.mean() / np.sqrt((error**2).mean()))

    def scatter(self, name: str) -> float:
        """Standard deviation over the root mean square of the error."""
        off, error = self.columns(name)
        return float(off.std(ddof=1) / np.sqrt((error**2).mean()))

    def rows(self, case: str) -> list[str]:
        told = []
        for name, of in self.found.items():
            error, of_range = np.median(np.array(of)[:, 1:], axis=0)
            cells = f"{error:.2g} | {of_range:.2g} | {self.bias(name):+.2f} | {self.scatter(name):.2f} | {self.within(name, 1):.2f} | {self.within(name, 2):.2f}"
            told.append(f"| {case} | {name} | {len(of)} | {cells} |")
        return told


def one_study(case: str, seed: int) -> dict[str, tuple[float, float, float]]:
    truth, error, slopes, T = CASES[case]
    return numbers(truth, reduced_of(truth, np.random.default_rng(seed), SIZES, T, error, slopes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES)
    given = parser.parse_args()
    print("| corrections | number | studies | statistical error | of sizes | bias | scatter / error | within 1 | within 2 |\n|---|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(given.processes) as pool:
        for case in given.cases:
            tally = Tally(CASES[case][0])
            for told in pool.map(partial(one_study, case), range(given.studies)):
                tally.put(told)
            print("\n".join(tally.rows(case)), flush=True)


if __name__ == "__main__":
    main()
