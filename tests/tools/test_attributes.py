"""Every dataset of every file of a small study has its unit, its explanation and its axes. The programs are taken from the folder
PSFLIP_BIN."""

import re
import shutil

import h5py
import numpy as np
import pytest
from by_hand import changing
from raw_runs import run

STUDY = """\
seed: 3
lattice: {L: [4, 6]}
disorder: {realizations: 96, batch: 96}
temperatures: {list: [0.9, 1.1, 1.4, 1.7, 2.1]}
replicas: 2
multispin: {share: 32}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 20}
run: {sweeps: 1280, measure_every: 5, blocks: 8, snapshots: 2, histogram_bins: 12}
relax: {last: 20, waiting: [2]}
"""
COUNTS = {4: 70, 6: 4}  # of L = 6 as many realizations as pairs of temperatures
KINDS = {"disorder", "state", "run", "checkpoint", "observables", "reduced", "ladder", "relaxation"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files that the programs write for two sizes."""
    folder = tmp_path_factory.mktemp("attributes")
    (folder / "study.yaml").write_text(STUDY)
    for L, count in COUNTS.items():
        file = {kind: folder / f"{kind}{L}.h5" for kind in ("disorder", "state", "run", "next", "observables", "ladder")}
        common = ["--config", folder / "study.yaml", "--L", L]
        run("gen-disorder", *common, "--first", 0, "--count", count, "--out", file["disorder"])
        common += ["--disorder", file["disorder"]]
        run("thermalize", *common, "--threads", 1, "--out", file["state"])
        run("pt-run", *common, "--threads", 1, "--state", file["state"], "--out", file["run"], "--state-out", file["next"])
        run("pt-run", *common, "--threads", 1, "--state", file["state"], "--out", folder / f"long{L}.h5", "--until", 40 * 2**21, "--time-limit", 0.5, code=75)
        run("pt-run", *common, "--threads", 1, "--tune-ladder", "--tune-sweeps", 200, "--out", folder / f"ladder{L}.yaml", "--numbers", file["ladder"])
        run("relax", *common, "--out", folder / f"relax{L}.h5", "--state-out", folder / f"relaxed{L}.h5")
        run("measure", *common, "--run", file["run"], "--out", file["observables"])
    reduce(folder, "reduced.h5", "observables4.h5", "observables6.h5")
    return folder


def reduce(folder, out, *observables):
    out = folder / out
    run("reduce-disorder", "--config", folder / "study.yaml", "--out", out, "--csv", out.with_suffix(".csv"), *(folder / name for name in observables))
    return out


def walk(file):
    """(name, dataset) of all in a file."""
    found = []
    file.visititems(lambda name, item: found.append((name, item)) if isinstance(item, h5py.Dataset) else None)
    assert found
    return found


def test_every_dataset_tells_unit_doc_and_axes(folder):
    kinds = set()
    for path in folder.glob("*.h5"):
        with h5py.File(path) as file:
            kinds.add(file.attrs["kind"])
            check_attributes(path.name, file)
    assert kinds == KINDS


def check_attributes(path, file):
    extents = {}  # of a size or a round by itself
    for name, dataset in walk(file):
        where = f"{path}: {name}"
        unit, doc, axes = (dataset.attrs[key] for key in ("unit", "doc", "axes"))
        assert all(isinstance(text, str) and text for text in (unit, doc, axes)), where
        assert doc.endswith(".") and not re.search("[{}]", doc), where
        names = axes.split(", ")
        assert len(names) == len(set(names)) == dataset.ndim, where
        group = re.match(r"(L|round)\d+/|", name)[0]
        for axis, extent in zip(names, dataset.shape):
            assert extents.setdefault((group, axis), extent) == extent, (where, axis)


def test_order_of_axes(folder):
    with h5py.File(folder / "observables4.h5") as file:
        assert file["tempering/swap_rate"].attrs["axes"] == "temperature pair, realization"
        assert file["tempering/swap_rate"].shape == (4, COUNTS[4])
        rate = file["tempering/swap_rate"][:]
    with h5py.File(folder / "run4.h5") as file:
        accepted, attempted = file["tempering/accepted"][:], file["tempering/attempted"][:]
        assert file["blocks/energy"].attrs["axes"] == "block, replica, temperature, realization"
        assert file["blocks/energy"].attrs["unit"] == "J"
    np.testing.assert_allclose(rate, accepted.mean(axis=1).T / attempted[:, None], rtol=1e-12)


def contents(path):
    with h5py.File(path) as file:
        return {name: dataset[...].tobytes() for name, dataset in walk(file)}


@pytest.mark.parametrize("value", [None, "", "a, b", 7, np.arange(3)])
def test_missing_or_wrong_attributes_are_no_error(folder, tmp_path, value):
    observables = tmp_path / "observables.h5"
    shutil.copy(folder / "observables4.h5", observables)
    with changing(observables) as file:
        for _, dataset in walk(file):
            for key in ("unit", "doc", "axes"):
                del dataset.attrs[key]
                if value is not None:
                    dataset.attrs[key] = value
    assert contents(reduce(folder, tmp_path / "wrong.h5", observables)) == contents(reduce(folder, tmp_path / "right.h5", "observables4.h5"))


def test_files_and_groups_explain_themselves(folder):
    """Root attributes are named in the text of the root; every group but /provenance has a sentence."""
    for path in folder.glob("*.h5"):
        with h5py.File(path) as file:
            doc = file.attrs["doc"]
            assert "H = -sum_<ij> J_ij s_i s_j" in doc and "J/k_B" in doc, path.name
            groups = []
            file.visititems(lambda name, item: groups.append(item) if isinstance(item, h5py.Group) else None)
            for group in groups:
                if group.name != "/provenance":
                    assert group.attrs["doc"].endswith((".", "...")), group.name
            assert all(name in ("format", "doc") or name in doc for name in file.attrs), (path.name, [name for name in file.attrs if name not in doc])
