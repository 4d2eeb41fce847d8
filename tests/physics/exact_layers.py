"""Exact thermal averages of Ising models on lattices of 4 x 4 x L sites in a field, periodic in x and y, open in z.

H = -sum J s s' - h sum s. The sum over states goes from layer to layer. For each of the 2^16 states of the last layer it keeps Z and
the sums of E, E^2, M and M^2 over all states of the layers before.
"""

import numpy as np

from exact_square import BONDS, SPINS


def shifted(sums, energy, m):
    """The sums of states (Z, E, E^2, M, M^2) whose energies and magnetisations become larger by `energy` and `m`."""
    z, e, e2, m1, m2 = sums
    return np.array([z, e + energy * z, e2 + 2 * energy * e + energy**2 * z, m1 + m * z, m2 + 2 * m * m1 + m**2 * z])


def through_bond(sums, bit, J, T):
    """Replaces the spin `bit` of a layer by the spin above it and sums over the old one."""
    pairs = sums.reshape(5, -1, 2, 2**bit)
    equal = np.exp(J / T) * shifted(pairs, -J, 0)
    opposite = np.exp(-J / T) * shifted(pairs, J, 0)
    return (equal + opposite[:, :, ::-1]).reshape(5, -1)


def averages(couplings, field, T):
    """{name: value}, named as the means in observables files, from couplings (direction, z, y, x)."""
    assert not couplings[2, -1].any(), "open in z"
    m = SPINS.sum(axis=(1, 2))
    sums = np.zeros((5, len(m)))
    sums[0] = 1
    for z in range(couplings.shape[1]):
        if z > 0:
            for bit, J in enumerate(couplings[2, z - 1].ravel()):
                sums = through_bond(sums, bit, J, T)
        energy = -np.einsum("sdyx,dyx->s", BONDS, couplings[:2, z]) - field * m
        sums = shifted(sums, energy, m) * np.exp(-(energy - energy.min()) / T)
        sums /= sums[0].sum()
    _, e, e2, m1, m2 = sums.sum(axis=1)
    N = couplings[0].size
    return {"energy": e / N, "specific_heat": (e2 - e**2) / (N * T**2), "m": m1 / N, "m2": m2 / N**2}
