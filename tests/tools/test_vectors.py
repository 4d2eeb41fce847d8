"""Vector spins (model.kind = heisenberg) through the programs: sums that equal the sums of the spins, states that continue bit for bit, in pieces,
with stops and in another batch, the widths of cones, audits, averages, and what is refused. The programs are taken from the folder PSFLIP_BIN;
PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest
from interrupted import assert_same
from raw_runs import student_factor

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKEND = os.environ.get("PSFLIP_TEST_BACKEND", "cpu")
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
L, R, REPLICAS, SLOTS, SWEEPS = 4, 34, 2, 5, 160
J, D, AXIS, K, H, MOMENTS = [-1.0, -0.6, -0.4], [0.3, 0.2, 0.1], [0.0, 3.0, 4.0], [0.2, -0.1], 0.7, [1.5, -0.5]
MODEL = f"""\
model:
  kind: heisenberg
  boundary: open
  field: {H}
  exchange: {J}
  dm_pattern: alternating
  dm: {D}
  dm_axis: {AXIS}
  anisotropy: {K}
  moments: {MOMENTS}
  concentration: 0.4
"""
STUDY = f"""\
seed: 4
{{MODEL}}
lattice: {{L: {L}}}
disorder: {{realizations: {R}, batch: {R}}}
temperatures: {{min: 0.5, max: 2.0, count: {SLOTS}}}
replicas: {REPLICAS}
dynamics: {{update: cone, sweeps_per_swap: 5, precision: PRECISION}}
thermalize: {{sweeps: 103}}
run: {{sweeps: {SWEEPS}, measure_every: 10, blocks: 4, snapshots: 16}}
"""


def study(folder, name="study", model=MODEL, precision="float", **changes):
    text = STUDY.replace("{MODEL}", model).replace("PRECISION", precision)
    for old, new in changes.items():
        text = text.replace(old, new)
    (folder / f"{name}.yaml").write_text(text)


def call(folder, name, *arguments, config="study", code=0):
    command = [BIN / name, "--config", folder / f"{config}.yaml", *arguments]
    if name not in ("gen-disorder", "reduce-disorder"):
        command += ["--backend", BACKEND]
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stderr


def pt_run(folder, begin, end, *more, disorder="disorder.h5", config="study", code=0):
    return call(folder, "pt-run", "--disorder", disorder, "--state", begin, "--out", f"run-{end}", "--state-out", end, *more,
                config=config, code=code)  # fmt: skip


@pytest.fixture(scope="module", params=["float", "double"])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"vectors-{request.param}")
    study(folder, precision=request.param)
    call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "0.h5", "--threads", 2)
    pt_run(folder, "0.h5", "1.h5")
    return folder


def energies(spins, species):
    """Exchange, Dzyaloshinskii-Moriya vectors, anisotropy and field of spins (.., component, z, y, x) with species (z, y, x)."""
    z, y, x = np.indices((L, L, L))
    eta, n, b = (-1.0) ** (x + y + z), np.array(AXIS) / np.linalg.norm(AXIS), species.astype(int)
    exchange = dm = 0.0
    for axis in (-1, -2, -3):
        inside = np.indices((L, L, L))[axis] < L - 1
        other, pair = np.roll(spins, -1, axis=axis), b + np.roll(b, -1, axis=axis)
        exchange = exchange - (np.array(J)[pair] * inside * (spins * other).sum(axis=-4)).sum(axis=(-3, -2, -1))
        twist = np.cross(spins, other, axisa=-4, axisb=-4, axisc=-4)
        along = (n[:, None, None, None] * twist).sum(axis=-4)
        dm = dm - (np.array(D)[pair] * eta * inside * along).sum(axis=(-3, -2, -1))
    anisotropy = -(np.array(K)[b] * spins[..., 0, :, :, :] ** 2).sum(axis=(-3, -2, -1))
    field = -H * (np.array(MOMENTS)[b] * spins[..., 2, :, :, :]).sum(axis=(-3, -2, -1))
    return np.array([exchange, dm, anisotropy, field])


def test_sums_are_those_of_the_spins(folder):
    """Every measurement of the run has its snapshot."""
    with h5py.File(folder / "disorder.h5") as file:
        species = file["occupation"][...]
    assert species.shape == (R, L, L, L) and 0.3 < species.mean() < 0.5
    with h5py.File(folder / "run-1.h5") as run:
        spins = run["snapshots/spins"][...].astype(float)  # snapshot, replica, slot, realization, component, z, y, x
        sums = {name: run[f"blocks/{name}"][...].sum(axis=0) for name in run["blocks"]}
    assert spins.shape == (16, REPLICAS, SLOTS, R, 3, L, L, L)
    assert np.allclose((spins**2).sum(axis=4), 1.0, atol=1e-5)
    terms = np.stack([energies(spins[:, :, :, r], species[r]) for r in range(R)], axis=-1)  # term, snapshot, replica, slot, realization
    E, N = terms.sum(axis=0), L**3
    close = {"rtol": 2e-6, "atol": 2e-4}
    assert np.allclose(sums["energy"], E.sum(axis=0), **close)
    assert np.allclose(sums["energy2"], (E**2).sum(axis=0), **close)
    assert np.allclose(sums["energy_terms"].reshape(REPLICAS, 4, SLOTS, R), terms.sum(axis=1).transpose(1, 0, 2, 3), **close)
    eta = (-1.0) ** np.indices((L, L, L)).sum(axis=0)
    for name, s in (("magnetisation", spins), ("staggered", eta * spins)):
        M = s.sum(axis=(5, 6, 7))
        m2 = (M**2).sum(axis=-1) / N**2
        assert np.allclose(sums[f"{name}_abs"], np.sqrt(m2 * N**2).sum(axis=0), **close)
        assert np.allclose(sums[f"{name}2"], m2.sum(axis=0), **close)
        assert np.allclose(sums[f"{name}4"], (m2**2).sum(axis=0), **close)
        modes = np.fft.fftn(s, axes=(5, 6, 7))
        kmin = sum((np.abs(modes[..., a, b, c]) ** 2).sum(axis=-1) for a, b, c in ((1, 0, 0), (0, 1, 0), (0, 0, 1))) / N**2
        assert np.allclose(sums[f"{name}_kmin"], kmin.sum(axis=0), **close)
        if name == "magnetisation":
            assert np.allclose(sums["magnetisation"], M[..., 2].sum(axis=0), **close)
            assert np.allclose(sums["magnetisation2_energy"], (m2 * E).sum(axis=0), **close)
            assert np.allclose(sums["magnetisation4_energy"], (m2**2 * E).sum(axis=0), **close)
            assert np.allclose(sums["magnetisation_kmin_energy"], (kmin * E).sum(axis=0), **close)
    parts = [(spins * ((eta > 0) == even) * (species == b)[:, None]).sum(axis=(5, 6, 7)) for even in (True, False) for b in (0, 1)]
    parts = np.stack(parts, axis=4).sum(axis=0).reshape(REPLICAS, SLOTS, R, 12).transpose(0, 3, 1, 2)
    assert np.allclose(sums["magnetisation_parts"].reshape(REPLICAS, 12, SLOTS, R), parts, **close)
    Q = np.einsum("tsrmzyx,tsrnzyx->tsrmn", spins[:, 0], spins[:, 1]) / N
    square = (Q**2).sum(axis=(-2, -1))
    assert np.allclose(sums["overlap_tensor2"][0], square.sum(axis=0), rtol=1e-9) and np.allclose(sums["overlap_tensor4"][0], (square**2).sum(axis=0), rtol=1e-9)
    moment = np.array(MOMENTS)[species.astype(int)]
    weights = (moment[:, None], eta, eta > 0, eta < 0)
    along = np.stack([(spins * weight).sum(axis=(5, 6, 7)) / N for weight in weights], axis=4)
    for name, of in (("directions", along), ("directions2", along**2)):
        expected = of.sum(axis=0).reshape(REPLICAS, SLOTS, R, 12).transpose(0, 3, 1, 2)
        assert np.allclose(sums[name].reshape(REPLICAS, 12, SLOTS, R), expected, **close), name


def test_cones_are_tuned_and_then_stay(folder):
    with h5py.File(folder / "0.h5") as state, h5py.File(folder / "run-1.h5") as run, h5py.File(folder / "1.h5") as end:
        width, acceptance = run["moves/width"][...], run["moves/acceptance"][...]
        assert width.shape == acceptance.shape == (R, REPLICAS, SLOTS)
        assert np.array_equal(state["moves/width"][...], width) and np.array_equal(end["moves/width"][...], width)
        tuned = width < 2.0
        assert tuned[:, :, 0].all() and abs(acceptance[tuned].mean() - 0.5) < 0.03 and (acceptance[~tuned] > 0.4).all()
        assert (width[:, :, 0].mean() < width[:, :, 2].mean()) and state["moves/renewed"][...].max() <= 7 * L**3


def test_in_pieces_and_with_stops(folder):
    """Chunks and stops at the earliest moments change nothing, nor does the number of threads."""
    pt_run(folder, "1.h5", "2.h5")
    more = ("--until", 2 * SWEEPS)
    pt_run(folder, "0.h5", "whole.h5", *more, "--time-limit", "1e-6", "--threads", 2, code=75)
    assert (folder / "run-whole.h5.checkpoint.h5").exists()
    pt_run(folder, "0.h5", "whole.h5", *more)
    pt_run(folder, "0.h5", "once.h5", *more)
    assert_same(folder / "whole.h5", folder / "once.h5")
    assert_same(folder / "run-whole.h5", folder / "run-once.h5")
    with h5py.File(folder / "2.h5") as a, h5py.File(folder / "whole.h5") as b:
        for name in ("spins", "tempering/walker", "moves/width", "moves/renewed"):
            assert np.array_equal(a[name][...], b[name][...])
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "stopped.h5", "--time-limit", "1e-6", code=75)
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "stopped.h5")
    assert_same(folder / "stopped.h5", folder / "0.h5")


@pytest.mark.parametrize("update", ["update: cone", "over_relaxation: 1", "tile_order: alternating"])
def test_tiles_in_pieces_and_with_stops(tmp_path, update):
    """Threads, chunks and stops change nothing; another number of hits makes another state."""
    model = "model: {kind: heisenberg, field: 0.7, exchange: [-1, -0.6, -0.4], concentration: 0.4}\n"
    small = {f"L: {L}": "L: 16", f"realizations: {R}, batch: {R}": "realizations: 2, batch: 2", "sweeps: 103": "sweeps: 104", "measure_every: 10": "measure_every: 8", "snapshots: 16": "snapshots: 10",
             "update: cone, sweeps_per_swap: 5": f"{update}, tile: 8, hits: 4, sweeps_per_swap: 8"}  # fmt: skip
    study(tmp_path, model=model, **small)
    call(tmp_path, "gen-disorder", "--first", 0, "--count", 2, "--out", "disorder.h5")
    call(tmp_path, "thermalize", "--disorder", "disorder.h5", "--out", "0.h5", "--threads", 2)
    pt_run(tmp_path, "0.h5", "1.h5", "--until", SWEEPS // 2)
    pt_run(tmp_path, "1.h5", "2.h5", "--until", SWEEPS)
    pt_run(tmp_path, "0.h5", "whole.h5", "--time-limit", "1e-6", "--threads", 2, code=75)
    pt_run(tmp_path, "0.h5", "whole.h5")
    with h5py.File(tmp_path / "2.h5") as a, h5py.File(tmp_path / "whole.h5") as b:
        assert np.array_equal(a["spins"][...], b["spins"][...])
    call(tmp_path, "audit", "--disorder", "disorder.h5", "--state", "0.h5", "--run", "run-whole.h5", "--out", "audit.json")
    study(tmp_path, name="other", model=model, **small, **{"hits: 4": "hits: 2"})
    error = pt_run(tmp_path, "0.h5", "no.h5", config="other", code=1)
    assert "hits" in error, error


def test_realizations_do_not_know_their_batch(folder):
    more = ("--first", 32, "--count", 2)
    call(folder, "gen-disorder", *more, "--out", "two.h5")
    call(folder, "thermalize", "--disorder", "two.h5", "--out", "two-0.h5")
    pt_run(folder, "two-0.h5", "two-1.h5", disorder="two.h5")
    with h5py.File(folder / "two-1.h5") as two, h5py.File(folder / "1.h5") as all:
        assert np.array_equal(two["spins"][...], all["spins"][:, :, 32:])
        assert np.array_equal(two["moves/width"][...], all["moves/width"][32:])
    with h5py.File(folder / "run-two-1.h5") as two, h5py.File(folder / "run-1.h5") as all:
        for name in two["blocks"]:
            if name not in ("edges", "count"):
                assert np.array_equal(two[f"blocks/{name}"][...], all[f"blocks/{name}"][..., 32:]), name


def test_audit(folder):
    files = ("--disorder", "disorder.h5", "--state", "0.h5", "--run", "run-1.h5", "--end-state", "1.h5")
    call(folder, "audit", *files, "--out", "audit.json", "--first", 32)
    damaged = folder / "damaged.h5"
    damaged.write_bytes((folder / "run-1.h5").read_bytes())
    with h5py.File(damaged, "r+") as file:
        file["snapshots/spins"][3, 1, 2, 33, :, 0, 1, 2] = (0.0, 0.6, 0.8)
        del file.attrs["sealed"]
    error = call(folder, "audit", *files[:5], "damaged.h5", "--out", "other.json", "--first", 32, code=1)
    assert "spins" in error and "3, 1, 2, 33, 0, 0, 1, 2] (realization 33) is 0 in the file" in error


def test_averages(folder):
    """The averages of each realization equal the averages of the sums, in a run of which nothing is discarded."""
    call(folder, "measure", "--disorder", "disorder.h5", "--run", "run-1.h5", "--out", "observables.h5", "--set", "run.discard=0")
    with h5py.File(folder / "observables.h5") as found, h5py.File(folder / "run-1.h5") as run:
        mean = {name: found[f"mean/{name}"][...] for name in found["mean"]}
        N, n = L**3, REPLICAS * run["blocks/count"][...].sum()
        sums = {name: run[f"blocks/{name}"][...].sum(axis=0) for name in run["blocks"] if name not in ("edges", "count")}
    terms = sums["energy_terms"].reshape(REPLICAS, 4, SLOTS, R).sum(axis=0) / n / N
    for i, name in enumerate(("exchange", "dm", "anisotropy", "field")):
        assert np.allclose(mean[f"energy_{name}"], terms[i], rtol=1e-12)
    assert np.allclose(mean["energy"], terms.sum(axis=0), rtol=1e-12)
    for name, sum_, norm in (("m_abs", "magnetisation_abs", N), ("m2", "magnetisation2", 1), ("m_kmin", "magnetisation_kmin", 3),
                             ("ms_abs", "staggered_abs", N), ("ms4", "staggered4", 1), ("ms_kmin", "staggered_kmin", 3)):  # fmt: skip
        assert np.allclose(mean[name], sums[sum_].sum(axis=0) / n / norm, rtol=1e-9)
    parts = sums["magnetisation_parts"].reshape(REPLICAS, 12, SLOTS, R).sum(axis=0) / n / N
    assert np.allclose(mean["even_a_x"], parts[0], rtol=1e-12) and np.allclose(mean["odd_b_y"], parts[10], rtol=1e-12)
    call(folder, "reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv", "--set", "run.discard=0")
    header, *rows = [line.split(",") for line in (folder / "results.csv").read_text().splitlines()]
    columns = ("ms2", "odd_b_z", "binder_m", "binder_ms")
    table = {name: np.array([float(row[header.index(name)]) for row in rows]) for name in columns}
    assert np.allclose(table["ms2"], mean["ms2"].mean(axis=1)) and np.allclose(table["odd_b_z"], mean["odd_b_z"].mean(axis=1))
    ratio = {s: mean[f"{s}4"].mean(axis=1) / mean[f"{s}2"].mean(axis=1) ** 2 for s in ("m", "ms")}
    assert np.allclose(table["binder_m"], (5 - 3 * ratio["m"]) / 2) and np.allclose(table["binder_ms"], (5 - 3 * ratio["ms"]) / 2)


@pytest.mark.parametrize("update", ["metropolis", "cone", "heat-bath"])
def test_free_spins_in_a_field(tmp_path, update):
    """Langevin's function of x = m h / T in a ladder with exchange, with the errors of `measure`."""
    model = "model: {kind: heisenberg, exchange: [0, 0, 0], field: 0.5, moments: [2, 1]}"
    study(tmp_path, model=model, precision="double", **{"update: cone": f"update: {update}", f"sweeps: {SWEEPS}": "sweeps: 640"})
    call(tmp_path, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    call(tmp_path, "thermalize", "--disorder", "disorder.h5", "--out", "0.h5")
    pt_run(tmp_path, "0.h5", "1.h5")
    call(tmp_path, "measure", "--disorder", "disorder.h5", "--run", "run-1.h5", "--out", "observables.h5")
    with h5py.File(tmp_path / "observables.h5") as found:
        m, energy, T = found["mean/m"][...], found["mean/energy"][...], found["temperatures"][...]
        assert (found["tempering/swap_rate"][...] > 0.02).all()
        chi = {name: found[f"mean/{name}"][...] for name in found["mean"] if name.startswith("chi_")}
        moment = found["mean/moment_z"][...]
    langevin = 1 / np.tanh(1 / T) - T
    error = m.std(axis=1, ddof=1) / np.sqrt(R)
    assert (error < 0.004).all() and (np.abs(m.mean(axis=1) - langevin) < 4.5 * error).all()
    assert np.allclose(energy, -m, atol=1e-12) and np.allclose(moment, 2 * m, atol=1e-12)
    along, across = (T**2 - 1 / np.sinh(1 / T) ** 2) / T, langevin  # variances of S_z and of S_x over T, by x = 1 / T
    of_spins = {"": 4, "staggered_": 1, "even_": 0.5, "odd_": 0.5}  # squares of weights, per site
    assert_means(chi, {f"chi_{name}{k}": w * (along if k == "z" else across) for name, w in of_spins.items() for k in "xyz"}, 0.08)


def assert_means(found, expected, max_error):
    """Of (temperature, realization), with the scatter of realizations as errors."""
    for name, value in expected.items():
        error = found[name].std(axis=1, ddof=1) / np.sqrt(found[name].shape[1])
        assert (error < max_error * np.abs(value)).all(), (name, error / value)
        assert (np.abs(found[name].mean(axis=1) - value) < 4.5 * error).all(), (name, found[name].mean(axis=1), value, error)


def dimer(beta, J, D):
    """<S_y S_y>, <S_z S_z> of one spin and of both of the energy -J S.S' - D (S x S')_y: one spin turned about y makes it an XXZ bond."""
    u, weight = np.polynomial.legendre.leggauss(48)
    phi = 2 * np.pi * np.arange(64) / 64
    u1, u2, phi = u[:, None, None], u[None, :, None], phi[None, None, :]
    plane = np.sqrt((1 - u1**2) * (1 - u2**2)) * np.cos(phi)
    p = weight[:, None, None] * weight[None, :, None] * np.exp(beta * (J * u1 * u2 + np.hypot(J, D) * plane))

    def mean(x):
        return (p * x).sum() / p.sum()

    return mean(u1**2), mean((1 - u1**2) / 2), mean(u1 * u2), mean(plane) / 2 * J / np.hypot(J, D)


@pytest.mark.parametrize("replicas", [1, 2])
def test_susceptibilities_of_a_dimer(tmp_path, replicas):
    """Two pairs of spins a with exchange and a Dzyaloshinskii-Moriya vector among twelve free spins b, by quadrature."""
    J, D = -0.8, 0.6
    model = f"model: {{kind: heisenberg, dimension: 2, boundary: open, exchange: [{J}, 0, 0], dm_pattern: constant, dm: [{D}, 0, 0], moments: [2, 1], concentration: 0.5}}"
    study(tmp_path, model=model, precision="double", **{f"sweeps: {SWEEPS}": "sweeps: 1600", f"replicas: {REPLICAS}": f"replicas: {replicas}"})
    call(tmp_path, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    with h5py.File(tmp_path / "disorder.h5", "r+") as file:
        file["occupation"][...] = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]])
        del file.attrs["sealed"]
    call(tmp_path, "thermalize", "--disorder", "disorder.h5", "--out", "0.h5")
    pt_run(tmp_path, "0.h5", "1.h5")
    call(tmp_path, "measure", "--disorder", "disorder.h5", "--run", "run-1.h5", "--out", "observables.h5")
    call(tmp_path, "reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv")
    with h5py.File(tmp_path / "observables.h5") as file:
        T, found = file["temperatures"][...], {name: file[f"mean/{name}"][...] for name in file["mean"] if name.startswith("chi_")}
    expected = {}
    for T_, (yy, zz, y, z) in ((T_, dimer(1 / T_, J, D)) for T_ in T):
        for k, one, two in (("x", zz, z), ("y", yy, y), ("z", zz, z)):
            of = {"": 16 * (one + two) + 4, "staggered_": 4 * (one - two) + 4, "even_": 2 * one + 2, "odd_": 2 * one + 2}
            for name, square in of.items():
                expected.setdefault(f"chi_{name}{k}", []).append(square / T_ / L**2)
    expected = {name: np.array(values) for name, values in expected.items()}
    assert_means(found, expected, 0.04)
    header, *rows = [line.split(",") for line in (tmp_path / "results.csv").read_text().splitlines()]
    for name in expected:
        assert np.allclose([float(row[header.index(name)]) for row in rows], found[name].mean(axis=1)), name


@pytest.mark.parametrize("J", [0.0, -1.2])
def test_overlap_tensor_of_dimers(tmp_path, J):
    """Two pairs of spins a among twelve free spins b: <q^2> = sum over sites i, j of <S_i.S_j>^2 / N^2, and <S.S'> of a pair is coth K - 1/K, K = J / T.
    Without exchange <q^4> = (1 + 2 (N - 1) / (9 N)) / N^2, as products of different pairs of sites have a mean square of 1/9 and are not correlated."""
    model = f"model: {{kind: heisenberg, dimension: 2, boundary: open, exchange: [{J}, 0, 0], concentration: 0.5}}"
    changes = {f"sweeps: {SWEEPS}": "sweeps: 1600", f"replicas: {REPLICAS}": "replicas: 3", "update: cone": "update: heat-bath", "snapshots: 16": "snapshots: 0"}
    study(tmp_path, model=model, precision="double", **changes)
    call(tmp_path, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    with h5py.File(tmp_path / "disorder.h5", "r+") as file:
        file["occupation"][...] = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]])
        del file.attrs["sealed"]
    call(tmp_path, "thermalize", "--disorder", "disorder.h5", "--out", "0.h5")
    pt_run(tmp_path, "0.h5", "1.h5")
    call(tmp_path, "measure", "--disorder", "disorder.h5", "--run", "run-1.h5", "--out", "observables.h5")
    call(tmp_path, "reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv")
    with h5py.File(tmp_path / "observables.h5") as file:
        T, found, quoted = file["temperatures"][...], {name: file[f"mean/{name}"][...] for name in ("qt2", "qt4")}, file["error/qt2"][...]
    N, K = L**2, J / T if J else np.full(SLOTS, 1e-6)
    langevin = 1 / np.tanh(K) - 1 / K if J else np.zeros(SLOTS)
    expected = {"qt2": (N + 4 * langevin**2) / N**2}
    if J == 0:
        expected["qt4"] = np.full(SLOTS, (1 + 2 * (N - 1) / (9 * N)) / N**2)
    assert_means(found, expected, 0.03)
    assert 0.7 < quoted.mean() / student_factor(1) / found["qt2"].std(axis=1, ddof=1).mean() < 1.4  # two blocks
    header, *rows = [line.split(",") for line in (tmp_path / "results.csv").read_text().splitlines()]
    table = {name: np.array([float(row[header.index(name)]) for row in rows]) for name in ("qt2", "qt4", "binder_qt")}
    assert np.allclose(table["qt2"], found["qt2"].mean(axis=1)) and np.allclose(table["binder_qt"], (11 - 9 * table["qt4"] / table["qt2"] ** 2) / 2)


def test_no_overlap_tensor_without_random_sites(tmp_path):
    for name, model, replicas in (("pure", "model: {kind: heisenberg}", 2), ("single", "model: {kind: heisenberg, concentration: 0.5}", 1)):
        study(tmp_path, model=model, **{f"replicas: {REPLICAS}": f"replicas: {replicas}"})
        call(tmp_path, "gen-disorder", "--first", 0, "--count", 2, "--out", f"{name}.h5")
        call(tmp_path, "thermalize", "--disorder", f"{name}.h5", "--out", "0.h5", "--force")
        pt_run(tmp_path, "0.h5", f"{name}-1.h5", disorder=f"{name}.h5")
        call(tmp_path, "measure", "--disorder", f"{name}.h5", "--run", f"run-{name}-1.h5", "--out", f"{name}-observables.h5")
        call(tmp_path, "reduce-disorder", f"{name}-observables.h5", "--out", f"{name}-reduced.h5", "--csv", f"{name}.csv", "--set", "disorder.realizations=2")
        with h5py.File(tmp_path / f"run-{name}-1.h5") as run:
            assert "overlap_tensor2" not in run["blocks"] or run["blocks/overlap_tensor2"].size == 0
        assert "qt2" not in (tmp_path / f"{name}.csv").read_text()


REFUSED = [
    ("share", "run:", "multispin: {share: 32}\nrun:", ["multispin.share = 32", "use share: 1 or leave it out"]),
    ("anisotropy", "update: cone", "update: heat-bath", ["dynamics.update = heat-bath", "linear", "use metropolis or cone"]),
    ("over-relaxation", "update: cone", "over_relaxation: 2", ["dynamics.over_relaxation = 2", "anisotropy", "use 0"]),
    ("no DM vectors", f"dm: {D}", "dm: [0, 0, 0]", ["model.dm_pattern = alternating needs vectors", "use none"]),
    ("no pattern", "dm_pattern: alternating", "dm_pattern: none", ["model.dm = ", "set the pattern to constant or alternating"]),
    ("axis", f"dm_axis: {AXIS}", "dm_axis: [0, 0, 0]", ["model.dm_axis", "length 0", "[0, 1, 0]"]),
    ("two values", f"exchange: {J}", "exchange: [1, 2]", ["model.exchange", "has 2 values; 3 are needed"]),
    ("no list", f"exchange: {J}", "exchange: 1", ["model.exchange = 1 is not a list", "as in [1, 1, 1]"]),
    ("concentration", "concentration: 0.4", "concentration: 1.4", ["model.concentration = 1.4", "0 to 1"]),
    ("Ising key", "  boundary: open", "  p_absent: 0.1", ["model.p_absent = 0.1", "Ising", "leave it out"]),
    ("Ising model", "kind: heisenberg", "kind: ferromagnet", ["model.exchange", "key of vector spins", "heisenberg"]),
]


@pytest.mark.parametrize("old, new, words", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_bad_keys_are_refused(tmp_path, old, new, words):
    study(tmp_path, **{old: new})
    error = call(tmp_path, "gen-disorder", "--first", 0, "--count", 2, "--out", "no.h5", code=1)
    assert "study.yaml:" in error and all(word in error for word in words), error
    assert not (tmp_path / "no.h5").exists()


def test_fast_arithmetic_is_not_for_real_couplings(tmp_path):
    study(tmp_path, model="model: {couplings: gaussian}", precision="fast", **{"update: cone, ": ""})
    error = call(tmp_path, "gen-disorder", "--first", 0, "--count", 2, "--out", "no.h5", code=1)
    assert "dynamics.precision = fast is for vector spins; use float or double" in error


def test_other_files_are_refused(folder):
    study(folder, "other", model=MODEL.replace("concentration: 0.4", "concentration: 0.5"))
    error = call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "no.h5", config="other", code=1)
    assert "was drawn for the model" in error and "concentration: 0.5" in error
    study(folder, "ising", model="", **{"update: cone, ": "", ", precision: PRECISION": "", ", precision: float": "", "replicas": "multispin: {share: 32}\nreplicas"})
    error = call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "no.h5", config="ising", code=1)
    assert "the configuration has Ising spins with discrete couplings" in error
