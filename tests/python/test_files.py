"""Files of every kind, also the frozen ones, as labelled data; couplings that a user gives."""

import shutil

import h5py
import numpy as np
import psflip
import pytest
from conftest import FROZEN, call
from psflip.analysis.files import kind_of, unpacked

KINDS = {  # file of a batch -> kind, a variable, its dimensions
    "disorder.h5": ("disorder", "couplings", ("realization", "direction", "z", "y", "x")),
    "state-0.h5": ("state", "spins", ("replica", "T", "realization", "z", "y", "x")),
    "run-2000.h5": ("run", "blocks/energy", ("block", "replica", "T", "realization")),
    "observables-2000.h5": ("observables", "mean/q2", ("T", "realization")),
}
SHOWN = {"disorder.h5": "couplings", "state.h5": "spins", "run.h5.checkpoint.h5": "blocks/overlap2"}


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_the_axes_that_it_names(study, name):
    kind, variable, dimensions = KINDS[name]
    file = study / "L4/batch0000064-0000127" / name
    found = psflip.open_file(file)
    assert kind_of(file) == found.attrs["kind"] == kind
    assert found[variable].dims == dimensions
    assert found[variable].attrs["doc"] and found[variable].attrs["unit"]
    assert found.realization.values.tolist() == list(range(64, 128))
    with h5py.File(file) as raw:
        stored = raw[variable][()]
    if variable != "spins":
        assert np.array_equal(found[variable].values, stored)
    if "T" in dimensions:
        assert found["T"].values.tolist() == [1.0, 1.3, 1.6] and found["T"].attrs["unit"] == "J / k_B"
    assert "temperature" not in found.dims


def test_averages_of_a_size(study):
    found = psflip.open_file(study / "reduced.h5", "L6")
    assert found["binder"].dims == ("T",) and found["jackknife/binder"].dims == ("group", "T")
    assert set(found.realization.values) == set(range(96))
    with pytest.raises(psflip.StudyError, match="no group L8; it has L4, L6"):
        psflip.open_file(study / "reduced.h5", "L8")


@pytest.mark.parametrize("name", SHOWN)
def test_frozen_files_have_named_axes(name):
    found = psflip.open_file(FROZEN / name)
    assert found.sizes["realization"] == 32 and not any(dim.startswith("axis") for dim in found[SHOWN[name]].dims)
    if "T" in found.dims:
        assert found["T"].values.tolist() == [1.0, 1.3]


def test_spins_are_bits(study):
    """Energies of the state from its spins and couplings are those that a run begins with: here, one bond by hand."""
    folder = study / "L4/batch0000000-0000063"
    with h5py.File(folder / "state-0.h5") as file:
        words = file["spins"][()]
    spins = psflip.open_file(folder / "state-0.h5")["spins"]
    for r in (0, 5, 31, 63):
        bit = int(words[1, 2, 0, 3, 2, 1] >> np.uint64(r)) & 1
        assert spins.sel(realization=r).values[1, 2, 3, 2, 1] == (1 if bit else -1)
    assert set(np.unique(spins)) == {-1, 1} and spins.dtype == np.int8
    chosen = unpacked(words, 2, [3, 40])
    assert np.array_equal(chosen, spins.sel(realization=[3, 40]).values)


def test_energies_from_snapshots(study):
    """The energy per site of the last snapshots at the hottest temperature lies where the run's mean does."""
    results = psflip.load(study)
    J, s = results.couplings(4), results.snapshots(4)
    assert s.dims == ("snapshot", "replica", "T", "realization", "z", "y", "x") and s.sizes["realization"] == 96
    E = -sum(J.isel(direction=d).drop_vars("direction", errors="ignore") * s * s.roll({axis: -1}) for d, axis in enumerate("xyz")).sum(["x", "y", "z"]) / 64
    assert np.allclose(E.mean(["snapshot", "replica", "realization"]), results.results["energy"].loc[4], atol=0.05)
    few = results.snapshots(4, realizations=[70, 3])
    assert few.equals(s.sel(realization=[3, 70]))
    with pytest.raises(psflip.StudyError, match="realization 96 of L = 4 was not averaged"):
        results.snapshots(4, realizations=[96])


def test_what_is_no_file_of_psflip(tmp_path, study):
    (tmp_path / "text.h5").write_text("no")
    h5py.File(tmp_path / "other.h5", "w").close()
    for name, sentence in (("text.h5", "not a file of psflip"), ("other.h5", "it has no attribute format = psflip"), ("none.h5", "no such file")):
        with pytest.raises(psflip.StudyError, match=sentence):
            psflip.open_file(tmp_path / name)


def test_couplings_that_the_programs_take(tmp_path, study):
    """A ferromagnet by hand, in two and in three dimensions: its energy at low temperature is that of aligned spins."""
    for dimension in (2, 3):
        L = 4
        (tmp_path / "study.yaml").write_text(
            f"seed: 1\nmodel: {{dimension: {dimension}}}\nlattice: {{L: {L}}}\ndisorder: {{realizations: 32, batch: 32}}\ntemperatures: {{list: [0.3]}}\n"
            "multispin: {share: 1}\nthermalize: {sweeps: 400}\nrun: {sweeps: 200, measure_every: 10}\n"
        )
        J = np.ones((32, dimension, *[L] * dimension))
        J[1] = -1
        file = psflip.couplings(tmp_path / f"mine{dimension}.h5", J)
        assert np.array_equal(psflip.open_file(file)["couplings"], J)
        call(tmp_path, "thermalize", "--disorder", file, "--out", f"state{dimension}.h5")
        spins = psflip.open_file(tmp_path / f"state{dimension}.h5")["spins"]
        axes = list("zyx"[3 - dimension :])
        m = abs(spins.mean(axes)).mean(["replica", "T"])
        assert m.sel(realization=1) < 0.1 and m.isel(realization=slice(2, None)).mean() > 0.6


def test_couplings_replace_only_what_they_are_told_to(tmp_path, study):
    """With overwrite=True a disorder file of psflip, and no other file."""
    J = np.ones((4, 3, 4, 4, 4))
    (tmp_path / "x.h5").write_text("mine")
    for overwrite, sentence in ((False, "exists already; .* overwrite=True"), (True, "not a file of psflip")):
        with pytest.raises(psflip.StudyError, match=sentence):
            psflip.couplings(tmp_path / "x.h5", J, overwrite=overwrite)
    assert (tmp_path / "x.h5").read_text() == "mine"
    shutil.copy(study / "reduced.h5", tmp_path / "r.h5")
    with pytest.raises(psflip.StudyError, match="of the kind reduced, not a disorder file, and is never replaced"):
        psflip.couplings(tmp_path / "r.h5", J, overwrite=True)
    psflip.couplings(tmp_path / "mine.h5", J)
    with pytest.raises(psflip.StudyError, match="exists already"):
        psflip.couplings(tmp_path / "mine.h5", -J)
    assert (psflip.open_file(psflip.couplings(tmp_path / "mine.h5", -J, overwrite=True))["couplings"] == -1).all()


COORDINATES = [  # file of a batch -> axis, its first and last value
    ("observables-2000.h5", "bin", (-0.98, 0.98)),
    ("run-2000.h5", "bin", (-0.98, 0.98)),
    ("run-2000.h5", "snapshot", (1000, 2000)),
    ("run-2000.h5", "block", (None, 2000)),
    ("observables-2000.h5", "log2_bin", (None, 2000)),
    ("observables-2000.h5", "time", (None, None)),
]


@pytest.mark.parametrize("name, axis, ends", COORDINATES)
def test_axes_have_coordinates(study, name, axis, ends):
    values = psflip.open_file(study / "L4/batch0000000-0000063" / name)[axis].values
    assert len(values) > 1 and (np.diff(values) > 0).all()
    assert [found for found, end in zip((values[0], values[-1]), ends) if end is not None] == pytest.approx([end for end in ends if end is not None])


def test_bins_of_averages(study):
    found = psflip.open_file(study / "reduced.h5", "L6")
    density = found["histogram_density"]
    assert found["bin"].values[[0, -1]].tolist() == pytest.approx([-0.98, 0.98]) and density.sel(bin=0.5, method="nearest")["bin"].item() == pytest.approx(0.5, abs=0.021)
    mean = (density * found["histogram_q_width"] * found["bin"] ** 2).sum("bin")
    assert np.allclose(mean, found["q2"], atol=0.02)


def test_a_group_that_is_not_there(study):
    with pytest.raises(psflip.StudyError, match="no group means; it has .*mean"):
        psflip.open_file(study / "L4/batch0000000-0000063/observables-2000.h5", inside=("means",))
