"""audit: a part of a batch run again gives the bits of the run file; a changed bit is found and named, whatever array it is in.
The programs are taken from the folder PSFLIP_BIN."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
import yaml
from by_hand import changing

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
FIRST, R = 128, 290  # the last column is not full, nor is the last word of it
STUDY = """\
seed: 3
lattice: {{L: [4, 6]}}
disorder: {{realizations: 512, batch: 512}}
temperatures: {{min: 0.9, max: 1.8, count: 4}}
replicas: 2
multispin: {{share: {share}}}
dynamics: {{sweeps_per_swap: 5}}
thermalize: {{sweeps: 35}}
run: {{sweeps: 320, measure_every: 10, blocks: 4, snapshots: 2, histogram_bins: 20}}
"""


def run(folder, program, *arguments, code=0, simd=None):
    command = [BIN / program, "--config", "study.yaml", "--L", "4", *arguments]
    environment = dict(os.environ, PSFLIP_SIMD=simd) if simd else None
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == code, done.stderr
    return done.stderr


MODELS = [
    "model: {field: -0.7, p_absent: 0.1}\nreplicas: 4", "model: {dimension: 2}", "model: {boundary: open}", "model: {kind: ferromagnet}\nmultispin: {share: 1}",
    "model: {kind: ferromagnet, dimension: 2, field: 0.2}\nmultispin: {share: 1}", "dynamics: {sweeps_per_swap: 5, update: heat-bath}",
]


def make(folder, share, more=""):
    sections = yaml.safe_load(STUDY.format(share=share)) | yaml.safe_load(more or "{}")
    (folder / "study.yaml").write_text(yaml.safe_dump(sections))
    run(folder, "gen-disorder", "--first", FIRST, "--count", R, "--out", "disorder.h5")
    run(folder, "thermalize", "--disorder", "disorder.h5", "--out", "state-0.h5")
    for start, end in [(0, 320), (320, 640)]:
        run(folder, "pt-run", "--disorder", "disorder.h5", "--state", f"state-{start}.h5", "--until", end,
            "--out", f"run-{end}.h5", "--state-out", f"state-{end}.h5")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made"), 32)


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def audit(folder, *more, start=0, end=320, code=0, simd="scalar"):
    """The result as a dictionary, and the messages. Of other realizations than the last, which only --force replaces."""
    stderr = run(folder, "audit", "--disorder", "disorder.h5", "--state", f"state-{start}.h5", "--run", f"run-{end}.h5",
                 "--out", "audit.json", "--force", *more, code=code, simd=simd)  # fmt: skip
    path = folder / "audit.json"
    return (json.loads(path.read_text()) if path.exists() else None), stderr


@pytest.mark.parametrize("start, end", [(0, 320), (320, 640)])
@pytest.mark.parametrize("part", [(), ("--first", 128), ("--first", 160, "--count", 96), ("--first", 384)])
def test_what_was_computed_is_computed_again(folder, start, end, part):
    result, stderr = audit(folder, "--end-state", f"state-{end}.h5", *part, start=start, end=end)
    assert result["equal"] and result["differences"] == 0 and result["first_difference"] is None
    assert result["hash_in_files"] == result["hash_in_rerun"]
    assert result["sweeps"] == [start, end] and result["L"] == 4
    assert result["batch"] == {"first_realization": FIRST, "realizations": R}
    if part:
        assert result["first_realization"] == part[1]
    expected = {128: 128, 256: 128, 384: 34, 160: 96}[result["first_realization"]]
    assert result["realizations"] == expected
    assert result["flips"] == 64 * 2 * 4 * expected * (end - start) and result["seconds"] > 0
    assert "scalar" in result["rerun"]["backend"] and result["original"]["backend"] != result["rerun"]["backend"]
    for name in ["run", "state", "disorder", "end_state"]:
        assert len(result["files"][name]["hash"]) == 16
    assert "are the same" in stderr
    assert not list(folder.glob("audit.json.*"))


@pytest.mark.parametrize("share", [1, 64, 128])
def test_every_sharing(tmp_path, share):
    make(tmp_path, share)
    for part in [(), ("--first", 256), ("--first", 128 + max(share, 32), "--count", max(share, 32))]:
        assert audit(tmp_path, "--end-state", "state-320.h5", *part)[0]["equal"]


@pytest.mark.parametrize("model", MODELS)
def test_every_model(tmp_path, model):
    make(tmp_path, 32, model)
    assert audit(tmp_path, "--end-state", "state-320.h5", "--first", 256)[0]["equal"]


def test_the_sample_depends_on_the_seed(folder):
    firsts = [audit(folder, "--sample-seed", seed)[0]["first_realization"] for seed in [1, 1, 2, 3, 4, 5, 6, 7]]
    assert firsts[0] == firsts[1] and set(firsts) == {128, 256, 384}


def flip(path, dataset, index, bit=0):
    with changing(path) as file:
        values = file[dataset][...]
        words = values.view({1: np.uint8, 4: np.uint32, 8: np.uint64}[values.dtype.itemsize])
        words[index] ^= words.dtype.type(1 << bit)
        file[dataset][...] = values
        return values[index]


CHANGES = [
    ("run-320.h5", "blocks/energy", (1, 0, 2, 170)), ("run-320.h5", "blocks/energy2", (2, 1, 3, 160)),
    ("run-320.h5", "blocks/overlap4", (0, 0, 0, 191)), ("run-320.h5", "blocks/kmin", (3, 0, 1, 165)),
    ("run-320.h5", "histogram/overlap", (2, 11, 180)), ("run-320.h5", "tempering/accepted", (190, 1, 2)),
    ("run-320.h5", "tempering/round_trips", (161, 0)), ("state-320.h5", "tempering/walker", (163, 1, 2)),
    ("state-320.h5", "tempering/last_end", (190, 0, 3)),
]  # fmt: skip


@pytest.mark.parametrize("file, dataset, index", CHANGES, ids=[change[1] for change in CHANGES])
def test_a_changed_bit_is_found(folder, file, dataset, index):
    if dataset == "tempering/walker":  # another permutation, as no bit alone makes one
        with changing(folder / file) as opened:
            row = opened[dataset][index[0], index[1]]
            opened[dataset][index[0], index[1]] = row[[0, 1, 3, 2]]
            value = row[3]
    else:
        value = flip(folder / file, dataset, index)
    part = ("--first", FIRST + 160, "--count", 32)
    result, stderr = audit(folder, "--end-state", "state-320.h5", *part, code=1)
    realization = FIRST + max(index)
    found = result["first_difference"]
    assert not result["equal"] and result["differences"] == (2 if dataset == "tempering/walker" else 1)
    assert result["hash_in_files"] != result["hash_in_rerun"]
    assert found["file"] == file and found["dataset"].strip("/") == dataset
    assert tuple(found["index"]) == index and found["realization"] == realization
    assert float(found["in_file"]) == value and found["in_file"] != found["in_rerun"]
    for word in [file, dataset, f"realization {realization}", found["in_file"], found["in_rerun"], "differ", "audit.json"]:
        assert word in stderr
    result, _ = audit(folder, "--end-state", "state-320.h5", "--first", FIRST + 192)
    assert result["equal"]  # the change is outside this part


@pytest.mark.parametrize("file, dataset, prefix", [("state-320.h5", "spins", ()), ("run-320.h5", "snapshots/spins", (1,))])
def test_a_changed_spin_is_found(folder, file, dataset, prefix):
    flip(folder / file, dataset, (*prefix, 1, 3, 2, 0, 1, 2), bit=40)  # realization 2 * 64 + 40 of the batch
    result, _ = audit(folder, "--end-state", "state-320.h5", "--first", FIRST + 160, "--count", 32, code=1)
    found = result["first_difference"]
    assert result["differences"] == 1 and found["dataset"].strip("/") == dataset
    assert tuple(found["index"]) == (*prefix, 1, 3, 2, 0, 1, 2) and found["realization"] == FIRST + 168
    assert {found["in_file"], found["in_rerun"]} == {"+1", "-1"}
    assert audit(folder, "--end-state", "state-320.h5", "--first", FIRST + 192)[0]["equal"]


def test_stopped_and_gone_on(folder):
    for _ in range(2):
        _, stderr = audit(folder, "--time-limit", 0.000001, code=75)
        assert "checkpoint saved" in stderr
    result, stderr = audit(folder)
    assert result["equal"] and "continuing from " in stderr
    assert not list(folder.glob("audit.json.*"))


@pytest.mark.parametrize("more, words", [
    (["--state", "state-320.h5"], ["run-320.h5", "begins 0 sweeps", "state-320.h5 stands at 320"]),
    (["--end-state", "state-640.h5"], ["run-320.h5 did not end", "state-640.h5"]),
    (["--first", 144], ["whole share groups of 32"]), (["--first", 128, "--count", 40], ["whole share groups of 32"]),
    (["--first", 0], ["not all in this batch", "128 to 417"]), (["--first", 384, "--count", 64], ["not all in this batch"]),
    (["--set", "seed=4"], ["seed = 3", "seed = 4"]), (["--out", "run-320.h5"], ["is an input"]), (["--count", 32], ["--first"]),
], ids=str)  # fmt: skip
def test_what_does_not_fit_is_refused(folder, more, words):
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    given = {"--disorder": "disorder.h5", "--state": "state-0.h5", "--run": "run-320.h5", "--out": "audit.json"}
    given.update(zip(more[::2], more[1::2]))
    stderr = run(folder, "audit", *[word for pair in given.items() for word in pair], code=1)
    for word in words:
        assert word in stderr
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_by_hand_it_takes_other_instructions(made):
    """Without PSFLIP_SIMD, on a machine without a GPU; with it those that are asked for."""
    given = ["--disorder", "disorder.h5", "--state", "state-0.h5", "--run", "run-320.h5", "--out", "hand.json", "--backend", "cpu", "--force"]
    level = {}
    for simd in (None, "scalar"):
        run(made, "audit", *given, simd=simd)
        result = json.loads((made / "hand.json").read_text())
        level[simd] = result["rerun"]["backend"].split()[1].rstrip(",")
        original = result["original"]["backend"].split()[1].rstrip(",")
    (made / "hand.json").unlink()
    assert level["scalar"] == "scalar" and (level[None] != original or original == "scalar")
