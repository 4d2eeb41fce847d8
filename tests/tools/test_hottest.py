"""A ladder that never gets hot: how long the hottest temperature remembers its spins without exchange, and what becomes of the
verdicts. The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import os

import h5py
import numpy as np
import pytest
from raw_runs import run

BACKEND = ["--backend", os.environ.get("PSFLIP_TEST_BACKEND", "cpu")]
STUDY = """\
seed: 5
lattice: {L: SIZE}
disorder: {realizations: 96, batch: 96}
temperatures: {min: LOW, max: HIGH, count: 8, spacing: geometric}
replicas: REPLICAS
multispin: {share: 32}
dynamics: {sweeps_per_swap: 4}
thermalize: {sweeps: 2048}
run: {sweeps: SWEEPS, measure_every: 16}
"""
FULL = "log2 test, temperature walk and hottest temperature"


class Study:
    def __init__(self, folder, L, low, high, sweeps=8192, replicas=2):
        self.folder, self.L = folder, L
        text = STUDY.replace("SIZE", str(L)).replace("LOW", str(low)).replace("HIGH", str(high))
        (folder / "study.yaml").write_text(text.replace("SWEEPS", str(sweeps)).replace("REPLICAS", str(replicas)))

    def call(self, program, *arguments):
        return run(program, "--config", self.folder / "study.yaml", *arguments).stderr

    def simulate(self, first=0, count=96):
        """The names of disorder, state and run file."""
        d, s, r = (self.folder / f"{name}{first}_{count}.h5" for name in "dsr")
        self.call("gen-disorder", "--first", first, "--count", count, "--out", d)
        self.call("thermalize", *BACKEND, "--disorder", d, "--out", s)
        self.call("pt-run", *BACKEND, "--disorder", d, "--state", s, "--out", r)
        return d, s, r

    def measure(self, d, *runs, more=()):
        out = self.folder / f"o_{d.name}"
        return out, self.call("measure", "--disorder", d, "--run", *runs, "--out", out, "--force", *more)

    def reduce(self, *observables):
        """Returns what the reduced file holds about the hottest temperature, its attributes, and the output of the program."""
        out = self.folder / "reduced.h5"
        said = self.call("reduce-disorder", "--out", out, "--csv", self.folder / "t.csv", "--force", *observables)
        with h5py.File(out) as file:
            group = file[f"L{self.L}"]
            return {name: group[name][:] for name in group if name.startswith("hottest")}, dict(group.attrs), said


def of_verdict(path):
    with h5py.File(path) as file:
        group = file["equilibration"]
        return {name: group[name][:] for name in group}, group.attrs["basis"]


def test_a_ladder_that_never_gets_hot_is_refused(tmp_path):
    study = Study(tmp_path, 6, 0.5, 0.7)
    d, _, r = study.simulate()
    out, said = study.measure(d, r)
    found, basis = of_verdict(out)
    assert not found["equilibrated"].any() and np.isinf(found["hottest_time"]).all() and basis == FULL
    assert "0 of 96 equilibrated" in said and "in 96 the hottest temperature does not decorrelate by itself" in said
    with h5py.File(out) as file:  # exchange and the walk show nothing
        assert file["tempering/swap_rate"][:].mean() > 0.85
        assert (20 * file["tau/walk"][:] < 8192).mean() > 0.6
    curve, attributes, said = study.reduce(out)
    np.testing.assert_array_equal(curve["hottest_sweeps"], [1, 3, 6, 12, 25, 51, 102, 204, 409])
    assert 0.3 < curve["hottest_memory"][-1] < 0.8 and np.isinf(curve["hottest_time"][0])
    assert curve["hottest_correlation"][-1] > 0.7
    words = "in 96 of 96 realizations the hottest temperature does not decorrelate by itself (without exchange "
    assert words in attributes["warnings"] and words in said and "raise temperatures.max, 0.7;" in said
    kinds = attributes["warning_kinds"].splitlines()
    assert "hottest" in kinds and len(kinds) == len(attributes["warnings"].splitlines())
    found = of_verdict(study.measure(d, r, more=["--set", "equilibration.min_walk_times=0"])[0])[0]
    assert found["equilibrated"].mean() > 0.6
    assert "decorrelate" not in study.reduce(out)[1]["warnings"]


@pytest.mark.parametrize("L, replicas, high, longest", [(4, 2, 1.65, 8), (6, 2, 2.2, 4), (4, 1, 2.2, 30)])
def test_a_ladder_that_gets_hot_passes(tmp_path, L, replicas, high, longest):
    study = Study(tmp_path, L, 0.9, high, replicas=replicas)
    d, _, r = study.simulate()
    out, said = study.measure(d, r)
    found, basis = of_verdict(out)
    assert found["equilibrated"].mean() > 0.98 and basis == FULL and "in 0 the hottest" in said
    assert found["hottest_time"].max() < 409.6
    curve, attributes, said = study.reduce(out)
    assert 1 <= curve["hottest_time"][0] < longest and attributes["warnings"] == "" and "warning" not in said


def test_the_numbers_of_the_files(tmp_path):
    """Means over replicas, the memory against numpy, and realizations cut into two files."""
    study = Study(tmp_path, 4, 0.8, 1.2, sweeps=2048)
    d, _, r = study.simulate()
    whole, _ = study.measure(d, r)
    with h5py.File(r) as file:
        assert file["hottest/sweeps"][:].tolist() == [1, 3, 6, 12, 25, 51, 102]
        q = file["hottest/correlation"][:] / 64
        assert q.shape == (7, 2, 96) and (np.abs(q) <= 1).all()
    found, _ = of_verdict(whole)
    np.testing.assert_allclose(found["hottest_correlation"], q.mean(axis=1), atol=1e-15)
    np.testing.assert_allclose(found["hottest_square"], (q**2).mean(axis=1), atol=1e-15)
    with h5py.File(whole) as file:
        q2 = file["mean/q2"][-1]
    curve, _, _ = study.reduce(whole)
    np.testing.assert_allclose(curve["hottest_memory"], ((q**2).mean(axis=(1, 2)) - q2.mean()) / (1 - q2.mean()), atol=1e-12)
    parts = []
    for first, count in ((0, 32), (32, 64)):
        disorder, _, runs = study.simulate(first, count)
        parts.append(study.measure(disorder, runs)[0])
    for name, values in of_verdict(parts[0])[0].items():
        if name != "hottest_sweeps":
            np.testing.assert_array_equal(np.concatenate([values, of_verdict(parts[1])[0][name]], axis=-1), found[name], err_msg=name)
    again, _, _ = study.reduce(*parts)
    assert all(np.array_equal(curve[name], again[name]) for name in curve)


def test_a_run_and_one_continued_to_its_end_are_the_same(tmp_path):
    study = Study(tmp_path, 4, 0.9, 1.6, sweeps=1024)
    d, s, half = study.simulate()
    state, rest, whole = (tmp_path / f"{name}.h5" for name in ("state", "rest", "whole"))
    common = [*BACKEND, "--disorder", d, "--until", 2048]
    study.call("pt-run", *BACKEND, "--disorder", d, "--state", s, "--out", half, "--state-out", state)
    study.call("pt-run", *common, "--state", state, "--out", rest, "--threads", 2)
    study.call("pt-run", *common, "--state", s, "--out", whole)
    with h5py.File(half) as first, h5py.File(rest) as last, h5py.File(whole) as file:
        for name in ("hottest/sweeps", "hottest/correlation"):
            np.testing.assert_array_equal(last[name][:], file[name][:])
        assert len(first["hottest/sweeps"]) + 1 == len(last["hottest/sweeps"])
    found, _ = of_verdict(study.measure(d, whole)[0])
    both, _ = of_verdict(study.measure(d, half, rest)[0])
    assert all(np.array_equal(found[name], both[name], equal_nan=True) for name in found)


ONE = """\
seed: 5
lattice: {L: SIZE}
model: {kind: KIND, dimension: DIMENSION}
disorder: {realizations: 64, batch: 64}
temperatures: {list: [TEMPERATURE]}
replicas: 2
multispin: {share: SHARE}
dynamics: {sweeps_per_swap: 4}
thermalize: {sweeps: THERMALIZE}
run: {sweeps: 8192, measure_every: 16}
"""


@pytest.mark.parametrize(
    "kind, dimension, L, T, thermalize, passing",
    [
        ("edwards-anderson", 3, 4, 1.4, 2048, (0.95, 1.0)),
        ("edwards-anderson", 3, 6, 1.8, 2048, (0.95, 1.0)),
        ("edwards-anderson", 3, 6, 0.5, 2048, (0.0, 0.0)),  # q^2 is far below equilibrium
        ("edwards-anderson", 2, 16, 1.5, 2048, (0.95, 1.0)),
        ("ferromagnet", 2, 16, 3.0, 2048, (0.95, 1.0)),
        ("ferromagnet", 2, 16, 1.8, 2048, (0.95, 1.0)),  # ordered
        ("ferromagnet", 2, 32, 0.4, 64, (0.0, 0.0)),  # stripes, which do not move
    ],
)
def test_one_temperature_is_tested_from_both_sides(tmp_path, kind, dimension, L, T, thermalize, passing):
    """From above: where the run ended, of ferromagnets all spins up. From below: two replicas, of ferromagnets the run from random spins."""
    study = Study(tmp_path, L, 1.0, 2.0)
    text = ONE.replace("SIZE", str(L)).replace("KIND", kind).replace("SHARE", "1" if kind == "ferromagnet" else "32").replace("DIMENSION", str(dimension))
    (tmp_path / "study.yaml").write_text(text.replace("TEMPERATURE", str(T)).replace("THERMALIZE", str(thermalize)))
    d, _, r = study.simulate(count=64)
    out, _ = study.measure(d, r)
    found, basis = of_verdict(out)
    assert basis == "log2 test and memory of the start"
    assert passing[0] <= found["equilibrated"].mean() <= passing[1]
    curve, attributes, said = study.reduce(out)
    assert attributes["verdict_basis"] == basis and len(curve["hottest_memory"]) == 9
    warning = "does not come down to the run" if kind == "ferromagnet" else "do not forget where the run ended"
    assert (warning in attributes["warnings"]) == (warning in said) == (passing[1] == 0.0)
    with h5py.File(r) as file, h5py.File(out) as means:
        S = file["hottest/correlation"][:] / L**dimension
        reference = means["mean/" + ("m2" if kind == "ferromagnet" else "q2")][-1].mean()
    np.testing.assert_allclose(curve["hottest_memory"], ((S**2).mean(axis=(1, 2)) - reference) / (1 - reference), atol=1e-12)
