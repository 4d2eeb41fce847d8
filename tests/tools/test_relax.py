"""The program relax: what it measures, from spins of thermalize one by one; interrupted, continued and extended relaxations; what it refuses.
The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import itertools
import os
import resource
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from by_hand import changing
from interrupted import BACKEND, BIN, TIMEOUT, assert_same, checkpoint_of, contents, names_in

CONFIG = """\
seed: 5
lattice: {L: 6}
disorder: {realizations: 96, batch: 96}
temperatures: {list: [0.7, 1.1]}
replicas: 3
multispin: {share: 32}
dynamics: {sweeps_per_swap: 1000}
run: {measure_every: 1000, sweeps: 16000}
relax: {last: 400, per_decade: 4, waiting: [0, 16, 100]}
"""
TIMES = [2, 4, 6, 12, 16, 18, 20, 22, 28, 36, 52, 64, 80, 100, 102, 104, 106, 112, 120, 128, 136, 164, 200, 212, 216, 300, 356, 372]


def call(folder, program, *arguments, code=0, environment=None):
    command = [BIN / program, "--config", folder / "study.yaml", *arguments]
    if program != "gen-disorder":
        command += ["--backend", BACKEND]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=TIMEOUT, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def relax(folder, out, *arguments, **how):
    return call(folder, "relax", "--disorder", folder / "d.h5", "--out", out, *arguments, **how)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A configuration, its couplings, and a relaxation that nothing interrupted."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "study.yaml").write_text(CONFIG)
    call(folder, "gen-disorder", "--first", 0, "--count", 96, "--out", folder / "d.h5")
    relax(folder, folder / "whole.h5", "--state-out", folder / "end.h5")
    return folder


def spins_after(study, folder, sweeps):
    """(replica, temperature, realization, z, y, x): +1 or -1, of thermalize."""
    state = folder / f"state{sweeps}.h5"
    call(study, "thermalize", "--disorder", study / "d.h5", "--out", state, "--set", f"thermalize.sweeps={sweeps}")
    with h5py.File(state) as file:
        return unpacked(file["spins"][:])


def unpacked(words):
    """(replica, temperature, realization, z, y, x): +1 or -1."""
    bits = words[:, :, :, None] >> np.arange(64, dtype=np.uint64).reshape(1, 1, 1, 64, 1, 1, 1)
    replicas, temperatures, packs, _, *box = bits.shape
    return (2 * (bits & np.uint64(1)).astype(np.int64) - 1).reshape(replicas, temperatures, 64 * packs, *box)[:, :, :96]


def sums(values):
    return values.sum(axis=(-1, -2, -3))


def neighbours(values, k=1):
    """Products with the values k further along z, y and x."""
    return [values * np.roll(values, -k, axis=axis) for axis in (-3, -2, -1)]


def test_times_and_sums_are_those_of_the_spins(study, tmp_path):
    with h5py.File(study / "whole.h5") as file, h5py.File(study / "d.h5") as couplings:
        assert file["times"][:].tolist() == TIMES
        assert file["waiting"][:].tolist() == [0, 16, 100]
        assert file["factors"][:].tolist() == [1.0] * len(TIMES)
        found = {name: data[:] for name, data in file["relaxation"].items()}
        J = couplings["couplings"][:].astype(np.int64)  # (realization, direction, z, y, x)
    before = [spins_after(study, tmp_path, t) for t in (0, 16)]
    for t in (6, 64):
        at = TIMES.index(t)
        s = spins_after(study, tmp_path, t)
        energy = -sum(sums(J[:, d] * bond) for d, bond in zip((2, 1, 0), neighbours(s)))
        assert np.array_equal(found["energy"][at], energy)
        q = np.array([s[a] * s[b] for a, b in itertools.combinations(range(3), 2)])
        assert np.array_equal(found["overlap"][at], sums(q))
        assert np.array_equal(found["link"][at], sum(map(sums, neighbours(q))))
        modes = [np.fft.fft(q.sum(axis=tuple({-3, -2, -1} - {axis})), axis=-1)[..., 1] for axis in (-3, -2, -1)]
        kmin = sum(np.abs(mode) ** 2 for mode in modes) / 216**2
        assert np.allclose(found["kmin"][at], kmin, rtol=1e-9, atol=1e-12)
        for k in (1, 2, 3):
            assert np.array_equal(found["correlation4"][at, k - 1], sum(map(sums, neighbours(q, k))).sum(axis=0))
        overlaps = found["two_time_overlap"][at].reshape(3, 3, 2, 96)
        links = found["two_time_link"][at].reshape(3, 3, 2, 96)
        for i, waiting in enumerate((0, 16)):
            wanted = sums(before[i] * s) if t > waiting else np.zeros((3, 2, 96))
            assert np.array_equal(overlaps[i], wanted)
            if t > waiting:
                assert np.array_equal(links[i], sum(map(sums, neighbours(before[i] * s))))
        assert not overlaps[2].any()


@pytest.mark.parametrize("lanes, share", [("realizations", 32), ("replicas", 1)])
def test_four_replicas_in_both_kinds_of_lanes(study, tmp_path, lanes, share):
    how = ["--set", "replicas=4", "--set", f"multispin={{share: {share}, lanes: {lanes}}}", "--set", "relax={last: 24, first: 6, waiting: [0, 12]}"]
    relax(study, tmp_path / "r.h5", *how)
    spins = {}
    for t in (0, 12, 18):
        call(study, "thermalize", "--disorder", study / "d.h5", "--out", tmp_path / f"{t}.h5", "--set", f"thermalize.sweeps={t}", *how)
        with h5py.File(tmp_path / f"{t}.h5") as file:
            spins[t] = unpacked(file["spins"][:])
    with h5py.File(tmp_path / "r.h5") as file:
        at = file["times"][:].tolist().index(18)
        q = np.array([spins[18][a] * spins[18][b] for a, b in itertools.combinations(range(4), 2)])
        for k in (1, 2, 3):
            assert np.array_equal(file["relaxation/correlation4"][at, k - 1], sum(map(sums, neighbours(q, k))).sum(axis=0))
        overlaps = file["relaxation/two_time_overlap"][at].reshape(2, 4, 2, 96)
        assert all(np.array_equal(overlaps[i], sums(spins[18] * spins[t])) for i, t in enumerate((0, 12)))


def test_every_dataset_says_what_it_is(study):
    with h5py.File(study / "whole.h5") as file:
        assert file.attrs["kind"] in ("relaxation", b"relaxation")
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        assert {"times", "factors", "relaxation/energy", "relaxation/two_time_link"} <= set(names)
        for name in names:
            attributes = file[name].attrs
            assert all(len(attributes[key]) for key in ("unit", "doc", "axes")), name
            assert len(attributes["axes"].split(", ")) == file[name].ndim, name


def test_stopped_again_and_again_by_other_threads_and_instruction_sets(study, tmp_path):
    out, state = tmp_path / "r.h5", tmp_path / "end.h5"
    ways = itertools.cycle([(1, "scalar"), (2, ""), (1, "")])
    stops = 0
    while not out.exists():
        threads, simd = next(ways)
        environment = {"PSFLIP_SIMD": simd} if simd else {}
        command = ["relax", "--config", study / "study.yaml", "--backend", BACKEND, "--disorder", study / "d.h5", "--out", out]
        command += ["--state-out", state, "--threads", threads, *(["--time-limit", 0.00001] if stops < 25 else [])]
        done = subprocess.run([str(c) for c in [BIN / command[0], *command[1:]]], capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode in (0, 75), done.stderr
        stops += done.returncode == 75
    assert stops == 25
    assert_same(out, study / "whole.h5")
    assert_same(state, study / "end.h5")
    assert names_in(tmp_path) == ["end.h5", "r.h5"]


def test_a_signal_saves_a_checkpoint(study, tmp_path):
    out = tmp_path / "r.h5"
    command = [BIN / "relax", "--config", study / "study.yaml", "--backend", BACKEND, "--disorder", study / "d.h5", "--out", out]
    process = subprocess.Popen([str(c) for c in [*command, "--set", "relax.last=100000000"]], stderr=subprocess.PIPE, bufsize=0)
    try:
        while b" realizations from " not in (line := process.stderr.readline()):
            assert line
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT)
        assert process.returncode == 75
    finally:
        process.kill()
        process.wait()
    assert checkpoint_of(out).exists()
    assert "until" in relax(study, out, code=1)  # another relax.last


def test_killed_and_resumed(study, tmp_path):
    """Again and again between two checkpoints, and at last without room for its output, which costs the checkpoint nothing."""
    longer = ["--set", "relax.last=200000", "--set", "checkpoint.every_seconds=0.05"]
    relax(study, tmp_path / "whole.h5", *longer, "--state-out", tmp_path / "end.h5")
    out, state = tmp_path / "r.h5", tmp_path / "state.h5"
    command = [BIN / "relax", "--config", study / "study.yaml", "--backend", BACKEND, "--disorder", study / "d.h5", "--out", out, "--state-out", state, *longer]
    command = list(map(str, command))
    for _ in range(3):
        running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        while not checkpoint_of(out).exists() and running.poll() is None and time.monotonic() < begin + TIMEOUT:
            time.sleep(0.005)
        time.sleep(0.1)
        running.kill()
        running.wait()
    limited = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    )
    assert limited.returncode not in (0, 75) and str(tmp_path) in limited.stderr, limited.stderr
    assert not out.exists() and not state.exists() and checkpoint_of(out).exists()
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0 and "continuing from " in done.stderr, done.stderr
    assert_same(out, tmp_path / "whole.h5")
    assert_same(state, tmp_path / "end.h5")
    assert names_in(tmp_path) == ["end.h5", "r.h5", "state.h5", "whole.h5"]


def test_extension_goes_on_from_the_state(study, tmp_path):
    """Parts of a relaxation and its end equal the relaxation in one piece."""
    first, second, middle, end = (tmp_path / name for name in ("1.h5", "2.h5", "middle.h5", "end.h5"))
    relax(study, first, "--state-out", middle, "--set", "relax.last=101")
    relax(study, second, "--state", middle, "--state-out", end)
    whole, parts = contents(study / "whole.h5"), [contents(first), contents(second)]
    assert parts[0]["@relax_last"] == parts[1]["@relax_first"] == 100
    assert parts[1]["@relax_last"] == 372
    for name in whole:
        if name == "times" or name == "factors" or name.startswith("relaxation/") and "@" not in name:
            assert np.array_equal(np.concatenate([part[name] for part in parts]), whole[name]), name
    assert_same(end, study / "end.h5")
    assert "nothing is left to do; use the next time, 456," in relax(study, tmp_path / "3.h5", "--state", end, code=1)
    text = relax(study, tmp_path / "3.h5", "--state", middle, "--set", "relax.waiting=[0]", code=1)
    assert "relax.waiting = [0, 16, 100]" in text and "continues only with the keys it began with" in text


def test_starts(study, tmp_path):
    up = tmp_path / "up.h5"
    relax(study, up, "--set", "relax.start=up", "--set", "relax.waiting=[0]", "--set", "run.magnetisation=always", "--set", "relax.last=8")
    with h5py.File(up) as file:
        assert np.array_equal(file["relaxation/two_time_overlap"][:], file["relaxation/magnetisation"][:])
        assert file["relaxation/magnetisation"][0].mean() > 0.03 * 216
    state, out = tmp_path / "state.h5", tmp_path / "r.h5"
    call(study, "thermalize", "--disorder", study / "d.h5", "--out", state, "--set", "thermalize.sweeps=16")
    relax(study, out, "--state", state, "--set", "relax.start=state")
    with h5py.File(out) as file, h5py.File(study / "whole.h5") as whole:
        at, there = file["times"][:].tolist().index(4), TIMES.index(20)
        assert np.array_equal(file["relaxation/energy"][at], whole["relaxation/energy"][there])
        assert np.array_equal(
            file["relaxation/two_time_overlap"][at, :3], whole["relaxation/two_time_overlap"][there, 3:6]
        )


def test_schedules_change_temperatures_and_not_random_numbers(study, tmp_path):
    """Cooling in steps: up to its end the spins equal the spins of a study of the higher temperatures."""
    cooled, hot = tmp_path / "cooled.h5", tmp_path / "hot.h5"
    steps = ["--set", "relax.schedule=steps", "--set", "relax.factors=[2, 1.5]", "--set", "relax.stage_sweeps=12"]
    relax(study, cooled, *steps)
    relax(study, hot, "--set", "temperatures={list: [1.4, 2.2]}")
    with h5py.File(cooled) as a, h5py.File(hot) as b:
        factors = dict(zip(a["times"][:].tolist(), a["factors"][:].tolist()))
        assert factors == {t: 2.0 if t <= 12 else 1.5 if t <= 24 else 1.0 for t in TIMES}
        same = [np.array_equal(a["relaxation/energy"][i], b["relaxation/energy"][i]) for i in range(len(TIMES))]
        assert same == [t <= 12 for t in TIMES]
    linear = ["--set", "relax.schedule=linear", "--set", "relax.factors=[2]", "--set", "relax.stages=4"]
    relax(study, tmp_path / "linear.h5", *linear, "--set", "relax.stage_sweeps=6")
    with h5py.File(tmp_path / "linear.h5") as file:
        factors = dict(zip(file["times"][:].tolist(), file["factors"][:].tolist()))
    assert [factors[t] for t in (2, 6, 12, 18, 22, 28)] == [2.0, 2.0, 1.75, 1.5, 1.25, 1.0]


def factors_in(path):
    with h5py.File(path) as file:
        return file["factors"][:].tolist()


@pytest.mark.parametrize("kind, factor, factors", [
    ("linear", 3, [3.0, 2.5, 2.0, 1.5]), ("linear", 0.2, [0.2, 0.4, 0.6, 0.8]),
    ("geometric", 16, [16.0, 8.0, 4.0, 2.0]), ("geometric", 0.0625, [0.0625, 0.125, 0.25, 0.5]),
])  # fmt: skip
def test_schedules_are_steps_whole_interrupted_and_extended(study, tmp_path, kind, factor, factors):
    """Cooling and heating: the same spins with the factors written one by one, where it stops at any sweep, and in parts that end within stages."""
    whole, end = tmp_path / "whole.h5", tmp_path / "end.h5"
    schedule = [f"relax.schedule={kind}", f"relax.factors=[{factor}]", "relax.stages=4", "relax.stage_sweeps=15"]
    how = [word for key in schedule for word in ("--set", key)]
    relax(study, whole, *how, "--state-out", end)
    wanted = [factors[(t - 1) // 15] if t <= 60 else 1.0 for t in TIMES]
    assert np.allclose(factors_in(whole), wanted, rtol=1e-15, atol=0)
    written = list(dict.fromkeys(factors_in(whole)))[:-1]
    relax(study, tmp_path / "steps.h5", "--set", "relax.schedule=steps", "--set", f"relax.factors={written}", "--set", "relax.stage_sweeps=15")
    assert_same(tmp_path / "steps.h5", whole)
    stopped, stops = tmp_path / "stopped.h5", 0
    while not stopped.exists():
        limit = ["--time-limit", 0.00001] if stops < 8 else []
        relax(study, stopped, *how, *limit, code=75 if limit else 0)
        stops += 1
    assert_same(stopped, whole)
    state = []
    for number, last in enumerate((10, 20, 40, 70, 400)):
        part_end = tmp_path / f"end{number}.h5"
        relax(study, tmp_path / f"{number}.h5", *how, "--set", f"relax.last={last}", *state, "--state-out", part_end)
        state = ["--state", part_end]
    assert_same(part_end, end)
    assert sum((factors_in(tmp_path / f"{number}.h5") for number in range(5)), []) == factors_in(whole)
    parts = [contents(tmp_path / f"{number}.h5")["relaxation/energy"] for number in range(5)]
    assert np.array_equal(np.concatenate(parts), contents(whole)["relaxation/energy"])


def test_what_is_not_measured_is_told(study, tmp_path):
    text = relax(study, tmp_path / "r.h5", "--set", "relax.waiting=[0, 16, 300, 500]", "--set", "relax.last=300")
    assert "nothing is compared with the spins at 300, 500, because the last time is 300" in text
    assert "replicas = 1 gives no overlaps" in relax(study, tmp_path / "one.h5", "--set", "replicas=1", "--validate")
    assert "warning" not in relax(study, tmp_path / "all.h5")


@pytest.mark.parametrize(
    "change, words",
    [
        ("relax.first=3", ["relax.first = 3 has 3, which is odd", "use 4"]),
        ("relax.waiting=[0, 7]", ["relax.waiting", "7, which is odd"]),
        ("relax.waiting=[8, 4]", ["relax.waiting", "is not ascending"]),
        ("relax.waiting=8", ["relax.waiting", "is not a list"]),
        ("relax.first=500", ["relax.first", "larger than relax.last = 400; set relax.last to 500 or more"]),
        ("relax.last=1", ["relax.first = 2", "larger than relax.last = 1; set relax.last to 2 or more"]),
        ("relax.measure_every=500", ["relax.measure_every", "larger than relax.last = 400; set relax.last to 500 or more"]),
        ("relax.per_decade=0", ["relax.per_decade = 0 is too small; allowed: 1 to 1000"]),
        ("relax.factors=[2]", ["relax.factors", "has no use with relax.schedule = constant"]),
        ("relax.schedule=linear", ["relax.factors", "needs one factor"]),
        ("relax.schedule=steps", ["relax.factors", "is empty"]),
        ("relax.start=down", ["relax.start", "use one of random, up, state"]),
        ("model.boundary=open", ["--set: model.boundary = open does not go with relax", "use periodic"]),
        ("relax.start=state", ["--set: relax.start = state needs a state file; give it with --state"]),
    ],
)
def test_refusals(study, tmp_path, change, words):
    text = relax(study, tmp_path / "r.h5", "--set", change, code=1)
    assert all(word in text for word in words), text
    assert names_in(tmp_path) == []


def test_heat_bath_has_odd_times(study, tmp_path):
    out = tmp_path / "r.h5"
    how = ["--set", "dynamics.update=heat-bath", "--set", "relax.first=1", "--set", "relax.last=10", "--set", "relax.waiting=[]"]
    call(study, "gen-disorder", "--first", 0, "--count", 96, "--out", tmp_path / "d.h5", *how)
    call(study, "relax", "--disorder", tmp_path / "d.h5", "--out", out, *how)
    with h5py.File(out) as file:
        assert file["times"][:].tolist() == [1, 2, 3, 6, 10]
        assert "two_time_overlap" not in file["relaxation"]


def test_validate(study, tmp_path):
    assert "valid" in call(study, "relax", "--validate")
    assert "valid" in relax(study, tmp_path / "r.h5", "--validate")
    text = relax(study, tmp_path / "r.h5", "--validate", "--state", study / "end.h5", "--set", "relax.per_decade=5", code=1)
    assert "relax.per_decade" in text
    assert names_in(tmp_path) == []


def test_a_longer_relaxation_is_not_lost(study, tmp_path):
    out = tmp_path / "r.h5"
    relax(study, out)
    kept = out.read_bytes()
    assert "--force" in relax(study, out, "--set", "relax.last=100", code=1)
    assert "--force" in relax(study, out, "--set", "relax.waiting=[0]", code=1)
    assert out.read_bytes() == kept
    relax(study, out, "--set", "relax.last=100", "--force")


def test_a_state_of_another_past_is_not_lost(study, tmp_path):
    """A state of a relaxation is none that a run begins with, even where it stands earlier; nor the other way round."""
    state, end = tmp_path / "state.h5", tmp_path / "end.h5"
    early, batch = ["--set", "thermalize.sweeps=4"], ["--disorder", study / "d.h5"]
    call(study, "thermalize", *batch, "--out", state, *early)
    relax(study, tmp_path / "r.h5", "--state-out", end, "--set", "relax.last=8")
    kept = state.read_bytes(), end.read_bytes()
    assert "is not a state of a relaxation" in relax(study, tmp_path / "r.h5", "--state-out", state, code=1)
    assert "relax.start" in relax(study, tmp_path / "up.h5", "--state-out", end, "--set", "relax.start=up", code=1)
    assert "is a state of a relaxation" in call(study, "thermalize", *batch, "--out", end, "--set", "thermalize.sweeps=16", code=1)
    assert kept == (state.read_bytes(), end.read_bytes())
    relax(study, tmp_path / "r.h5", "--state-out", state, "--force")


def put(name, value, at=0):
    def change(file):
        file[name][at] = value

    return change


def without_snapshots(file):
    del file["snapshots"]


@pytest.mark.parametrize("change, words", [
    (put("run_start", -1), "from sweep -1 on"),
    (put("run_start", 4), "from sweep 4 on"),
    (put("sweep", 13), "at sweep 13"),
    (put("sweep", 2**47), "no relaxation"),
    (put("snapshots/sweep", 200, -1), "holds [0, 16, 200], but"),
    (put("snapshots/sweep", -4), "holds -4 at [0]"),
    (without_snapshots, "holds [], but the waiting times up to 372 are [0, 16, 100]"),
])  # fmt: skip
def test_impossible_states(study, tmp_path, change, words):
    """A relaxation does not continue an impossible state, nor a state without the spins that it compares with."""
    state = tmp_path / "state.h5"
    state.write_bytes((study / "end.h5").read_bytes())
    with changing(state) as file:
        change(file)
    text = relax(study, tmp_path / "r.h5", "--state", state, "--set", "relax.last=600", code=1)
    assert words in text and str(state) in text
    assert names_in(tmp_path) == ["state.h5"]
