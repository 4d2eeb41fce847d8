"""Energy and specific heat of the periodic L x L Ising ferromagnet, H = -sum s s', J = k_B = 1, at any temperature.

Kaufman, Phys. Rev. 76, 1232 (1949); Ferdinand and Fisher, Phys. Rev. 185, 832 (1969): with K = 1/T and N = L^2,

    Z = (2 sinh 2K)^(N/2) / 2 (Z1 + Z2 + Z3 + Z4),   Z1, Z2 = prod_r 2 cosh, 2 sinh (L g_{2r+1} / 2),
                                                     Z3, Z4 = prod_r 2 cosh, 2 sinh (L g_{2r} / 2),   r = 0 ... L-1,

cosh g_l = cosh(2K) coth(2K) - cos(pi l / L), and g_0 = 2K + ln tanh K, which changes its sign at T_c. Each quantity is kept with
its first two derivatives by K, the Z_i as logarithms; Z4 without its factor r = 0, which is 0 at T_c.
"""

import numpy as np


class Jet:
    """A function of K by value, first and second derivative (arrays or numbers)."""

    def __init__(self, f, f1, f2):
        self.f, self.f1, self.f2 = f, f1, f2

    def __add__(self, other):
        return Jet(self.f + other.f, self.f1 + other.f1, self.f2 + other.f2)

    def __sub__(self, other):
        return Jet(self.f - other.f, self.f1 - other.f1, self.f2 - other.f2)

    def __mul__(self, other):
        return Jet(self.f * other.f, self.f1 * other.f + self.f * other.f1, self.f2 * other.f + 2 * self.f1 * other.f1 + self.f * other.f2)

    def scaled(self, factor):
        return Jet(factor * self.f, factor * self.f1, factor * self.f2)

    def through(self, g, g1, g2):
        """g(f) from g and its derivatives at f."""
        return Jet(g, g1 * self.f1, g2 * self.f1**2 + g1 * self.f2)

    def sum(self):
        return Jet(self.f.sum(), self.f1.sum(), self.f2.sum())


def log_2cosh(x):
    """ln 2 cosh of a jet."""
    t = np.tanh(x.f)
    return x.through(np.abs(x.f) + np.log1p(np.exp(-2 * np.abs(x.f))), t, 1 - t**2)


def log_2sinh(x):
    """ln 2 sinh of a positive jet."""
    t = np.tanh(x.f)
    return x.through(x.f + np.log(-np.expm1(-2 * x.f)), 1 / t, -1 / np.sinh(np.minimum(x.f, 300.0)) ** 2)


def log_partition_function(L, K):
    """ln Z as a jet in K."""
    s, c = np.sinh(2 * K), np.cosh(2 * K)
    # cosh g_l - 1 = u + 2 sin^2(pi l / 2L) with u = c^2/s - 2 = (s - 1)^2 / s, which is 0 at T_c
    u = Jet((s - 1) ** 2 / s, 2 * c * (1 - 1 / s**2), 4 * (s + 1 / s + 2 / s**3))
    a = u.f + 2 * np.sin(np.pi * np.arange(1, 2 * L) / (2 * L)) ** 2
    root = np.sqrt(a * (a + 2))  # sinh g
    g = u.through(2 * np.arcsinh(np.sqrt(a / 2)), 1 / root, -(a + 1) / root**3)
    half = g.scaled(L / 2)
    odd, even = Jet(half.f[::2], half.f1[::2], half.f2[::2]), Jet(half.f[1::2], half.f1[1::2], half.f2[1::2])
    zero = Jet(2 * K + np.log(np.tanh(K)), 2 + 2 / s, -4 * c / s**2).scaled(L / 2)

    z1 = log_2cosh(odd).sum()
    z2 = log_2sinh(odd).sum()
    z3 = log_2cosh(even).sum() + log_2cosh(zero)
    z4 = log_2sinh(even).sum()  # of r > 0
    with np.errstate(under="ignore"):
        total = Jet(1.0, 0.0, 0.0) + exponential(z2 - z1) + exponential(z3 - z1) + exponential(z4 - z1 + zero) - exponential(z4 - z1 - zero)
    log_total = total.through(np.log(total.f), 1 / total.f, -1 / total.f**2)
    front = Jet(np.log(2 * s), 2 * c / s, -4 / s**2).scaled(L * L / 2)
    return front + z1 + log_total + Jet(-np.log(2), 0.0, 0.0)


def exponential(x):
    e = np.exp(x.f)
    return x.through(e, e, e)


def energy_and_heat(L, T):
    """e = <E>/N and C = (<E^2> - <E>^2) / (N T^2)."""
    K = 1 / T
    log_z = log_partition_function(L, K)
    return -log_z.f1 / L**2, K**2 * log_z.f2 / L**2
