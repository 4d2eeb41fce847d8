"""What a program may write to: no output is an input, another output or a file that the call makes for itself; what psflip did not make is
never replaced; what is damaged, of another kind, physics or a longer run only with --force. The programs are taken from the folder PSFLIP_BIN."""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import time

import h5py
import pytest
from by_hand import changing

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONFIG = """\
seed: 7
lattice: {L: [4, 6]}
disorder: {realizations: 128, batch: 64}
temperatures: {min: 1.0, max: 2.0, count: 4}
multispin: {share: 32}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 20}
run: {sweeps: 80, measure_every: 5, blocks: 4}
"""
DISORDER = ["--disorder", "disorder.h5"]
STATE = [*DISORDER, "--state", "state.h5"]
MAKE = {  # how each file of the fixture is made
    "disorder.h5": ["gen-disorder", "--first", 0, "--out", "disorder.h5"],
    "state.h5": ["thermalize", *DISORDER, "--out", "state.h5"],
    "run.h5": ["pt-run", *STATE, "--out", "run.h5", "--state-out", "next.h5"],
    "observables.h5": ["measure", *DISORDER, "--run", "run.h5", "--out", "observables.h5"],
    "reduced.h5": ["reduce-disorder", "observables.h5", "--out", "reduced.h5", "--csv", "results.csv"],
    "audit.json": ["audit", *STATE, "--run", "run.h5", "--end-state", "next.h5", "--out", "audit.json"],
    "ladder.yaml": ["pt-run", *DISORDER, "--tune-ladder", "--tune-sweeps", 200, "--out", "ladder.yaml", "--numbers", "ladder.h5"],
    "timings.json": ["bench-flip", "--L", 4, "--repeats", 1, "--seconds", 0.001, "--share", 32, "--json", "timings.json", "--csv", "timings.csv"],
}


def run(folder, program, *arguments):
    common = [] if program == "bench-flip" else ["--config", "study.yaml"]
    if program not in ("bench-flip", "reduce-disorder") and "--L" not in arguments:
        common += ["--L", 4]
    command = [BIN / program, *common, *arguments, "--threads", 1, "--backend", "cpu"]
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=120)


def content(folder):
    """Every file with a hash of its bytes; links by what they point to."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def done(folder, program, *arguments):
    result = run(folder, program, *arguments)
    assert result.returncode == 0, result.stderr
    return result


def refused(folder, words, program, *arguments, code=1):
    """The call fails with `code` and all `words`, and every file is as before."""
    before = content(folder)
    result = run(folder, program, *arguments)
    assert result.returncode == code, f"{result.returncode}: {result.stderr}"
    for word in words:
        assert word in result.stderr
    assert content(folder) == before


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with one file of each kind for L = 4."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "study.yaml").write_text(CONFIG)
    for program, *arguments in MAKE.values():
        done(folder, program, *arguments)
    (folder / "list.txt").write_text("observables.h5\n")
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy of these files for one test."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


CLASHES = [  # words of the message, and the call
    (["--out run.h5", "--run run.h5"], ["measure", *DISORDER, "--run", "run.h5", "--out", "run.h5"]),
    (["--out disorder.h5", "--disorder disorder.h5"], ["measure", *DISORDER, "--run", "run.h5", "--out", "disorder.h5"]),
    (["--out ./disorder.h5", "--disorder disorder.h5"], ["thermalize", *DISORDER, "--out", "./disorder.h5"]),
    (["--out state.h5", "--state"], ["pt-run", *STATE, "--out", "state.h5"]),
    (["--state-out state.h5", "--state"], ["pt-run", *STATE, "--out", "x.h5", "--state-out", "state.h5"]),
    (["--state-out", "--disorder"], ["pt-run", *STATE, "--out", "x.h5", "--state-out", "disorder.h5"]),
    (["--out observables.h5", "observables"], ["reduce-disorder", "observables.h5", "--out", "observables.h5", "--csv", "x.csv"]),
    (["--csv observables.h5", "observables"], ["reduce-disorder", "observables.h5", "--out", "x.h5", "--csv", "observables.h5"]),
    (["--csv observables.h5", "--files-from list.txt"], ["reduce-disorder", "--files-from", "list.txt", "--out", "x.h5", "--csv", "observables.h5"]),
    (["--csv list.txt", "--files-from"], ["reduce-disorder", "--files-from", "list.txt", "--out", "x.h5", "--csv", "list.txt"]),
    (["--out x", "--csv x"], ["reduce-disorder", "observables.h5", "--out", "x", "--csv", "x"]),
    (["--numbers", "--disorder"], ["pt-run", *DISORDER, "--tune-ladder", "--out", "x.yaml", "--numbers", "disorder.h5"]),
    (["--out", "--disorder"], ["pt-run", *DISORDER, "--tune-ladder", "--out", "disorder.h5"]),
    (["--out x", "--numbers x"], ["pt-run", *DISORDER, "--tune-ladder", "--out", "x", "--numbers", "x"]),
    (["--out run.h5", "--run"], ["audit", *STATE, "--run", "run.h5", "--out", "run.h5"]),
    (["--out next.h5", "--end-state"], ["audit", *STATE, "--run", "run.h5", "--end-state", "next.h5", "--out", "next.h5"]),
    (["--json timings.json", "--compare"], ["bench-flip", "--compare", "timings.json", "--json", "timings.json"]),
    (["--json x", "--csv x"], ["bench-flip", "--L", 4, "--json", "x", "--csv", "x"]),
    (["--out study.yaml", "--config"], ["gen-disorder", "--out", "study.yaml"]),
    (["--out study.yaml", "--config"], ["thermalize", *DISORDER, "--out", "study.yaml"]),
    (["--out study.yaml", "--config"], ["pt-run", *STATE, "--out", "study.yaml"]),
    (["--state-out study.yaml", "--config"], ["pt-run", *STATE, "--out", "x.h5", "--state-out", "study.yaml"]),
    (["--out study.yaml", "--config"], ["pt-run", *DISORDER, "--tune-ladder", "--out", "study.yaml"]),
    (["--out study.yaml", "--config"], ["measure", *DISORDER, "--run", "run.h5", "--out", "study.yaml"]),
    (["--csv study.yaml", "--config"], ["reduce-disorder", "observables.h5", "--out", "x.h5", "--csv", "study.yaml"]),
    (["--out study.yaml", "--config"], ["audit", *STATE, "--run", "run.h5", "--out", "study.yaml"]),
    # paths that are the same only when they are followed
    (["--out absent/../x.h5", "--state-out ./x.h5"], ["pt-run", *STATE, "--out", "absent/../x.h5", "--state-out", "./x.h5"]),
    (["--out state.h5", "--state"], ["pt-run", *STATE, "--out", "link.h5"]),
    (["--out hard.h5", "--state"], ["pt-run", *STATE, "--out", "hard.h5"]),
    (["--out run.h5", "--run folder/run.h5"], ["measure", *DISORDER, "--run", "folder/run.h5", "--out", "run.h5"]),
    # names that the call uses for itself
    *[
        (["--out x.h5", f"--state-out x.h5{ending}", "for a lock, checkpoint or temporary"], ["pt-run", *STATE, "--out", "x.h5", "--state-out", f"x.h5{ending}"])
        for ending in (".checkpoint.h5", ".checkpoint.previous.h5", ".lock", ".lock.takeover")
    ],
    (["--out x.h5.lock", "--state-out x.h5"], ["pt-run", *STATE, "--out", "x.h5.lock", "--state-out", "x.h5"]),
    (["--out x", "--csv ./x.lock"], ["reduce-disorder", "observables.h5", "--out", "x", "--csv", "./x.lock"]),
    (["--csv x", "--out x.lock"], ["reduce-disorder", "observables.h5", "--out", "x.lock", "--csv", "x"]),
    (["--out x", "--numbers x.lock"], ["pt-run", *DISORDER, "--tune-ladder", "--out", "x", "--numbers", "x.lock"]),
    (["--json x", "--csv x.lock"], ["bench-flip", "--L", 4, "--json", "x", "--csv", "x.lock"]),
    (["--out state", "--state state.checkpoint.h5"], ["pt-run", *DISORDER, "--state", "state.checkpoint.h5", "--out", "state"]),
    (["--out state", "--disorder state.lock"], ["thermalize", "--disorder", "state.lock", "--out", "state"]),
    (["--out x", "--disorder x.tmp-0123456789abcdef-1-2-3"], ["thermalize", "--disorder", "x.tmp-0123456789abcdef-1-2-3", "--out", "x"]),
]  # fmt: skip


@pytest.mark.parametrize("words, call", CLASHES, ids=[" ".join(map(str, call[:1] + call[-4:])) for _, call in CLASHES])
def test_no_output_is_an_input_another_output_or_made_by_the_call(folder, words, call):
    (folder / "link.h5").symlink_to("state.h5")
    (folder / "hard.h5").hardlink_to(folder / "state.h5")
    (folder / "folder").symlink_to(".")
    for copy, name in [("state.h5", "state.checkpoint.h5"), ("disorder.h5", "state.lock"), ("disorder.h5", "x.tmp-0123456789abcdef-1-2-3")]:
        shutil.copy(folder / copy, folder / name)
    refused(folder, [*words, "name"], *call)
    refused(folder, [*words, "name"], *call, "--force")
    if call[0] != "bench-flip":
        refused(folder, words, *call, "--validate")


OUTPUTS = [(file, option) for file, call in MAKE.items() for option in ("--out", "--state-out", "--csv", "--numbers", "--json") if option in call]


def made_anew(file, option, name):
    """The call that made `file`, with another name for one output."""
    call = list(MAKE[file])
    call[call.index(option) + 1] = name
    return call


@pytest.mark.parametrize("file, option", OUTPUTS)
def test_what_psflip_did_not_make_is_never_replaced(folder, file, option):
    (folder / "thesis.txt").write_text("psflip is the tool of this thesis.\n")
    (folder / "table.csv").write_text("L,T,beta\n4,1.0,1.0\n")
    with h5py.File(folder / "data.h5", "w") as other:
        other["numbers"] = [1, 2, 3]
        other.attrs["made"] = "from results of psflip, format = psflip"
    for name in ("thesis.txt", "table.csv", "data.h5"):
        for force in ([], ["--force"]):
            refused(folder, [f"{option} {name}: ", "psflip did not write it", "remove it"], *made_anew(file, option, name), *force)


@pytest.mark.parametrize("file, option", OUTPUTS)
def test_another_kind_is_replaced_only_by_force(folder, file, option):
    own = MAKE[file][MAKE[file].index(option) + 1]
    others = [name for name in ("disorder.h5", "run.h5", "reduced.h5", "results.csv", "audit.json", "ladder.yaml", "timings.json") if name != own]
    for name in others:
        shutil.copy(folder / name, folder / f"old-{name}")
        refused(folder, [f"{option} old-{name}: ", "but this call writes", "--force"], *made_anew(file, option, f"old-{name}"))
    done(folder, *made_anew(file, option, "old-disorder.h5" if own != "disorder.h5" else "old-run.h5"), "--force")


TIMERS = {  # calls that end soon
    "bench-flip": ["--L", 4, "--share", 32],
    "bench-rng": ["--generators", "philox", "--L", 4, "--words", 1, "--numbers", 64],
    "bench-slab": ["--L", 4, "--slabs", 1, "--columns", 1],
    "bench-sites": ["--L", 64, "--measure", 64, "--thermalize", 2],
    "bench-vector": ["--L", 4],
}


@pytest.mark.parametrize("program", TIMERS)
def test_lists_of_another_benchmark_are_replaced_only_by_force(tmp_path, program):
    def call(which, *more):
        command = [BIN / which, *TIMERS[which], "--threads", 1, "--repeats", 1, "--seconds", 0.001, "--json", "x.json", *more]
        return subprocess.run([str(word) for word in command], cwd=tmp_path, capture_output=True, text=True, timeout=60)

    for _ in range(2):
        assert call(program).returncode == 0
    before = content(tmp_path)
    for other in TIMERS.keys() - {program}:
        refusal = call(other)
        assert refusal.returncode == 1 and "--json x.json" in refusal.stderr and "--force" in refusal.stderr, refusal.stderr
        assert content(tmp_path) == before
    assert call("bench-vector", "--force").returncode == 0


@pytest.mark.parametrize("file", MAKE)
def test_the_same_call_again_needs_no_force(folder, file):
    """Also onto an empty file; a damaged one, which may be any, is replaced by force."""
    done(folder, *MAKE[file])
    path = folder / file
    whole = path.read_bytes()
    path.write_bytes(b"")
    done(folder, *MAKE[file])
    if path.suffix == ".h5":
        for damaged in (whole[: len(whole) // 2], whole[:100] + bytes(8) + whole[108:], whole[:1000]):
            path.write_bytes(damaged)
            refused(folder, [path.name, "cannot be read", "--force"], *MAKE[file])
            done(folder, *MAKE[file], "--force")
            assert h5py.is_hdf5(path) and "psflip" == h5py.File(path).attrs["format"]


LOSSES = [  # what is there, how it differs, the call that would replace it
    ("another seed", ["seed"], [*MAKE["disorder.h5"], "--set", "seed=8"]),
    ("another p_ferro", ["p_ferro"], [*MAKE["disorder.h5"], "--set", "model.p_ferro=0.6"]),
    ("another size", ["L"], [*MAKE["disorder.h5"], "--L", 6]),
    ("other realizations", ["realizations = 64"], [*MAKE["disorder.h5"], "--count", 32]),
    ("other realizations", ["first_realization = 0"], ["gen-disorder", "--first", 64, "--out", "disorder.h5"]),
    ("other temperatures", ["temperatures"], [*MAKE["state.h5"], "--set", "temperatures.max=2.5"]),
    ("other couplings", ["first_realization"], ["thermalize", "--disorder", "others.h5", "--out", "state.h5"]),
    ("a later state", ["sweep 100", "20"], ["thermalize", *DISORDER, "--out", "next.h5"]),
    ("a longer run", ["0 to 80", "0 to 40"], ["pt-run", *STATE, "--until", 40, "--out", "run.h5"]),
    ("an earlier run", ["0 to 80", "80 to 160"], ["pt-run", *DISORDER, "--state", "next.h5", "--until", 160, "--out", "run.h5"]),
    ("a later state", ["sweep 100", "60"], ["pt-run", *STATE, "--until", 40, "--out", "x.h5", "--state-out", "next.h5"]),
    ("longer runs", ["80", "40"], ["measure", *DISORDER, "--run", "short.h5", "--out", "observables.h5"]),
    ("other realizations", ["first_realization"], ["measure", "--disorder", "others.h5", "--run", "other-run.h5", "--out", "observables.h5"]),
    ("more realizations", ["128 realizations", "64"], ["reduce-disorder", "observables.h5", "--out", "both.h5", "--csv", "x.csv"]),
    ("more realizations", ["128 realizations", "64"], ["reduce-disorder", "observables.h5", "--out", "x.h5", "--csv", "both.csv"]),
    ("snapshots", ["2 snapshots", "makes 0"], ["pt-run", *STATE, "--out", "snapshots.h5"]),
    ("other bins", ["run.histogram_bins = 50"], [*MAKE["run.h5"], "--set", "run.histogram_bins=16"]),
    ("other blocks", ["run.blocks = 4"], [*MAKE["run.h5"], "--set", "run.blocks=8"]),
    ("another audit", ['"first_realization": 0', '"first_realization": 32'], [*MAKE["audit.json"], "--first", 32]),
    ("another ladder", ["L = 4", "6"], ["pt-run", "--L", 6, "--disorder", "six.h5", "--tune-ladder", "--tune-sweeps", 200, "--out", "ladder.yaml"]),
    ("another ladder", ["realizations 0 to 63", "64 to 127"], ["pt-run", "--disorder", "others.h5", "--tune-ladder", "--tune-sweeps", 200,
                                                                 "--out", "ladder.yaml"]),
    ("another ladder", ["first_realization"], ["pt-run", "--disorder", "others.h5", "--tune-ladder", "--tune-sweeps", 200,
                                               "--out", "x.yaml", "--numbers", "ladder.h5"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def made_more(made, tmp_path_factory):
    """With a second batch, a shorter run, and averages of both batches."""
    folder = tmp_path_factory.mktemp("more")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    other = ["--disorder", "others.h5"]
    done(folder, "pt-run", *STATE, "--until", 40, "--out", "short.h5")
    done(folder, "pt-run", *STATE, "--set", "run.snapshots=2", "--out", "snapshots.h5")
    done(folder, "gen-disorder", "--L", 6, "--out", "six.h5")
    done(folder, "gen-disorder", "--first", 64, "--out", "others.h5")
    done(folder, "thermalize", *other, "--out", "other-state.h5")
    done(folder, "pt-run", *other, "--state", "other-state.h5", "--out", "other-run.h5")
    done(folder, "measure", *other, "--run", "other-run.h5", "--out", "other-observables.h5")
    done(folder, "reduce-disorder", "observables.h5", "other-observables.h5", "--out", "both.h5", "--csv", "both.csv")
    return folder


@pytest.mark.parametrize("what, words, call", LOSSES)
def test_another_physics_or_a_longer_run_is_replaced_only_by_force(made_more, tmp_path, what, words, call):
    shutil.copytree(made_more, tmp_path, dirs_exist_ok=True)
    refused(tmp_path, ["would be lost", "--force", *words], *call)
    done(tmp_path, *call, "--force")


def test_growing_lists_need_no_force(made_more, tmp_path):
    shutil.copytree(made_more, tmp_path, dirs_exist_ok=True)
    done(tmp_path, "reduce-disorder", "observables.h5", "other-observables.h5", "--out", "reduced.h5", "--csv", "results.csv")
    done(tmp_path, "pt-run", *STATE, "--out", "short.h5")
    done(tmp_path, "measure", *DISORDER, "--run", "short.h5", "--out", "observables.h5", "--set", "equilibration.test=none")


def test_versions_and_hand_made_couplings(folder):
    with h5py.File(folder / "disorder.h5") as drawn, h5py.File(folder / "hand.h5", "w") as hand:
        hand["couplings"] = drawn["couplings"][...]
        hand.attrs.update({"format": "psflip", "kind": "disorder", "format_version": 2, "first_realization": 0})
        hand.attrs.update({"realizations": 64, "L": 4})
    refused(folder, ["not drawn by gen-disorder", "--force"], "gen-disorder", "--first", 0, "--out", "hand.h5")
    for attribute in ("physics_version", "format_version"):
        shutil.copy(folder / "hand.h5", folder / "old.h5")
        with changing(folder / "old.h5") as old:
            old.attrs[attribute] = 77
        refused(folder, [f"{attribute} 77", "--force"], "gen-disorder", "--first", 0, "--out", "old.h5")
        done(folder, "gen-disorder", "--first", 0, "--out", "old.h5", "--force")


@pytest.mark.parametrize("call, option", [
    (["gen-disorder", "--out", "x.h5"], "--config"),
    (["reduce-disorder", "--out", "x.h5", "--csv", "x.csv"], "--files-from"),
    (["bench-flip", "--json", "x.json"], "--compare"),
])  # fmt: skip
def test_inputs_that_are_no_regular_files(folder, call, option):
    """Neither a pipe that nobody writes to nor an endless device keeps a program; a folder is no file."""
    os.mkfifo(folder / "pipe")
    command = [str(word) for word in [BIN / call[0], *call[1:]]]
    if option != "--config" and call[0] != "bench-flip":
        command += ["--config", "study.yaml"]
    for path, word in [("pipe", "pipe or a device"), ("/dev/zero", "pipe or a device"), (".", "folder"), ("none", "No such file")]:
        result = subprocess.run([*command, option, path], cwd=folder, capture_output=True, text=True, timeout=20)
        assert result.returncode == 1, result.stderr
        assert path in result.stderr and word in result.stderr
    assert not list(folder.glob("x.*"))


def test_outputs_and_locks_that_are_no_regular_files(folder):
    os.mkfifo(folder / "pipe.h5")
    os.mkfifo(folder / "new.h5.lock")
    for path in ("pipe.h5", "/dev/null", "."):
        result = run(folder, "gen-disorder", "--first", 0, "--out", path)
        assert result.returncode == 1 and "not a regular file" in result.stderr, result.stderr
    result = run(folder, "gen-disorder", "--first", 0, "--out", "new.h5")
    assert result.returncode == 2 and "new.h5.lock" in result.stderr and "remove the lock" in result.stderr, result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody without rights")
@pytest.mark.parametrize("secret, call", [
    ("study.yaml", MAKE["disorder.h5"]),
    ("list.txt", ["reduce-disorder", "--files-from", "list.txt", "--out", "x.h5", "--csv", "x.csv"]),
    ("timings.json", ["bench-flip", "--compare", "timings.json"]),
    ("results.csv", MAKE["reduced.h5"]),
])  # fmt: skip
def test_what_may_not_be_read_is_an_error_of_the_environment(folder, secret, call):
    (folder / secret).chmod(0)
    for path in [folder, *folder.parents[:2]]:
        path.chmod(0o777)
    program, *arguments = map(str, call)
    config = [] if program == "bench-flip" else ["--config", "study.yaml"]
    size = [] if program in ("bench-flip", "reduce-disorder") else ["--L", "4"]
    result = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", BIN / program, *config, *size, *arguments],
        cwd=folder, capture_output=True, text=True, timeout=60)  # fmt: skip
    assert result.returncode == 2, result.stderr
    assert secret in result.stderr and "Permission denied" in result.stderr


def test_a_writer_in_another_container_leaves_the_first_alone(folder):
    """Same host name, same folder, another process namespace: refused, and the first one's temporary stays."""
    into = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*into, "true"], capture_output=True).returncode != 0:
        pytest.skip("needs the right to make a process namespace")
    (folder / "large.yaml").write_text(CONFIG.replace("[4, 6]", "64"))
    command = [str(BIN / "gen-disorder"), "--config", "large.yaml", "--first", "0", "--count", "96", "--threads", "1", "--out", "large.h5"]
    first = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        while not (folder / "large.h5.lock").exists() or not list(folder.glob("large.h5.tmp-*")):
            assert first.poll() is None, first.stderr.read()
            time.sleep(0.005)
        first.send_signal(signal.SIGSTOP)
        before = set(folder.iterdir())
        assert any(path.name.startswith("large.h5.tmp-") for path in before)
        second = subprocess.run([*into, *command], cwd=folder, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2, second.stderr
        assert "is being written by gen-disorder" in second.stderr and "container" in second.stderr
        assert set(folder.iterdir()) == before
    finally:
        first.send_signal(signal.SIGCONT)
    assert first.wait(timeout=120) == 0, first.stderr.read()
    assert h5py.File(folder / "large.h5")["couplings"].shape[0] == 96


@pytest.mark.parametrize("option", ["--csv", "--numbers", "--json"])
def test_every_output_has_its_lock(folder, option):
    file, call = next((file, call) for file, call in MAKE.items() if option in call)
    name = call[call.index(option) + 1]
    (folder / f"{name}.lock").write_text("somebody's")
    refused(folder, [f"{name}.lock", "remove the lock"], *call, code=2)
