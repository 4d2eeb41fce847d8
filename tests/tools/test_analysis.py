"""measure and reduce-disorder on synthetic run files, against an independent computation with numpy from the series
that the files are sums of. The programs are taken from the folder PSFLIP_BIN."""

import csv
import os
import pathlib
import subprocess
from itertools import combinations

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
BINS = 20
STUDY = """\
seed: 7
lattice: {L: [4, 6]}
disorder: {realizations: 128, batch: 32}
temperatures: {list: [0.9, 1.25, 1.7]}
replicas: REPLICAS
multispin: {share: 32}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 5}
run: {sweeps: 640, measure_every: 10, blocks: 8, histogram_bins: 20}
equilibration: {test: log2, threshold_sigma: 4}
"""
T = np.array([0.9, 1.25, 1.7])


def run(program, *arguments, code=0):
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


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

    def chunk(self, first, last, seed=1, drift=0.0):
        """Measurements every 10 sweeps of (first, last]: dictionary name -> (component, T, R, n) raw values."""
        random = np.random.default_rng([seed, self.L, self.first, first])
        n, N = (last - first) // 10, self.L**3
        sweeps = first + 10 * np.arange(1, n + 1)
        level = random.normal(-1.6 * N, 0.05 * N, size=(1, 1, self.count, 1))
        energy = level + 8 * T[:, None, None] * random.normal(size=(self.replicas, len(T), self.count, n))
        energy += drift * N * (sweeps / 10) ** -0.5
        energy = (4 * np.round(energy / 4)).astype(np.int64)
        shape = (len(self.pairs), len(T), self.count, n)
        overlap = (2 * np.round(random.uniform(-0.45, 0.45, size=shape) * N)).astype(np.int64)
        q = overlap / N
        series = {
            "energy": energy,
            "energy2": energy.astype(float) ** 2,
            "overlap": overlap,
            "overlap_abs": np.abs(overlap),
            "overlap2": q**2,
            "overlap4": q**4,
            "link": random.integers(0, 3 * N, size=shape),
            **{f"kmin_{axis}": 0.05 * random.exponential(size=shape) for axis in "xyz"},
        }
        self.chunks.append((sweeps, series))
        return self.write(first, last, sweeps, series)

    def write(self, first, last, sweeps, series):
        path = self.folder / f"r{self.L}_{self.first}_{first}.h5"
        log2 = [0, 10, 20, 40, 80, 160, 320, 640] if first == 0 else [first, last]
        blocks = np.linspace(first, last, 9).astype(np.int64)
        with h5py.File(path, "w") as file:
            file.attrs.update(format="psflip", kind="run", format_version=1, physics_version=1, L=self.L)
            file.attrs.update(first_realization=self.first, realizations=self.count, run_first=first, run_last=last)
            file.attrs.update(physics=self.physics, couplings_hash=self.hash)
            file["temperatures"] = T
            for group, edges in (("log2", log2), ("blocks", blocks)):
                masks = [(sweeps > a) & (sweeps <= b) for a, b in zip(edges[:-1], edges[1:])]
                file[f"{group}/edges"] = np.asarray(edges, dtype=np.int64)
                file[f"{group}/count"] = np.array([m.sum() for m in masks], dtype=np.int64)
                for name, values in series.items():
                    if values.shape[0]:
                        file[f"{group}/{name}"] = np.array([values[..., m].sum(axis=-1) for m in masks])
            if self.pairs:
                N = self.L**3
                index = np.minimum((series["overlap"] + N) * BINS // (2 * N), BINS - 1)
                counts = np.array([(index == b).sum(axis=(0, 3)) for b in range(BINS)], dtype=np.uint32)
                file["histogram/overlap"] = counts.transpose(1, 0, 2)
            attempts = len(sweeps)
            file["tempering/attempted"] = np.full(len(T) - 1, attempts, dtype=np.int64)
            accepted = np.arange(self.count * self.replicas * (len(T) - 1)) % attempts
            file["tempering/accepted"] = accepted.reshape(self.count, self.replicas, -1).astype(np.int64)
            file["tempering/round_trips"] = np.full((self.count, self.replicas), 3, dtype=np.int64)
        return path

    def series(self, name):
        return np.concatenate([chunk[name] for _, chunk in self.chunks], axis=-1)

    def measure(self, *runs, out=None, code=0, extra=()):
        out = out or self.folder / f"o{self.L}_{self.first}.h5"
        done = run("measure", "--config", self.study, "--L", self.L, "--disorder", self.disorder, "--run", *runs,
                   "--out", out, *extra, code=code)  # fmt: skip
        return out if code == 0 else done.stderr


def write_study(folder, replicas=2, **changes):
    text = STUDY.replace("REPLICAS", str(replicas))
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    path = folder / f"study{replicas}.yaml"
    path.write_text(text)
    return path


def block_error(values, blocks=8):
    """Error of the mean along the last axis from equal blocks."""
    means = values.reshape(*values.shape[:-1], blocks, -1).mean(axis=-1)
    return means.std(axis=-1, ddof=1) / np.sqrt(blocks)


def jackknife(function, *columns):
    """Value and error for columns (R, ...), straight from the definition."""
    n = len(columns[0])
    rest = np.array([function(*(np.delete(c, j, axis=0).mean(axis=0) for c in columns)) for j in range(n)])
    value = function(*(c.mean(axis=0) for c in columns))
    return value, np.sqrt((n - 1) * rest.var(axis=0))


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_thermal_means(tmp_path, replicas):
    batch = Batch(tmp_path, 4, 32, replicas, write_study(tmp_path, replicas))
    out = batch.measure(batch.chunk(0, 640))
    N = 64
    with h5py.File(out) as file:
        mean, error = file["mean"], file["error"]
        assert file.attrs["kind"] == "observables"
        assert list(file["realization"]) == list(range(32, 64))
        e = batch.series("energy") / N
        close(mean["energy"], e.mean(axis=(0, 3)))
        close(error["energy"], np.sqrt((block_error(e) ** 2).sum(axis=0)) / replicas)
        close(mean["energy2"], (e**2).mean(axis=(0, 3)))
        m = e.mean(axis=3)
        if replicas > 1:
            product = np.mean([m[a] * m[b] for a, b in batch.pairs], axis=0)
        else:
            product = m[0] ** 2 - block_error(e)[0] ** 2
        close(mean["energy_product"], product)
        heat = N / T[:, None] ** 2 * ((e**2).mean(axis=(0, 3)) - product)
        close(mean["specific_heat"], heat, 1e-9)
        assert np.all(file["error/specific_heat"][:] > 0)
        single = e.var(axis=3) + block_error(e) ** 2
        tau = 10 * 64 * (block_error(e) ** 2).sum(axis=0) / (2 * single.sum(axis=0))
        close(file["tau/energy"], tau, 1e-9)
        accepted = (np.arange(32 * replicas * 2) % 64).reshape(32, replicas, 2)
        close(file["tempering/swap_rate"], accepted.mean(axis=1) / 64)
        assert list(file["tempering/round_trips"]) == [3 * replicas] * 32
        if replicas == 1:
            assert np.isnan(mean["q2"][:]).all() and np.isnan(file["tau/q2"][:]).all()
            return
        q = batch.series("overlap") / N
        for name, values in {
            "q": q, "q_abs": np.abs(q), "q2": q**2, "q4": q**4, "q_link": batch.series("link") / (3 * N),
            "kmin": sum(batch.series(f"kmin_{axis}") for axis in "xyz") / 3,
        }.items():  # fmt: skip
            close(mean[name], values.mean(axis=(0, 3)))
            close(error[name], block_error(values.mean(axis=0)))
        edges = [0, 10, 20, 40, 80, 160, 320, 640]
        assert list(file["log2/edges"]) == edges
        last = (batch.chunks[0][0] > 320)
        close(file["log2/energy"][-1], e[..., last].mean(axis=(0, 3)))
        close(file["log2/q2"][-1], (q[..., last] ** 2).mean(axis=(0, 3)))
        assert file["histogram/overlap"][:].sum() == 3 * 32 * 64 * len(batch.pairs)


def close(dataset, expected, tolerance=1e-11):
    np.testing.assert_allclose(dataset[:], expected, rtol=tolerance, atol=1e-13)


def test_verdict(tmp_path):
    """White noise is equilibrated; a power-law approach to equilibrium is not; the test "none" says so but lets pass."""
    study = write_study(tmp_path)
    good, bad = Batch(tmp_path, 4, 0, 2, study), Batch(tmp_path, 4, 32, 2, study)
    with h5py.File(good.measure(good.chunk(0, 640))) as file:
        assert file["equilibration/equilibrated"][:].sum() >= 31
        assert np.all(file["equilibration/max_deviation"][:] > 0)
        assert file["equilibration"].attrs["test"] == "log2"
        sigma = np.concatenate([file["equilibration/sigma_energy"][:], file["equilibration/sigma_q2"][:]])
        close(file["equilibration/max_deviation"], np.abs(sigma).max(axis=(0, 1)))
        worst = np.abs(sigma).max(axis=0).argmax(axis=0)
        assert list(file["equilibration/worst_temperature"]) == list(worst)
        # 8 blocks: 4 and 2 lie inside the last bins; about means 3 + 1 degrees of freedom
        assert np.all(file["equilibration/dof_q2"][:] == 4)
        assert np.all(file["equilibration/dof_energy"][:] == 8)
    path = bad.chunk(0, 640, drift=8.0)
    with h5py.File(bad.measure(path)) as file:
        assert file["equilibration/equilibrated"][:].sum() < 8
        deviation = file["equilibration/max_deviation"][:]
    with h5py.File(bad.measure(path, extra=["--set", "equilibration.test=none"])) as file:
        assert np.all(file["equilibration/equilibrated"][:] == 1)
        close(file["equilibration/max_deviation"], deviation)
        assert file["equilibration"].attrs["test"] == "none"


def test_chunks(tmp_path):
    """Run files are sorted by their sweeps; averages are over all; the blocks grow with the run."""
    batch = Batch(tmp_path, 4, 0, 2, write_study(tmp_path))
    a, b = batch.chunk(0, 640), batch.chunk(640, 1280)
    sorted_out = batch.measure(a, b, out=tmp_path / "sorted.h5")
    reverse_out = batch.measure(b, a, out=tmp_path / "reverse.h5")
    e = batch.series("energy") / 64
    with h5py.File(sorted_out) as one, h5py.File(reverse_out) as two:
        close(one["mean/energy"], e.mean(axis=(0, 3)))
        close(one["error/energy"], np.sqrt((block_error(e) ** 2).sum(axis=0)) / 2)
        assert list(one["log2/edges"]) == [0, 10, 20, 40, 80, 160, 320, 640, 1280]
        assert one.attrs["run_last"] == 1280 and one["tempering/sweeps"][0] == 1280
        assert one["histogram/overlap"][:].sum() == 3 * 32 * 128

        def same(name, node):
            if isinstance(node, h5py.Dataset):
                np.testing.assert_array_equal(node[()], two[name][()])

        for group in ("mean", "error", "tau", "equilibration", "log2", "tempering", "histogram"):
            one[group].visititems(lambda name, node, group=group: same(f"{group}/{name}", node))


def test_refused_runs(tmp_path):
    study = write_study(tmp_path)
    batch, other = Batch(tmp_path, 4, 0, 2, study), Batch(tmp_path, 4, 32, 2, study)
    a, b, c = batch.chunk(0, 640), batch.chunk(640, 1280), batch.chunk(1280, 1920)
    stranger = other.chunk(0, 640)
    out = tmp_path / "none.h5"
    for runs, words in (
        ([a, c], ["640 to 1280 are missing", a.name, c.name]),
        ([b, c], ["0 to 640 are missing", b.name]),
        ([a, b, b], ["sweeps in common", b.name]),
        ([stranger], [stranger.name, "32 to 63", "0 to 31"]),
        ([tmp_path / "no.h5"], ["no.h5"]),
        ([batch.disorder], [batch.disorder.name, "run"]),
    ):
        message = batch.measure(*runs, out=out, code=1)
        assert all(word in message for word in words), message
        assert not out.exists()
    message = batch.measure(a, out=out, code=1, extra=["--set", "seed=8"])
    assert "seed = 7" in message and "seed = 8" in message
    message = batch.measure(a, out=out, code=1, extra=["--set", "replicas=3"])
    assert "replicas = 2" in message and "replicas = 3" in message
    with h5py.File(a, "r+") as file:
        file.attrs["couplings_hash"] = "0123456789abcdef"
    assert "other couplings" in batch.measure(a, out=out, code=1)
    message = batch.measure(a, out=out, code=1, extra=["--from-snapshots"])
    assert not out.exists()


@pytest.mark.parametrize("replicas", [1, 3])
def test_snapshots(tmp_path, replicas):
    """With a snapshot at every measurement, measuring the snapshots gives the file of the sums, in every bit."""
    study = write_study(tmp_path, replicas)
    options = ["--config", study, "--L", 4, "--set", "run.snapshots=64", "--disorder", tmp_path / "d.h5"]
    run("gen-disorder", "--config", study, "--L", 4, "--first", 32, "--count", 40, "--out", tmp_path / "d.h5")
    run("thermalize", *options, "--out", tmp_path / "s.h5")
    run("pt-run", *options, "--state", tmp_path / "s.h5", "--out", tmp_path / "r0.h5", "--state-out", tmp_path / "s1.h5")
    run("pt-run", *options, "--state", tmp_path / "s1.h5", "--out", tmp_path / "r1.h5")
    runs = ["--run", tmp_path / "r1.h5", tmp_path / "r0.h5"]
    run("measure", *options, *runs, "--out", tmp_path / "sums.h5")
    run("measure", *options, *runs, "--from-snapshots", "--out", tmp_path / "snapshots.h5")
    compared = []
    with h5py.File(tmp_path / "sums.h5") as one, h5py.File(tmp_path / "snapshots.h5") as two:

        def same(name, node):
            if isinstance(node, h5py.Dataset) and not name.startswith("provenance"):
                np.testing.assert_array_equal(node[()], two[name][()])
                compared.append(name)

        one.visititems(same)
    assert "mean/energy" in compared and len(compared) > 30


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """Two sizes, three batches of L = 4 (one missing in between) and one of L = 6."""
    folder = tmp_path_factory.mktemp("campaign")
    study = write_study(folder)
    batches = [Batch(folder, 4, first, 2, study) for first in (0, 32, 96)] + [Batch(folder, 6, 0, 2, study)]
    files = [batch.measure(batch.chunk(0, 640)) for batch in batches]
    return folder, study, batches, files


def reduce(folder, study, files, name="reduced", code=0, extra=()):
    out, table = folder / f"{name}.h5", folder / f"{name}.csv"
    done = run("reduce-disorder", "--config", study, *extra, "--out", out, "--csv", table, *files, code=code)
    return (out, table, done.stdout) if code == 0 else done.stderr


def test_reduced(campaign):
    folder, study, batches, files = campaign
    out, table, text = reduce(folder, study, files)
    assert "Binder" in text and "xi_L/L" in text
    rows = list(csv.DictReader(table.open()))
    assert list(rows[0]) == (
        "L,T,beta,n_realizations,energy,energy_err,specific_heat,specific_heat_err,q_abs,q_abs_err,q2,q2_err,q4,q4_err,"
        "binder,binder_err,chi_sg,chi_sg_err,xi_over_L,xi_over_L_err,q_link,q_link_err,swap_rate,round_trips,"
        "equilibrated_fraction"
    ).split(",")
    assert [(int(r["L"]), float(r["T"])) for r in rows] == [(L, t) for L in (4, 6) for t in T]
    for L in (4, 6):
        parts = [h5py.File(f) for f, b in zip(files, batches) if b.L == L]
        value = lambda name: np.concatenate([p[f"mean/{name}"][:].T for p in parts])
        q2, q4, kmin = value("q2"), value("q4"), value("kmin")
        xi = lambda a, b: np.sqrt(a / b - 1) / (2 * L * np.sin(np.pi / L))
        identity = lambda a: a
        expected = {
            "energy": jackknife(identity, value("energy")),
            "specific_heat": jackknife(identity, value("specific_heat")),
            "q_abs": jackknife(identity, value("q_abs")),
            "q2": jackknife(identity, q2),
            "q4": jackknife(identity, q4),
            "binder": jackknife(lambda a, b: (3 - b / a**2) / 2, q2, q4),
            "chi_sg": jackknife(lambda a: L**3 * a, q2),
            "xi_over_L": jackknife(xi, q2, kmin),
            "q_link": jackknife(identity, value("q_link")),
        }
        n = len(q2)
        with h5py.File(out) as file:
            group = file[f"L{L}"]
            assert group.attrs["n_realizations"] == n == (96 if L == 4 else 32)
            mine = [r for r in rows if int(r["L"]) == L]
            for name, (mean, error) in expected.items():
                close(group[name], mean)
                close(group[f"{name}_err"], error, 1e-7)
                for row, a, b in zip(mine, group[name], group[f"{name}_err"]):
                    assert float(row[name]) == a and float(row[f"{name}_err"]) == b  # same doubles
            rate = np.concatenate([p["tempering/swap_rate"][:] for p in parts]).mean(axis=0)
            close(group["swap_rate"], rate)
            assert mine[-1]["swap_rate"] == "" and float(mine[0]["swap_rate"]) == group["swap_rate"][0]
            assert all(float(r["round_trips"]) == 6 and int(r["n_realizations"]) == n for r in mine)
            good = np.concatenate([p["equilibration/equilibrated"][:] for p in parts])
            assert list(group["equilibrated"]) == list(good)
            assert float(mine[0]["equilibrated_fraction"]) == pytest.approx(good.mean())
            log2 = np.concatenate([p["log2/q2"][:].transpose(2, 0, 1) for p in parts])
            close(group["log2_q2"], log2.mean(axis=0))
            close(group["log2_q2_err"], log2.std(axis=0, ddof=1) / np.sqrt(n), 1e-9)
            counts = np.concatenate([p["histogram/overlap"][:].transpose(2, 0, 1) for p in parts]) / 64.0
            close(group["histogram_density"], counts.mean(axis=0) * BINS / 2)
            close(group["histogram_density_err"], counts.std(axis=0, ddof=1) / np.sqrt(n) * BINS / 2, 1e-9)
            assert len(file["crossings/L1"]) == 1 and "binder_value_err" in file["crossings"]


def test_order_does_not_matter(campaign):
    folder, study, _, files = campaign
    out, table, text = reduce(folder, study, files)
    out2, table2, text2 = reduce(folder, study, files[::-1], "reversed")
    assert table.read_bytes() == table2.read_bytes() and text == text2
    with h5py.File(out) as one, h5py.File(out2) as two:
        for group in ("L4", "L6", "crossings"):
            for name, node in one[group].items():
                np.testing.assert_array_equal(node[()], two[group][name][()])


def test_one_size_and_one_replica(tmp_path):
    study = write_study(tmp_path, 1)
    batch = Batch(tmp_path, 4, 0, 1, study)
    out, table, text = reduce(tmp_path, study, [batch.measure(batch.chunk(0, 640))])
    rows = list(csv.DictReader(table.open()))
    assert rows[0]["binder"] == "nan" and float(rows[0]["energy_err"]) > 0
    assert "two lattice sizes" in text
    with h5py.File(out) as file:
        assert "one replica" in file["L4"].attrs["specific_heat_estimator"]


def test_extended_batches(tmp_path):
    """A batch with twice the sweeps: its means are over all, the log2 bins end where all batches end."""
    study = write_study(tmp_path)
    short, long = Batch(tmp_path, 4, 0, 2, study), Batch(tmp_path, 4, 32, 2, study)
    files = [short.measure(short.chunk(0, 640)), long.measure(long.chunk(0, 640), long.chunk(640, 1280))]
    out, _, _ = reduce(tmp_path, study, files)
    energy = np.concatenate([b.series("energy").mean(axis=(0, 3)) for b in (short, long)], axis=1) / 64
    with h5py.File(out) as file:
        close(file["L4/energy"], energy.mean(axis=1))
        assert list(file["L4/log2_edges"]) == [0, 10, 20, 40, 80, 160, 320, 640]
        assert np.isfinite(file["L4/log2_energy_err"][:]).all()


def test_refused_observables(campaign, tmp_path):
    folder, study, batches, files = campaign
    copy = tmp_path / "copy.h5"
    copy.write_bytes(files[1].read_bytes())
    message = reduce(tmp_path, study, [*files, copy], code=1)
    assert str(copy) in message and str(files[1]) in message and "realization 32" in message
    overlapping = Batch(tmp_path, 4, 64, 2, study, count=64)
    part = overlapping.measure(overlapping.chunk(0, 640))
    message = reduce(tmp_path, study, [*files, part], code=1)
    assert "realization 96" in message and part.name in message and files[2].name in message
    message = reduce(tmp_path, study, files, code=1, extra=["--set", "dynamics.sweeps_per_swap=10"])
    assert "sweeps_per_swap = 5" in message and "sweeps_per_swap = 10" in message
    message = reduce(tmp_path, study, files, code=1, extra=["--set", "lattice.L=[4,8]"])
    assert "L = 6" in message and "[4, 8]" in message
    assert batches[0].disorder.name in reduce(tmp_path, study, [batches[0].disorder], code=1)
    assert "observables" in reduce(tmp_path, study, [], code=1)
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix in (".csv",)) == []
    assert not (tmp_path / "reduced.h5").exists()
