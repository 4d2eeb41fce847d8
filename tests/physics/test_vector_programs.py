"""Vector spins through the programs against exact averages: energies by term, specific heats and moments from occupations written by hand.

Two species divide the cubic lattice into independent parts, because bonds between a and b have no coupling. Errors come from equal lattices
with different random numbers; temperatures that exchange may be correlated. tests/physics/vector has more updates and models, by the library.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np
import pytest

import exact_vectors as exact
import physics_runs
import physics_statistics as ps

COPIES = 64
J_A, J_B = 1.0, -0.7


@dataclass(frozen=True)
class Lattice:
    model: str  # keys of the configuration
    L: int
    species: Callable  # 1 (b) or 0 (a) at x, y, z
    temperatures: list
    averages: Callable  # {name: exact value} at T
    shown: tuple = (1,)  # slots in docs/validation.md
    tile: int = 0
    hits: int = 1


def lines(x, y, z):
    """Lines along x, each next to lines of the other species."""
    return (y + z) % 2


def pairs(x, y, z):
    """Pairs along x, each next to pairs of the other species."""
    return (x // 2 + y + z) % 2


def checkerboard(x, y, z):
    return (x + y + z) % 2


def chains(T):
    L = 6
    energy, heat = sum(exact.energy_and_heat(exact.log_bond, J, T) for J in (J_A, J_B)) * (L - 1) / (2 * L)
    u = [exact.langevin(J / T).f for J in (J_A, J_B)]
    m2, ms2 = (np.mean([exact.chain_m2(sign * one, L) for one in u]) / L**3 for sign in (1, -1))
    return {"energy": energy, "specific_heat": heat, "m2": m2, "ms2": ms2}


def rings(T, L=4):
    energy, heat = sum(exact.energy_and_heat(lambda K: exact.log_ring(K, L), J, T) for J in (J_A, J_B)) / (2 * L)
    return {"energy": energy, "specific_heat": heat}


def long_rings(T):
    return rings(T, 16)


def dimers(T):
    exchange, dm, heat = (np.array(exact.dimer(J_A, 0.5, T)) + exact.dimer(J_B, 1.1, T)) / 4
    return {"energy_exchange": exchange, "energy_dm": dm, "specific_heat": heat}


def ions(T):
    field, moments, N = 1.5, (1.0, 0.6), 64
    m, heat = np.array([exact.free_spin(field * moment, T) for moment in moments]).T
    m2 = np.mean(m) ** 2 + (1 - np.mean(m**2)) / N
    return {"moment_z": m @ moments / 2, "specific_heat": np.mean(heat), "m2": m2}


def anisotropic(T):
    energy, heat = np.mean([exact.anisotropic_spin(K, T) for K in (2.0, -2.0)], axis=0)
    return {"energy": energy, "specific_heat": heat}


def cubic(T):
    energy, heat = exact.energy_and_heat(exact.log_cubic_site, 1.0, T)
    return {"energy": energy, "specific_heat": heat}


EXCHANGE = f"exchange: [{J_A}, 0, {J_B}]"
NONE = "exchange: [0, 0, 0]"
LATTICES = {
    "open chains of 6": Lattice(f"boundary: open, {EXCHANGE}", 6, lines, [0.3, 0.5, 0.8, 1.2], chains, shown=(0, 2)),
    "rings of 4": Lattice(EXCHANGE, 4, lines, [0.3, 0.5, 0.8, 1.2], rings),
    "rings of 16": Lattice(EXCHANGE, 16, lines, [0.3, 0.5, 0.8, 1.2], long_rings, tile=8, hits=4),
    "dimers": Lattice(
        f"{EXCHANGE}, dm: [0.5, 0, 1.1], dm_pattern: constant, dm_axis: [1, 2, -2]", 4, pairs, [0.3, 0.5, 0.8, 1.2], dimers
    ),
    "free spins in a field": Lattice(f"{NONE}, field: 1.5, moments: [1, 0.6]", 4, checkerboard, [0.3, 0.6, 1.0, 2.0], ions),
    "anisotropic spins": Lattice(f"{NONE}, anisotropy: [2, -2]", 4, checkerboard, [0.5, 0.8, 1.2, 2.0], anisotropic),
    # What the series leaves out is below 2e-5 at T = 5 and smaller at higher temperatures.
    "cubic lattice": Lattice("exchange: [1, 1, 1]", 8, checkerboard, [5.0, 6.0, 8.0, 10.0], cubic, shown=(0, 3)),
}
CASES = [
    ("open chains of 6", "heat-bath", "precision: float, over_relaxation: 1"),
    ("open chains of 6", "cone", "precision: double"),
    ("rings of 4", "metropolis", "precision: float"),
    ("rings of 4", "heat-bath", "precision: double"),
    ("dimers", "cone", "precision: float"),
    ("dimers", "metropolis", "precision: double"),
    ("free spins in a field", "heat-bath", "precision: float"),
    ("free spins in a field", "metropolis", "precision: double"),
    ("anisotropic spins", "cone", "precision: float"),
    ("anisotropic spins", "metropolis", "precision: double"),
    ("cubic lattice", "heat-bath", "precision: float"),
    ("cubic lattice", "heat-bath", "precision: double"),
]
TILED = [
    ("rings of 16", "heat-bath", "precision: float, tile_order: alternating"),
    ("rings of 16", "cone", "precision: double"),
]
SHORT = (CASES[0], CASES[5], CASES[6])


def simulate(folder, name, update, dynamics, seed=31):
    """{name: (temperature, copy)} of `measure`."""
    lattice = LATTICES[name]
    z, y, x = np.indices((lattice.L,) * 3)
    disorder = physics_runs.write_occupation(folder / "disorder.h5", np.repeat(lattice.species(x, y, z)[None], COPIES, axis=0))
    config = physics_runs.write_config(
        folder / "config.yaml",
        L=lattice.L,
        temperatures=lattice.temperatures,
        seed=seed,
        share=1,
        replicas=1,
        thermalize=512,
        sweeps=4096,
        measure_every=4,
        realizations=COPIES,
        model=f"kind: heisenberg, concentration: 0.5, {lattice.model}",
        update=update,
        dynamics=dynamics,
        tile=lattice.tile,
        hits=lattice.hits,
    )
    return physics_runs.means_of_realizations(folder, config, disorder)


@pytest.mark.parametrize("name, update, dynamics", [case if case in SHORT else pytest.param(*case, marks=pytest.mark.long) for case in [*CASES, *TILED]])
def test_means(name, update, dynamics, tmp_path):
    lattice, means = LATTICES[name], simulate(tmp_path, name, update, dynamics)
    wanted = [lattice.averages(T) for T in lattice.temperatures]
    names = [f"{quantity} at T = {T}" for quantity in wanted[0] for T in lattice.temperatures]
    copies = np.concatenate([means[quantity] for quantity in wanted[0]]).T
    values = np.array([averages[quantity] for quantity in wanted[0] for averages in wanted])
    ps.check_each(ps.z_scores(copies, values), names, f"{name}, {update}, {dynamics}")
    ps.check_chi2(ps.hotelling(copies, values), len(names), f"{name}, {update}, {dynamics}")
