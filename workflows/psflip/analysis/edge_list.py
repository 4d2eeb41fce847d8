"""Reads couplings from lists of edges: lines `i j w` of a square or cubic lattice, periodic or open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from psflip.campaign.errors import StudyError, check_there

COMMENTS = ("#", "%", "c ", "//", "*")
ORDERS = ("x-fastest", "x-slowest")
MIN_L, MAX_L = 4, 1024  # L; with 2, each bond would be double


@dataclass(frozen=True)
class Edges:
    """Holds edges from `one` to `other`, with sites counted from 0, and what is needed to name them as the file does."""

    file: Path
    base: int
    sites: int
    one: np.ndarray
    other: np.ndarray
    weight: np.ndarray

    def name(self, edge: int) -> str:
        return f"edge {self.one[edge] + self.base} {self.other[edge] + self.base}"


def are_numbers(line: str) -> bool:
    try:
        return bool([float(word) for word in line.split()])
    except ValueError:
        return False


def read_edges(file: Path) -> Edges:
    """Reads lines `i j w`; StudyError if the file has others. A first line `n m` has the numbers of sites and edges; without it, the largest index gives the number of sites."""
    check_there(file)
    with file.open(encoding="utf-8", errors="replace") as stream:
        lines = [line for line in stream if line.strip() and not line.lstrip().startswith(COMMENTS)]
    if lines and not are_numbers(lines[0]):  # names of the columns
        del lines[0]
    header = lines.pop(0).split() if lines and len(lines[0].split()) == 2 else None
    try:
        rows = np.loadtxt(lines, ndmin=2) if lines else np.zeros((0, 3))
    except ValueError as error:
        raise StudyError(f"{file}: this is not a list of edges; write lines `i j w`, two sites and a weight ({str(error).splitlines()[0]})") from None
    if not len(rows) or rows.shape[1] != 3:
        raise StudyError(f"{file}: this is not a list of edges; write lines `i j w`, two sites and a weight")
    ends = rows[:, :2]
    if not (np.isfinite(rows).all() and (ends == np.floor(ends)).all() and (ends >= 0).all()):
        raise StudyError(f"{file}: some numbers are not possible; give sites as whole numbers from 0 or 1 on, and weights as finite numbers")
    base = int(ends.min())
    if base > 1:
        raise StudyError(f"{file}: the smallest site is {base}; count sites from 0 or from 1")
    sites = int(ends.max()) - base + 1
    if header:
        if not all(word.isdecimal() for word in header):
            raise StudyError(f"{file}: the first line is {' '.join(header)}; give the numbers of sites and edges there, or leave the line out")
        told, number = map(int, header)
        if number != len(rows) or sites > told:
            raise StudyError(f"{file}: the first line names {told} sites and {number} edges, but there are {len(rows)} edges and sites up to {int(ends.max())}")
        sites = told
    one, other = (ends[:, k].astype(np.int64) - base for k in (0, 1))
    return Edges(file, base, sites, one, other, rows[:, 2])


def side(sites: int, dimension: int) -> int:
    """Returns L of the lattice with `sites` sites, or 0 if no such lattice exists."""
    L = round(sites ** (1 / dimension))
    return L if L**dimension == sites and MIN_L <= L <= MAX_L and L % 2 == 0 else 0


def on_lattice(edges: Edges, dimension: int, order: str) -> np.ndarray:
    """Returns couplings (direction, z, y, x) or (direction, y, x), 0 without an edge. StudyError if an edge does not join neighbours, or comes twice."""
    L = side(edges.sites, dimension)
    shape = (L,) * dimension
    one, other = (np.array(np.unravel_index(site, shape)) for site in (edges.one, edges.other))  # the slowest axis first
    step = (other - one) % L
    neighbours = ((step == 1) | (step == L - 1)).sum(axis=0) == 1
    neighbours &= (step != 0).sum(axis=0) == 1
    if not neighbours.all():
        edge = int(np.argmin(neighbours))
        why = "joins a site with itself" if edges.one[edge] == edges.other[edge] else f"does not join neighbours of a lattice of L = {L} in {dimension} dimensions"
        raise StudyError(f"{edges.file}: {edges.name(edge)} {why}")
    axis = np.argmax(step != 0, axis=0)
    upwards = step[axis, np.arange(len(axis))] == 1
    places = np.ravel_multi_index((axis, *np.where(upwards, one, other)), (dimension, *shape))
    ascending = np.argsort(places, kind="stable")
    if (twice := np.flatnonzero(np.diff(places[ascending]) == 0)).size:
        raise StudyError(f"{edges.file}: {edges.name(int(ascending[twice[0] + 1]))} comes twice; give each edge once")
    J = np.zeros((dimension, *shape))
    J.flat[places] = edges.weight
    return J[::-1] if order == ORDERS[0] else J.transpose(0, *range(dimension, 0, -1))


def couplings_of(file: str | Path, order: str = ORDERS[0], dimension: int | None = None) -> np.ndarray:
    """Returns the couplings of one realization. StudyError if its edges do not make a square or cubic lattice.

    order: "x-fastest" if x changes first from one site to the next, "x-slowest" if it changes last. dimension: 2 or 3; needed only if the edges fit both."""
    if order not in ORDERS or dimension not in (None, 2, 3):
        raise StudyError(f"order is {order} and dimension is {dimension}; use an order of {', '.join(ORDERS)} and a dimension of 2 or 3")
    edges = read_edges(Path(file))
    possible = [d for d in ((dimension,) if dimension else (3, 2)) if side(edges.sites, d)]
    if not possible:
        wanted = {2: "L^2", 3: "L^3", None: "L^2 or L^3"}[dimension]
        raise StudyError(f"{file}: the list has {edges.sites} sites, but {wanted} with an even L from {MIN_L} to {MAX_L} are needed; a first line `n m` can give the numbers of sites and edges")
    found, faults = [], []
    for d in possible:
        try:
            found.append(on_lattice(edges, d, order))
        except StudyError as error:
            faults.append(error)
    if len(found) > 1:
        raise StudyError(f"{file}: these edges fit two dimensions and three; give the dimension")
    if not found:
        raise faults[0]
    return found[0]
