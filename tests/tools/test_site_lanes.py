"""multispin.lanes = sites through the programs: files of the same form as ever, states that change their coding, stops, tiles, and what is
refused. The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import json
import os
import pathlib
import shutil
import subprocess

import h5py
import numpy as np
import pytest
from by_hand import changing
from interrupted import assert_same, contents

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
BACKEND = os.environ.get("PSFLIP_TEST_BACKEND", "cpu")
L, R = 64, 3
STUDY = f"""\
seed: 4
model: {{dimension: 2}}
lattice: {{L: {L}}}
disorder: {{realizations: {R}, batch: {R}}}
temperatures: {{list: [1.0, 1.2, 1.4]}}
multispin: {{LANES}}
dynamics: {{sweeps_per_swap: 4TILES}}
thermalize: {{sweeps: 12}}
run: {{sweeps: 160, measure_every: 8, blocks: 4, snapshots: 4}}
"""
STUDIES = {"sites": ("{lanes: sites}", ""), "columns": ("{share: 1}", ""), "tiles": ("{lanes: sites}", ", tile: 4, hits: 2")}


def call(folder, name, *arguments, study="sites", code=0):
    done = subprocess.run([str(word) for word in (BIN / name, "--config", folder / f"{study}.yaml", *arguments)], cwd=folder, capture_output=True, text=True, timeout=120)  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stderr


def pt_run(folder, begin, end, study="sites", more=(), code=0):
    return call(folder, "pt-run", "--disorder", "disorder.h5", "--state", begin, "--out", f"run-{end}", "--state-out", end,
                "--backend", BACKEND, *more, study=study, code=code)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites")
    for study, (lanes, tiles) in STUDIES.items():
        (folder / f"{study}.yaml").write_text(STUDY.replace("{LANES}", lanes).replace("TILES", tiles))
    call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    for study in STUDIES:
        call(folder, "thermalize", "--disorder", "disorder.h5", "--out", f"{study}-0.h5", "--backend", BACKEND, study=study)
        pt_run(folder, f"{study}-0.h5", f"{study}-1.h5", study)
    return folder


def test_files_have_the_form_of_other_codings_and_other_numbers(folder):
    sites, columns = contents(folder / "run-sites-1.h5"), contents(folder / "run-columns-1.h5")
    assert sites.keys() == columns.keys()
    datasets = [name for name in sites if "@" not in name]
    assert all(sites[name].shape == columns[name].shape and sites[name].dtype == columns[name].dtype for name in datasets)
    assert not np.array_equal(contents(folder / "sites-1.h5")["spins"], contents(folder / "columns-1.h5")["spins"])
    call(folder, "measure", "--disorder", "disorder.h5", "--run", "run-sites-1.h5", "--out", "observables.h5")


@pytest.mark.parametrize("study", ["sites", "tiles"])
def test_threads_and_stops_change_nothing(folder, study):
    pt_run(folder, f"{study}-0.h5", f"{study}-threads.h5", study, ("--threads", 5))
    assert_same(folder / f"{study}-1.h5", folder / f"{study}-threads.h5")
    assert_same(folder / f"run-{study}-1.h5", folder / f"run-{study}-threads.h5")
    codes = []
    for stop in range(40):  # longer from part to part, as a GPU takes a second to start
        command = [BIN / "pt-run", "--config", f"{study}.yaml", "--disorder", "disorder.h5", "--state", f"{study}-0.h5", "--out", f"run-{study}-cut.h5"]
        command += ["--state-out", f"{study}-cut.h5", "--backend", BACKEND, "--time-limit", f"{0.001 * 1.5**stop:.4f}"]
        codes.append(subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=120).returncode)
        if codes[-1] != 75:
            break
    assert len(codes) > 1 and codes[-1] == 0, codes
    assert_same(folder / f"{study}-1.h5", folder / f"{study}-cut.h5")
    assert_same(folder / f"run-{study}-1.h5", folder / f"run-{study}-cut.h5")


def test_states_change_their_coding_but_not_their_tiles(folder):
    pt_run(folder, "columns-0.h5", "from-columns.h5")
    pt_run(folder, "sites-0.h5", "from-sites.h5", "columns")
    refusal = pt_run(folder, "sites-0.h5", "from-sites-in-tiles.h5", "tiles", code=1)
    assert "tile" in refusal


@pytest.mark.parametrize("study", ["sites", "tiles"])
def test_audit(folder, study):
    call(folder, "audit", "--disorder", "disorder.h5", "--state", f"{study}-0.h5", "--run", f"run-{study}-1.h5", "--end-state", f"{study}-1.h5",
         "--out", f"{study}.json", "--backend", BACKEND, study=study)  # fmt: skip


@pytest.mark.parametrize("file, dataset, row", [("sites-1.h5", "spins", ()), ("run-sites-1.h5", "snapshots/spins", (2,))])
def test_audit_finds_changed_spins(folder, tmp_path, file, dataset, row):
    """In two of the pieces that spins are compared in."""
    for name in ("sites-1.h5", "run-sites-1.h5"):
        shutil.copy(folder / name, tmp_path / name)
    places = [(*row, 0, 1, 0, 63, 62), (*row, 1, 2, 0, 5, 7)]
    with changing(tmp_path / file) as opened:
        spins = opened[dataset][...]
        for place in places:
            spins[place] ^= np.uint64(1 << R - 1)
        opened[dataset][...] = spins
    call(folder, "audit", "--disorder", "disorder.h5", "--state", "sites-0.h5", "--run", tmp_path / "run-sites-1.h5", "--end-state", tmp_path / "sites-1.h5",
         "--out", tmp_path / "audit.json", "--backend", BACKEND, code=1)  # fmt: skip
    result = json.loads((tmp_path / "audit.json").read_text())
    found = result["first_difference"]
    assert result["differences"] == 2 and found["dataset"].strip("/") == dataset
    assert tuple(found["index"]) == places[0] and found["realization"] == R - 1
    assert {found["in_file"], found["in_rerun"]} == {"+1", "-1"}


def test_a_relaxation_is_the_same_on_any_number_of_threads(folder):
    schedule = [word for key in ("last=64", "schedule=steps", "factors=[2.0]", "stage_sweeps=10", "waiting=[0, 4]") for word in ("--set", f"relax.{key}")]
    for study, threads in (("sites", 1), ("sites", 4), ("columns", 1)):
        call(folder, "relax", "--disorder", "disorder.h5", "--out", f"relax-{study}-{threads}.h5", "--backend", BACKEND, "--threads", threads, *schedule, study=study)
    assert_same(folder / "relax-sites-1.h5", folder / "relax-sites-4.h5")
    sites, columns = (contents(folder / f"relax-{study}-1.h5")["relaxation/energy"] for study in ("sites", "columns"))
    assert abs(sites.mean() / columns.mean() - 1) < 0.02 and not np.array_equal(sites, columns)


def test_what_is_not_possible_is_refused(folder):
    refusal = call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "no.h5", "--set", "lattice.L=100", code=1)
    assert "lattice.L" in refusal and "use 64 or 128" in refusal
    refusal = call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "no.h5", "--set", "lattice.L=65536", code=1)
    assert "lattice.L" in refusal and "3 temperatures" in refusal
    refusal = call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "no.h5", "--set", "lattice.L=65600", code=1)
    assert "use at most 65536" in refusal
    refusal = call(folder, "relax", "--disorder", "disorder.h5", "--out", "no.h5", study="tiles", code=1)
    assert ": dynamics.hits = 2 does not go with relax, which measures after single sweeps; use 1" in refusal
    assert not (folder / "no.h5").exists()
