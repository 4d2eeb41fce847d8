"""multispin.lanes = replicas through the programs: files of the same form as ever, states that change their coding, stops and audits,
and what is refused. The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
BACKEND = os.environ.get("PSFLIP_TEST_BACKEND", "cpu")
L, R, REPLICAS, SLOTS, SWEEPS = 6, 5, 3, 12, 640
STUDY = f"""\
seed: 4
lattice: {{L: {L}}}
disorder: {{realizations: {R}, batch: {R}}}
temperatures: {{min: 0.9, max: 2.0, count: {SLOTS}}}
replicas: {REPLICAS}
multispin: {{LANES}}
dynamics: {{sweeps_per_swap: 5}}
thermalize: {{sweeps: 103}}
run: {{sweeps: {SWEEPS}, measure_every: 20, blocks: 4, snapshots: 4, histogram_bins: 20}}
"""
BY = {"replicas": "{lanes: replicas}", "realizations": "{share: 1}"}


def call(folder, name, *arguments, lanes="replicas", code=0):
    command = [BIN / name, "--config", folder / f"{lanes}.yaml", *arguments]
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stderr


def pt_run(folder, begin, end, lanes="replicas", more=(), code=0):
    return call(folder, "pt-run", "--disorder", "disorder.h5", "--state", begin, "--out", f"run-{end}", "--state-out", end,
                "--backend", BACKEND, *more, lanes=lanes, code=code)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lanes")
    for lanes, text in BY.items():
        (folder / f"{lanes}.yaml").write_text(STUDY.replace("{LANES}", text))
    call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    for lanes in BY:
        call(folder, "thermalize", "--disorder", "disorder.h5", "--out", f"{lanes}-0.h5", "--threads", 2, "--backend", BACKEND, lanes=lanes)
        pt_run(folder, f"{lanes}-0.h5", f"{lanes}-1.h5", lanes)
    return folder


def bits(words):
    spins = np.stack([(words[:, :, 0] >> np.uint64(r)) & np.uint64(1) for r in range(R)], axis=2)
    return 2 * spins.astype(int) - 1  # replica, slot, realization, z, y, x


def test_files_say_what_their_lanes_were(folder):
    for lanes in BY:
        for name in (f"{lanes}-0.h5", f"run-{lanes}-1.h5"):
            with h5py.File(folder / name) as file:
                physics = file.attrs["physics"]
                assert ("lanes: replicas" in physics) == (lanes == "replicas") and "lanes: realizations" not in physics
                assert "share: 1\n" in physics


def test_sums_are_those_of_the_spins(folder):
    """Energies and overlaps of the snapshots, from a run that measures nothing else."""
    more = ("--set", "run.sweeps=80", "--set", "run.blocks=1")
    pt_run(folder, "replicas-0.h5", "short.h5", more=more)
    with h5py.File(folder / "disorder.h5") as file:
        J = file["couplings"][...]
    with h5py.File(folder / "run-short.h5") as run:
        spins = [bits(words) for words in run["snapshots/spins"][...]]
        energy = sum(-sum((J[:, d] * s * np.roll(s, -1, axis=a)).sum(axis=(-3, -2, -1)) for d, a in ((0, -1), (1, -2), (2, -3)))
                     for s in spins)  # fmt: skip
        assert np.array_equal(run["blocks/energy"][...].sum(axis=0), energy)
        q = [sum((s[a] * s[b]).sum(axis=(-3, -2, -1)) for s in spins) for a, b in ((0, 1), (0, 2), (1, 2))]
        assert np.array_equal(run["blocks/overlap"][...].sum(axis=0).sum(axis=0), sum(q))


def test_other_numbers_than_realizations(folder):
    with h5py.File(folder / "replicas-0.h5") as a, h5py.File(folder / "realizations-0.h5") as b:
        assert not np.array_equal(a["spins"][...], b["spins"][...])


def test_one_batch_in_pieces_and_with_stops(folder):
    """Chunks and a stop at the earliest moment change nothing, nor does the number of threads."""
    pt_run(folder, "replicas-1.h5", "replicas-2.h5")
    pt_run(folder, "replicas-0.h5", "whole.h5", more=("--until", 2 * SWEEPS, "--time-limit", "0.01", "--threads", 2), code=75)
    assert (folder / "run-whole.h5.checkpoint.h5").exists()
    pt_run(folder, "replicas-0.h5", "whole.h5", more=("--until", 2 * SWEEPS))
    with h5py.File(folder / "replicas-2.h5") as a, h5py.File(folder / "whole.h5") as b:
        assert np.array_equal(a["spins"][...], b["spins"][...])
        assert np.array_equal(a["tempering/walker"][...], b["tempering/walker"][...])


@pytest.mark.parametrize("begin, end", [("realizations", "replicas"), ("replicas", "realizations")])
def test_a_state_changes_its_coding(folder, begin, end):
    """The chunks of both codings are one run for `measure`."""
    pt_run(folder, f"{begin}-1.h5", f"{begin}-then-{end}.h5", end)
    call(folder, "measure", "--disorder", "disorder.h5", "--run", f"run-{begin}-1.h5", f"run-{begin}-then-{end}.h5",
         "--out", f"observables-{end}.h5", lanes=end)  # fmt: skip
    call(folder, "reduce-disorder", f"observables-{end}.h5", "--out", f"reduced-{end}.h5", "--csv", f"results-{end}.csv", lanes=end)


def test_audit(folder):
    call(folder, "audit", "--disorder", "disorder.h5", "--state", "replicas-0.h5", "--run", "run-replicas-1.h5", "--end-state", "replicas-1.h5",
         "--out", "audit.json", "--backend", BACKEND)  # fmt: skip


def test_refusals(folder):
    (folder / "share.yaml").write_text(STUDY.replace("{LANES}", "{share: 32, lanes: replicas}"))
    error = call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "no.h5", lanes="share", code=1)
    assert "share.yaml:6: multispin.share = 32 does not go with multispin.lanes = replicas" in error and "use share: 1 or leave it out" in error
    (folder / "share.yaml").write_text(STUDY.replace("{LANES}", "{lanes: bonds}"))
    error = call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "no.h5", lanes="share", code=1)
    assert "share.yaml:6: multispin.lanes" in error and "realizations, replicas" in error
