"""thermalize, pt-run and relax on several ranks that mpirun starts: the same files for any number of them, also where they change on the way;
what ends one rank ends all, with one message, and the last checkpoint stays.
The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU, ranks by turns."""

import os
import shutil
import signal
import subprocess
import time

import h5py
import pytest
from mpi_calls import BIN, CONFIG, ENVIRONMENT, MANY, MPIRUN, TIMEOUT, Call, errors_in, messages_at_end, pt_run, relax, start_sweeps, thermalize  # isort: skip
from interrupted import BACKEND, assert_same, checkpoint_of, names_in, ranks_of  # isort: skip

pytestmark = pytest.mark.skipif(MPIRUN is None, reason="no mpirun here")
PATIENCE = {"OMPI_MCA_odls_base_sigkill_timeout": "5", "PRTE_MCA_odls_base_sigkill_timeout": "5"}  # seconds that mpirun gives ranks after SIGTERM


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    call = Call(tmp_path_factory.mktemp("study"))
    call.finish(1, *thermalize("state.h5"))
    call.finish(1, *pt_run("run.h5", "state.h5", "--state-out", "next.h5"))
    return call


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_same_files_for_any_number_of_ranks(study, ranks):
    study.finish(ranks, *thermalize(f"state{ranks}.h5"))
    study.finish(ranks, *pt_run(f"run{ranks}.h5", f"state{ranks}.h5", "--state-out", f"next{ranks}.h5"))
    for name in ("state", "run", "next"):
        assert_same(study.folder / f"{name}{ranks}.h5", study.folder / f"{name}.h5")
    with h5py.File(study.folder / f"run{ranks}.h5") as file:
        assert file["provenance"].attrs["ranks"] == str(ranks)


def test_resumed_with_other_numbers_of_ranks(study):
    for name, arguments in [("state", thermalize("again-state.h5")), ("run", pt_run("again-run.h5", "state.h5"))]:
        for ranks in (2, 1, 4, 3):
            result = study.run(ranks, *arguments, "--time-limit", 0.000001)
            assert result.returncode == 75, result.stderr
            assert result.stderr.count("stopped by time limit at sweep ") == 1
            assert checkpoint_of(study.folder / f"again-{name}.h5").exists()
        result = study.finish(2, *arguments)
        assert "continuing from " in result.stderr
        assert_same(study.folder / f"again-{name}.h5", study.folder / f"{name}.h5")
    assert not [name for name in names_in(study.folder) if "checkpoint" in name or "lock" in name or "tmp" in name]


def order_of(name):
    return ["--halo-order", name]


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_the_sliced_order_gives_the_same_files(study, ranks):
    """Three ranks have slabs of four, two and two planes. One rank has no slabs, so the order has no effect."""
    study.finish(ranks, *thermalize("sliced-state.h5"), *order_of("sliced"))
    study.finish(ranks, *pt_run("sliced-run.h5", "sliced-state.h5", "--state-out", "sliced-next.h5"), *order_of("sliced"))
    for name in ("state", "run", "next"):
        assert_same(study.folder / f"sliced-{name}.h5", study.folder / f"{name}.h5")
    with h5py.File(study.folder / "sliced-run.h5") as file:
        assert ("sliced" in file["provenance"].attrs["backend"]) and file["provenance"].attrs["ranks"] == str(ranks)
    study.finish(1, *thermalize("sliced-state.h5"), *order_of("sliced"))
    assert_same(study.folder / "sliced-state.h5", study.folder / "state.h5")


def test_resumed_in_the_other_order(study):
    arguments = pt_run("turned.h5", "state.h5")
    for ranks, order in [(2, "sliced"), (3, "standard"), (1, "sliced"), (4, "sliced"), (4, "auto")]:
        result = study.run(ranks, *arguments, *order_of(order), "--time-limit", 0.000001)
        assert result.returncode == 75, result.stderr
        assert (", sliced " in result.stderr) == (order == "sliced" and ranks > 1), result.stderr
    study.finish(3, *arguments, *order_of("sliced"))
    assert_same(study.folder / "turned.h5", study.folder / "run.h5")


@pytest.mark.parametrize("words", ["multispin.lanes = replicas", "multispin.lanes = sites", "model.kind = heisenberg", "model.couplings = gaussian"])
def test_what_has_no_sliced_order(tmp_path, words):
    key, value = words.split(" = ")
    size = 32 if value == "sites" else 8
    config = CONFIG.replace("share: 32", "share: 1" if "lanes" in key else "share: 32").replace("L: 8", f"L: {size}")
    config = config.replace("96", "2") if "lanes" in key else config
    more = f"multispin: {{share: 1, lanes: {value}}}" if "lanes" in key else f"model: {{{key.split('.')[1]}: {value}}}"
    config = "".join(line for line in config.splitlines(keepends=True) if not line.startswith("multispin")) + more + "\n"
    call = Call(tmp_path, config, realizations=2 if "lanes" in key else 96)
    result = call.run(2, *thermalize("none.h5"), *order_of("sliced"))
    assert result.returncode == 1 and len(errors_in(result.stderr)) == 1
    assert f"{words} does not go with --halo-order sliced; use --halo-order standard" in result.stderr
    assert names_in(tmp_path) == ["disorder.h5", "study.yaml"]
    call.finish(1, *thermalize("state.h5"), *order_of("sliced"), "--set", "thermalize.sweeps=2")


@pytest.mark.parametrize("share, model", [(1, "field: 0.3"), (64, "p_absent: 0.2"), (128, "p_ferro: 0.8")])
def test_other_models_and_shares(tmp_path, share, model):
    config = CONFIG.replace("share: 32", f"share: {share}").replace("L: 8", "L: 10") + f"model: {{kind: edwards-anderson, {model}}}\n"
    config += "replicas: 4\n"
    call = Call(tmp_path, config)
    for ranks in (1, 2):
        call.finish(ranks, *thermalize(f"state{ranks}.h5"))
        call.finish(ranks, *pt_run(f"run{ranks}.h5", f"state{ranks}.h5"))
    assert_same(tmp_path / "state1.h5", tmp_path / "state2.h5")
    assert_same(tmp_path / "run1.h5", tmp_path / "run2.h5")
    result = call.run(2, *thermalize("sliced.h5"), *order_of("sliced"))
    if BACKEND == "cuda" and not model.startswith("p_ferro"):
        assert result.returncode == 1 and len(errors_in(result.stderr)) == 1 and "use --halo-order standard" in result.stderr, result.stderr
    else:
        assert result.returncode == 0, result.stderr
        assert_same(tmp_path / "sliced.h5", tmp_path / "state1.h5")


@pytest.mark.parametrize("plane", [0, 3, 6])
def test_one_absent_bond_that_one_rank_alone_has(tmp_path, plane):
    """All ranks sweep by the rule of absent bonds, and sum up how many there are."""
    call = Call(tmp_path, CONFIG + "model: {p_absent: 1e-9}\n")
    with h5py.File(tmp_path / "disorder.h5", "r+") as file:
        assert not (file["couplings"][:] == 0).any()
        file["couplings"][7, 0, plane, 2, 5] = 0
        del file.attrs["sealed"]
    for ranks in (1, 2, 4):
        call.finish(ranks, *thermalize(f"state{ranks}.h5"))
        call.finish(ranks, *pt_run(f"run{ranks}.h5", f"state{ranks}.h5"))
        assert_same(tmp_path / f"state{ranks}.h5", tmp_path / "state1.h5")
        assert_same(tmp_path / f"run{ranks}.h5", tmp_path / "run1.h5")


RELAX = "replicas: 4\nrelax: {last: 100, per_decade: 4, waiting: [0, 8, 20]}\n"


@pytest.mark.parametrize("size, share, more", [
    (8, 32, RELAX), (10, 128, RELAX), (8, 1, RELAX.replace("replicas: 4", "replicas: 2") + "model: {kind: ferromagnet}\n"),
    (8, 64, RELAX.replace("replicas: 4", "replicas: 3") + "model: {p_absent: 0.2}\n"),
    (8, 32, RELAX.replace("last", "start: up, last") + "dynamics: {update: heat-bath}\n"),
    (8, 32, RELAX.replace("last", "schedule: linear, factors: [2.0], stages: 4, stage_sweeps: 10, last"))])
def test_relaxations(tmp_path, size, share, more):
    """All datasets of both files, times and waiting times included."""
    call = Call(tmp_path, CONFIG.replace("share: 32", f"share: {share}").replace("L: 8", f"L: {size}") + more)
    slow_rule = share == 1 or "p_absent" in more or "heat-bath" in more  # GPUs have no sliced order of these rules
    orders = ["standard"] if BACKEND == "cuda" and slow_rule else ["standard", "sliced"]
    for ranks in (1, 2, 3):
        for order in orders:
            relaxation, end = f"relaxation{ranks}-{order}.h5", f"end{ranks}-{order}.h5"
            call.finish(ranks, *relax(relaxation, "--state-out", end), *order_of(order))
            assert_same(tmp_path / relaxation, tmp_path / "relaxation1-standard.h5")
            assert_same(tmp_path / end, tmp_path / "end1-standard.h5")


def test_relaxations_go_on_with_other_numbers_of_ranks(tmp_path):
    """Behind interruptions, and from the state at the end of an earlier part; waiting times lie before and behind."""
    call = Call(tmp_path, CONFIG + RELAX)
    later = ["--set", "relax.last=300"]
    for name, first, second in [("whole", [1], [1]), ("parts", [2, 1, 4, 3], [3, 2, 1])]:
        for out, state, calls, more in [("a", [], first, []), ("b", ["--state", f"{name}-a-end.h5"], second, later)]:
            arguments = relax(f"{name}-{out}.h5", *state, "--state-out", f"{name}-{out}-end.h5", *more)
            for ranks in calls[:-1]:
                result = call.run(ranks, *arguments, "--time-limit", 0.000001)
                assert result.returncode == 75, result.stderr
                assert result.stderr.count("stopped by time limit at sweep ") == 1
            call.finish(calls[-1], *arguments)
    for name in ("a", "a-end", "b", "b-end"):
        assert_same(tmp_path / f"parts-{name}.h5", tmp_path / f"whole-{name}.h5")
    assert not [name for name in names_in(tmp_path) if "checkpoint" in name or "lock" in name or "tmp" in name]


def test_relaxations_tell_once_what_is_wrong(study):
    for more, words in [(["--set", "relax.last=20", "--set", "relax.start=state"], "--set: relax.start = state needs a state file"),
                        (["--set", "relax.last=20", "--set", "model.boundary=open"], "--set: model.boundary = open does not go with relax"),
                        (["--set", "relax.last=20", "--state", "state.h5"], "does not go with state.h5, which relax did not write")]:
        result = study.run(2, *relax("none.h5", *more))
        assert result.returncode == 1, result.stderr
        assert len(errors_in(result.stderr)) == 1, result.stderr
        assert words in errors_in(result.stderr)[0] and "rank " not in errors_in(result.stderr)[0]
    assert study.finish(2, *relax("none.h5", "--set", "relax.last=20"), "--validate").stdout.count("valid: ") == 1


def test_too_many_ranks(study):
    result = study.run(5, *thermalize("none.h5"))
    assert result.returncode == 1
    assert len(errors_in(result.stderr)) == 1
    assert "5 ranks are too many for L = 8" in result.stderr and "at most 4 ranks" in result.stderr


def test_what_all_ranks_find_wrong_is_told_once(study):
    for arguments, words in [
        (["thermalize", "--disorder", "absent.h5", "--out", "none.h5"], "absent.h5"),
        (pt_run("none.h5", "disorder.h5"), "is a file of kind"),
        ([*thermalize("none.h5"), "--set", "lattice.L=9"], "lattice.L"),
        ([*thermalize("disorder.h5")], "is an input of this call"),
        (["thermalize", "--disorder", "disorder.h5", "--out", "state.h5", "--set", "thermalize.sweeps=100"], "state.h5"),
        (["thermalize", "--nonsense"], "--nonsense"),
    ]:
        result = study.run(3, *arguments)
        assert result.returncode == 1, result.stderr
        assert len(errors_in(result.stderr)) == 1, result.stderr
        assert words in errors_in(result.stderr)[0]
        assert "rank " not in errors_in(result.stderr)[0]


def test_validate_and_version_are_told_once(study):
    result = study.finish(2, *pt_run("none.h5"), "--validate")
    assert result.stdout.count("valid: ") == 1
    assert study.finish(2, "pt-run", "--version").stdout.count("pt-run ") == 1


def test_a_rank_that_cannot_be(study):
    """Told by the process itself, which is not the first rank."""
    strange = {**ENVIRONMENT, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "7"}
    done = subprocess.run([BIN / "gen-disorder", "--version"], env=strange, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 1 and "rank 7 (OMPI_COMM_WORLD_RANK) of 2 (OMPI_COMM_WORLD_SIZE)" in done.stderr, done.stderr


def test_programs_for_one_rank(study):
    for arguments in [["gen-disorder", "--first", 0, "--count", 32, "--out", "none.h5"],
                      ["measure", "--disorder", "disorder.h5", "--run", "run.h5", "--out", "none.h5"]]:
        result = study.run(2, *arguments)
        assert result.returncode == 1
        assert "thermalize, pt-run and relax use several ranks" in result.stderr
    result = study.run(2, "pt-run", "--disorder", "disorder.h5", "--tune-ladder", "--out", "none.yaml")
    assert result.returncode == 1
    assert "--tune-ladder uses one rank" in result.stderr and len(errors_in(result.stderr)) == 1


@pytest.mark.skipif("PSFLIP_NO_MPI" not in os.environ, reason="PSFLIP_NO_MPI does not name the library without MPI")
def test_built_without_mpi(study):
    without = {"LD_PRELOAD": os.environ.get("PSFLIP_NO_MPI", "")}
    for ranks, code in [(2, 1), (1, 0)]:
        command = [MPIRUN, "-n", ranks, "-x", "LD_PRELOAD", *study.command(1, *thermalize(f"without{ranks}.h5"))]
        result = subprocess.run([str(c) for c in command], cwd=study.folder, env=ENVIRONMENT | without, capture_output=True, text=True,
                                timeout=TIMEOUT)
        assert result.returncode == code, result.stderr
        assert ("this psflip was built without MPI" in result.stderr) == (ranks > 1)
        assert len(errors_in(result.stderr)) == code


def two_folders(study, tmp_path):
    """The study twice, and a command that runs rank 0 in the first, rank 1 in the second."""
    for name in ("one", "two"):
        shutil.copytree(study.folder, tmp_path / name)
    call = study.command(1, *pt_run("out.h5"))

    def run():
        command = [MPIRUN, "-n", "1", "--wdir", tmp_path / "one", *call, ":", "-n", "1", "--wdir", tmp_path / "two", *call]
        return subprocess.run([str(c) for c in command], env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT)

    return tmp_path / "two", run


def test_ranks_that_differ(study, tmp_path):
    second, run = two_folders(study, tmp_path)
    (second / "study.yaml").write_text(CONFIG.replace("seed: 5", "seed: 6"))
    result = run()
    assert result.returncode == 1
    assert len(errors_in(result.stderr)) == 1 and "has another hash of the configuration than rank 0" in result.stderr
    assert "rank 1 of 2 (" in result.stderr
    (second / "study.yaml").write_text(CONFIG)
    shutil.copy(study.folder / "next.h5", second / "state.h5")
    result = run()
    assert result.returncode == 1
    assert len(errors_in(result.stderr)) == 1 and "rank 1 of 2 (" in result.stderr


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_options_that_end_a_program_differ(study, tmp_path, option):
    """Given to one rank alone: the other ranks do not wait for it."""
    one = study.command(1, "pt-run", "--disorder", "disorder.h5", "--state", "state.h5", "--out", tmp_path / "run.h5")
    command = [MPIRUN, "-n", "1", *one, option, ":", "-n", "1", *one]
    result = subprocess.run(list(map(str, command)), cwd=study.folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 1 and len(errors_in(result.stderr)) == 1 and "to some ranks and not to others" in result.stderr
    assert not (tmp_path / "run.h5").exists()


def test_what_one_rank_finds_wrong_names_it(study, tmp_path):
    second, run = two_folders(study, tmp_path)
    (second / "disorder.h5").unlink()
    result = run()
    assert result.returncode == 1
    assert len(errors_in(result.stderr)) == 1
    assert "rank 1 of 2 (" in result.stderr and "disorder.h5" in errors_in(result.stderr)[0]


FAILING_SUM = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*Reduce)(const void*, void*, int, void*, void*, void*);

/* Fails as soon as the file SUMS_FAIL exists. */
int MPI_Allreduce(const void* mine, void* sum, int count, void* type, void* operation, void* ranks) {
    if (access(getenv("SUMS_FAIL"), F_OK) == 0) return 16;
    return ((Reduce)dlsym(RTLD_NEXT, "MPI_Allreduce"))(mine, sum, count, type, operation, ranks);
}
"""


def test_an_error_of_one_rank_amid_work_of_all_ends_all(study, tmp_path):
    """In the last of three ranks, a sum over the ranks fails while all ranks sweep."""
    (tmp_path / "sum.c").write_text(FAILING_SUM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "sum.so", tmp_path / "sum.c", "-ldl"], check=True)
    call = study.command(1, *pt_run("none.h5"), *MANY)
    command = [MPIRUN, "-n", "2", *call, ":", "-n", "1", "env", f"LD_PRELOAD={tmp_path / 'sum.so'}", f"SUMS_FAIL={tmp_path / 'fail'}",
               "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0", *call]
    process = start_sweeps(command, study.folder)
    (tmp_path / "fail").touch()
    text = messages_at_end(process, 20)
    assert process.returncode == 2, text
    assert len(errors_in(text)) == 1 and "rank 2 of 3 (" in errors_in(text)[0] and "MPI_Allreduce" in errors_in(text)[0], text


@pytest.fixture(scope="module")
def forwards():
    """Whether the mpirun of this machine forwards SIGUSR1 to its ranks, seen with a shell as the only rank."""
    rank = "trap 'exit 7' USR1; echo ready >&2; n=0; while [ $n -lt 40 ]; do sleep 0.1; n=$((n + 1)); done"
    process = subprocess.Popen([MPIRUN, "-n", "1", "sh", "-c", rank], env=ENVIRONMENT, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []))
    while b"ready" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGUSR1)
    process.communicate(timeout=TIMEOUT)
    return process.returncode == 7


def stop_ranks(process, name="SIGUSR1"):
    """Sends the signal to all ranks on this machine. This works even if mpirun does not forward the signal."""
    subprocess.run(["pkill", f"-{name.removeprefix('SIG')}", "-P", str(process.pid)], check=True)


@pytest.mark.long
@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM"])
def test_signals_to_mpirun_reach_all_ranks(study, forwards, name):
    if name == "SIGUSR1" and not forwards:
        pytest.skip("this mpirun does not forward SIGUSR1 even if the signal is not blocked; the next test stops the ranks of such an mpirun")
    out = f"signal-{name}.h5"
    process = study.start(3, *pt_run(out), *MANY, environment=ENVIRONMENT | (PATIENCE if name == "SIGTERM" else {}))
    time.sleep(0.3)
    process.send_signal(getattr(signal, name))
    text = messages_at_end(process, 20)
    if name == "SIGUSR1":
        assert text.count("stopped by SIGUSR1 at sweep ") == 1 and process.returncode == 75, text
    else:  # the code is that of mpirun, and Open MPI 5 loses the last message of the ranks
        assert process.returncode not in (0, 75), text
    assert checkpoint_of(study.folder / out).exists()
    checkpoint_of(study.folder / out).unlink()


@pytest.mark.long
@pytest.mark.parametrize("name, to_all", [("SIGUSR1", True), ("SIGUSR1", False), ("SIGTERM", False)])
def test_signals_to_ranks_stop_all_ranks(study, name, to_all):
    """Sent to all ranks, or to the last one. mpirun has the signal blocked and could not forward it."""
    out = f"signal-{name}-{to_all}.h5"
    process = study.start(3, *pt_run(out), *MANY, blocked=[getattr(signal, name)])
    time.sleep(0.3)
    if to_all:
        stop_ranks(process, name)
    else:
        os.kill(ranks_of(process)[-1], getattr(signal, name))
    text = messages_at_end(process, 20)
    assert text.count(f"stopped by {name} at sweep ") == 1, text
    assert process.returncode == 75, text
    assert checkpoint_of(study.folder / out).exists()
    checkpoint_of(study.folder / out).unlink()


@pytest.mark.long
def test_a_killed_rank_ends_all_and_the_checkpoint_stays(study):
    arguments = [*pt_run("killed.h5"), "--set", "run.sweeps=40000", "--set", "checkpoint.every_seconds=0"]
    process = study.start(3, *arguments)
    checkpoint = checkpoint_of(study.folder / "killed.h5")
    while not checkpoint.exists():
        time.sleep(0.02)
    os.kill(ranks_of(process)[1], signal.SIGKILL)
    text = messages_at_end(process, 20)
    assert process.returncode != 0
    assert "rank 1" in text, text
    result = study.finish(2, *arguments)
    assert "continuing from " in result.stderr
    study.finish(1, *pt_run("not-killed.h5"), "--set", "run.sweeps=40000")
    assert_same(study.folder / "killed.h5", study.folder / "not-killed.h5")


def test_two_calls_of_one_output(study):
    process = study.start(2, *pt_run("locked.h5"), *MANY)
    try:
        result = study.run(2, *pt_run("locked.h5"), *MANY)
        assert result.returncode == 2
        assert len(errors_in(result.stderr)) == 1 and "locked.h5" in result.stderr
    finally:
        stop_ranks(process)
        messages_at_end(process, TIMEOUT)
    assert process.returncode == 75
