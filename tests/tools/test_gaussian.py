"""Ising spins with Gaussian couplings (model.couplings = gaussian) through the programs: sums that equal the sums of the spins, states that continue
bit for bit, in pieces, with stops and in another batch, audits, averages, couplings by hand, and what is refused. The programs are taken from the folder
PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import h5py
import numpy as np
import pytest
from interrupted import assert_same
from test_vectors import call, pt_run

L, R, REPLICAS, SLOTS, SWEEPS = 4, 70, 4, 5, 160
STUDY = f"""\
seed: 4
model: {{couplings: gaussian, dimension: DIMENSION, field: FIELD}}
lattice: {{L: {L}}}
disorder: {{realizations: {R}, batch: {R}}}
temperatures: {{min: 0.6, max: 2.0, count: {SLOTS}}}
replicas: {REPLICAS}
dynamics: {{update: UPDATE, sweeps_per_swap: 5, precision: PRECISION}}
thermalize: {{sweeps: 105}}
run: {{sweeps: {SWEEPS}, measure_every: 10, blocks: 4, snapshots: 16, magnetisation: always}}
"""
CASES = {"space": ("3", "0", "metropolis", "float"), "plane in a field": ("2", "0.4", "heat-bath", "double")}


def study(folder, case="space", name="study", **changes):
    text = STUDY
    for key, value in zip(("DIMENSION", "FIELD", "UPDATE", "PRECISION"), CASES[case], strict=True):
        text = text.replace(key, value)
    for old, new in changes.items():
        text = text.replace(old, new)
    (folder / f"{name}.yaml").write_text(text)


@pytest.fixture(scope="module", params=list(CASES))
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("gaussian")
    study(folder, request.param)
    call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "0.h5", "--threads", 2)
    pt_run(folder, "0.h5", "1.h5")
    return folder


def test_couplings_are_normal(folder):
    with h5py.File(folder / "disorder.h5") as file:
        J, dimension = file["couplings"][...], len(file["couplings"].shape) - 2
        assert J.dtype == np.float64 and J.shape == (R, dimension) + (L,) * dimension
        assert file["couplings"].attrs["unit"] == "J" and file.attrs["model"] == "edwards-anderson"
        assert "couplings: gaussian" in file.attrs["law"] and "p_ferro" not in file.attrs["law"]
    J = J.ravel()
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((J**power).mean() - moment) < 4.5 * np.sqrt(variance / J.size), power
    assert abs((np.abs(J) < 0.6744897501960817).mean() - 0.5) < 4.5 * 0.5 / np.sqrt(J.size)
    assert len(np.unique(J)) == J.size


def test_sums_are_those_of_the_spins(folder):
    """Every measurement of the run has its snapshot."""
    with h5py.File(folder / "disorder.h5") as file:
        J = file["couplings"][...]
    with h5py.File(folder / "run-1.h5") as run:
        words = run["snapshots/spins"][...]  # snapshot, replica, slot, pack, z, y, x
        sums = {name: run[f"blocks/{name}"][...].sum(axis=0) for name in run["blocks"]}
    dimension = J.shape[1]
    assert words.dtype == np.uint64 and words.shape == (16, REPLICAS, SLOTS, 2) + (L,) * dimension
    spins = np.stack([1.0 - 2.0 * (words[:, :, :, r // 64] >> np.uint64(r % 64) & np.uint64(1) == 0) for r in range(R)], axis=3)
    sites = tuple(range(4, 4 + dimension))
    E = -sum((J[:, d] * spins * np.roll(spins, -1, axis=-1 - d)).sum(axis=sites) for d in range(dimension))
    M, N = spins.sum(axis=sites), L**dimension
    close = {"rtol": 1e-9, "atol": 1e-5}
    assert np.allclose(sums["energy"], E.sum(axis=0), rtol=1e-6, atol=1e-3)  # couplings in float
    assert np.allclose(sums["energy2"], (E**2).sum(axis=0), rtol=1e-6, atol=1e-4)
    assert np.array_equal(sums["magnetisation"], M.sum(axis=0)) and np.allclose(sums["magnetisation2"], (M**2).sum(axis=0) / N**2, **close)
    pairs = [(a, b) for a in range(REPLICAS) for b in range(a + 1, REPLICAS)]
    for i, (a, b) in enumerate(pairs):
        q = spins[:, a] * spins[:, b]
        Q = q.sum(axis=tuple(range(3, 3 + dimension)))
        link = sum((q * np.roll(q, -1, axis=-1 - d)).sum(axis=tuple(range(3, 3 + dimension))) for d in range(dimension))
        assert np.array_equal(sums["overlap"][i], Q.sum(axis=0)) and np.array_equal(sums["link"][i], link.sum(axis=0))
        assert np.allclose(sums["overlap4"][i], ((Q / N) ** 4).sum(axis=0), **close)
        if "overlap2_energy" in sums:  # 32 bits of it are kept
            assert np.allclose(sums["overlap2_energy"][i], ((Q / N) ** 2 * (E[:, a] + E[:, b])).sum(axis=0), rtol=1e-6, atol=1e-4)
    assert ("energy_magnetisation" in sums) == (dimension == 2) != ("overlap2_energy" in sums) and "lowest_energy" not in sums
    if "energy_magnetisation" in sums:
        assert np.allclose(sums["energy_magnetisation"], (E * M).sum(axis=0), rtol=1e-6, atol=1e-3)


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
        for name in ("spins", "tempering/walker", "tempering/accepted"):
            assert np.array_equal(a[name][...], b[name][...])
        assert "moves" not in a and a["tempering/accepted"][...].sum() > 0
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "stopped.h5", "--time-limit", "1e-6", code=75)
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "stopped.h5")
    assert_same(folder / "stopped.h5", folder / "0.h5")


def test_realizations_do_not_know_their_batch(folder):
    call(folder, "gen-disorder", "--first", 64, "--count", 6, "--out", "six.h5")
    call(folder, "thermalize", "--disorder", "six.h5", "--out", "six-0.h5")
    pt_run(folder, "six-0.h5", "six-1.h5", disorder="six.h5")
    with h5py.File(folder / "six-1.h5") as six, h5py.File(folder / "1.h5") as all:
        assert np.array_equal(six["spins"][...], all["spins"][:, :, 1:])
    with h5py.File(folder / "run-six-1.h5") as six, h5py.File(folder / "run-1.h5") as all:
        assert np.array_equal(six["hottest/correlation"][...], all["hottest/correlation"][..., 64:]) if "hottest" in all else "hottest" not in six
        for name in six["blocks"]:
            if name not in ("edges", "count"):
                assert np.array_equal(six[f"blocks/{name}"][...], all[f"blocks/{name}"][..., 64:]), name


def test_audit(folder):
    files = ("--disorder", "disorder.h5", "--state", "0.h5", "--run", "run-1.h5", "--end-state", "1.h5")
    call(folder, "audit", *files, "--out", "audit.json", "--first", 64)
    damaged = folder / "damaged.h5"
    damaged.write_bytes((folder / "run-1.h5").read_bytes())
    with h5py.File(damaged, "r+") as file:
        file["blocks/energy"][1, 0, 2, 66] += 1e-9
        del file.attrs["sealed"]
    error = call(folder, "audit", *files[:5], "damaged.h5", "--out", "other.json", "--first", 64, code=1)
    assert "/blocks/energy" in error and "realization 66" in error


def test_averages(folder):
    """The averages of each realization equal the averages of the sums, in a run of which nothing is discarded."""
    call(folder, "measure", "--disorder", "disorder.h5", "--run", "run-1.h5", "--out", "observables.h5", "--set", "run.discard=0")
    with h5py.File(folder / "observables.h5") as found, h5py.File(folder / "run-1.h5") as run, h5py.File(folder / "disorder.h5") as disorder:
        mean = {name: found[f"mean/{name}"][...] for name in found["mean"]}
        N = np.prod(disorder["couplings"].shape[2:])
        n = run["blocks/count"][...].sum()
        sums = {name: run[f"blocks/{name}"][...].sum(axis=0) / n for name in run["blocks"] if name not in ("edges", "count")}
    field = float(CASES["plane in a field"][1]) if "energy_magnetisation" in sums else 0.0
    assert np.allclose(mean["energy"], (sums["energy"] - field * sums["magnetisation"]).mean(axis=0) / N, rtol=1e-9)
    assert np.allclose(mean["q2"], sums["overlap2"].mean(axis=0)) and np.allclose(mean["m2"], sums["magnetisation2"].mean(axis=0))
    call(folder, "reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv", "--set", "run.discard=0")
    header, *rows = [line.split(",") for line in (folder / "results.csv").read_text().splitlines()]
    for name in ("energy", "q2", "q_link"):
        assert np.allclose([float(row[header.index(name)]) for row in rows], mean[name].mean(axis=1)), name


def test_the_field_decides_exchanges(folder):
    """With couplings 0 spins in a field are free: m = tanh(h / T) in a ladder with exchange."""
    if "field: 0.4" not in (folder / "study.yaml").read_text():
        pytest.skip("without a field")
    free = folder / "free.h5"
    free.write_bytes((folder / "disorder.h5").read_bytes())
    with h5py.File(free, "r+") as file:
        file["couplings"][...] = 0.0
        del file.attrs["sealed"]
    more = ("--set", "run.sweeps=1600", "--set", "run.snapshots=0")
    call(folder, "thermalize", "--disorder", "free.h5", "--out", "free-0.h5")
    pt_run(folder, "free-0.h5", "free-1.h5", *more, disorder="free.h5")
    call(folder, "measure", "--disorder", "free.h5", "--run", "run-free-1.h5", "--out", "free-observables.h5", *more)
    with h5py.File(folder / "free-observables.h5") as found:
        m, T = found["mean/m"][...], found["temperatures"][...]
        assert (found["tempering/swap_rate"][...] > 0.2).all() and found.attrs["couplings_origin"] == "by hand, without any bond"
        assert np.allclose(found["mean/energy"][...], -0.4 * m, atol=1e-12)
    error = m.std(axis=1, ddof=1) / np.sqrt(R)
    assert (error < 0.005).all() and (np.abs(m.mean(axis=1) - np.tanh(0.4 / T)) < 4.5 * error).all()


REFUSED = [
    ("share", "run:", "multispin: {share: 32}\nrun:", ["multispin.share = 32", "model.couplings = gaussian", "use share: 1 or leave it out"]),
    ("lanes", "run:", "multispin: {lanes: replicas}\nrun:", ["multispin.lanes = replicas", "leave it out"]),
    ("p_ferro", "gaussian,", "gaussian, p_ferro: 0.6,", ["model.p_ferro = 0.6", "leave it out"]),
    ("p_absent", "gaussian,", "gaussian, p_absent: 0.1,", ["model.p_absent = 0.1", "leave it out"]),
    ("open", "gaussian,", "gaussian, boundary: open,", ["model.boundary = open", "leave it out"]),
    ("ferromagnet", "gaussian,", "gaussian, kind: ferromagnet,", ["model.couplings = gaussian", "edwards-anderson only"]),
    ("vectors", "gaussian,", "gaussian, kind: heisenberg,", ["model.couplings = gaussian", "edwards-anderson only"]),
    ("cone", "update: metropolis", "update: cone", ["dynamics.update = cone", "use metropolis or heat-bath"]),
    ("over-relaxation", "update: metropolis", "over_relaxation: 2", ["dynamics.over_relaxation = 2", "vector spins"]),
    ("other couplings", "gaussian,", "uniform,", ["model.couplings = uniform", "discrete, gaussian"]),
    ("precision of discrete couplings", "couplings: gaussian, ", "", ["dynamics.precision = double", "real couplings"]),
]


@pytest.mark.parametrize("old, new, words", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_bad_keys_are_refused(tmp_path, old, new, words):
    study(tmp_path, **{"precision: float": "precision: double", old: new})
    error = call(tmp_path, "gen-disorder", "--first", 0, "--count", 2, "--out", "no.h5", code=1)
    assert "study.yaml:" in error and all(word in error for word in words), error
    assert not (tmp_path / "no.h5").exists()


def test_programs_that_do_not_know_them(folder):
    files = ("--disorder", "disorder.h5", "--out", "no.h5")
    refused = "study.yaml:2: model.couplings = gaussian does not go with "
    assert f"{refused}relax; use " in call(folder, "relax", *files, code=1)
    assert f"{refused}pt-run --tune-ladder; choose " in call(folder, "pt-run", "--tune-ladder", *files[:2], "--out", "no.yaml", code=1)
    error = call(folder, "measure", *files, "--run", "run-1.h5", "--from-snapshots", code=1)
    assert f"{refused}measure --from-snapshots; leave " in error


def test_other_files_are_refused(folder, tmp_path):
    more = ("--disorder", folder / "disorder.h5", "--out", "no.h5")
    study(tmp_path, **{"seed: 4": "seed: 5", "dimension: 3, field: 0": study_model(folder)})
    assert "has seed = 4" in call(tmp_path, "thermalize", *more, code=1)
    study(tmp_path, **{"dimension: 3, field: 0": study_model(folder).split("field")[0] + "field: 0.3"})
    assert "was drawn for the model" in call(tmp_path, "thermalize", *more, code=1)
    study(tmp_path, **{"couplings: gaussian, dimension: 3, field: 0": study_model(folder), ", precision: float": ""})
    assert "the configuration has Ising spins with discrete couplings" in call(tmp_path, "thermalize", *more, code=1)
    large = tmp_path / "large.h5"
    large.write_bytes((folder / "disorder.h5").read_bytes())
    with h5py.File(large, "r+") as file:
        file["couplings"][(0,) * file["couplings"].ndim] = 8.5
        del file.attrs["sealed"]
    error = call(folder, "thermalize", "--disorder", large, "--out", "no.h5", code=1)
    assert "8.5" in error and "/couplings" in error


def study_model(folder):
    """Dimension and field of its study."""
    text = (folder / "study.yaml").read_text()
    return text[text.index("dimension:") : text.index("}", text.index("dimension:"))]
