"""Do error bars cover? Numbers of many independent studies, and their distances from the truth in units of the errors that the studies quote: critical points of ferromagnets, whose
truth is known, and exponents of relaxations, whose truth is that of all realizations together. As a command, the section of docs/validation.md:

    PSFLIP_BIN=build/bin python tests/physics/error_coverage.py --studies 200 --keep FOLDER --write docs/validation.md
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "workflows")]

import coverage
import physics_runs
import shared_noise_coverage
import vector_coverage
from psflip.critical.analysis import omega_of, results_of
from psflip.critical.extrapolation import critical_point
from psflip.critical.jackknife import group_count
from psflip.critical.quotients import quotients
from psflip.relaxation import analysis, data
from psflip.results.literature import FERROMAGNET, SQUARE_FERROMAGNET, Known
from psflip.results.reduced import read_reduced

PARTS = ("error", "range_error", "omega_error")
HEADING = "## Coverage of error bars"


@dataclasses.dataclass(frozen=True)
class Ferromagnet:
    """What all studies of a row have in common."""

    dimension: int
    known: Known
    sizes: tuple[int, ...]
    ladder: tuple[float, float, int]  # lowest and highest temperature, how many
    sweeps: int
    realizations: int = 256
    thermalize: int = 500
    measure_every: int = 20

    @property
    def name(self) -> str:
        return f"{self.dimension}D, L = {self.sizes[0]} to {self.sizes[-1]}"

    @property
    def truth(self) -> dict[str, float]:
        found = {"T_c": self.known.T_c, "nu": self.known.nu, "eta": self.known.eta, **self.known.values}
        return {name: value for name, (value, _) in found.items()}


FERROMAGNETS = {
    "2D": Ferromagnet(2, SQUARE_FERROMAGNET, (4, 6, 8, 12, 16), (2.14, 2.4, 12), 4000),
    "3D": Ferromagnet(3, FERROMAGNET, (4, 6, 8, 12), (4.4, 4.64, 11), 1000, thermalize=300),
}


def reduced_file(design: Ferromagnet, seed: int, keep: Path) -> Path:
    """Simulates a study, unless its averages are in the folder `keep` already."""
    out = keep / f"{design.dimension}d-{design.sizes[0]}-{design.sizes[-1]}-{seed}.h5"
    if out.exists():
        return out
    with tempfile.TemporaryDirectory(dir=keep) as folder:
        folder = Path(folder)
        config = physics_runs.write_config(
            folder / "config.yaml",
            L=", ".join(map(str, design.sizes)),
            temperatures=np.round(np.linspace(*design.ladder), 6),
            model=f"kind: ferromagnet, dimension: {design.dimension}",
            seed=seed,
            share=1,
            replicas=1,
            thermalize=design.thermalize,
            sweeps=design.sweeps,
            measure_every=design.measure_every,
            swap=5,
            blocks=32,
            realizations=design.realizations,
        )
        files = [coverage.observables(folder, config, L, design.realizations) for L in design.sizes]
        physics_runs.call("reduce-disorder", "--config", config, "--out", folder / "reduced.h5", "--csv", folder / "results.csv", *files)
        (folder / "reduced.h5").rename(out)
    return out


def whole(number: dict) -> float:
    return math.hypot(*(0.0 if math.isnan(number[part]) else number[part] for part in PARTS))


def critical_numbers(design: Ferromagnet, keep: Path, seed: int) -> dict[str, float]:
    """Name -> (value - truth) / error of one study."""
    averages = read_reduced(reduced_file(design, seed, keep))
    pairs, omega = quotients(averages, group_count(averages)), omega_of(design.known)
    found = critical_point(pairs, omega)
    numbers = results_of(found, design.known)
    return {name: (number["value"] - design.truth[name]) / whole(number) for name, number in numbers.items()}


@dataclasses.dataclass(frozen=True)
class Coverage:
    """Of z = (value - truth) / error in independent studies."""

    z: np.ndarray

    @property
    def mean(self) -> float:
        return float(self.z.mean())

    @property
    def rms(self) -> float:
        return float(np.sqrt((self.z**2).mean()))

    @property
    def rms_error(self) -> float:
        """Standard error of the root mean square of normal numbers."""
        return 1 / math.sqrt(2 * len(self.z))

    def within(self, errors: float) -> float:
        return float((np.abs(self.z) <= errors).mean())

    @property
    def cells(self) -> str:
        return f"{len(self.z)} | {self.mean:+.2f} | {self.rms:.2f} ± {self.rms_error:.2f} | {self.within(1):.2f} | {self.within(2):.2f}"


def of_ferromagnets(design: Ferromagnet, studies: int, keep: Path, processes: int = 1) -> dict[str, Coverage]:
    with ProcessPoolExecutor(processes) as pool:
        found = list(pool.map(partial(critical_numbers, design, keep), range(1, studies + 1)))
    names = list(dict.fromkeys(name for one in found for name in one))
    return {name: Coverage(np.array([one[name] for one in found if name in one])) for name in names}


@dataclasses.dataclass(frozen=True)
class Glass:
    """Relaxations of the three-dimensional glass at T = 1.1. The coherence length stays below the part of L at which fits end, so that all fits have the same times."""

    L: int = 24
    last: int = 100
    share: int = 32
    packs: int = 12800
    batch: int = 64  # packs


def batch_means(design: Glass, config: Path, batch: int) -> dict[str, np.ndarray]:
    """Of the packs of one batch, as pack_means gives them."""
    count = design.batch * design.share
    with tempfile.TemporaryDirectory() as folder:
        disorder, relaxation = Path(folder) / "disorder.h5", Path(folder) / "relaxation.h5"
        physics_runs.call("gen-disorder", "--config", config, "--L", design.L, "--first", batch * count, "--count", count, "--out", disorder)
        physics_runs.call("relax", "--config", config, "--L", design.L, "--disorder", disorder, "--out", relaxation)
        part = data.read_part(relaxation)
    rows = {name: np.moveaxis(of_name, part.axis, 0) for name, of_name in part.values.items()}
    return {
        **part.along,
        **{name: of_name.reshape(design.batch, design.share, *of_name.shape[1:]).mean(axis=1) for name, of_name in rows.items()},
    }


def pack_means(design: Glass, keep: Path, processes: int = 1) -> dict:
    """Averages of each pack of realizations that share random numbers: name -> (pack, time, temperature, ...), with times and L."""
    out = keep / f"relaxations-{design.L}-{design.last}-{design.packs}.npz"
    if out.exists():
        return dict(np.load(out))
    with tempfile.TemporaryDirectory(dir=keep) as folder, ProcessPoolExecutor(processes) as pool:
        config = physics_runs.write_config(Path(folder) / "config.yaml", L=design.L, temperatures=[1.1], replicas=4, share=design.share, realizations=design.share * design.packs)
        config.write_text(config.read_text() + f"relax: {{last: {design.last}, per_decade: 8, waiting: [0]}}\n")
        batches = list(pool.map(partial(batch_means, design, config), range(design.packs // design.batch)))
    alike = ("times", "factors")
    np.savez(out, **{name: batches[0][name] if name in alike else np.concatenate([batch[name] for batch in batches]) for name in batches[0]})
    return dict(np.load(out))


def exponents(design: Glass, packs: dict, first: int, groups: int) -> dict[str, tuple[float, float]]:
    """Returns z and lambda of a study with `groups` packs from `first` on. Each pack is a jackknife group."""
    rows = {name: data.leave_one_out(packs[name][first : first + groups], np.arange(groups)) for name in packs if name not in ("times", "factors")}
    of = data.Relaxation(design.L, 3, packs["times"], np.zeros(1), np.array([1.1]), packs["factors"], groups * design.share, rows)
    curves = analysis.curves_of(of)
    growth, decay = analysis.growth(curves), analysis.decay(curves)
    found = {"z": (growth[0]["z"], growth[0]["z_err"])} if growth else {}
    return found | ({"lambda": (decay[0]["lambda"], decay[0]["lambda_err"])} if decay and "lambda" in decay[0] else {})


def of_relaxations(design: Glass, studies: int, keep: Path, numbers_of_groups: tuple[int, ...], processes: int = 1) -> dict[int, dict[str, Coverage]]:
    """Number of groups -> name -> coverage."""
    packs, table = pack_means(design, keep, processes), {}
    with ProcessPoolExecutor(processes) as pool:
        blocks = list(pool.map(partial(exponents, design, packs, groups=64), range(0, design.packs - 63, 64)))
        truth = {name: float(np.mean([block[name][0] for block in blocks])) for name in ("z", "lambda")}
        for groups in numbers_of_groups:
            starts = range(0, design.packs - groups + 1, groups)[:studies]
            found = list(pool.map(partial(exponents, design, packs, groups=groups), starts))
            table[groups] = {
                name: Coverage(np.array([(one[name][0] - exact) / one[name][1] for one in found if name in one])) for name, exact in truth.items()
            }
    return table


NAMES = {"T_c": "T<sub>c</sub>", "nu": "ν", "eta": "η", "binder_m": "Binder ratio at T<sub>c</sub>", "xi_m_over_L": "ξ<sub>L</sub>/L at T<sub>c</sub>", "z": "z", "lambda": "λ"}
INTRODUCTION = """
Distances of numbers from the truth in units of the errors that studies quote, z = (value − truth) / error, in independent studies. Correct errors have a root mean square of 1 with the
error that is given, and 0.68 and 0.95 of the studies within one and two errors. A smaller root mean square is that of errors that are larger than the scatter. Made by `tests/physics/error_coverage.py`."""
OF_FERROMAGNETS = """
### Critical points
Ferromagnets, 256 realizations of each size, {sweeps}; the error is that of statistics, sizes and ω. Truth: `results/literature.py`.

| model | number | studies | mean of z | root mean square | within 1 | within 2 |
|---|---|---|---|---|---|---|"""
OF_RELAXATIONS = """
### Exponents of relaxations
Three-dimensional ±J glass at T = 1.1, L = {L}, up to {last} sweeps, four replicas; each jackknife group is one pack of {share} realizations that share random numbers. Truth: the mean of all
{packs} packs. Reports give exponents from {least} groups on.

| groups | exponent | studies | mean of z | root mean square | within 1 | within 2 |
|---|---|---|---|---|---|---|"""


OF_SHARED_NOISE = """
### Derivatives and moments of overlaps
Three-dimensional ±J glass of L = 4 at 12 temperatures around the transition, two replicas, 128 realizations that share random numbers in each pack. Truth: the average of all {packs} packs. All temperatures
of a study count, which mostly scatter together; the error of the root mean square is that of as many independent numbers as studies. With fewer than 10 packs, errors are withheld if sharing adds more than a tenth to the errors of energy, q<sup>2</sup> or
q<sub>link</sub> at some temperature. Errors of `q2_spread` and `guerra`, whose distributions are skewed, are withheld below 512 realizations.

| p_ferro | packs | column | studies | withheld | mean of z | root mean square |
|---|---|---|---|---|---|---|"""


OF_VECTORS = """
### Thermal averages of vector spins
Heisenberg ferromagnet of L = {L}, 20 000 sweeps, errors of one realization from blocks; T<sub>c</sub> = 1.443. Truth: the mean of all studies.

| replicas | T | column | studies | withheld | mean of z | root mean square |
|---|---|---|---|---|---|---|"""


def of_told(z: np.ndarray, studies: int) -> str:
    """Cells of numbers, some of which are withheld."""
    told = z[np.isfinite(z)]
    numbers = f"{told.mean():+.2f} | {np.sqrt((told**2).mean()):.2f} ± {1 / math.sqrt(2 * studies * len(told) / z.size):.2f}" if len(told) else "– | –"
    return f"{studies} | {1 - len(told) / z.size:.0%} | {numbers}"


def rows_of_vectors(replicas: int, processes: int) -> list[str]:
    design = vector_coverage.Design(replicas)
    found = vector_coverage.distances(design, processes)
    at = [(T, vector_coverage.TEMPERATURES.index(T)) for T in vector_coverage.SHOWN]
    return [f"| {replicas} | {T} | `{name}` | {of_told(z[t], design.studies)} |" for name, z in found.items() for T, t in at]


def rows_of_shared_noise(p_ferro: float, packs: int, of_all: int, keep: Path, processes: int) -> list[str]:
    found = shared_noise_coverage.distances(shared_noise_coverage.Design(p_ferro, packs=of_all), packs, keep, processes)
    return [f"| {p_ferro} | {packs} | `{name}` | {of_told(z, len(z))} |" for name, z in found.items()]


def section(given: argparse.Namespace, keep: Path) -> str:
    designs = [FERROMAGNETS[name] for name in given.ferromagnets]
    lines = [HEADING + INTRODUCTION]
    if designs:
        lines.append(OF_FERROMAGNETS.format(sweeps=", ".join(f"{design.sweeps} sweeps in {design.dimension}D" for design in designs)))
    for design in designs:
        for name, one in of_ferromagnets(design, given.studies, keep, given.processes).items():
            lines.append(f"| {design.name} | {NAMES[name]} | {one.cells} |")
    if given.groups:
        glass = Glass(packs=given.packs)
        lines.append(OF_RELAXATIONS.format(L=glass.L, last=glass.last, share=glass.share, packs=glass.packs, least=analysis.LEAST_GROUPS))
        for groups, found in of_relaxations(glass, given.studies, keep, tuple(given.groups), given.processes).items():
            lines += [f"| {groups} | {NAMES[name]} | {one.cells} |" for name, one in found.items()]
    if given.shared:
        lines.append(OF_SHARED_NOISE.format(packs=given.shared_packs))
        lines += [row for p_ferro in given.shared for packs in given.shared_numbers for row in rows_of_shared_noise(p_ferro, packs, given.shared_packs, keep, given.processes)]
    if given.replicas:
        lines.append(OF_VECTORS.format(L=vector_coverage.Design.L))
        lines += [row for replicas in given.replicas for row in rows_of_vectors(replicas, given.processes)]
    return "\n".join(lines) + "\n"


def with_section(page: str, text: str) -> str:
    """Returns the page with the section, which replaces its previous version or is appended."""
    older = re.compile(rf"^{re.escape(HEADING)}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    return older.sub(lambda _: text + "\n", page) if older.search(page) else page.rstrip("\n") + "\n\n" + text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--ferromagnets", nargs="*", default=list(FERROMAGNETS), choices=FERROMAGNETS)
    parser.add_argument("--groups", type=int, nargs="*", default=[2, 4, 8, 10, 16, 32, 64])
    parser.add_argument("--packs", type=int, default=Glass.packs)
    parser.add_argument("--shared", type=float, nargs="*", default=list(shared_noise_coverage.LADDERS), choices=shared_noise_coverage.LADDERS, help="p_ferro of studies with shared random numbers")
    parser.add_argument("--shared-packs", type=int, default=1600)
    parser.add_argument("--shared-numbers", type=int, nargs="*", default=[2, 10], help="packs of a study with shared random numbers, even")
    parser.add_argument("--replicas", type=int, nargs="*", default=[1, 2], help="replicas of vector spins")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder of the simulations, which another call uses again")
    parser.add_argument("--write", type=Path, help="page that gets the section")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        keep = given.keep or Path(folder)
        keep.mkdir(parents=True, exist_ok=True)
        text = section(given, keep)
    print(text)
    if given.write:
        given.write.write_text(with_section(given.write.read_text(), text))


if __name__ == "__main__":
    main()
