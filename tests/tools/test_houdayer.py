"""Counts of the clusters of Houdayer moves on their way from states and runs to results.csv. The programs are taken from the folder PSFLIP_BIN."""

import csv
import json
import shutil

import h5py
import numpy as np
import pytest
from by_hand import changing
from raw_runs import run

COUNTS = ("moves", "clusters", "sites")
EVERY, REPLICAS, T = 3, 4, [0.9, 1.3, 2.0]
MOVED = 2  # temperatures with moves
STUDY = f"""\
seed: 5
lattice: {{L: 4}}
disorder: {{realizations: 64, batch: 32}}
temperatures: {{list: {T}}}
replicas: {REPLICAS}
dynamics: {{sweeps_per_swap: 2, houdayer_every: {EVERY}, houdayer_below: 1.3}}
thermalize: {{sweeps: 100}}
run: {{sweeps: 320, measure_every: 10}}
"""
MODELS = {"share 32": "multispin: {share: 32}\n", "replicas": "multispin: {lanes: replicas}\n", "Gaussian": "model: {couplings: gaussian}\n"}


def counts_in(path):
    with h5py.File(path) as file:
        return {name: file[f"houdayer/{name}"][:] for name in COUNTS} if "houdayer" in file else None


class Batch:
    def __init__(self, folder, first):
        self.folder, self.first, self.study = folder, first, folder / "study.yaml"
        self.disorder = self.file("d")
        run("gen-disorder", "--config", self.study, "--first", first, "--count", 32, "--out", self.disorder)
        self.call("thermalize", "--out", self.file("s0"))
        for start, end in ((0, 320), (320, 640)):
            self.run(start, end, self.file(f"r{end}"), self.file(f"s{end}"))

    def file(self, name):
        return self.folder / f"{name}_{self.first}.h5"

    def call(self, program, *arguments, code=0):
        return run(program, "--config", self.study, "--disorder", self.disorder, *arguments, code=code)

    def run(self, start, end, out, state):
        self.call("pt-run", "--state", self.file(f"s{start}"), "--until", end, "--out", out, "--state-out", state)

    def measure(self):
        self.call("measure", "--run", self.file("r320"), self.file("r640"), "--out", self.file("o"))
        return self.file("o")


@pytest.fixture(scope="module", params=MODELS)
def batches(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("batches")
    (folder / "study.yaml").write_text(STUDY + MODELS[request.param])
    return [Batch(folder, first) for first in (0, 32)]


def test_runs_count_what_states_gain(batches):
    for batch in batches:
        for start, end in ((0, 320), (320, 640)):
            before, after, gained = (counts_in(batch.file(name)) for name in (f"s{start}", f"s{end}", f"r{end}"))
            for name in COUNTS:
                assert np.array_equal(after[name] - before[name], gained[name])
            moves = (100 + end) // EVERY - (100 + start) // EVERY
            assert list(gained["moves"]) == [moves * REPLICAS // 2] * MOVED + [0] * (len(T) - MOVED)
            clusters, sites = gained["clusters"], gained["sites"]
            assert clusters.shape == sites.shape == (32, len(T)) and not clusters[:, MOVED:].any() and not sites[:, MOVED:].any()
            assert (0 < clusters[:, :MOVED]).all() and (clusters <= gained["moves"]).all() and (clusters <= sites).all() and (sites <= 64 * clusters).all()


def test_averages_come_from_sums_over_runs_and_batches(batches):
    folder, sums = batches[0].folder, {name: 0 for name in COUNTS}
    observables = [batch.measure() for batch in batches]
    for batch, path in zip(batches, observables):
        first, second, both = counts_in(batch.file("r320")), counts_in(batch.file("r640")), counts_in(path)
        for name in COUNTS:
            expected = first[name] + second[name]
            assert np.array_equal(both[name], np.tile(expected, (32, 1)).T if expected.ndim == 1 else expected.T)
            sums[name] = sums[name] + both[name].sum(axis=1)
    run("reduce-disorder", "--config", folder / "study.yaml", "--out", folder / "reduced.h5", "--csv", folder / "t.csv", *observables, "--force")
    expected = {"houdayer_acceptance": (sums["clusters"], sums["moves"]), "houdayer_cluster_size": (sums["sites"], sums["clusters"])}
    with h5py.File(folder / "reduced.h5") as file, (folder / "t.csv").open() as table:
        rows = list(csv.DictReader(table))
        for name, (a, b) in expected.items():
            values = file["L4"][name][:]
            assert np.array_equal(values[:MOVED], a[:MOVED] / b[:MOVED]) and np.isnan(values[MOVED:]).all()
            assert [row[name] for row in rows[MOVED:]] == [""] * (len(T) - MOVED)
            assert [float(row[name]) for row in rows[:MOVED]] == list(values[:MOVED])


def audit(batch, end_state=None, code=0):
    out = batch.folder / "audit.json"
    batch.call("audit", "--state", batch.file("s320"), "--run", batch.file("r640"), "--end-state", end_state or batch.file("s640"), "--out", out, "--force", code=code)
    return json.loads(out.read_text())


def test_audit_compares_counts(batches):
    batch, changed = batches[1], batches[1].folder / "changed.h5"
    assert audit(batch)["equal"]
    shutil.copy(batch.file("s640"), changed)
    with changing(changed) as file:
        file["houdayer/sites"][7, 1] += 1
    found = audit(batch, changed, code=1)
    assert found["differences"] == 1 and found["first_difference"]["dataset"] == "/houdayer/sites" and found["first_difference"]["index"] == [7, 1]


@pytest.mark.parametrize("dataset, value", [("moves", 641), ("clusters", -1), ("sites", 64 * 640 + 1)])
def test_impossible_counts_are_refused(batches, dataset, value):
    """320 sweeps with up to one move of two pairs each."""
    changed = batches[0].folder / "impossible.h5"
    shutil.copy(batches[0].file("r320"), changed)
    with changing(changed) as file:
        file[f"houdayer/{dataset}"][..., 1] = value
    assert f"/houdayer/{dataset} holds {value}" in batches[0].call("measure", "--run", changed, "--out", batches[0].folder / "none.h5", code=1).stderr


def test_files_without_counts_are_read(batches, tmp_path):
    """States and runs of earlier versions lack the counts, but all else is equal."""
    for path in batches[0].folder.glob("*_0.h5"):
        shutil.copy(path, tmp_path)
    shutil.copy(batches[0].study, tmp_path)
    batch = object.__new__(Batch)
    batch.folder, batch.first, batch.study, batch.disorder = tmp_path, 0, tmp_path / "study.yaml", tmp_path / "d_0.h5"
    for name in ("s320", "r320", "s640", "r640"):
        with changing(batch.file(name)) as file:
            del file["houdayer"]
    assert audit(batch)["equal"]
    again, end = tmp_path / "again.h5", tmp_path / "end.h5"
    batch.run(320, 640, again, end)
    wanted = counts_in(batches[0].file("r640"))
    assert all(np.array_equal(counts_in(path)[name], wanted[name]) for path in (again, end) for name in COUNTS)
    batch.measure()
    assert counts_in(batch.file("o")) is None
    run("reduce-disorder", "--config", batch.study, "--out", tmp_path / "reduced.h5", "--csv", tmp_path / "t.csv", batch.file("o"))
    assert "houdayer" not in (tmp_path / "t.csv").read_text()
    shutil.copy(again, batch.file("r640"))
    batch.call("measure", "--run", batch.file("r320"), batch.file("r640"), "--out", batch.file("o"), "--force")
    assert np.array_equal(counts_in(batch.file("o"))["sites"], wanted["sites"].T)


def test_checkpoints_without_counts_are_refused(batches, tmp_path):
    """The counts of a run would begin in its middle."""
    batch, out = batches[0], tmp_path / "r.h5"
    checkpoint = tmp_path / "r.h5.checkpoint.h5"
    call = ["pt-run", "--state", batch.file("s0"), "--until", 320, "--out", out, "--state-out", tmp_path / "s.h5"]
    batch.call(*call, "--time-limit", 1e-6, code=75)
    whole = checkpoint.read_bytes()
    with changing(checkpoint) as file:
        del file["houdayer"]
    said = batch.call(*call, code=1).stderr
    for part in (f"{checkpoint}: the checkpoint lacks /houdayer/moves", "a development version of psflip", f"delete {checkpoint} and {tmp_path / 'r.h5.checkpoint.previous.h5'}"):
        assert part in said
    assert not out.exists()
    checkpoint.write_bytes(whole)
    batch.call(*call)
    assert all(np.array_equal(counts_in(out)[name], counts_in(batch.file("r320"))[name]) for name in COUNTS)


def test_runs_without_moves_have_no_counts(tmp_path):
    (tmp_path / "study.yaml").write_text(STUDY.replace(f", houdayer_every: {EVERY}, houdayer_below: 1.3", "") + MODELS["share 32"])
    batch = Batch(tmp_path, 0)
    batch.measure()
    assert all(counts_in(path) is None for path in tmp_path.glob("*.h5"))
