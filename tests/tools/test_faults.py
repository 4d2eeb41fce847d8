"""Faults: damaged checkpoints, full disks, limits, two writers, killed ones, clocks that are set back, file systems without locks.
Whatever happens, the same command ends in the same numbers or says what is wrong; nothing incomplete gets a final name."""

import contextlib
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import h5py
import pytest
from interrupted import BACKEND, TIMEOUT, Study, assert_same, checkpoint_of, names_in

pytestmark = pytest.mark.long

SHIMS = pathlib.Path(__file__).with_name("shims.c")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Study(tmp_path_factory.mktemp("study"))


def previous_of(out):
    return out.with_name(out.name + ".checkpoint.previous.h5")


def lock_of(out):
    return out.with_name(out.name + ".lock")


def cut(part):
    return lambda path: os.truncate(path, int(part * path.stat().st_size))


def flip(find):
    def change(path):
        data = bytearray(path.read_bytes())
        data[find(path, data)] ^= 1
        path.write_bytes(data)

    return change


def cut_to(size):
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def in_spins(path, _):
    with h5py.File(path) as file:
        return file["spins"].id.get_chunk_info(0).byte_offset + 5


def in_what_is_compared(_, data):
    return data.index(b"program: ")


DAMAGE = {"empty": cut(0), "cut to 2 kB": cut_to(2000), "cut to 6 kB": cut_to(6000), "cut early": cut(0.3), "cut late": cut(0.9), "spins": flip(in_spins), "text": flip(in_what_is_compared)}


@pytest.fixture(params=["thermalize", "pt-run"])
def stopped_twice(study, tmp_path, request):
    """A call with two checkpoints: its output and its arguments."""
    out = tmp_path / "out.h5"
    arguments = study.thermalize(out) if request.param == "thermalize" else study.pt_run(out)
    for _ in range(2):
        assert study.run(*arguments, "--time-limit", 0.02).returncode == 75
    assert names_in(tmp_path) == [checkpoint_of(out).name, previous_of(out).name]
    return out, arguments


def wanted(study, arguments):
    return study.folder / ("state.h5" if arguments[0] == "thermalize" else "run.h5")


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_checkpoint_falls_back_to_the_one_before(study, stopped_twice, damage):
    out, arguments = stopped_twice
    DAMAGE[damage](checkpoint_of(out))
    before = previous_of(out).read_bytes()
    result = study.run(*arguments, "--time-limit", 0.02)
    assert result.returncode == 75, result.stderr
    for word in ["warning", str(checkpoint_of(out)), f"psflip continues from the checkpoint before it, {previous_of(out)}"]:
        assert word in result.stderr
    assert previous_of(out).read_bytes() == before  # the damaged one did not take its place
    study.finish(*arguments)
    assert_same(out, wanted(study, arguments))
    assert names_in(out.parent) == [out.name]


def test_killed_while_the_checkpoints_change_names(study, stopped_twice):
    out, arguments = stopped_twice
    checkpoint_of(out).rename(previous_of(out))
    result = study.run(*arguments)
    assert result.returncode == 0 and str(previous_of(out)) in result.stderr, result.stderr
    assert_same(out, wanted(study, arguments))


def test_two_damaged_checkpoints_are_refused(study, stopped_twice):
    out, arguments = stopped_twice
    cut(0.5)(checkpoint_of(out))
    flip(in_spins)(previous_of(out))
    result = study.run(*arguments)
    assert result.returncode == 1, result.stderr
    for word in [str(checkpoint_of(out)), str(previous_of(out)), "truncated", "checksum", "delete both checkpoints"]:
        assert word in result.stderr
    checkpoint_of(out).unlink()
    previous_of(out).unlink()
    study.finish(*arguments)
    assert_same(out, wanted(study, arguments))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 6 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or not mount or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk], capture_output=True).returncode != 0:
        pytest.skip("needs the right to mount a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def fill(disk, leave):
    """Fills the disk up to `leave` bytes."""
    free = os.statvfs(disk)
    (disk / "filler").write_bytes(b"\0" * max(0, free.f_bavail * free.f_frsize - leave))


def test_full_disk_at_the_output(study, small_disk, tmp_path):
    fill(small_disk, 16384)
    out = small_disk / "run.h5"
    for arguments in [study.pt_run(out), study.pt_run(out, tmp_path / "next.h5"),
                      study.pt_run(tmp_path / "run.h5", small_disk / "next.h5"), study.thermalize(small_disk / "state.h5")]:
        result = study.run(*arguments)
        assert result.returncode == 2, result.stderr
        assert "cannot write" in result.stderr and "full" in result.stderr
        assert names_in(small_disk) == ["filler"]
        assert names_in(tmp_path) == ["disk"]


def test_full_disk_at_a_checkpoint_costs_nothing(study, small_disk):
    """The run continues after a warning. Once the disk has space, it saves and ends as if nothing had happened."""
    out = small_disk / "run.h5"
    fill(small_disk, 16384)
    process = study.start(*study.pt_run(out), "--set", "checkpoint.every_seconds=0")
    try:
        study.head(process)
        line = process.stderr.readline().decode()
        for word in ["warning", f"cannot write {checkpoint_of(out)}", "disk is full", "there is no checkpoint yet", "the run continues"]:
            assert word in line
        (small_disk / "filler").unlink()
        stderr = process.communicate(timeout=TIMEOUT)[1].decode()
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, stderr
    assert_same(out, study.folder / "run.h5")
    assert names_in(small_disk) == ["run.h5"]


def test_full_disk_at_a_stop(study, small_disk):
    out = small_disk / "run.h5"
    assert study.run(*study.pt_run(out), "--time-limit", 0.1).returncode == 75
    before = checkpoint_of(out).read_bytes()
    with h5py.File(checkpoint_of(out)) as file:
        saved = file["sweep"][0] - study.thermalize_sweeps
    fill(small_disk, 16384)
    result = study.run(*study.pt_run(out), "--time-limit", 0.05)
    assert result.returncode == 2, result.stderr
    for word in ["disk is full", f"the checkpoint at sweep {saved} of {study.run_sweeps} stays", "run the same command again"]:
        assert word in result.stderr
    assert checkpoint_of(out).read_bytes() == before
    assert names_in(small_disk) == ["filler", checkpoint_of(out).name]
    (small_disk / "filler").unlink()
    study.finish(*study.pt_run(out))
    assert_same(out, study.folder / "run.h5")


def test_the_previous_checkpoint_makes_room_on_a_full_disk(study, small_disk):
    out = small_disk / "run.h5"
    for _ in range(2):
        assert study.run(*study.pt_run(out), "--time-limit", 0.05).returncode == 75
    fill(small_disk, 65536)  # a tenth of a checkpoint, and twice what it grows by in a run
    result = study.run(*study.pt_run(out), "--time-limit", 0.05)
    assert result.returncode == 75, result.stderr
    assert f"removed {previous_of(out)} to make room" in result.stderr
    assert names_in(small_disk) == ["filler", checkpoint_of(out).name, previous_of(out).name]
    (small_disk / "filler").unlink()
    study.finish(*study.pt_run(out))
    assert_same(out, study.folder / "run.h5")


def test_limit_on_the_size_of_files(study, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

    command = study.command(*study.pt_run(tmp_path / "run.h5"))
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, preexec_fn=limit)
    assert result.returncode == 2, result.stderr
    assert "cannot write" in result.stderr and "ulimit -f" in result.stderr
    assert names_in(tmp_path) == []


@contextlib.contextmanager
def sweeping(study, process):
    """Holds while a program sweeps, which nothing inside may disturb."""
    try:
        study.head(process)
        yield
        assert process.poll() is None, "the first call was too short for this test"
        assert process.wait(timeout=TIMEOUT) == 0
    finally:
        process.kill()
        process.communicate()


def assert_refused(study, arguments, words):
    result = study.run(*arguments)
    assert result.returncode == 2, result.stderr
    for word in words:
        assert word in result.stderr


def test_a_second_writer_is_refused_at_once(study, tmp_path):
    out = tmp_path / "run.h5"
    first = study.start(*study.pt_run(out, tmp_path / "next.h5"))
    with sweeping(study, first):
        shutil.copy(lock_of(out), lock_of(tmp_path / "other.h5"))
        for arguments in [study.pt_run(out, tmp_path / "next.h5"), study.thermalize(out), study.thermalize(tmp_path / "other.h5"),
                          ["gen-disorder", "--out", tmp_path / "other.h5"],
                          ["measure", "--disorder", study.folder / "disorder.h5", "--run", study.folder / "run.h5", "--out", out]]:
            assert_refused(study, arguments, ["is being written by pt-run", f"process {first.pid} on ", os.uname().nodename, ".lock"])
    assert_same(out, study.folder / "run.h5")
    assert_same(tmp_path / "next.h5", study.folder / "next.h5")
    assert names_in(tmp_path) == ["next.h5", "other.h5.lock", "run.h5"]


def test_a_second_writer_of_the_state_is_refused_at_once(study, tmp_path):
    state = tmp_path / "next.h5"
    first = study.start(*study.pt_run(tmp_path / "run.h5", state))
    with sweeping(study, first):
        for arguments in [study.pt_run(tmp_path / "other.h5", state), study.thermalize(state)]:
            assert_refused(study, arguments, [f"{state} is being written by pt-run", f"process {first.pid} on ", str(lock_of(state))])
    assert_same(state, study.folder / "next.h5")
    assert names_in(tmp_path) == ["next.h5", "run.h5"]


def test_many_writers_at_once(study, tmp_path):
    out = tmp_path / "run.h5"
    writers = [subprocess.Popen(study.command(*study.pt_run(out)), stderr=subprocess.DEVNULL) for _ in range(4)]
    codes = [writer.wait(timeout=TIMEOUT) for writer in writers]
    assert set(codes) <= {0, 2} and 0 in codes
    assert_same(out, study.folder / "run.h5")
    assert names_in(tmp_path) == ["run.h5"]


def test_the_lock_of_a_killed_writer_is_taken_over(study, tmp_path):
    out = tmp_path / "run.h5"
    often = ["--set", "checkpoint.every_seconds=0"]
    process = study.start(*study.pt_run(out), *often)
    study.head(process)
    while not checkpoint_of(out).exists():
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert lock_of(out).exists()
    result = study.run(*study.pt_run(out))
    assert result.returncode == 0, result.stderr
    assert f"took over {lock_of(out)} from pt-run, process {process.pid} on " in result.stderr
    assert "continuing from " in result.stderr
    assert_same(out, study.folder / "run.h5")
    assert names_in(tmp_path) == ["run.h5"]


def test_who_lost_the_lock_writes_no_more(study, tmp_path):
    out = tmp_path / "run.h5"
    process = study.start(*study.pt_run(out))
    study.head(process)
    lock_of(out).unlink()
    stderr = process.communicate(timeout=TIMEOUT)[1].decode()
    assert process.returncode == 2 and "nothing more is written" in stderr, stderr
    assert names_in(tmp_path) == []


@pytest.fixture(scope="module")
def shims(tmp_path_factory):
    """The environment of a machine with the given faults."""
    library = tmp_path_factory.mktemp("shims") / "shims.so"
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        pytest.skip("needs a C compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SHIMS, "-ldl"], check=True)
    return lambda **faults: dict(os.environ, LD_PRELOAD=str(library), **faults)


def pipeline(study, folder, environment):
    """Thermalizes, runs (stopped once) and measures; compares with what came out before."""
    run, observables = folder / "run.h5", folder / "observables.h5"
    steps = [(study.thermalize(folder / "state.h5"), 0), ([*study.pt_run(run), "--time-limit", 0.2], 75), (study.pt_run(run), 0),
             (["measure", "--disorder", study.folder / "disorder.h5", "--run", run, "--out", observables], 0)]
    for arguments, code in steps:
        begin = time.monotonic()
        result = subprocess.run(study.command(*arguments), capture_output=True, text=True, timeout=TIMEOUT, env=environment)
        assert result.returncode == code, result.stderr
        seconds = time.monotonic() - begin
    for name in ["state.h5", "run.h5"]:
        assert_same(folder / name, study.folder / name)
        with h5py.File(folder / name) as file:
            assert 0 < file["provenance"].attrs["wall_seconds"] < 60, seconds
    assert names_in(folder) == ["observables.h5", "run.h5", "state.h5"]


@pytest.mark.parametrize("setting", ["TRUE", "FALSE", None])
def test_a_file_system_without_locks(study, shims, tmp_path, setting):
    environment = shims(NO_FILE_LOCKS="1")
    environment.pop("HDF5_USE_FILE_LOCKING", None)
    if setting:
        environment["HDF5_USE_FILE_LOCKING"] = setting
    if setting == "TRUE":  # the fault is there: HDF5's own driver fails
        code = f"import h5py; h5py.File({str(study.folder / 'state.h5')!r})"
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment).returncode != 0
    pipeline(study, tmp_path, environment)


def test_a_clock_that_runs_backwards(study, shims, tmp_path):
    environment = shims(CLOCK_BACKWARDS="1")
    now = subprocess.run(["date", "+%s"], capture_output=True, text=True, env=environment).stdout
    assert float(now) < time.time() - 3000  # the fault is there
    pipeline(study, tmp_path, environment)


def test_usage_is_the_sum_over_all_calls(study, tmp_path):
    out, state = tmp_path / "run.h5", tmp_path / "next.h5"
    environment = dict(os.environ, SLURM_JOB_ID="4711")
    for limit, code in [(0.1, 75), (0.1, 75), (0, 0)]:
        command = study.command(*study.pt_run(out, state), "--time-limit", limit)
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env=environment)
        assert result.returncode == code, result.stderr
    flips = 64 * 2 * 4 * 96 * study.run_sweeps
    for path, calls, job in [(study.folder / "run.h5", 1, None), (out, 3, "4711"), (state, 3, "4711")]:
        with h5py.File(path) as file:
            usage = file["provenance"].attrs
            assert usage["flips"] == flips and usage["calls"] == calls
            assert usage["wall_seconds"] > 0.1 * (calls - 1)
            assert usage.get("slurm_job_id", os.environ.get("SLURM_JOB_ID")) == (job or os.environ.get("SLURM_JOB_ID"))
            if BACKEND == "cpu":
                assert "gpu_energy_joules" not in usage
            elif shutil.which("nvidia-smi"):
                assert usage["gpu_energy_joules"] > 0
