"""Disorder files against the configuration: attributes that contradict it are refused, couplings by hand are told of in every file that
is made from them, with the fraction of +1 where it does not fit. The programs are taken from the folder PSFLIP_BIN."""

import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest
from by_hand import changing

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONFIG = """\
seed: 5
lattice: {L: 4}
disorder: {realizations: 32, batch: 32}
temperatures: {list: [1.0, 1.5, 2.0]}
multispin: {share: 32}
thermalize: {sweeps: 20}
run: {sweeps: 160, measure_every: 10}
"""
ORIGIN = "couplings_origin"


class Study:
    def __init__(self, folder):
        self.folder = folder
        (folder / "study.yaml").write_text(CONFIG)
        self.call("gen-disorder", "--out", "disorder.h5")

    def run(self, program, *arguments):
        command = [BIN / program, "--config", "study.yaml", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.folder)

    def call(self, *arguments):
        result = self.run(*arguments)
        assert result.returncode == 0, result.stderr
        return result

    def thermalize(self, *options):
        return self.run("thermalize", "--disorder", "disorder.h5", "--out", "state.h5", *options)

    def chain(self, *options):
        """All files from disorder.h5 on, and what the programs said."""
        disorder = ["--disorder", "disorder.h5"]
        calls = [
            ("thermalize", *disorder, "--out", "state.h5"),
            ("pt-run", *disorder, "--state", "state.h5", "--out", "run.h5", "--state-out", "state1.h5"),
            ("measure", *disorder, "--run", "run.h5", "--out", "observables.h5"),
            ("reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv"),
        ]
        return [self.call(*call, *options).stderr for call in calls]

    def origins(self):
        """By file, None where nothing is said."""
        found = {}
        for name in ("state", "run", "state1", "observables", "reduced"):
            with h5py.File(self.folder / f"{name}.h5") as file:
                found[name] = (file["L4"] if name == "reduced" else file).attrs.get(ORIGIN)
        return found

    def by_hand(self, couplings, **attributes):
        with h5py.File(self.folder / "disorder.h5", "w") as file:
            file.attrs.update(format="psflip", kind="disorder", format_version=2, first_realization=0, **attributes)
            file["couplings"] = couplings


@pytest.fixture
def study(tmp_path):
    return Study(tmp_path)


def couplings(positive):
    """A fraction of +1, of 32 * 3 * 64 bonds."""
    values = np.full(32 * 3 * 64, -1, dtype=np.int8)
    values[: round(positive * values.size)] = 1
    return np.random.default_rng(1).permutation(values).reshape(32, 3, 4, 4, 4)


def test_drawn_couplings_leave_no_mark(study):
    said = study.chain()
    assert set(study.origins().values()) == {None}
    assert not any("by hand" in text or "did not draw" in text for text in said)


def test_another_p_ferro_is_refused(study):
    result = study.thermalize("--set", "model.p_ferro=0.6")
    assert result.returncode == 1, result.stderr
    for words in ("disorder.h5 has p_ferro = 0.5", "model.p_ferro = 0.6", "gen-disorder"):
        assert words in result.stderr
    assert not (study.folder / "state.h5").exists()


def test_another_seed_is_refused(study):
    result = study.thermalize("--set", "seed=18446744073709551615")
    assert result.returncode == 1, result.stderr
    assert "disorder.h5 has seed = 5" in result.stderr and "seed = 18446744073709551615" in result.stderr
    study.by_hand(couplings(0.5), seed=-5)
    assert "seed = -5 is negative" in study.thermalize().stderr


def test_measure_and_pt_run_compare_too(study):
    study.chain()
    with changing(study.folder / "disorder.h5") as file:
        file.attrs["p_ferro"] = 0.6
    for call in (
        ("pt-run", "--disorder", "disorder.h5", "--state", "state.h5", "--out", "other.h5"),
        ("measure", "--disorder", "disorder.h5", "--run", "run.h5", "--out", "other.h5"),
        ("pt-run", "--tune-ladder", "--disorder", "disorder.h5", "--out", "other.yaml"),
    ):
        result = study.run(*call)
        assert result.returncode == 1 and "p_ferro = 0.6" in result.stderr, result.stderr


def test_couplings_by_hand_that_fit_are_recorded(study):
    study.by_hand(couplings(0.5))
    said = study.chain()
    text = "by hand, 50% of the couplings are +1"
    assert study.origins() == {name: text for name in ("state", "run", "state1", "observables")} | {"reduced": f"1 of 1 files: {text}"}
    assert all("by hand" in text for text in said)
    assert not any("warning" in text for text in said[:3])


def test_couplings_by_hand_that_do_not_fit_are_told_and_recorded(study):
    study.by_hand(couplings(0.8))
    said = study.chain()
    text = "by hand, 80% of the couplings are +1 where model.p_ferro is 0.5 (47 standard deviations)"
    assert study.origins() == {name: text for name in ("state", "run", "state1", "observables")} | {"reduced": f"1 of 1 files: {text}"}
    assert all("warning" in text and "80% of the couplings" in text for text in said)


@pytest.mark.parametrize("p_ferro, deviations, fits", [(0.5, 4.5, True), (0.5, 5.5, False), (0.8, -4.5, True), (0.8, -5.5, False), (1, 0, True), (1, -0.01, False)])
def test_the_bound_is_five_standard_deviations(study, p_ferro, deviations, fits):
    bonds = 32 * 3 * 64
    sigma = np.sqrt(bonds * p_ferro * (1 - p_ferro)) if p_ferro < 1 else 100
    study.by_hand(couplings(p_ferro + deviations * sigma / bonds))
    result = study.thermalize("--set", f"model.p_ferro={p_ferro}", "multispin.share=1")
    assert result.returncode == 0, result.stderr
    with h5py.File(study.folder / "state.h5") as file:
        assert ("where" not in file.attrs[ORIGIN]) == fits, file.attrs[ORIGIN]


def test_changed_couplings_under_old_attributes_are_by_hand(study):
    with changing(study.folder / "disorder.h5") as file:
        file["couplings"][31, 0, 0, 0, 0] *= -1
    assert study.thermalize().returncode == 0
    with h5py.File(study.folder / "state.h5") as file:
        assert file.attrs[ORIGIN].startswith("by hand, ") and "where" not in file.attrs[ORIGIN]


def test_the_same_physics_with_and_without_the_mark(study):
    """Drawn couplings in a file without attributes give the same numbers."""
    study.chain()
    with h5py.File(study.folder / "run.h5") as file:
        drawn = {name: file[name][()] for name in ("blocks/energy", "blocks/overlap2", "tempering/accepted")}
    with h5py.File(study.folder / "disorder.h5") as file:
        values = file["couplings"][()]
    study.by_hand(values)
    for file in study.folder.glob("*.h5"):
        if file.name != "disorder.h5":
            file.unlink()
    study.chain()
    with h5py.File(study.folder / "run.h5") as file:
        for name, expected in drawn.items():
            np.testing.assert_array_equal(file[name][()], expected)


def test_absent_bonds(study):
    """0 is an absent bond: a spin that none holds is as often up as down, at any temperature, and in each replica by itself."""
    bonds = couplings(0.5)
    bonds[16:] = 0
    study.by_hand(bonds)
    disorder = ["--backend", "cpu", "--disorder", "disorder.h5", "--set", "multispin.share=1"]
    study.call("thermalize", *disorder, "--out", "state.h5")
    study.call("pt-run", *disorder, "--state", "state.h5", "--out", "run.h5")
    study.call("measure", *disorder[2:], "--run", "run.h5", "--out", "observables.h5")
    with h5py.File(study.folder / "observables.h5") as file:
        energy, q2 = file["mean/energy"][()], file["mean/q2"][()]
    realizations = energy.shape.index(32)
    energy, q2 = np.moveaxis(energy, realizations, 0), np.moveaxis(q2, realizations, 0)
    assert np.all(energy[16:] == 0) and np.all(energy[:16] < -0.5)
    assert abs(64 * q2[16:].mean() - 1) < 0.2


def torus(dimension, L, boundary="periodic", absent=0.0, realizations=32):
    """±J at random, each bond absent at random; `open`: without bonds from the last sites to the first."""
    rng = np.random.default_rng(2)
    values = rng.choice(np.array([-1, 1], np.int8), size=(realizations, dimension) + (L,) * dimension)
    values[rng.random(values.shape) < absent] = 0
    if boundary == "open":
        for direction in range(dimension):
            values[(slice(None), direction) + (slice(None),) * (dimension - 1 - direction) + (L - 1,)] = 0
    return values


def all_one(values):
    return np.abs(values)


def same_twice(values):
    values[1] = values[0]
    return values


def open_along_z(values):
    values[:, 2, -1] = 0
    return values


REFUSED = [
    ("a torus as open lattice", torus(2, 4), "model: {dimension: 2, boundary: open}", ["256 bonds lead from the last sites", "model.boundary: periodic"]),
    ("an open lattice as torus", torus(2, 4, "open"), "model: {dimension: 2}", ["no bond leads from the last sites", "model.boundary: open"]),
    ("an open cube as torus", torus(3, 4, "open"), "", ["no bond leads", "model.boundary: open"]),
    ("a diluted open lattice as diluted torus", torus(2, 4, "open", 0.2), "model: {dimension: 2, p_absent: 0.2}", ["no bond leads"]),
    ("±J as ferromagnet", torus(3, 4), "model: {kind: ferromagnet}\nmultispin: {share: 1}", ["bonds are -1", "edwards-anderson"]),
    ("no percolation with shared random numbers", torus(3, 4, absent=0.8), "", ["% of the bonds are absent", "multispin.share: 1"]),
    ("no percolation of squares", torus(2, 4, absent=0.6), "model: {dimension: 2}", ["% of the bonds are absent", "multispin.share: 1"]),
    ("all bonds +1 with shared random numbers", all_one(torus(3, 4)), "", ["all bonds are 1", "multispin.share: 1"]),
    ("equal realizations with shared random numbers", same_twice(torus(3, 4)), "", ["realizations 0 and 1 have the same couplings", "replicas"]),
    ("no bond at all with shared random numbers", 0 * torus(3, 4), "", ["100% of the bonds are absent"]),
]


@pytest.mark.parametrize("values, settings, told", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_couplings_that_contradict_the_model_are_refused(study, values, settings, told):
    config = CONFIG.replace("multispin: {share: 32}\n", "") if "share" in settings else CONFIG
    (study.folder / "study.yaml").write_text(config + settings + "\n")
    study.by_hand(values)
    result = study.thermalize()
    assert result.returncode == 1, result.stderr
    for words in told:
        assert words in result.stderr
    assert not (study.folder / "state.h5").exists()


RECORDED = [
    ("absent bonds", torus(3, 4, absent=0.7), ["70", "of the bonds are absent where model.p_absent is 0"], True),
    ("half of them never set", torus(3, 4) * (np.arange(32) < 16).reshape(32, 1, 1, 1, 1), ["50% of the bonds are absent where model.p_absent is 0"], True),
    ("open along z", open_along_z(torus(3, 4)), ["no bond crosses the boundary along z"], False),
]


@pytest.mark.parametrize("values, told, warned", [row[1:] for row in RECORDED], ids=[row[0] for row in RECORDED])
def test_what_the_model_does_not_say_is_recorded(study, values, told, warned):
    study.by_hand(values)
    result = study.thermalize("--set", "multispin.share=1")
    assert result.returncode == 0 and ("warning" in result.stderr) == warned, result.stderr
    with h5py.File(study.folder / "state.h5") as file:
        for words in told:
            assert words in file.attrs[ORIGIN]


def test_every_bond_where_the_model_says_some_are_absent(study):
    study.by_hand(torus(3, 4))
    assert study.thermalize("--set", "model.p_absent=0.3").returncode == 0
    with h5py.File(study.folder / "state.h5") as file:
        assert "0% of the bonds are absent where model.p_absent is 0.3" in file.attrs[ORIGIN]


def test_open_boundaries_are_simulated_as_open(study):
    """Energy of a 4 x 4 lattice at T = 1 against enumeration of its 2^16 states."""
    values = torus(2, 4, "open", realizations=1)
    (study.folder / "study.yaml").write_text(
        "seed: 3\nlattice: {L: 4}\ndisorder: {realizations: 1}\nmodel: {dimension: 2, boundary: open}\nmultispin: {share: 1}\nreplicas: 8\n"
        "temperatures: {list: [1.0, 1.3, 1.7]}\nthermalize: {sweeps: 1000}\nrun: {sweeps: 40000, measure_every: 10}\n"
    )
    study.by_hand(values)
    study.chain()
    spins = 1 - 2 * ((np.arange(1 << 16)[:, None] >> np.arange(16)) & 1).reshape(-1, 4, 4)
    energy = -sum((values[0, d] * spins * np.roll(spins, -1, axis=2 - d)).sum(axis=(1, 2)) for d in (0, 1)) / 16.0
    weight = np.exp(-16 * (energy - energy.min()))
    exact = (energy * weight).sum() / weight.sum()
    with h5py.File(study.folder / "observables.h5") as file:
        found, error = file["mean/energy"][0, 0], file["error/energy"][0, 0]
    assert error < 0.005 and abs(found - exact) < 4 * error
