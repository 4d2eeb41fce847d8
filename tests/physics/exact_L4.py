"""Exact thermal averages of 4 x 4 x 4 realizations, from tests/data."""

import json

import numpy as np

import physics_runs

L, N = 4, 64


def couplings_of(bonds):
    """(direction, z, y, x) from a list of [i, j, J], site i = x + 4 y + 16 z, j the neighbour in + direction."""
    J = np.zeros((3, L, L, L), dtype=np.int8)
    for i, j, value in bonds:
        z, y, x = i // 16, i // 4 % 4, i % 4
        steps = ((x + 1) % 4 + 4 * y + 16 * z, x + 4 * ((y + 1) % 4) + 16 * z, x + 4 * y + 16 * ((z + 1) % 4))
        assert J[steps.index(j), z, y, x] == 0
        J[steps.index(j), z, y, x] = value
    assert np.all(J != 0)
    return J


class Exact:
    """One realization with its density of states."""

    def __init__(self, entry):
        self.tag = entry["tag"]
        self.couplings = couplings_of(entry["bonds"])
        states = entry["density_of_states"]
        self.E = np.array([int(e) for e in states], dtype=float)
        self.log_g = np.log(np.array([float(int(g)) for g in states.values()]))

    def energy_and_heat(self, T):
        """e = <E>/N and C = (<E^2> - <E>^2) / (N T^2)."""
        w = self.log_g - self.E / T
        p = np.exp(w - w.max())
        p /= p.sum()
        mean = p @ self.E
        return mean / N, p @ (self.E - mean) ** 2 / (N * T**2)


def realizations():
    data = json.loads((physics_runs.DATA / "ea3d_L4_exact_dos.json").read_text())
    return [Exact(entry) for entry in data["realisations"]]


def overlaps_of_1001():
    """{T: {q2, q4, q_link, chi_kmin (mean over the axes)}}, couplings."""
    data = json.loads((physics_runs.DATA / "ea3d_L4_exact_overlaps.json").read_text())
    exact = {
        r["T"]: {
            "q2": r["q2"],
            "q4": r["q4"],
            "q_link": r["q_link"],
            "chi_kmin": sum(r[f"chiSG_kmin_{axis}"] for axis in "xyz") / 3,
        }
        for r in data["results"]
        if r["h"] == 0.0 and r["tag"] == "seed1001"
    }
    return exact, couplings_of(data["bonds"]["seed1001"])
