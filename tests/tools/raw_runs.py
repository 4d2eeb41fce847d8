"""Synthetic run files with known series of raw measurements, for the tests of measure and reduce-disorder.
The programs are taken from the folder PSFLIP_BIN."""

import os
import pathlib
import subprocess
from itertools import combinations

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
BINS, BLOCKS, BASE = 20, 8, 80
STUDY = """\
seed: 7
lattice: {L: [4, 6]}
disorder: {realizations: 128, batch: 32}
temperatures: {list: [0.9, 1.25, 1.7]}
replicas: REPLICAS
multispin: {share: 32}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 5}
run: {sweeps: 640, measure_every: 10, blocks: 8, discard: DISCARD, histogram_bins: 20}
equilibration: {test: log2, threshold_sigma: 4}
"""
T = np.array([0.9, 1.25, 1.7])


def run(program, *arguments, code=0):
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def block_edges(first, last):
    """8 blocks up to 80 sweeps, then 4 per doubling."""
    ends = [BASE * 2**k for k in range(20)]
    edges = [BASE * i // BLOCKS for i in range(BLOCKS + 1)]
    edges += [end * i // BLOCKS for end in ends[1:] for i in range(BLOCKS // 2 + 1, BLOCKS + 1)]
    return np.array([edge for edge in edges if first <= edge <= last], dtype=np.int64)


class Batch:
    """A batch of realizations with its disorder file and series of raw measurements per chunk."""

    def __init__(self, folder, L, first, replicas, study, count=32):
        self.folder, self.L, self.first, self.replicas, self.count = folder, L, first, replicas, count
        self.study = study
        self.pairs = list(combinations(range(replicas), 2))
        self.disorder = folder / f"d{L}_{first}.h5"
        state = folder / f"s{L}_{first}.h5"
        run("gen-disorder", "--config", study, "--L", L, "--first", first, "--count", count, "--out", self.disorder)
        run("thermalize", "--config", study, "--L", L, "--disorder", self.disorder, "--out", state)
        with h5py.File(state) as file:
            self.physics, self.hash = file.attrs["physics"], file.attrs["couplings_hash"]
        self.chunks = []

    def chunk(self, first, last, seed=1, drift=0.0, stuck=()):
        """Measurements every 10 sweeps of (first, last]: dictionary name -> (component, T, R, n) raw values. The walkers of the
        realizations `stuck` (places in the batch) stay at their slots, all others jump anywhere."""
        random = np.random.default_rng([seed, self.L, self.first, first])
        n, N = (last - first) // 10, self.L**3
        sweeps = first + 10 * np.arange(1, n + 1)
        level = random.normal(-1.6 * N, 0.05 * N, size=(1, 1, self.count, 1))
        energy = level + 8 * T[:, None, None] * random.normal(size=(self.replicas, len(T), self.count, n))
        energy += drift * N * (sweeps / 10) ** -0.5
        energy = np.clip((4 * np.round(energy / 4)).astype(np.int64), -3 * N, 3 * N)
        shape = (len(self.pairs), len(T), self.count, n)
        overlap = (2 * np.round(random.uniform(-0.45, 0.45, size=shape) * N)).astype(np.int64)
        q = overlap / N
        link = 3 * N - 4 * random.integers(0, 3 * N // 2, size=shape)
        walks = self.walks(random, n, stuck)
        kmin = sum(0.05 * random.exponential(size=shape) for _ in "xyz")
        of_pairs = self.pair_energies(energy)
        series = {
            "energy": energy,
            "energy2": energy.astype(float) ** 2,
            "overlap": overlap,
            "overlap_abs": np.abs(overlap),
            "overlap2": q**2,
            "overlap4": q**4,
            "link": link,
            "link2": link.astype(float) ** 2,
            "overlap2_link": q**2 * link,
            "walker_slot": walks,
            "kmin": kmin,
            "overlap2_energy": q**2 * of_pairs,
            "overlap4_energy": q**4 * of_pairs,
            "kmin_energy": kmin * of_pairs,
        }
        self.chunks.append((sweeps, series))
        return self.write(first, last, sweeps, series)

    def pair_energies(self, energy):
        """Of both replicas of each pair: (pair, T, R, n)."""
        return np.array([energy[a] + energy[b] for a, b in self.pairs]).reshape(len(self.pairs), *energy.shape[1:])

    def walks(self, random, n, stuck):
        slots = np.broadcast_to(np.arange(len(T))[:, None, None], (self.replicas, len(T), self.count, n))
        walks = random.permuted(slots, axis=1)
        walks[:, :, list(stuck)] = slots[:, :, list(stuck)]
        return walks

    def write(self, first, last, sweeps, series):
        path = self.folder / f"r{self.L}_{self.first}_{first}.h5"
        with h5py.File(path, "w") as file:
            file.attrs.update(format="psflip", kind="run", format_version=2, physics_version=2, L=self.L)
            file.attrs.update(first_realization=self.first, realizations=self.count, run_first=first, run_last=last)
            file.attrs.update(physics=self.physics, couplings_hash=self.hash)
            file.attrs.update({"grid_base": BASE, "run.blocks": BLOCKS, "run.measure_every": 10, "run.histogram_bins": BINS})
            file["temperatures"] = T
            edges = block_edges(first, last)
            masks = [(sweeps > a) & (sweeps <= b) for a, b in zip(edges[:-1], edges[1:])]
            file["blocks/edges"] = edges
            file["blocks/count"] = np.array([m.sum() for m in masks], dtype=np.int64)
            for name, values in series.items():
                if values.shape[0]:
                    file[f"blocks/{name}"] = np.array([values[..., m].sum(axis=-1) for m in masks])
            if self.pairs:
                N = self.L**3
                index = np.minimum((series["overlap"] + N) * BINS // (2 * N), BINS - 1)
                counts = np.array([(index == b).sum(axis=(0, 3)) for b in range(BINS)], dtype=np.uint32)
                file["histogram/overlap"] = counts.transpose(1, 0, 2)
                index = np.minimum((series["link"] + 3 * N) * BINS // (6 * N), BINS - 1)
                counts = np.array([(index == b).sum(axis=(0, 3)) for b in range(BINS)], dtype=np.uint32)
                file["histogram/link"] = counts.transpose(1, 0, 2)
            coldest = [series["energy"][:, 0][..., m] for m in masks]
            file["lowest/energy"] = np.array([c.min(axis=-1) for c in coldest])
            file["lowest/count"] = np.array([(c == c.min(axis=-1, keepdims=True)).sum(axis=-1) for c in coldest], dtype=np.int64)
            attempts = len(sweeps)
            file["tempering/attempted"] = np.full(len(T) - 1, attempts, dtype=np.int64)
            accepted = np.arange(self.count * self.replicas * (len(T) - 1)) % attempts
            file["tempering/accepted"] = accepted.reshape(self.count, self.replicas, -1).astype(np.int64)
            file["hottest/sweeps"] = np.array([1], dtype=np.int64)
            file["hottest/correlation"] = np.zeros((1, self.replicas, self.count), dtype=np.int64)
            file["tempering/round_trips"] = np.full((self.count, self.replicas), 3, dtype=np.int64)
        return path

    def series(self, name):
        return np.concatenate([chunk[name] for _, chunk in self.chunks], axis=-1)

    def measure(self, *runs, out=None, code=0, extra=()):
        out = out or self.folder / f"o{self.L}_{self.first}.h5"
        done = run("measure", "--config", self.study, "--L", self.L, "--disorder", self.disorder, "--run", *runs,
                   "--out", out, *extra, code=code)  # fmt: skip
        return out if code == 0 else done.stderr


def write_study(folder, replicas=2, discard=0, **changes):
    text = STUDY.replace("REPLICAS", str(replicas)).replace("DISCARD", str(discard))
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    path = folder / f"study{replicas}.yaml"
    path.write_text(text)
    return path


def student_factor(dof):
    """Student's factor of an error, by its expansion."""
    return 1 + 0.5 / dof + 0.25 / dof**2 + 0.0625 / dof**3


def block_error(values, blocks=8):
    """Error of the mean along the last axis from equal blocks."""
    means = values.reshape(*values.shape[:-1], blocks, -1).mean(axis=-1)
    return means.std(axis=-1, ddof=1) / np.sqrt(blocks)


def tau_from(values, blocks):
    """Integrated time, in measurements, of series (component, ..., n) put together."""
    error2 = block_error(values, blocks) ** 2
    single = values.var(axis=-1) + error2
    return values.shape[-1] * error2.sum(axis=0) / (2 * single.sum(axis=0))


def long_enough(blocks, *series):
    """Whether that many blocks of each series (component, T, R, n) are long against its time: (T, R)."""
    n = series[0].shape[-1]
    times = [tau_from(x, blocks) for x in series]
    return np.all([n / blocks >= 10 * (tau - 0.25 / tau) for tau in times], axis=0)


def chosen(blocks, of_blocks, *series):
    """of_blocks(number) (T, R) with `blocks`, or half of them where these are too short (4 are the fewest)."""
    if blocks < 8:
        return of_blocks(blocks)
    return np.where(long_enough(blocks, *series), of_blocks(blocks), of_blocks(blocks // 2))


def shared_variance(values, share, blocks=8, pick=None):
    """Sum of the covariances of the means of different realizations of each pack, values (replica, T, R, n): (T, packs). `pick`, series
    as for long_enough: half of the blocks where these are too short for the pack."""
    replicas, temperatures, realizations, _ = values.shape
    pack = np.arange(realizations) // share

    def of(number):
        means = values.reshape(replicas, temperatures, realizations, number, -1).mean(axis=-1)
        covariance = np.array([[np.cov(means[a, t]) for t in range(temperatures)] for a in range(replicas)]) / number
        parts = [(pack[:, None] == p) & (pack == p) & ~np.eye(realizations, dtype=bool) for p in range(pack[-1] + 1)]
        return np.stack([covariance[..., part].sum(axis=(0, 2)) for part in parts], axis=1) / replicas**2

    if pick is None:
        return of(blocks)
    together = [np.stack([long_enough(blocks, *(join(x[:, :, pack == p]) for x in pick))[:, 0] for p in range(pack[-1] + 1)], axis=1)][0]
    return np.where(together, of(blocks), of(blocks // 2))


def join(values):
    """(component, T, R, n) as (component R, T, 1, n)."""
    return values.transpose(0, 2, 1, 3).reshape(-1, values.shape[1], 1, values.shape[3])


def jackknife(function, *columns):
    """Value and error for columns (R, ...), straight from the definition."""
    n = len(columns[0])
    rest = np.array([function(*(np.delete(c, j, axis=0).mean(axis=0) for c in columns)) for j in range(n)])
    value = function(*(c.mean(axis=0) for c in columns))
    return value, np.sqrt((n - 1) * rest.var(axis=0))


def close(dataset, expected, tolerance=1e-11):
    np.testing.assert_allclose(dataset[:], expected, rtol=tolerance, atol=1e-13)


def overlap_density(counts, L):
    """Widths of the symmetric bins and densities (..., bin) per value of q from counts (..., bin), from their definition value by value."""
    return value_density(counts, L**3, True)


def link_density(counts, L):
    """The same of the values -1, -1 + 4/(3N), ..., 1 of q_link, which has no symmetry."""
    return value_density(counts, 3 * L**3 // 2, False)


def value_density(counts, N, mirrored):
    """Of N + 1 values from -1 to 1."""
    bins = counts.shape[-1]
    Q = np.arange(-N, N + 1, 2)
    bin_of = np.minimum((Q + N) * bins // (2 * N), bins - 1)
    number = np.bincount(bin_of, minlength=bins)
    p = counts[..., bin_of] / number[bin_of] / counts.sum(axis=-1, keepdims=True)
    symmetric = (p + p[..., ::-1]) / 2 if mirrored else p
    low, high = (Q[:, None] + N) * bins - 2 * N * np.arange(bins), 2 * N * np.arange(1, bins + 1) - (Q[:, None] + N) * bins
    part = 1.0 * ((low >= 0) & (high >= 0))  # (value, bin)
    part[((low == 0) & (np.arange(bins) > 0)) | ((high == 0) & (np.arange(bins) < bins - 1))] = 0.5
    width = part.sum(axis=0) * 2 / N
    with np.errstate(invalid="ignore"):
        return width, symmetric @ part / width
