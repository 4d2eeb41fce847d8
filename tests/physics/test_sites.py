"""One large lattice whose boxes are the lanes of words: Kaufman's exact energies and specific heats with the plain checkerboard and with
tiles that are updated 1, 10 and 100 times in a step, and by demons. Limits in standard errors, which come from 32 blocks of consecutive steps."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

from sites_averages import BETAS, rows_with_exact

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
# L, edge of the tiles, hits, steps: 20 autocorrelation times of the energy or more in a block; at L = 64 those are of some 70 sweeps at
# beta_c, about as many steps with hits, as tiles are small.
LONG = [(64, 0, 1, 80000), (64, 2, 1, 80000), (64, 2, 100, 60000), (128, 0, 1, 100000), (128, 4, 10, 60000), (128, 4, 100, 20000)]
CASES = [(64, 2, 10, 60000), *(pytest.param(*case, marks=pytest.mark.long) for case in LONG)]
# L, sites of a demon, steps. Subdomains of L = 64 have chains of 4 sites, of L = 128 chains of 8 sites.
DEMONS = [(64, 16, 300000), *(pytest.param(*case, marks=pytest.mark.long) for case in [(64, 1, 100000), (128, 16, 400000)])]


@pytest.mark.parametrize(("L", "demon_sites", "steps"), DEMONS)
def test_kaufman_with_demons(L, demon_sites, steps):
    check_kaufman(L, ["--demon-sites", demon_sites], steps)


def test_energies_of_a_large_square_with_demons():
    """Chains of 16 and of 32 sites in 512 x 512, away from the critical point."""
    for demon_sites in (16, 32):
        check_kaufman(512, ["--demon-sites", demon_sites], 40000, [0.35, 0.40])


@pytest.mark.parametrize(("L", "tile", "hits", "steps"), CASES)
def test_kaufman(L, tile, hits, steps):
    check_kaufman(L, ["--tile", tile, "--hits", hits], steps)


@pytest.mark.parametrize(("order", "hits"), [("alternating", 10), ("reversed", 10), pytest.param("reversed", 2, marks=pytest.mark.long)])
def test_kaufman_in_other_orders_of_tiles(order, hits):
    check_kaufman(64, ["--tile", 2, "--hits", hits, "--tile-order", order], 80000)


def ring_steps(hits, beta, sites=8, tile=2):
    """Returns the Boltzmann weights of a ring of Ising spins in a field, and a function of (colour of the tiles, first colour of the sites)
    that returns the transition matrix of all hits of these tiles."""
    states = np.array([[1 - 2 * (state >> site & 1) for site in range(sites)] for state in range(2**sites)])
    energy = -np.sum(states * np.roll(states, 1, axis=1), axis=1) - 0.3 * states[:, 0]  # the field breaks all symmetries
    weights = np.exp(-beta * energy) / np.sum(np.exp(-beta * energy))

    def metropolis(site):
        matrix = np.zeros((2**sites, 2**sites))
        for state in range(2**sites):
            other = state ^ 1 << site
            matrix[state, other] = min(1, np.exp(-beta * (energy[other] - energy[state])))
            matrix[state, state] = 1 - matrix[state, other]
        return matrix

    def of_tiles(tiles, first):
        hit = np.eye(2**sites)
        for colour in (first, 1 - first):
            for site in range(sites):
                if site // tile % 2 == tiles and site % 2 == colour:
                    hit = hit @ metropolis(site)
        return np.linalg.matrix_power(hit, hits)

    return weights, of_tiles


@pytest.mark.parametrize("hits", [1, 3])
def test_two_reversed_steps_obey_detailed_balance(hits):
    """Exact transition matrices. With the order reversed, the second step is the first step in reverse, also within each tile."""
    weights, of_tiles = ring_steps(hits, 0.7)
    fixed, alternating, back = of_tiles(0, 0) @ of_tiles(1, 0), of_tiles(1, 0) @ of_tiles(0, 0), of_tiles(1, 1) @ of_tiles(0, 1)

    def flow_without_balance(matrix):
        assert np.allclose(weights @ matrix, weights, rtol=1e-12)  # the equilibrium distribution remains
        flow = weights[:, None] * matrix
        return np.max(np.abs(flow - flow.T)) / np.max(flow - np.diag(np.diag(flow)))

    for matrix in (fixed @ back, back @ fixed):
        assert flow_without_balance(matrix) < 1e-12
    for matrix in (fixed, fixed @ fixed, fixed @ alternating, alternating @ fixed):
        assert flow_without_balance(matrix) > 1e-3


def check_kaufman(L, dynamics, steps, betas=BETAS):
    z = []
    for row in rows_with_exact(L, dynamics, steps, betas):
        z += [row["e_sigma"], row["C_sigma"]]
        assert row["e_error"] < 0.005 and row["C_error"] < 0.1 * row["C_exact"]
    print(f"L = {L}, {dynamics}: deviations of e and C over their errors", np.round(z, 2))
    # Student's t of 31: one of six beyond 3.5 has probability 0.009 by chance, and seeds are fixed
    assert np.all(np.abs(z) < 3.5) and np.sum(np.square(z)) < 25


@pytest.mark.long
def test_heat_bath_and_metropolis_in_a_field_agree(tmp_path):
    rows = []
    for update in ([], ["--heat-bath"]):
        out = tmp_path / "averages.json"
        command = [BIN / "bench-sites", "--backend", "cpu", "--threads", "1", "--L", "64", "--beta", "0.4", "--field", "0.05", *update]
        subprocess.run([*map(str, command), "--measure", "20000", "--json", str(out)], check=True)
        rows += json.loads(out.read_text())
    for name in ("e", "C", "m2"):
        difference = rows[0][name] - rows[1][name]
        assert abs(difference) < 3.5 * np.hypot(rows[0][f"{name}_error"], rows[1][f"{name}_error"]), name
    assert rows[0]["m2"] > 0.1
