"""Exact thermal averages of Ising models on the periodic 4 x 4 lattice, by all 2^16 states.

H = -sum J s s' - h sum s with any J, 0 where a bond is absent. The overlap of two replicas is that of d = s^a s^b, whose
probability is the convolution of the states' probabilities over the group of spin flips, by two Walsh-Hadamard transforms.
"""

from functools import cached_property

import numpy as np

L, N = 4, 16


def spins_of_states():
    """(state, y, x), +1 where bit x + 4 y of the state is 1."""
    bits = np.arange(2**N)[:, None] >> np.arange(N) & 1
    return (2 * bits - 1).astype(np.int64).reshape(-1, L, L)


SPINS = spins_of_states()
BONDS = np.stack([SPINS * np.roll(SPINS, -1, axis=2), SPINS * np.roll(SPINS, -1, axis=1)], axis=1)  # (state, direction, y, x)


def walsh_hadamard(p):
    p = p.copy()
    step = 1
    while step < len(p):
        pairs = p.reshape(-1, 2, step)
        p = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        step *= 2
    return p


def moments(probability, prefix):
    """Returns moments of the lattice sum X of SPINS: mean, |X|, X^2, X^4 per site, and |X(k_min)|^2 / N^2, mean over both axes."""
    x = SPINS.sum(axis=(1, 2)) / N
    wave = np.exp(2j * np.pi * np.arange(L) / L)
    along = [np.abs(SPINS.sum(axis=axis) @ wave / N) ** 2 for axis in (1, 2)]
    values = {"": x, "_abs": np.abs(x), "2": x**2, "4": x**4, "_kmin": np.mean(along, axis=0)}
    return {prefix + name: probability @ value for name, value in values.items()}


def overlap_moments(probability):
    return {name.replace("q_kmin", "kmin"): value for name, value in moments(probability, "q").items()}


def replicon(matrix):
    """chi_R / N from [<s_i s_j> - <s_i> <s_j>]^2: at k = 0, mean over both axes, mean over both diagonals."""
    y, x = np.divmod(np.arange(N), L)
    waves = {"replicon": [(0, 0)], "replicon_kmin": [(1, 0), (0, 1)], "replicon_diagonal": [(1, 1), (1, -1)]}

    def at(n):
        phase = np.exp(2j * np.pi * (n[0] * x + n[1] * y) / L)
        return (phase @ matrix @ phase.conj()).real / N**2

    return {name: np.mean([at(n) for n in chosen]) for name, chosen in waves.items()}


class Square:
    """One realization, couplings (direction, y, x), direction 0 = x."""

    def __init__(self, couplings, field=0.0):
        self.couplings = np.asarray(couplings)
        self.bond_energy = -np.einsum("sdyx,dyx->s", BONDS, self.couplings)
        self.energy = self.bond_energy - field * SPINS.sum(axis=(1, 2))

    def probability(self, T):
        """Returns the Boltzmann weights of the states."""
        weight = np.exp(-(self.energy - self.energy.min()) / T)
        return weight / weight.sum()

    def houdayer_moves(self, T):
        """Returns averages over moves: the fraction whose replicas differ at the first site, and the number of sites of the cluster (0 without one)."""
        differs = walsh_hadamard(walsh_hadamard(self.probability(T)) ** 2) / 2**N  # of the states that have bit 1 where the replicas differ
        return differs @ (SPINS == 1).mean(axis=(1, 2)), differs @ self.squared_clusters / N

    @cached_property
    def squared_clusters(self):
        """(state): the sum of the squared sizes of the clusters of spins +1 that present bonds connect."""
        up, label = SPINS == 1, np.where(SPINS == 1, np.arange(N).reshape(L, L), -1)
        for _ in range(N):
            for direction, axis in ((0, 2), (1, 1)):
                bond = (self.couplings[direction] != 0) & up & np.roll(up, -1, axis=axis)
                label = np.where(bond, np.maximum(label, np.roll(label, -1, axis=axis)), label)
                back = np.roll(bond, 1, axis=axis)
                label = np.where(back, np.maximum(label, np.roll(label, 1, axis=axis)), label)
        flat = label.reshape(-1, N)
        return np.sum([(flat[:, i : i + 1] == flat).sum(axis=1) * (flat[:, i] >= 0) for i in range(N)], axis=0)

    def averages(self, T):
        """{name: value}, named as the means in observables files."""
        p = self.probability(T)
        mean = p @ self.energy
        overlap = walsh_hadamard(walsh_hadamard(p) ** 2) / len(p)  # of d = s^a s^b
        p_dbeta = -p * (self.energy - mean)
        overlap_dbeta = 2 * walsh_hadamard(walsh_hadamard(p) * walsh_hadamard(p_dbeta)) / len(p)
        present = self.couplings != 0
        near = p @ SPINS.reshape(-1, N)
        correlation = (SPINS.reshape(-1, N) * p[:, None]).T @ SPINS.reshape(-1, N) - np.outer(near, near)
        link = np.einsum("sdyx,dyx->s", BONDS, present) / max(1, present.sum())
        # Bit 1 of a state is spin +1; equal spins of the replicas are bit 0 of their exclusive or.
        return (
            {"energy": mean / N, "energy2": p @ self.energy**2 / N**2, "specific_heat": p @ (self.energy - mean) ** 2 / (N * T**2)}
            | moments(p, "m")
            | overlap_moments(overlap[::-1])
            | {f"{name}_dbeta": value for name, value in (moments(p_dbeta, "m") | overlap_moments(overlap_dbeta[::-1])).items()}
            | {"q_link": overlap[::-1] @ link, "energy_bond": p @ self.bond_energy / max(1, present.sum())}
            | replicon(correlation**2)
        )
