"""Do error bars cover? Compares numbers of many independent studies with the truth, in units of the errors that the studies quote.
The truth of critical points of ferromagnets is known. The truth of exponents of relaxations comes from all realizations together.
As a command, this file writes the section "Coverage of error bars" of docs/validation.md:

    PSFLIP_BIN=build/bin python tests/physics/error_coverage.py --studies 200 --keep FOLDER --write docs/validation.md
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "workflows")]

import coverage
import pages
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
TITLE = "Coverage of error bars"


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
        return f"{self.mean:+.2f}, {self.rms:.2f} ± {self.rms_error:.2f}, {self.within(1):.2f}, {self.within(2):.2f}"


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
The tests compare quoted errors with the scatter of independent studies. z = (value − truth) / error is the distance of a value from the truth in units of its quoted error.

    PSFLIP_BIN=build/bin python tests/physics/error_coverage.py --studies 200 --keep FOLDER --write docs/validation.md

The cell `-0.11, 0.93 ± 0.05, 0.71, 0.97` means: z has the mean -0.11 and the root mean square 0.93 ± 0.05. 71% of the studies are within one error of the truth, and 97% within two errors.
Correct errors have a root mean square of 1 and the fractions 0.68 and 0.95. If the root mean square is below 1, quoted errors are larger than the scatter."""
OF_FERROMAGNETS = """
### Critical points
Quoted errors of critical points of ferromagnets are not smaller than the scatter. These errors include statistics, the choice of sizes and ω.

{table}

Each cell contains {studies} studies with 256 realizations of each size, {sweeps}. The truth is in `results/literature.py`."""
OF_RELAXATIONS = """
### Exponents of relaxations
Errors of the exponents z and λ are close to the scatter if a study has at least {least} jackknife groups. With fewer groups, reports show no exponents.

{table}

Each cell contains {studies} studies of the three-dimensional ±J glass (L = {L}, T = 1.1, up to {last} sweeps, four replicas). A jackknife group is one share group of {share} realizations.
The truth is the mean of all {packs} share groups."""
OF_SHARED_NOISE = """
### Derivatives and moments of overlaps
If realizations share random numbers, quoted errors are close to the scatter, or psflip withholds them. A cell has the mean and the root mean square of z. A percentage in brackets is the fraction of errors that psflip withholds.

{table}

The studies are three-dimensional ±J glasses (L = 4, two replicas, 12 temperatures around the transition). A share group has 128 realizations. The truth is the average of all {packs} share groups.
A cell counts all temperatures of a study. Values at different temperatures of one study are strongly correlated, so the error of the root mean square counts each study once.

psflip withholds errors in two cases:

- A study has fewer than 10 share groups, and at some temperature sharing adds more than a tenth to the errors of energy, q<sup>2</sup> or q<sub>link</sub>.
- `q2_spread` and `guerra` have skewed distributions, so psflip withholds their errors below 512 realizations."""
OF_VECTORS = """
### Thermal averages of vector spins
Errors of thermal averages of one realization are close to the scatter below, at and above T<sub>c</sub> = 1.443. A cell has the mean and the root mean square of z.

{table}

Each cell contains {studies} studies of the Heisenberg ferromagnet (L = {L}, 20 000 sweeps). Their errors come from time blocks. The truth is the mean of all studies."""


def quoted(z: np.ndarray, studies: int) -> str:
    """A cell of numbers, some of which have no error."""
    found = z[np.isfinite(z)]
    if not len(found):
        return "withheld"
    missing = f" ({1 - len(found) / z.size:.0%})" if len(found) < z.size else ""
    return f"{found.mean():+.2f}, {np.sqrt((found**2).mean()):.2f} ± {1 / math.sqrt(2 * studies * len(found) / z.size):.2f}{missing}"


def table_of(head: str, columns: dict, cells: dict) -> str:
    """A table from (line, key of a column) -> cell. `columns` has the heads of the columns."""
    return pages.pivot(" | ".join([head, *columns.values()]), columns, cells)


def of_critical_points(designs: list[Ferromagnet], studies: int, keep: Path, processes: int) -> str:
    columns = {design.dimension: design.name for design in designs}
    cells = {(NAMES[name], design.dimension): one.cells for design in designs for name, one in of_ferromagnets(design, studies, keep, processes).items()}
    sweeps = ", ".join(f"{design.sweeps} sweeps in {design.dimension}D" for design in designs)
    return OF_FERROMAGNETS.format(table=table_of("number", columns, cells), studies=studies, sweeps=sweeps)


def of_exponents(glass: Glass, studies: int, keep: Path, numbers_of_groups: list[int], processes: int) -> str:
    found = of_relaxations(glass, studies, keep, tuple(numbers_of_groups), processes)
    cells = {(str(groups), name): one.cells for groups, numbers in found.items() for name, one in numbers.items()}
    table = table_of("groups", {name: NAMES[name] for name in ("z", "lambda")}, cells)
    return OF_RELAXATIONS.format(table=table, studies=studies, L=glass.L, last=glass.last, share=glass.share, packs=glass.packs, least=analysis.LEAST_GROUPS)


def of_shared_noise(all_p_ferro: list[float], numbers_of_packs: list[int], of_all: int, keep: Path, processes: int) -> str:
    columns, cells = {packs: f"{packs} share groups, {of_all // packs} studies" for packs in numbers_of_packs}, {}
    for p_ferro in all_p_ferro:
        for packs in numbers_of_packs:
            found = shared_noise_coverage.distances(shared_noise_coverage.Design(p_ferro, packs=of_all), packs, keep, processes)
            cells |= {(f"{p_ferro} | `{name}`", packs): quoted(z, len(z)) for name, z in found.items()}
    return OF_SHARED_NOISE.format(table=table_of("p_ferro | column", columns, cells), packs=of_all)


def of_vectors(numbers_of_replicas: list[int], processes: int) -> str:
    cells = {}
    for replicas in numbers_of_replicas:
        found = vector_coverage.distances(vector_coverage.Design(replicas), processes)
        for name, z in found.items():
            for T in vector_coverage.SHOWN:
                cells[f"{replicas} | `{name}`", T] = quoted(z[vector_coverage.TEMPERATURES.index(T)], vector_coverage.Design.studies)
    columns = {T: f"T = {T}" for T in vector_coverage.SHOWN}
    return OF_VECTORS.format(table=table_of("replicas | column", columns, cells), studies=vector_coverage.Design.studies, L=vector_coverage.Design.L)


def section(given: argparse.Namespace, keep: Path) -> str:
    texts = [f"## {TITLE}" + INTRODUCTION]
    if given.ferromagnets:
        texts.append(of_critical_points([FERROMAGNETS[name] for name in given.ferromagnets], given.studies, keep, given.processes))
    if given.groups:
        texts.append(of_exponents(Glass(packs=given.packs), given.studies, keep, given.groups, given.processes))
    if given.shared:
        texts.append(of_shared_noise(given.shared, given.shared_numbers, given.shared_packs, keep, given.processes))
    if given.replicas:
        texts.append(of_vectors(given.replicas, given.processes))
    return "\n".join(texts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--ferromagnets", nargs="*", default=list(FERROMAGNETS), choices=FERROMAGNETS)
    parser.add_argument("--groups", type=int, nargs="*", default=[2, 4, 8, 10, 16, 32, 64])
    parser.add_argument("--packs", type=int, default=Glass.packs)
    parser.add_argument("--shared", type=float, nargs="*", default=list(shared_noise_coverage.LADDERS), choices=shared_noise_coverage.LADDERS, help="p_ferro of studies with shared random numbers")
    parser.add_argument("--shared-packs", type=int, default=1600)
    parser.add_argument("--shared-numbers", type=int, nargs="*", default=[2, 10], help="share groups of a study with shared random numbers, even")
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
        given.write.write_text(pages.with_section(given.write.read_text(), TITLE, text))


if __name__ == "__main__":
    main()
