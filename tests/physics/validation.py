"""Compares measurements of the programs with exact values and writes the section "Exact values" of docs/validation.md.

    PSFLIP_BIN=build/bin python tests/physics/validation.py --processes 16 --write docs/validation.md

Without --write the section is only printed. Formulas and simulations come from the tests in this folder.
"""

import argparse
import itertools
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
from scipy import stats

import exact_L4
import kaufman
import pages
import physics_runs
import physics_statistics as ps
import test_exact as glass
import test_exact_models as models
import test_ferromagnet as ferromagnet
import test_field as field
import test_gaussian as gaussian
import test_quench as quench
import test_relaxation as relaxation
import test_vector_programs as vectors

TITLE = "Exact values"
TEXT = """
psflip measures {count} numbers that are known exactly. Their deviations have chi^2 = {chi2:.1f}. Independent normal deviations exceed this value with probability {probability:.2f}.

    PSFLIP_BIN=build/bin python tests/physics/validation.py --processes 16 --write docs/validation.md

| section | values | chi^2 | probability | largest deviation |
|---|---|---|---|---|
{summary}

In the tables below, the cell `-1.126084(312), +0.06` means that psflip measures -1.126084 ± 0.000312, which is 0.06 standard errors above the exact value.
The head of a column names the update, and `multispin.share`, `multispin.lanes` or other keys of `dynamics`.

The programs ran as in a study: `gen-disorder`, `thermalize`, `pt-run` and `measure`, or `relax`. The build was {version}.
Errors come from the scatter of independent copies. Each deviation is the normal deviation with the probability of Student's t.
Temperatures exchange configurations, so the values of one simulation are correlated. The tests in `tests/physics` compare more values and account for these correlations.

{tables}
"""


@dataclass(frozen=True)
class Row:
    model: str
    method: str
    L: int
    T: float
    quantity: str
    exact: float
    measured: float
    error: float
    deviation: float

    @property
    def line(self):
        """The cells that do not depend on the method."""
        return f"{self.model} | {self.L} | {self.T:.5g} | {self.quantity} | {self.exact:.6f}"

    @property
    def cell(self):
        return f"{self.measured:.6f}({self.error * 1e6:.0f}), {self.deviation:+.2f}"


def row(model, method, L, T, quantity, exact, copies):
    error = np.std(copies, ddof=1) / np.sqrt(len(copies))
    deviation = ps.z_scores(np.reshape(copies, (-1, 1)), np.array([exact]))[0]
    return Row(model, method, L, T, quantity, float(exact), float(np.mean(copies)), float(error), float(deviation))


def method_of(update, coding):
    return f"{update}, lanes: replicas" if coding == "replicas" else f"{update}, share {coding}"


def square(folder, seed, L):
    """Kaufman's energies and specific heats."""
    T_all = ferromagnet.TEMPERATURES
    means = ferromagnet.measure(
        folder, "dimension: 2", seed=seed, L=L, temperatures=T_all, thermalize=8 * L * L, sweeps=32 * L * L, measure_every=8
    )
    for T in (1.9, ferromagnet.SQUARE_T_C, 2.8):
        for name, exact in zip(("energy", "specific_heat"), kaufman.energy_and_heat(L, T)):
            yield row("ferromagnet", method_of("metropolis", 1), L, T, name, exact, means[name][T_all.index(T)])


SMALL_SQUARE = ("energy", "specific_heat", "m2", "q2", "q_link", "replicon", "replicon_kmin")


def small_square(folder, seed, name, update, coding):
    """One realization of a model on the 4 x 4 lattice, at one temperature."""
    model = models.MODELS[name][0]
    exact, columns, means = models.simulate(folder, model, update, coding, seed)
    slot = 2
    T = models.temperatures_of(model)[slot]
    averages = exact[0].averages(T)
    for quantity in SMALL_SQUARE:
        if quantity in means and np.isfinite(means[quantity]).all():
            copies = means[quantity][slot, columns[0]]
            yield row(name.replace("-", " "), method_of(update, coding), 4, T, quantity, averages[quantity], copies)


def small_square_cases():
    """Every model with each of its codings once. The two updates alternate."""
    cases = [(name, coding) for name, (_, codings) in models.MODELS.items() for coding in codings]
    return [(name, ("metropolis", "heat-bath")[i % 2], coding) for i, (name, coding) in enumerate(cases)]


GLASS_CODINGS = (1, 128, "replicas")


def small_cube(folder, seed, coding):
    """Glasses of 4 x 4 x 4 sites: energies of two realizations, others with every coding, and overlaps of the first realization."""
    config, disorder, run, columns, realizations = glass.simulate(folder, coding, seed)
    means = physics_runs.means_of_run(folder, config, disorder, run)
    means["chi_kmin"] = exact_L4.N * means["kmin"]
    overlaps, _ = exact_L4.overlaps_of_1001()
    first = GLASS_CODINGS.index(coding)

    def rows(i, T, values):
        model = f"realization {1001 + i}"
        assert realizations[i].tag.endswith(f"seed{1001 + i}")
        for name, exact in values.items():
            yield row(model, method_of("metropolis", coding), 4, T, name, exact, means[name][glass.TEMPERATURES.index(T), columns[i]])

    for i in (first, first + len(GLASS_CODINGS)):
        for T in overlaps:
            yield from rows(i, T, dict(zip(("energy", "specific_heat"), realizations[i].energy_and_heat(T))))
    for T, values in overlaps.items():
        yield from rows(0, T, values)


def field_rows(model, method, L, slots, exact, means, columns=slice(None)):
    for slot in slots:
        for name, values in exact.items():
            yield row(model, method, L, field.TEMPERATURES[slot], name, values[slot], means[name][slot, columns])


def without_bonds(folder, seed, update):
    couplings, exact = field.spins_without_bonds()
    means = field.means_of(folder, couplings, update, seed=seed)
    yield from field_rows("no bonds", method_of(update, 1), field.L, (0, 2), exact, means)


def rings(folder, seed, update):
    couplings, exact = field.rings()
    means = field.means_of(folder, couplings, update, seed=seed)
    yield from field_rows("rings along x", method_of(update, 1), field.L, (1,), exact, means)


def open_glass(folder, seed, update, share):
    couplings, columns, exact = field.glasses(share)
    means = field.means_of(folder, couplings, update, share, seed)
    yield from field_rows("glass, open in z", method_of(update, share), 4, (0, 2), exact[0], means, columns[0])


GAUSSIAN_COUNT = 8192


def links(folder, seed, dimension, L, update, precision):
    """The difference of both sides is 0."""
    energy, by_links = gaussian.sides(
        folder, dimension, L, update, GAUSSIAN_COUNT, seed=seed, dynamics=f"precision: {precision}", **gaussian.EQUILIBRIUM
    )
    for slot, T in list(enumerate(gaussian.TEMPERATURES[dimension]))[::2]:
        difference = energy[:, slot] - by_links[:, slot]
        yield row(f"{dimension} dimensions", f"{update}, {precision}", L, T, "e + βd (1 − q_link)", 0.0, difference)


def vector_lattice(folder, seed, name, update, dynamics):
    lattice, means = vectors.LATTICES[name], vectors.simulate(folder, name, update, dynamics, seed)
    for slot in lattice.shown:
        T = lattice.temperatures[slot]
        for quantity, exact in lattice.averages(T).items():
            yield row(name, f"{update}, {dynamics}", lattice.L, T, quantity, exact, means[quantity][slot])


def first_sweep(folder, seed, share):
    half, whole = quench.energies_of_first_sweep(folder, share, seed)
    for slot, T in list(enumerate(quench.HALF_SWEEP))[::2]:
        for when, exact, copies in (("half", quench.energy_after_update(T, 0.0), half), ("one", quench.first_sweep(T), whole)):
            yield row(f"thermalize, {when} sweep", method_of("metropolis", share), quench.L, T, "energy", exact, copies[:, slot])


def first_sweep_of_relax(folder, seed, share):
    copies = quench.energies_of_relax(folder, share, seed)
    for slot, T in list(enumerate(quench.HALF_SWEEP))[::2]:
        exact = quench.first_sweep(T, quench.after_heat_bath)
        yield row("relax, one sweep", method_of("heat-bath", share), quench.L, T, "energy", exact, copies[:, slot])


def late_times(folder, seed, start):
    found = relaxation.relaxed_energies(folder, start, seed)
    for i, realization in enumerate(exact_L4.realizations()[:3]):
        for slot, T in list(enumerate(relaxation.TEMPERATURES))[::2]:
            model = f"relax, late times, realization {1001 + i}"
            yield row(model, f"metropolis, start: {start}", 4, T, "energy", realization.energy_and_heat(T)[0], found[slot, i])


@dataclass(frozen=True)
class Section:
    title: str
    text: str
    parts: list[tuple[Callable, tuple]]  # generators of rows, and their arguments after folder and seed


def parts(function, *cases):
    return [(function, case if isinstance(case, tuple) else (case,)) for case in cases]


UPDATES = ("metropolis", "heat-bath")
SECTIONS = [
    Section(
        "Two dimensions: the ferromagnet",
        "Energies and specific heats of periodic lattices agree with the exact values of B. Kaufman, Phys. Rev. 76, 1232 (1949).",
        parts(square, 8, 16, 32),
    ),
    Section(
        "Two dimensions: every model",
        "One realization of each model on 4 x 4 sites agrees with sums over all 2^16 states. Metropolis and heat bath alternate from case to case.",
        parts(small_square, *small_square_cases()),
    ),
    Section(
        "Three dimensions: the ±J glass",
        "Realizations of 4 x 4 x 4 sites (`tests/data`) agree with densities of states and moments of overlaps that were computed without psflip.",
        parts(small_cube, *GLASS_CODINGS),
    ),
    Section(
        "Three dimensions: fields",
        f"In the field h = {field.FIELD}, psflip agrees with exact averages of single spins, of rings of L spins, and of glasses that are open in z. Sums over states, layer by layer, give the averages of these glasses.",
        parts(without_bonds, *UPDATES) + parts(rings, *UPDATES) + parts(open_glass, ("metropolis", 1), ("heat-bath", 128)),
    ),
    Section(
        "Gaussian couplings",
        f"In the disorder average, the energy per site and the link overlap obey e = −βd (1 − q_link). The averages are over {GAUSSIAN_COUNT} realizations.",
        parts(links, (2, 8, "heat-bath", "float"), (3, 4, "metropolis", "float"), (3, 4, "heat-bath", "double")),
    ),
    Section(
        "Three dimensions: vector spins",
        "Two species divide the lattice into independent chains, rings, pairs or sites, which have exact solutions. Values of the cubic lattice come from the high-temperature series up to K^7, with K = 1/T.",
        parts(vector_lattice, *vectors.CASES),
    ),
    Section(
        "Off equilibrium",
        "After the first sweep from random spins, the mean energies of ±J glasses agree with exact values. At late times, energies agree with exact energies of equilibrium.",
        parts(first_sweep, 1, 128) + parts(first_sweep_of_relax, 1, 128) + parts(late_times, "random", "up"),
    ),
]


def run(section, seed, function, arguments):
    """The rows of one part."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        rows = list(function(Path(folder), seed, *arguments))
    print(f"{section}: {function.__name__} {arguments}, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return rows


def rows_of_sections(processes):
    """The rows of each section, in the order of SECTIONS whatever ends first. Every part has its own seed, so that parts are independent."""
    seeds = itertools.count(1)
    with ProcessPoolExecutor(processes) as pool:
        jobs = [[pool.submit(run, section.title, next(seeds), *part) for part in section.parts] for section in SECTIONS]
        return [[row for job in of_section for row in job.result()] for of_section in jobs]


def chi2_of(rows):
    chi2 = sum(one.deviation**2 for one in rows)
    return chi2, stats.chi2.sf(chi2, len(rows))


def tables_of(rows):
    """Returns tables with one column per method. Consecutive models with the same methods share a table."""
    methods = {}
    for one in rows:
        methods.setdefault(one.model, {})[one.method] = None
    tables = []
    for names, models in itertools.groupby(methods, lambda model: tuple(methods[model])):
        head = " | ".join(["model | L | T | quantity | exact", *names])
        cells = {(one.line, one.method): one.cell for model in models for one in rows if one.model == model}
        tables.append(pages.pivot(head, names, cells))
    return "\n\n".join(tables)


def section_of(rows_of, version):
    summary, tables = [], []
    for section, rows in zip(SECTIONS, rows_of):
        chi2, probability = chi2_of(rows)
        worst = max((one.deviation for one in rows), key=abs)
        summary.append(f"| {section.title} | {len(rows)} | {chi2:.1f} | {probability:.2f} | {worst:+.2f} |")
        tables.append(f"### {section.title}\n{section.text}\n\n{tables_of(rows)}")
    every = [one for rows in rows_of for one in rows]
    chi2, probability = chi2_of(every)
    values = dict(count=len(every), chi2=chi2, probability=probability, version=version)
    return f"## {TITLE}{TEXT}".format(summary="\n".join(summary), tables="\n\n".join(tables), **values)


def version_of_build():
    command = [physics_runs.BIN / "pt-run", "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1, help="simulations at a time, each on one core")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="page that gets the section, docs/validation.md")
    given = parser.parse_args()
    version = version_of_build()
    if given.write and "dirty" in version:
        sys.exit(f"validation.py: error: {version} was built from uncommitted files, so nobody can repeat the page. Commit and build again.")
    text = section_of(rows_of_sections(given.processes), version)
    print(text)
    if given.write:
        given.write.write_text(pages.with_section(given.write.read_text(), TITLE, text))


if __name__ == "__main__":
    main()
