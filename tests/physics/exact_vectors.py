"""Exact thermal averages of classical vectors |S| = 1 on lattices that fall into small parts, and the series of high temperatures.

A bond of coupling K = J/T has the sum over directions sinh(K)/K and the mean <S.S'> = u(K) = coth K - 1/K (Fisher, Am. J. Phys. 32, 343, 1964).
Logarithms of sums over states are jets of K (kaufman.py), so that energies and specific heats are their derivatives.
"""

import numpy as np
from scipy.special import spherical_in

from kaufman import Jet

COSINES, WEIGHTS = np.polynomial.legendre.leggauss(100)  # the integral over -1 to 1
WEIGHTS = WEIGHTS / 2


def langevin(x):
    """u(x) as a jet."""
    u = 1 / np.tanh(x) - 1 / x
    u1 = 1 - u**2 - 2 * u / x
    return Jet(u, u1, -2 * u * u1 - 2 * u1 / x + 2 * u / x**2)


def log_bond(K):
    """ln(sinh(K)/K): one bond of an open chain."""
    u = langevin(K)
    return Jet(np.log(np.sinh(K) / K), u.f, u.f1)


def log_ring(K, L):
    """ln sum_l (2l + 1) i_l(K)^L: a ring of L spins, L even; i_l are modified spherical Bessel functions."""
    K = abs(K)
    order = np.arange(40)
    i, i1 = spherical_in(order, K), spherical_in(order, K, derivative=True)
    i2 = (1 + order * (order + 1) / K**2) * i - 2 / K * i1
    z = Jet(i, i1, i2).through(i**L, L * i ** (L - 1), L * (L - 1) * i ** (L - 2))
    z = z.scaled(2 * order + 1).sum()
    return z.through(np.log(z.f), 1 / z.f, -1 / z.f**2)


def log_cubic_site(K):
    """Periodic cubic lattice, per site, up to K^7. A closed polygon of n bonds gives 3 u^n; a site has 3 polygons of four bonds and 22 of six."""
    u = langevin(K)
    u2 = u * u
    u4 = u2 * u2
    return log_bond(K).scaled(3) + u4.scaled(9) + (u4 * u2).scaled(66)


def energy_and_heat(log_z, J, T):
    """<E> and beta^2 (<E^2> - <E>^2) from ln Z(K) with K = J/T."""
    jet = log_z(abs(J) / T)
    return np.array([-abs(J) * jet.f1, (J / T) ** 2 * jet.f2])


def chain_m2(u, L):
    """<(sum S)^2> / L of an open chain, whose correlations are u^|i - j|."""
    distance = np.abs(np.subtract.outer(np.arange(L), np.arange(L)))
    return np.sum(u**distance) / L


def free_spin(field, T):
    """<S^z> and beta^2 (<E^2> - <E>^2) with E = -field S^z."""
    x = field / T
    u = langevin(x)
    return u.f, x**2 * u.f1


def anisotropic_spin(K, T):
    """<E> and beta^2 (<E^2> - <E>^2) with E = -K (S^x)^2."""
    t2 = COSINES**2
    p = WEIGHTS * np.exp(K * t2 / T)
    p /= p.sum()
    return -K * (p @ t2), (K / T) ** 2 * (p @ t2**2 - (p @ t2) ** 2)


def dimer(J, D, T):
    """Exchange energy, Dzyaloshinskii-Moriya energy and beta^2 (<E^2> - <E>^2) of E = -J S.S' - D n.(S x S').

    The sum over directions of S' is sinh(b)/b, b = sqrt(J^2 + D^2 (1 - t^2)) / T, where t is the cosine between S and n.
    """
    sine2 = 1 - COSINES**2
    b = np.sqrt(J**2 + D**2 * sine2) / T
    p = WEIGHTS * np.sinh(b) / b
    p /= p.sum()
    u = langevin(b).f
    heat = p @ (b**2 - 2 * b * u) - (p @ (b * u)) ** 2
    return -(J**2) * (p @ (u / b)) / T, -(D**2) * (p @ (u / b * sine2)) / T, heat
