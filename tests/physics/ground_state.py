"""Exact ground states of square lattices with periodic boundaries and any real couplings.

Minimises sum J_e x_e with x_e = 1 for a bond between unequal spins. In every cycle the number of these bonds is even. Linear programs with the inequalities
of odd subsets of cycles (Barahona and Mahjoub, Math. Program. 36, 157 (1986)) give a lower bound. Violated inequalities are found by shortest paths. If the
solution still has fractions, the integer program decides. A solution without fractions that violates no inequality is a ground state.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array, vstack
from scipy.sparse.csgraph import breadth_first_order, dijkstra

ROUNDING = 1e-6


def bonds_of(L):
    """Sites (bond, end) of all bonds: those in direction x first, then y. Site x + L y."""
    site = np.arange(L * L).reshape(L, L)
    return np.concatenate([np.stack([site.ravel(), np.roll(site, -1, axis=axis).ravel()], axis=1) for axis in (1, 0)])


def plaquettes(L):
    """Bonds (plaquette, 4) of all squares of four sites."""
    site = np.arange(L * L).reshape(L, L)
    right, up = np.roll(site, -1, axis=1), np.roll(site, -1, axis=0)
    return np.stack([site, right + L * L, up, site + L * L], axis=-1).reshape(-1, 4)


def inequalities(cycles, odd, bonds):
    """Rows sum_F x - sum_rest x <= |F| - 1 of cycles with odd subsets F, given as lists of bonds."""
    rows = np.repeat(np.arange(len(cycles)), [len(cycle) for cycle in cycles])
    signs = np.concatenate([np.where(np.isin(cycle, subset), 1.0, -1.0) for cycle, subset in zip(cycles, odd)])
    matrix = csr_array(coo_array((signs, (rows, np.concatenate(cycles))), shape=(len(cycles), bonds)))
    return matrix, np.array([len(subset) - 1 for subset in odd], dtype=float)


def violated(x, ends, sites):
    """Odd subsets of cycles whose inequality x violates, one per site at most: shortest paths from a site to its copy, if bonds between copies cost 1 - x."""
    i, j = ends.T
    same, other = np.maximum(x, 1e-12), np.maximum(1 - x, 1e-12)
    rows = np.concatenate([i, i + sites, i, i + sites])
    columns = np.concatenate([j, j + sites, j + sites, j])
    graph = csr_array(coo_array((np.concatenate([same, same, other, other]), (rows, columns)), shape=(2 * sites, 2 * sites)))
    number = {(a, b): e for e, (a, b) in enumerate(ends)} | {(b, a): e for e, (a, b) in enumerate(ends)}
    length, before = dijkstra(graph, directed=False, indices=np.arange(sites), return_predecessors=True)
    cycles, subsets = [], []
    for site in range(sites):
        if length[site, site + sites] > 1 - ROUNDING:
            continue
        path, at = [], site + sites
        while at != site:
            path.append((before[site, at], at))
            at = before[site, at]
        bonds = [number[a % sites, b % sites] for a, b in path]
        if len(set(bonds)) == len(bonds):
            cycles.append(bonds)
            subsets.append([e for e, (a, b) in zip(bonds, path) if (a < sites) != (b < sites)])
    return cycles, subsets


def ground_state(J, L):
    """Energy -sum J s s and spins of a ground state. J: couplings (bond) in the order of bonds_of."""
    ends, sites = bonds_of(L), L * L
    squares = plaquettes(L)
    cycles = [square for square in squares for _ in range(8)]
    odd = [subset for square in squares for subset in [*(square[[k]] for k in range(4)), *(np.delete(square, k) for k in range(4))]]
    matrix, most = inequalities(cycles, odd, len(J))
    integer = 0
    while True:
        result = milp(J, constraints=LinearConstraint(matrix, ub=most), bounds=Bounds(0, 1), integrality=np.full(len(J), integer), options={"mip_rel_gap": 0})
        assert result.success, result.message
        cycles, odd = violated(np.clip(result.x, 0, 1), ends, sites)
        if cycles:
            more, bound = inequalities(cycles, odd, len(J))
            matrix, most = vstack([matrix, more], format="csr"), np.concatenate([most, bound])
        elif np.abs(result.x - result.x.round()).max() > ROUNDING:
            integer = 1
        else:
            break
    return spins_of(result.x.round().astype(int), J, ends, sites)


def spins_of(x, J, ends, sites):
    """Spins whose unequal neighbours are the bonds with x = 1, and their energy."""
    i, j = ends.T
    tree = csr_array(coo_array((np.ones(len(x)), (i, j)), shape=(sites, sites)))
    unequal = {(a, b): v for (a, b), v in zip(ends, x)} | {(b, a): v for (a, b), v in zip(ends, x)}
    order, before = breadth_first_order(tree, 0, directed=False)
    spins = np.ones(sites, dtype=int)
    for site in order[1:]:
        spins[site] = spins[before[site]] * (1 - 2 * unequal[before[site], site])
    assert np.array_equal(spins[i] * spins[j], 1 - 2 * x)
    return -float(J @ (spins[i] * spins[j])), spins
