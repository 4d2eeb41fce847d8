"""Study files that psflip new writes: the programs take them without a warning, for every model and number of realizations."""

import subprocess
from pathlib import Path

import h5py
import numpy as np
import psflip
import pytest
import yaml
from conftest import BIN
from psflip.campaign.errors import StudyError
from psflip.commands import new
from psflip.commands.templates import FEW, MODELS, REPLICA_LANES, share_of
from test_command import psflip as command

IN_EQUILIBRIUM = [name for name, model in MODELS.items() if not model.relax]
OFF_EQUILIBRIUM = [name for name, model in MODELS.items() if model.relax]
COUNTS = [1, FEW - 1, FEW, 319, 320, 2000]  # around the numbers at which the section multispin changes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    if not (BIN / "measure").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def called(name, *words):
    """What the program said; it may not warn."""
    done = subprocess.run([BIN / name, "--config", "my.yaml", *map(str, words)], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "warn" not in said, said
    return said


def written(name, *words):
    assert new.main([name, "my.yaml", "--seed", "7", *map(str, words)]) == 0
    text = Path("my.yaml").read_text()
    return text, yaml.safe_load(text)


@pytest.mark.parametrize("count", [None, *COUNTS])
@pytest.mark.parametrize("name", MODELS)
def test_programs_take_every_template(folder, name, count):
    text, data = written(name, *(["--realizations", count] if count else []))
    assert data["seed"] == 7 and data["disorder"]["realizations"] == (count or MODELS[name].realizations)
    assert all(block.startswith("#") for block in text.split("\n\n") if not block.startswith("model"))
    assert "run" not in data if name in OFF_EQUILIBRIUM else "relax" not in data
    for program in ("gen-disorder", "relax" if name in OFF_EQUILIBRIUM else "pt-run"):
        assert "valid" in called(program, "--validate")


@pytest.mark.parametrize("name", MODELS)
def test_plan_takes_every_template(folder, name):
    written(name)
    done = command("plan", "my.yaml", "--bin", BIN, "--backend", "cpu")
    assert done.returncode == 0 and "warn" not in (done.stdout + done.stderr).lower(), done.stdout + done.stderr


def own_couplings(L, count):
    return psflip.couplings("disorder.h5", np.random.default_rng(3).choice([-1, 1], size=(count, 3, L, L, L)))


def drawn(name, L, count):
    if MODELS[name].source == "files":
        own_couplings(L, count)
    else:
        called("gen-disorder", "--L", L, "--first", 0, "--count", count, "--out", "disorder.h5")


@pytest.mark.parametrize("count", [None, 1])
@pytest.mark.parametrize("name", IN_EQUILIBRIUM)
def test_averages_have_no_doubt_because_of_sharing(folder, name, count):
    """The warnings on shared random numbers come with averages; short runs draw others."""
    L = MODELS[name].sizes[0]
    _, data = written(name, "--sweeps", 1600, "--L", L, *(["--realizations", count] if count else []))
    drawn(name, L, data["disorder"]["realizations"])
    of = ["--L", L, "--disorder", "disorder.h5"]
    called("thermalize", *of, "--out", "state.h5")
    called("pt-run", *of, "--state", "state.h5", "--out", "run.h5", "--state-out", "end.h5")
    for program, words in (("measure", [*of, "--run", "run.h5", "--out", "observables.h5"]), ("reduce-disorder", ["--out", "reduced.h5", "--csv", "results.csv", "observables.h5"])):
        done = subprocess.run([BIN / program, "--config", "my.yaml", *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    with h5py.File("reduced.h5") as file:
        warnings = file[f"L{L}"].attrs.get("warnings", "")
    assert "multispin.share" not in warnings, warnings


@pytest.mark.parametrize("name", OFF_EQUILIBRIUM)
@pytest.mark.parametrize("count", [None, 1])
def test_relaxations_end(folder, name, count):
    _, data = written(name, "--L", 4, "--sweeps", 80, *(["--realizations", count] if count else []))
    drawn(name, 4, data["disorder"]["realizations"])
    called("relax", "--L", 4, "--disorder", "disorder.h5", "--out", "relax.h5", "--state-out", "end.h5")
    found = psflip.open_file("relax.h5")
    assert found.sizes["realization"] == data["disorder"]["realizations"] and 0.9 < found["time"].values[-1] / data["relax"]["last"] <= 1


@pytest.mark.parametrize("name", MODELS)
def test_few_realizations_fill_the_lanes(folder, name):
    """Models whose spins are bits say lanes: replicas, and why; others have no lanes."""
    text, data = written(name, "--realizations", 1)
    assert data.get("multispin") == ({"lanes": "replicas", "share": 1} if MODELS[name].lanes else None)
    assert not MODELS[name].lanes or "127 of 128 lanes would idle" in text and "lanes: realizations" in text
    Path("my.yaml").unlink()
    _, data = written(name, "--realizations", FEW)
    assert "lanes" not in data.get("multispin", {})


@pytest.mark.parametrize("count", [1, FEW])
def test_large_squares_have_clusters(folder, count):
    text, data = written("ferromagnet2d", "--L", 64, 128, "--realizations", count)
    assert data["dynamics"]["update"] == "swendsen-wang" and data["equilibration"]["min_walk_times"] == 0 and data["multispin"] == {"share": 1} and data["run"]["sweeps"] == 1600
    assert "docs/clusters.md" in text and "valid" in called("pt-run", "--validate", "--L", 128)
    Path("my.yaml").unlink()
    assert "dynamics" not in written("ferromagnet2d", "--L", 64, "--realizations", count)[1]


def test_the_share_leaves_ten_groups():
    assert [share_of(MODELS["glass"], count) for count in (16, 319, 320, 512, 640, 1279, 1280, 10**6)] == [1, 1, 32, 32, 64, 64, 128, 128]
    assert {share_of(model, 10**6) for model in MODELS.values() if not model.shares} == {1}
    assert "{idle} of 128" in REPLICA_LANES


@pytest.mark.parametrize("name, sweeps, near", [("glass", 0, 1600), ("glass", 1601, 1600), ("heisenberg", 5000, 4800), ("relaxation", 333, 332), ("protocol", 7, 10)])
def test_sweeps_that_are_refused(folder, name, sweeps, near):
    with pytest.raises(StudyError, match=f"--sweeps {sweeps} is not a multiple of {MODELS[name].multiple}; use one, such as {near}"):
        new.main([name, "my.yaml", "--sweeps", str(sweeps)])
    assert new.main([name, "my.yaml", "--sweeps", str(near)]) == 0
