"""The pipeline on a case of seconds: gen-disorder, thermalize, pt-run in chunks, measure, reduce-disorder. Every file is read with
h5py alone, as a user would. The programs are taken from the folder PSFLIP_BIN."""

import csv
import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
L, N, R, REPLICAS, SLOTS, FIRST = 4, 64, 96, 2, 5, 32
THERMALIZE, SWEEPS, EVERY, BLOCKS, SNAPSHOTS, BINS = 1003, 1600, 20, 4, 8, 20
CONFIG = f"""\
seed: 9
lattice: {{L: {L}}}
disorder: {{realizations: 128, batch: 128}}
temperatures: {{min: 0.8, max: 2.0, count: {SLOTS}}}
replicas: {REPLICAS}
multispin: {{share: 32}}
thermalize: {{sweeps: {THERMALIZE}}}
run: {{sweeps: {SWEEPS}, measure_every: {EVERY}, blocks: {BLOCKS}, discard: 0, snapshots: {SNAPSHOTS}, histogram_bins: {BINS}}}
"""
INTEGER_SUMS = {"energy": REPLICAS, "overlap": 1, "overlap_abs": 1, "link": 1, "walker_slot": REPLICAS}
REAL_SUMS = {"energy2": REPLICAS, "overlap2": 1, "overlap4": 1, "kmin": 1}
PROVENANCE = ["program", "command_line", "config", "config_hash", "host", "version", "git_commit", "start_time", "end_time"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files of the pipeline: two runs that end at SWEEPS and 2 SWEEPS (a), and one run to 2 SWEEPS (b)."""
    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "study.yaml").write_text(CONFIG)
    common = ["--disorder", "disorder.h5", "--threads", 1]
    program(folder, "gen-disorder", "--first", FIRST, "--count", R, "--out", "disorder.h5")
    program(folder, "thermalize", *common, "--out", "state0.h5")
    program(folder, "pt-run", *common, "--state", "state0.h5", "--out", "run1.h5", "--state-out", "state1.h5")
    program(folder, "pt-run", *common, "--state", "state1.h5", "--out", "run2.h5", "--state-out", "state2.h5")
    program(folder, "pt-run", *common, "--state", "state0.h5", "--out", "run_b.h5", "--state-out", "state_b.h5",
            "--until", 2 * SWEEPS)
    return folder


@pytest.fixture(scope="module")
def measured(folder):
    program(folder, "measure", "--disorder", "disorder.h5", "--run", "run1.h5", "run2.h5", "--out", "observables.h5")
    program(folder, "measure", "--disorder", "disorder.h5", "--run", "run_b.h5", "--out", "observables_b.h5",
            "--set", f"run.sweeps={8 * SWEEPS}")
    return folder


def program(folder, name, *arguments, code=0):
    command = [str(a) for a in [BIN / name, "--config", "study.yaml", *arguments]]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert result.returncode == code, result.stderr
    return result


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def bits(words):
    """uint64 (..., pack64, z, y, x) to spins -1, +1 (..., realization, z, y, x)."""
    spins = np.stack([(words >> np.uint64(b)) & np.uint64(1) for b in range(64)], axis=-4)
    *front, packs, _, _, _, _ = spins.shape
    return 2 * spins.reshape(*front, packs * 64, L, L, L).astype(int)[..., :R, :, :, :] - 1


def energies(words, couplings):
    """E = -sum J s s of every replica, temperature and realization."""
    spins = bits(words)
    energy = np.zeros(spins.shape[:-3], dtype=int)
    for direction, axis in [(0, -1), (1, -2), (2, -3)]:
        energy -= (couplings[:, direction] * spins * np.roll(spins, -1, axis=axis)).sum(axis=(-3, -2, -1))
    return energy


@pytest.mark.parametrize("name, kind", [("disorder.h5", "disorder"), ("state0.h5", "state"), ("run1.h5", "run"),
                                        ("state1.h5", "state"), ("run2.h5", "run"), ("run_b.h5", "run")])
def test_every_file_says_what_it_is_and_what_made_it(folder, name, kind):
    with h5py.File(folder / name) as file:
        assert text(file.attrs["format"]) == "psflip" and text(file.attrs["kind"]) == kind
        assert file.attrs["format_version"] == 2 and file.attrs["physics_version"] == 2
        assert file.attrs["first_realization"] == FIRST
        assert file.attrs["realizations"] == R and file.attrs["L"] == L
        for key in PROVENANCE:
            assert text(file["provenance"].attrs[key]) != "", key
        if kind != "disorder":
            assert "disorder.h5" in text(file["provenance"].attrs["input_hashes"])
            assert "cpu" in text(file["provenance"].attrs["backend"])
            assert "share: 32" in text(file.attrs["physics"])


def test_state(folder):
    with h5py.File(folder / "state0.h5") as state:
        assert state["sweep"][0] == THERMALIZE and state["run_start"][0] == THERMALIZE
        assert state["spins"].shape == (REPLICAS, SLOTS, 2, L, L, L) and state["spins"].dtype == np.uint64
        unused = state["spins"][:, :, 1] >> np.uint64(R - 64)
        assert not unused.any()
        assert np.array_equal(np.sort(state["tempering/walker"][...], axis=-1),
                              np.broadcast_to(np.arange(SLOTS), (R, REPLICAS, SLOTS)))
        assert state["tempering/attempted"][...].tolist() == [50, 50, 50, 50]
    with h5py.File(folder / "state2.h5") as state:
        assert state["sweep"][0] == THERMALIZE + 2 * SWEEPS and state["run_start"][0] == THERMALIZE


def test_run_file(folder):
    edges = [0, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600]
    with h5py.File(folder / "run1.h5") as run:
        assert run.attrs["run_first"] == 0 and run.attrs["run_last"] == SWEEPS
        grid = {"grid_base": 100, "run.blocks": BLOCKS, "run.measure_every": EVERY, "run.histogram_bins": BINS}
        assert {name: run.attrs[name] for name in grid} == grid
        assert np.allclose(run["temperatures"][...], 0.8 * (2.5 ** (np.arange(SLOTS) / (SLOTS - 1))))
        assert run["blocks/edges"][...].tolist() == edges
        upper, lower = np.array(edges[1:]), np.array(edges[:-1])
        assert run["blocks/count"][...].tolist() == (upper // EVERY - lower // EVERY).tolist()
        for sums, kind in [(INTEGER_SUMS, np.int64), (REAL_SUMS, np.float64)]:
            for name, components in sums.items():
                assert run[f"blocks/{name}"].shape == (len(lower), components, SLOTS, R)
                assert run[f"blocks/{name}"].dtype == kind
        histogram = run["histogram/overlap"][...]
        assert histogram.shape == (SLOTS, BINS, R) and histogram.dtype == np.uint32
        assert (histogram.sum(axis=1) == SWEEPS // EVERY).all()
        attempted = run["tempering/attempted"][...]
        assert attempted.tolist() == [80, 80, 80, 80]
        accepted = run["tempering/accepted"][...]
        assert accepted.shape == (R, REPLICAS, SLOTS - 1)
        assert (accepted >= 0).all() and (accepted <= attempted).all() and accepted.mean() > 5
        assert run["tempering/round_trips"].shape == (R, REPLICAS)


def test_accumulators_are_those_of_the_spins(folder):
    """A run whose every measurement is a snapshot, recomputed with numpy."""
    measurements = 100 // EVERY
    program(folder, "pt-run", "--disorder", "disorder.h5", "--state", "state0.h5", "--out", "all.h5", "--threads", 1,
            "--set", "run.sweeps=100", "--set", "run.blocks=1", "--set", f"run.snapshots={measurements}")
    with h5py.File(folder / "all.h5") as run, h5py.File(folder / "disorder.h5") as disorder:
        assert run["snapshots/sweep"][...].tolist() == [EVERY * (i + 1) for i in range(measurements)]
        couplings = disorder["couplings"][...].astype(int)
        sums = {name: 0 for name in [*INTEGER_SUMS, *REAL_SUMS]}
        for words in run["snapshots/spins"][...]:
            energy = energies(words, couplings)
            spins = bits(words)
            product = spins[0] * spins[1]
            overlap = product.sum(axis=(-3, -2, -1))
            link = sum((product * np.roll(product, -1, axis=axis)).sum(axis=(-3, -2, -1)) for axis in (-1, -2, -3))
            sums["energy"] += energy
            sums["energy2"] += energy.astype(float) ** 2
            sums["overlap"] += overlap
            sums["overlap_abs"] += abs(overlap)
            sums["overlap2"] += (overlap / N) ** 2
            sums["overlap4"] += (overlap / N) ** 4
            sums["link"] += link
            for others in [(-3, -2), (-3, -1), (-2, -1)]:
                planes = product.sum(axis=others)
                sums["kmin"] += abs(planes @ np.exp(2j * np.pi * np.arange(L) / L)) ** 2 / N**2
        walkers = run["blocks/walker_slot"][...].sum(axis=(0, 2))
        assert (walkers == measurements * SLOTS * (SLOTS - 1) // 2).all()
        del sums["walker_slot"]
        for name, value in sums.items():
            stored = run["blocks"][name][...].sum(axis=0)
            assert np.allclose(stored if name.startswith("energy") else stored[0], value, rtol=2.4e-10 if name == "kmin" else 1e-12, atol=1e-12), name


def test_snapshots_are_spins_of_the_run(folder):
    with h5py.File(folder / "run2.h5") as run, h5py.File(folder / "state2.h5") as end:
        sweeps = run["snapshots/sweep"][...]
        assert sweeps.tolist() == [SWEEPS + SWEEPS // SNAPSHOTS * (i + 1) for i in range(SNAPSHOTS)]
        assert np.array_equal(run["snapshots/spins"][-1], end["spins"][...])


def test_two_chunks_end_where_one_long_run_ends(folder):
    with h5py.File(folder / "state2.h5") as a, h5py.File(folder / "state_b.h5") as b:
        for name in ["spins", "sweep", "run_start", *(f"tempering/{key}" for key in a["tempering"])]:
            assert np.array_equal(a[name][...], b[name][...]), name
    with h5py.File(folder / "run1.h5") as one, h5py.File(folder / "run2.h5") as two, h5py.File(folder / "run_b.h5") as both:
        assert two.attrs["run_first"] == SWEEPS and two.attrs["run_last"] == 2 * SWEEPS
        assert np.array_equal(np.concatenate([one["blocks/edges"][...], two["blocks/edges"][1:]]), both["blocks/edges"][...])
        for name in ["count", *INTEGER_SUMS, *REAL_SUMS]:
            parts = np.concatenate([one["blocks"][name][...], two["blocks"][name][...]])
            assert np.array_equal(parts, both["blocks"][name][...]), name
        for name in ["accepted", "attempted", "round_trips"]:
            path = f"tempering/{name}"
            assert np.array_equal(one[path][...] + two[path][...], both[path][...])
        assert np.array_equal(one["histogram/overlap"][...] + two["histogram/overlap"][...], both["histogram/overlap"][...])


def test_the_same_call_again_gives_the_same_data(folder):
    program(folder, "pt-run", "--disorder", "disorder.h5", "--state", "state0.h5", "--out", "again.h5", "--threads", 3)
    with h5py.File(folder / "run1.h5") as a, h5py.File(folder / "again.h5") as b:
        for group in ["blocks", "tempering", "histogram", "snapshots"]:
            assert a[group].keys() == b[group].keys()
            for name in a[group]:
                assert np.array_equal(a[group][name][...], b[group][name][...]), f"{group}/{name}"


@pytest.mark.parametrize("replicas, temperatures", [(1, "{list: [1.0, 1.5]}"), (3, "{list: [1.2]}"), (1, "{list: [0.9]}")])
def test_one_replica_or_one_temperature(folder, tmp_path, replicas, temperatures):
    more = ["--disorder", "disorder.h5", "--set", f"replicas={replicas}", "--set", f"temperatures={temperatures}",
            "--threads", 1]
    state, run = tmp_path / "state.h5", tmp_path / "run.h5"
    program(folder, "thermalize", *more, "--out", state)
    program(folder, "pt-run", *more, "--state", state, "--out", run, "--state-out", tmp_path / "next.h5")
    program(folder, "pt-run", *more, "--state", tmp_path / "next.h5", "--out", tmp_path / "run2.h5")
    with h5py.File(run) as file:
        assert file["blocks/energy"].shape[1] == replicas
        assert file["blocks/overlap2"].shape[1] == replicas * (replicas - 1) // 2
        assert file["tempering/attempted"].shape == (temperatures.count(","),)
    program(folder, "measure", "--disorder", "disorder.h5", "--set", f"replicas={replicas}", "--set",
            f"temperatures={temperatures}", "--run", run, tmp_path / "run2.h5", "--out", tmp_path / "observables.h5")
    with h5py.File(tmp_path / "observables.h5") as file:
        assert np.isfinite(file["mean/energy"][...]).all()
        assert np.isnan(file["mean/q2"][...]).all() == (replicas == 1)


def contents(path):
    """Every dataset and attribute but the provenance, as (type, shape, bytes)."""
    found = {}

    def visit(name, item):
        for key, value in item.attrs.items():
            found[f"{name}@{key}"] = (type(value), np.asarray(value).tobytes())
        if isinstance(item, h5py.Dataset):
            found[name] = (item.dtype, item.shape, item[...].tobytes())

    with h5py.File(path) as file:
        visit("", file)
        file.visititems(visit)
    return {name: value for name, value in found.items() if not name.startswith("provenance")}


def test_measure_of_two_runs_is_that_of_one_long_run(measured):
    with h5py.File(measured / "observables.h5") as file:
        assert file["realization"][...].tolist() == list(range(FIRST, FIRST + R))
        assert file["log2/edges"][...].tolist() == [0, 25, 50, 100, 200, 400, 800, 1600, 3200]
    both = contents(measured / "observables.h5")
    assert both == contents(measured / "observables_b.h5")
    assert len(both) > 40 and {"tau/energy", "histogram/overlap", "tempering/swap_rate", "@run_last"} <= both.keys()


@pytest.mark.parametrize("blocks, sweeps, ends", [(4, 101, [101, 202, 404]), (1, 96, [3, 6, 96, 192]), (6, 60, [60, 120, 240, 960])])
def test_any_cut_of_a_run_gives_the_same_observables(folder, tmp_path, blocks, sweeps, ends):
    """Odd run.sweeps (one stretch), one block, blocks that do not divide: to the last end in all steps, in one, in two; with
    run.sweeps changed on the way."""
    setting = ["--set", f"run.blocks={blocks}", "--set", "dynamics.sweeps_per_swap=1", "--set", "run.measure_every=3",
               "--set", "run.snapshots=0", "--set", "thermalize.sweeps=7", "--disorder", "disorder.h5", "--threads", 1]
    program(folder, "thermalize", *setting, "--set", f"run.sweeps={sweeps}", "--out", tmp_path / "0.h5")
    results = []
    for way in (ends, ends[-1:], [ends[0], ends[-1]]):
        runs, state = [], tmp_path / "0.h5"
        for i, end in enumerate(way):
            runs.append(tmp_path / f"run{len(results)}-{end}.h5")
            after = tmp_path / f"state{len(results)}-{end}.h5"
            program(folder, "pt-run", *setting, "--set", f"run.sweeps={sweeps * 2**i}", "--state", state, "--out", runs[-1],
                    "--state-out", after, "--until", end)
            state = after
        out = tmp_path / f"observables{len(results)}.h5"
        program(folder, "measure", *setting, "--set", f"run.sweeps={sweeps}", "--run", *reversed(runs), "--out", out)
        results.append((contents(out), contents(state)))
    assert results[0][0] and results[0] == results[1] == results[2]


def test_where_a_run_ends(folder, tmp_path):
    common = ["--disorder", "disorder.h5", "--threads", 1, "--out", tmp_path / "run.h5"]

    def last(*arguments):
        program(folder, "pt-run", *common, *arguments, "--force")
        with h5py.File(tmp_path / "run.h5") as file:
            return file.attrs["run_last"]

    def refused(*arguments):
        return program(folder, "pt-run", *common, *arguments, code=1).stderr

    assert last("--state", "state1.h5") == 2 * SWEEPS  # by default twice as far
    assert last("--state", "state1.h5", "--set", f"run.sweeps={4 * SWEEPS}") == 4 * SWEEPS  # or to run.sweeps
    assert last("--state", "state0.h5", "--until", 200) == 200
    assert "400, 800, 1600, ... (100 times a power of two)" in refused("--state", "state0.h5", "--until", 500)
    assert "3200, 6400" in refused("--state", "state1.h5", "--until", 1600)
    message = refused("--state", "state1.h5", "--set", "run.sweeps=2400")
    assert "sweep 2400 (run.sweeps)" in message and "3200" in message
    for key, mine, other in (("measure_every", EVERY, 40), ("blocks", BLOCKS, 8), ("histogram_bins", BINS, 10)):
        message = refused("--state", "state1.h5", "--set", f"run.{key}={other}")
        assert "state1.h5" in message and f"run.{key} = {mine}, but the configuration has {other}" in message
    assert "--until" in refused("--state", "state0.h5", "--until", -5)


def test_measure_gives_the_means_of_the_run(measured):
    with h5py.File(measured / "observables_b.h5") as file, h5py.File(measured / "run_b.h5") as run:
        n = run["blocks/count"][...].sum()
        energy = run["blocks/energy"][...].sum(axis=0).mean(axis=0) / n / N
        assert np.allclose(file["mean/energy"][...], energy)
        assert np.allclose(file["mean/q2"][...], run["blocks/overlap2"][...].sum(axis=0)[0] / n)
        assert np.allclose(file["mean/q_link"][...], run["blocks/link"][...].sum(axis=0)[0] / n / (3 * N))


def test_reduce(measured):
    program(measured, "reduce-disorder", "--out", "reduced.h5", "--csv", "results.csv", "observables.h5")
    rows = list(csv.DictReader((measured / "results.csv").open()))
    assert len(rows) == SLOTS
    with h5py.File(measured / "observables.h5") as file:
        mean = file["mean/energy"][...].mean(axis=1)
    for row, energy in zip(rows, mean):
        assert int(row["L"]) == L and int(row["n_realizations"]) == R
        assert float(row["energy"]) == pytest.approx(energy, rel=1e-9)
        assert float(row["beta"]) == pytest.approx(1 / float(row["T"]), rel=1e-9)
        assert 0 <= float(row["binder"]) <= 1
    with h5py.File(measured / "reduced.h5") as file:
        assert text(file.attrs["kind"]) == "reduced"
        assert np.allclose(file[f"L{L}/energy"][...], mean)


def test_a_state_goes_on_only_with_what_made_it(folder, tmp_path):
    program(folder, "gen-disorder", "--first", 0, "--count", R, "--out", tmp_path / "other.h5")
    program(folder, "gen-disorder", "--first", FIRST, "--count", 64, "--out", tmp_path / "fewer.h5")
    program(folder, "gen-disorder", "--first", FIRST, "--count", R, "--out", tmp_path / "seed.h5", "--set", "seed=10")
    out = tmp_path / "run.h5"
    for disorder, more, words in [
        (tmp_path / "other.h5", [], ["first_realization = 32", "first_realization = 0"]),
        (tmp_path / "fewer.h5", [], ["realizations = 96", "realizations = 64"]),
        (tmp_path / "seed.h5", [], ["couplings"]),
        ("disorder.h5", ["--set", "seed=10"], ["seed = 9", "seed = 10"]),
        ("disorder.h5", ["--set", "replicas=4"], ["replicas = 2", "replicas = 4"]),
        ("disorder.h5", ["--set", "temperatures.max=2.1"], ["temperatures"]),
        ("disorder.h5", ["--set", "multispin.share=1"], ["share = 32", "share = 1"]),
        ("disorder.h5", ["--set", "dynamics.sweeps_per_swap=20"], ["sweeps_per_swap = 10", "sweeps_per_swap = 20"]),
        ("disorder.h5", ["--set", "lattice.L=6"], ["L"]),
    ]:
        result = program(folder, "pt-run", "--disorder", disorder, "--state", "state0.h5", "--out", out, *more, code=1)
        for word in words:
            assert word in result.stderr
        assert not out.exists()


def test_outputs_must_be_files_of_their_own(folder):
    common = ["--disorder", "disorder.h5", "--state", "state1.h5"]
    for out, state_out in [("state1.h5", "x.h5"), ("disorder.h5", "x.h5"), ("x.h5", "state1.h5"), ("x.h5", "./x.h5")]:
        result = program(folder, "pt-run", *common, "--out", out, "--state-out", state_out, code=1)
        assert "name" in result.stderr
    program(folder, "pt-run", *common, "--out", "no/such/folder/x.h5", code=2)
    program(folder, "pt-run", *common, "--out", "x.h5", "--state-out", "no/such/folder/x.h5", code=2)
    result = program(folder, "pt-run", "--disorder", "disorder.h5", "--state", "run1.h5", "--out", "x.h5", code=1)
    assert "state" in result.stderr
    program(folder, "pt-run", "--disorder", "state0.h5", "--state", "state0.h5", "--out", "x.h5", code=1)
    program(folder, "thermalize", "--disorder", "disorder.h5", "--out", "disorder.h5", code=1)
    assert not (folder / "x.h5").exists()


def test_no_thermalization_is_allowed(folder, tmp_path):
    state, run = tmp_path / "state.h5", tmp_path / "run.h5"
    more = ["--disorder", "disorder.h5", "--threads", 1, "--set", "thermalize.sweeps=0"]
    program(folder, "thermalize", *more, "--out", state)
    program(folder, "pt-run", *more, "--state", state, "--out", run)
    with h5py.File(state) as file:
        assert file["sweep"][0] == 0 and file["run_start"][0] == 0


@pytest.mark.parametrize("asked, backend, warns", [("asked", "auto", True), ("asked", "cpu", False), ("", "auto", False)])
def test_a_program_without_the_gpu_that_the_workflow_asked_for_warns(folder, monkeypatch, asked, backend, warns):
    """CUDA_VISIBLE_DEVICES hides what GPUs there are."""
    monkeypatch.setenv("PSFLIP_GPU", asked)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    said = program(folder, "thermalize", "--disorder", "disorder.h5", "--backend", backend, "--out", f"{asked}-{backend}.h5").stderr
    assert ("asked for a GPU, but the CPU is used (--backend cuda: " in said) == warns, said
