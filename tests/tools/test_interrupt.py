"""Interrupted runs: thermalize and pt-run stopped by signals, the time limit and kill -9 at random points, repeatedly, end in
the same files as runs that were never stopped; what cannot continue is refused.
The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import os
import random
import signal
import subprocess
import time

import h5py
import pytest
from interrupted import TIMEOUT, Study, assert_same, checkpoint_of, names_in

OLD = b"\x89HDF\r\n\x1a\nwhat is left of a file of psflip seal XXH64 0123456789abcdef\n"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Study(tmp_path_factory.mktemp("study"))


@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGINT"])
def test_signal(study, tmp_path, name):
    for out, arguments, total, wanted in [
        (tmp_path / "state.h5", study.thermalize(tmp_path / "state.h5"), study.thermalize_sweeps, ["state.h5"]),
        (tmp_path / "run.h5", study.pt_run(tmp_path / "run.h5", tmp_path / "next.h5"), study.run_sweeps, ["run.h5", "next.h5"]),
    ]:
        for old in wanted:
            (tmp_path / old).write_bytes(OLD)
        arguments = [*arguments, "--force"]
        begin = time.monotonic()
        result = study.interrupt(arguments, getattr(signal, name), random.uniform(0.0, 0.15))
        assert time.monotonic() - begin < 20
        assert result.returncode == 75, result.stderr
        assert f"stopped by {name} at sweep " in result.stderr
        assert f" of {total}; checkpoint saved; run the same command again to continue" in result.stderr
        assert checkpoint_of(out).exists()
        assert all((tmp_path / old).read_bytes() == OLD for old in wanted)
        result = study.run(*arguments)
        assert result.returncode == 0, result.stderr
        assert "continuing from " in result.stderr
        for made in wanted:
            assert_same(tmp_path / made, study.folder / made)
    assert names_in(tmp_path) == ["next.h5", "run.h5", "state.h5"]


def test_signal_before_the_first_sweep_still_makes_progress(study, tmp_path):
    out = tmp_path / "state.h5"
    for _ in range(3):
        assert study.run(*study.thermalize(out), "--time-limit", 0.000001).returncode == 75
    with h5py.File(checkpoint_of(out)) as file:
        assert file["sweep"][0] >= 3
        assert file.attrs["kind"] in ("checkpoint", b"checkpoint")


@pytest.mark.parametrize("program", ["thermalize", "pt-run"])
def test_time_limit_again_and_again(study, tmp_path, program):
    name = "state.h5" if program == "thermalize" else "run.h5"
    out = tmp_path / name
    arguments = study.thermalize(out) if program == "thermalize" else study.pt_run(out)
    stops = 0
    while True:
        limit = random.uniform(0.05, 0.3)
        result = study.run(*arguments, "--time-limit", f"{limit:.3f}")
        if result.returncode == 0:
            break
        assert result.returncode == 75, result.stderr
        assert "stopped by time limit at sweep " in result.stderr
        assert not out.exists()
        stops += 1
        assert stops < 1000
    assert stops > 0
    assert_same(out, study.folder / name)
    assert names_in(tmp_path) == [name]


@pytest.mark.parametrize("program", ["thermalize", "pt-run"])
def test_kill_9_again_and_again(study, tmp_path, program):
    name = "state.h5" if program == "thermalize" else "run.h5"
    out = tmp_path / name
    arguments = study.thermalize(out) if program == "thermalize" else study.pt_run(out, tmp_path / "next.h5")
    often = ["--set", "checkpoint.every_seconds=0"]
    kills = resumed = 0
    for attempt in range(40):
        result = study.interrupt([*arguments, *often], signal.SIGKILL, random.uniform(0.0, 0.3 + 0.1 * attempt))
        resumed += "continuing from " in result.stderr
        if result.returncode == 0:
            break
        assert result.returncode == -signal.SIGKILL
        kills += 1
        if out.exists():  # killed after the very end, perhaps before the checkpoint was removed
            assert_same(out, study.folder / name)
            out.unlink()
    if not out.exists():
        study.finish(*arguments)
    assert kills > 0 and resumed > 0
    assert_same(out, study.folder / name)
    if program == "pt-run":
        assert_same(tmp_path / "next.h5", study.folder / "next.h5")
    assert names_in(tmp_path) == sorted([name] + (["next.h5"] if program == "pt-run" else []))


def test_a_call_that_died_between_its_two_outputs_makes_both_again(study, tmp_path):
    out, state_out = tmp_path / "run.h5", tmp_path / "next.h5"
    arguments = study.pt_run(out, state_out)
    assert study.run(*arguments, "--time-limit", 0.1).returncode == 75
    saved = checkpoint_of(out).read_bytes()
    study.finish(*arguments)
    out.unlink()  # as if it had died after the state got its name
    checkpoint_of(out).write_bytes(saved)
    study.finish(*arguments)
    assert_same(out, study.folder / "run.h5")
    assert_same(state_out, study.folder / "next.h5")
    assert names_in(tmp_path) == ["next.h5", "run.h5"]


def test_other_threads_and_instruction_sets_go_on_with_a_checkpoint(study, tmp_path):
    out = tmp_path / "run.h5"
    arguments = study.pt_run(out, tmp_path / "next.h5")
    continued = 0
    for threads, simd in [(2, "scalar"), (3, ""), (1, "scalar")]:
        environment = dict(os.environ, PSFLIP_SIMD=simd) if simd else None
        command = study.command(*arguments, "--threads", threads, "--time-limit", 0.3)
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=environment)
        assert result.returncode in (0, 75), result.stderr
        continued += "continuing from " in result.stderr
    assert continued > 0
    if not out.exists():
        study.finish(*arguments)
    assert_same(out, study.folder / "run.h5")
    assert_same(tmp_path / "next.h5", study.folder / "next.h5")


@pytest.fixture
def stopped(study, tmp_path):
    """A thermalization stopped early: its output name."""
    out = tmp_path / "state.h5"
    assert study.run(*study.thermalize(out), "--time-limit", 0.05).returncode == 75
    return out


@pytest.mark.parametrize("change, words", [
    ("thermalize.sweeps=1111", ["thermalize.sweeps = {}", "thermalize.sweeps = 1111"]),
    ("dynamics.sweeps_per_swap=5", ["sweeps_per_swap"]),
    ("multispin.share=1", ["share = 32", "share = 1"]),
    ("temperatures={list: [0.9, 1.4]}", ["temperatures"]),
    ("replicas=3", ["replicas = 2", "replicas = 3"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_another_configuration_cannot_go_on(study, stopped, change, words):
    before = checkpoint_of(stopped).read_bytes()
    result = study.run(*study.thermalize(stopped), "--set", change)
    assert result.returncode == 1, result.stderr
    for word in [*words, str(checkpoint_of(stopped)), "delete the checkpoint"]:
        assert word.format(study.thermalize_sweeps) in result.stderr
    assert checkpoint_of(stopped).read_bytes() == before
    assert names_in(stopped.parent) == [checkpoint_of(stopped).name]


def test_another_seed_contradicts_the_disorder_file_and_leaves_the_checkpoint(study, stopped):
    before = checkpoint_of(stopped).read_bytes()
    result = study.run(*study.thermalize(stopped), "--set", "seed=6")
    assert result.returncode == 1 and "seed = 5" in result.stderr and "seed = 6" in result.stderr, result.stderr
    assert checkpoint_of(stopped).read_bytes() == before
    assert names_in(stopped.parent) == [checkpoint_of(stopped).name]


def test_what_does_not_change_results_may_change(study, stopped):
    study.finish(*study.thermalize(stopped), "--set", "checkpoint.every_seconds=7", "--set", "run.blocks=2",
                 "--set", "equilibration.max_doublings=0")
    assert_same(stopped, study.folder / "state.h5")


@pytest.mark.parametrize("change", ["run.sweeps=40000", "run.measure_every=40", "run.blocks=8", "run.snapshots=10",
                                    "run.histogram_bins=20"])
def test_another_run_cannot_go_on(study, tmp_path, change):
    out = tmp_path / "run.h5"
    assert study.run(*study.pt_run(out), "--time-limit", 0.05).returncode == 75
    result = study.run(*study.pt_run(out), "--set", change)
    assert result.returncode == 1, result.stderr
    key, value = change.replace("run.sweeps", "until").split("=")
    assert f"{key} = {value}" in result.stderr and "delete the checkpoint" in result.stderr
    study.finish(*study.pt_run(out))
    assert_same(out, study.folder / "run.h5")


def test_a_checkpoint_of_another_state_is_refused(study, tmp_path):
    out = tmp_path / "run.h5"
    assert study.run(*study.pt_run(out), "--time-limit", 0.05).returncode == 75
    arguments = ["pt-run", "--disorder", study.folder / "disorder.h5", "--state", study.folder / "next.h5", "--out", out]
    result = study.run(*arguments)
    assert result.returncode == 1 and "hash of the state" in result.stderr, result.stderr


def test_memory_that_cannot_suffice_is_refused_before_work(study, tmp_path):
    limit = ["bash", "-c", 'ulimit -v 2000000; exec "$@"', "bash"]
    command = study.command(*study.pt_run(tmp_path / "run.h5"), "--set", "run.snapshots=400000", "--set",
                            "run.sweeps=8000000")
    begin = time.monotonic()
    result = subprocess.run([*limit, *command], capture_output=True, text=True, timeout=TIMEOUT)
    assert time.monotonic() - begin < 10
    assert result.returncode == 2, result.stderr
    assert "GiB" in result.stderr and "400000 snapshots" in result.stderr
    assert names_in(tmp_path) == []


def test_progress_goes_to_standard_error(study, tmp_path):
    result = study.run(*study.thermalize(tmp_path / "a.h5"))
    total = study.thermalize_sweeps
    assert result.stdout == "" and "ps/flip" in result.stderr
    assert f"{total} of {total} sweeps (100.0%)" in result.stderr
    result = study.run(*study.thermalize(tmp_path / "b.h5"), "--progress", "on")
    assert "\n[" in result.stderr  # a carriage return, as Python reads it
    result = study.run(*study.thermalize(tmp_path / "c.h5"), "--progress", "off")
    assert "%" not in result.stderr
    assert_same(tmp_path / "a.h5", tmp_path / "b.h5")
    assert_same(tmp_path / "a.h5", tmp_path / "c.h5")
