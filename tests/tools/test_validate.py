"""--validate: one line on standard output that begins with "valid", the inputs that are given are read and checked, nothing is written.
The programs are taken from the folder PSFLIP_BIN."""

import os
import pathlib
import subprocess

import pytest
from by_hand import changing

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONFIG = """\
seed: 3
lattice: {L: [4, 6]}
disorder: {realizations: 64, batch: 64}
temperatures: {list: [1.0, 1.5, 2.0]}
multispin: {share: 32}
thermalize: {sweeps: 20}
run: {sweeps: 160, measure_every: 10}
"""


def run(folder, program, *arguments):
    command = [BIN / program, "--config", "study.yaml", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)


def call(folder, *arguments):
    result = run(folder, *arguments)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All files of two batches of L = 4."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yaml").write_text(CONFIG)
    for first in (0, 32):
        names = {kind: f"{kind}{first}.h5" for kind in ("disorder", "state", "end", "run", "observables")}
        disorder = ["--L", 4, "--disorder", names["disorder"]]
        call(folder, "gen-disorder", "--L", 4, "--first", first, "--count", 32, "--out", names["disorder"])
        call(folder, "thermalize", *disorder, "--out", names["state"])
        call(folder, "pt-run", *disorder, "--state", names["state"], "--out", names["run"], "--state-out", names["end"])
        call(folder, "measure", *disorder, "--run", names["run"], "--out", names["observables"])
    (folder / "list.txt").write_text("observables0.h5\nobservables32.h5\n")
    call(folder, "pt-run", "--L", 4, "--disorder", "disorder0.h5", "--state", "state0.h5", "--until", 320, "--out", "long.h5", "--state-out", "late.h5")
    second = ["--L", 4, "--disorder", "disorder32.h5"]
    call(folder, "reduce-disorder", "--files-from", "list.txt", "--out", "reduced.h5", "--csv", "results.csv")
    call(folder, "pt-run", *second, "--tune-ladder", "--tune-sweeps", 200, "--out", "ladder32.yaml")
    call(folder, "audit", *second, "--state", "state32.h5", "--run", "run32.h5", "--out", "audit32.json")
    stopped = run(folder, "thermalize", *second, "--out", "stopped.h5", "--time-limit", 0.2, "--set", "thermalize.sweeps=100000000")
    assert stopped.returncode == 75, stopped.stderr
    return folder


VALID = [
    ("gen-disorder", [], "L = 4, 6"),
    ("gen-disorder", ["--L", 6], "L = 6"),
    ("thermalize", [], "L = 4, 6"),
    ("thermalize", ["--L", 4, "--disorder", "disorder0.h5"], "L = 4, with disorder0.h5"),
    ("thermalize", ["--set", "lattice.L=4", "--disorder", "disorder0.h5"], "L = 4, with disorder0.h5"),
    ("pt-run", ["--L", 4, "--disorder", "disorder0.h5"], "L = 4, with disorder0.h5"),
    ("pt-run", ["--L", 4, "--state", "state0.h5"], "L = 4, with state0.h5"),
    ("pt-run", ["--L", 4, "--disorder", "disorder0.h5", "--state", "end0.h5"], "L = 4, with disorder0.h5, end0.h5"),
    ("pt-run", ["--L", 4, "--tune-ladder", "--disorder", "disorder0.h5"], "L = 4, with disorder0.h5"),
    ("measure", ["--L", 4, "--run", "run0.h5"], "L = 4, with run0.h5"),
    ("measure", ["--L", 4, "--disorder", "disorder0.h5", "--run", "run0.h5"], "L = 4, with disorder0.h5, run0.h5"),
    ("reduce-disorder", [], "L = 4, 6"),
    ("reduce-disorder", ["observables0.h5", "observables32.h5"], "L = 4, 6, with observables0.h5, observables32.h5"),
    ("reduce-disorder", ["--files-from", "list.txt"], "L = 4, 6, with list.txt, observables0.h5, observables32.h5"),
    ("audit", ["--L", 4, "--run", "run0.h5"], "L = 4, with run0.h5"),
    ("audit", ["--L", 4, "--disorder", "disorder0.h5", "--state", "state0.h5", "--run", "run0.h5", "--end-state", "end0.h5"],
     "L = 4, with disorder0.h5, state0.h5, run0.h5, end0.h5"),
]  # fmt: skip

# program, arguments, words of the message
WRONG = [
    ("gen-disorder", ["--first", 7], ["first", "multiple of 32"]),
    ("gen-disorder", ["--first", 16777216, "--count", 5000], ["16777215"]),
    ("gen-disorder", ["--L", 4, "--first", 999936], ["999936", "beyond the study"]),
    ("gen-disorder", ["--L", 4, "--out", "disorder32.h5"], ["disorder32.h5", "first_realization = 32", "--force"]),
    ("thermalize", ["--L", 4, "--disorder", "disorder0.h5", "--out", "end0.h5"], ["end0.h5", "sweep 180", "--force"]),
    ("thermalize", ["--L", 4, "--disorder", "disorder0.h5", "--out", "stopped.h5"], ["stopped.h5.checkpoint.h5", "first_realization = 32"]),
    ("pt-run", ["--L", 4, "--disorder", "disorder0.h5", "--state", "state0.h5", "--out", "long.h5"], ["long.h5", "0 to 320", "0 to 160"]),
    ("pt-run", ["--L", 4, "--disorder", "disorder0.h5", "--state", "state0.h5", "--state-out", "late.h5"], ["late.h5", "sweep 340"]),
    ("pt-run", ["--L", 4, "--disorder", "disorder0.h5", "--state", "state0.h5", "--out", "stopped.h5"], ["stopped.h5.checkpoint.h5"]),
    ("pt-run", ["--tune-ladder", "--set", "temperatures={list: [1]}"], ["--set: temperatures = ", "has one value for L = 4"]),
    ("pt-run", ["--L", 4, "--tune-ladder", "--disorder", "disorder0.h5", "--set", "temperatures={list: [1]}"], ["has one value for L = 4"]),
    ("relax", ["--set", "model.boundary=open"], ["--set: model.boundary = open does not go with relax", "use periodic"]),
    ("relax", ["--L", 4, "--disorder", "disorder0.h5", "--set", "relax.start=state"], ["--set: relax.start = state needs a state file", "--state"]),
    ("pt-run", ["--L", 4, "--tune-ladder", "--disorder", "disorder0.h5", "--out", "ladder32.yaml"], ["ladder32.yaml", "32 to 63", "--force"]),
    ("measure", ["--L", 4, "--disorder", "disorder0.h5", "--run", "run0.h5", "--out", "observables32.h5"], ["observables32.h5", "--force"]),
    ("measure", ["--L", 4, "--disorder", "disorder0.h5", "--run", "run0.h5", "--from-snapshots"], ["run0.h5", "snapshots"]),
    ("reduce-disorder", ["observables0.h5", "--out", "reduced.h5"], ["reduced.h5", "64 realizations", "--force"]),
    ("reduce-disorder", ["observables0.h5", "--csv", "results.csv"], ["results.csv", "64 realizations", "--force"]),
    ("audit", ["--L", 4, "--disorder", "disorder0.h5", "--state", "state0.h5", "--run", "run0.h5", "--out", "audit32.json"], ["audit32.json", "32"]),
    ("thermalize", ["--L", 4, "--disorder", "none.h5"], ["none.h5"]),
    ("thermalize", ["--L", 4, "--disorder", "study.yaml"], ["study.yaml"]),
    ("thermalize", ["--L", 4, "--disorder", "state0.h5"], ["state0.h5", "state", "disorder"]),
    ("thermalize", ["--disorder", "disorder0.h5"], ["choose one with --L"]),
    ("thermalize", ["--L", 6, "--disorder", "disorder0.h5"], ["L = 4", "L = 6"]),
    ("thermalize", ["--L", 4, "--disorder", "disorder0.h5", "--set", "seed=4"], ["disorder0.h5 has seed = 3", "seed = 4"]),
    ("thermalize", ["--L", 4, "--disorder", "disorder0.h5", "--set", "model.p_ferro=0.6"], ["disorder0.h5 has p_ferro = 0.5"]),
    ("thermalize", ["--L", 4, "--disorder", "disorder32.h5", "--set", "multispin.share=64"], ["multiple of 64"]),
    ("pt-run", ["--L", 4, "--state", "run0.h5"], ["run0.h5", "state"]),
    ("pt-run", ["--L", 4, "--state", "state0.h5", "--set", "replicas=3"], ["state state0.h5 has replicas = 2", "configuration has replicas = 3"]),
    ("pt-run", ["--L", 4, "--state", "state0.h5", "--until", 170], ["170"]),
    ("pt-run", ["--L", 4, "--state", "end0.h5", "--set", "run.blocks=8"], ["end0.h5", "blocks"]),
    ("pt-run", ["--L", 4, "--disorder", "disorder32.h5", "--state", "state0.h5"], ["first_realization = 0", "first_realization = 32"]),
    ("pt-run", ["--L", 4, "--tune-ladder", "--disorder", "run0.h5"], ["run0.h5"]),
    ("measure", ["--L", 4, "--run", "state0.h5"], ["state0.h5", "run"]),
    ("measure", ["--L", 4, "--run", "run0.h5", "--set", "temperatures={list: [1, 2]}"], ["run0.h5 has temperatures"]),
    ("measure", ["--L", 4, "--disorder", "disorder32.h5", "--run", "run0.h5"], ["disorder32.h5"]),
    ("measure", ["--L", 4, "--disorder", "disorder0.h5", "--run", "run0.h5", "run32.h5"], ["run32.h5"]),
    ("reduce-disorder", ["run0.h5"], ["run0.h5", "observables"]),
    ("reduce-disorder", ["observables0.h5", "--set", "seed=4"], ["observables0.h5 has seed = 3"]),
    ("reduce-disorder", ["observables0.h5", "observables0.h5"], ["both hold realization 0"]),
    ("audit", ["--L", 4, "--disorder", "disorder0.h5", "--state", "end0.h5", "--run", "run0.h5"], ["run0.h5", "end0.h5"]),
    ("audit", ["--L", 4, "--run", "run0.h5", "--set", "seed=4"], ["run run0.h5 has seed = 3"]),
]


@pytest.mark.parametrize("program, arguments, told", VALID, ids=[f"{v[0]} {v[1]}" for v in VALID])
def test_valid(folder, program, arguments, told):
    before = sorted(folder.iterdir())
    result = run(folder, program, "--validate", *arguments)
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"valid: {program}, study.yaml, {told}\n"
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("program, arguments, words", WRONG, ids=[f"{w[0]} {w[1]}" for w in WRONG])
def test_wrong_inputs(folder, program, arguments, words):
    before = sorted(folder.iterdir())
    result = run(folder, program, "--validate", *arguments)
    assert result.returncode == 1, (result.stdout, result.stderr)
    assert result.stdout == "" and sorted(folder.iterdir()) == before
    for word in words:
        assert word in result.stderr, result.stderr


def test_what_validate_accepts_the_work_accepts(folder, tmp_path):
    """And what it refuses, the work refuses with the same words."""
    for program, arguments in (("thermalize", ["--disorder", "disorder0.h5"]), ("measure", ["--disorder", "disorder0.h5", "--run", "run0.h5"])):
        call(folder, program, "--L", 4, *arguments, "--out", tmp_path / "out.h5")
        (tmp_path / "out.h5").unlink()
        seeds = [run(folder, program, "--L", 4, *arguments, "--set", "seed=4", *end).stderr for end in (["--validate"], ["--out", tmp_path / "out.h5"])]
        assert seeds[0] == seeds[1] != ""


def test_damaged_numbers_are_seen(folder, tmp_path):
    """A value that the work would refuse is refused."""
    (tmp_path / "study.yaml").write_text(CONFIG)
    (tmp_path / "disorder.h5").write_bytes((folder / "disorder0.h5").read_bytes())
    with changing(tmp_path / "disorder.h5") as file:
        file["couplings"][3, 2, 1, 0, 1] = 2
    result = run(tmp_path, "thermalize", "--validate", "--L", 4, "--disorder", "disorder.h5")
    assert result.returncode == 1 and "[3, 2, 1, 0, 1]" in result.stderr
