"""pt-run --tune-ladder: even acceptances between the given ends, the same ladder on every backend, what the numbers mean,
and what is refused. The programs are taken from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import os
import pathlib
import subprocess

import h5py
import numpy as np
import pytest
import yaml
from scipy.special import erfcinv

ROOT = pathlib.Path(__file__).resolve().parents[2]
BACKEND = os.environ.get("PSFLIP_TEST_BACKEND", "cpu")
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONFIG = """\
seed: 11
lattice: {L: 4}
disorder: {realizations: 128, batch: 128}
temperatures: {list: [0.4, 0.42, 0.5, 2.5]}
thermalize: {sweeps: 8192}
run: {sweeps: 32768}
"""
TOLERANCE = 0.02  # acceptance_tolerance of tuning/tune_ladder.hpp


class Folder:
    """A study with a bad ladder, its couplings, and how to call the programs."""

    def __init__(self, path):
        self.path = path
        (path / "study.yaml").write_text(CONFIG)
        self.finish("gen-disorder", "--first", 0, "--count", 128, "--out", path / "disorder.h5")

    def run(self, program, *arguments, **environment):
        study = [] if "--config" in arguments else ["--config", self.path / "study.yaml"]
        config = [*study, "--backend", environment.pop("BACKEND", BACKEND)]
        command = [str(a) for a in [BIN / program, *config, *arguments]]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})

    def finish(self, *arguments, **environment):
        result = self.run(*arguments, **environment)
        assert result.returncode == 0, result.stderr
        return result

    def tune(self, name, *arguments, **environment):
        """Both outputs: the YAML text and the numbers."""
        out, numbers = self.path / f"{name}.yaml", self.path / f"{name}.h5"
        disorder = ["--disorder", self.path / "disorder.h5"]
        self.finish("pt-run", "--tune-ladder", *disorder, "--out", out, "--numbers", numbers, *arguments, **environment)
        return out.read_text(), Numbers(numbers)


class Numbers:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.attributes = dict(file.attrs)
            self.rounds = [
                {name: data[...] for name, data in file[f"round{i}"].items()} | dict(file[f"round{i}"].attrs)
                for i in range(file.attrs["rounds"])
            ]
            self.choices = {name: data[...] for name, data in file["choices"].items()}
            self.program = file["provenance"].attrs["program"]
        self.before, self.after = self.rounds[0], self.rounds[self.attributes["chosen"]]
        self.constant = self.rounds[self.attributes["constant"]]


def number_fits(ladder, target):
    """As many temperatures as pairs are needed for the target, up to the next multiple of 4; half a pair of noise is allowed."""
    count, pairs = len(ladder["temperatures"]), erfcinv(ladder["acceptance"]).sum() / erfcinv(target)
    return count % 4 == 0 and count - 4.5 <= pairs <= count + 0.5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return Folder(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def tuned(folder):
    return folder.tune("tuned")


def test_a_bad_ladder_becomes_even(tuned):
    text, numbers = tuned
    assert numbers.program in ("pt-run", b"pt-run")
    before, after = numbers.before, numbers.after
    assert list(before["temperatures"]) == [0.4, 0.42, 0.5, 2.5]
    assert before["acceptance"].min() < 0.05 and before["acceptance"].max() > 0.9
    assert numbers.attributes["converged"] == 1
    assert abs(after["acceptance"] - after["acceptance"].mean()).max() <= TOLERANCE
    assert number_fits(after, 0.4)
    assert after["round_trips"] > 5 * before["round_trips"]
    ladder = yaml.safe_load(text)["temperatures"]["list"]
    assert ladder == list(after["temperatures"]) == sorted(ladder)
    assert (ladder[0], ladder[-1]) == (0.4, 2.5)


def test_the_text_gives_round_trips_per_flips_with_errors(tuned):
    """As the numbers do, for before and after; the estimate for the number that was chosen is what was measured."""
    text, numbers = tuned
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("# round trips per 10^9 flips"))
    assert lines[at + 1].split()[:3] == ["#", "standard", "error"]
    for offset, key in ((0, "round_trips"), (1, "round_trips_error")):
        measured = [1e9 * ladder[key] / (len(ladder["temperatures"]) * 64) for ladder in (numbers.before, numbers.after)]
        assert told_of(lines[at + offset]) == pytest.approx(measured, rel=1e-3)
    estimate = next(line for line in lines if line.split()[:2] == ["#", str(len(numbers.after["temperatures"]))])
    assert float(estimate.split()[-1]) == pytest.approx(told_of(lines[at])[1], rel=0.01)


def told_of(line):
    """The two values at the end of a line of the table."""
    return [float(word) for word in line.split()[-2:]]


def test_other_exchanges_are_accepted_as_often(folder, tuned):
    """A run of the proposed ladder on other realizations, counted by pt-run itself."""
    folder.finish("gen-disorder", "--first", 128, "--count", 128, "--out", folder.path / "d.h5")
    study = ["--set", f"temperatures={yaml.safe_load(tuned[0])['temperatures']}"]
    disorder = ["--disorder", folder.path / "d.h5"]
    folder.finish("thermalize", *study, *disorder, "--out", folder.path / "s.h5")
    folder.finish("pt-run", *study, *disorder, "--state", folder.path / "s.h5", "--out", folder.path / "r.h5")
    with h5py.File(folder.path / "r.h5") as file:
        accepted = file["tempering/accepted"][...].mean(axis=(0, 1)) / file["tempering/attempted"][...]
        trips = file["tempering/round_trips"][...].mean() / 32768
    after = tuned[1].after
    assert after["acceptance_error"].max() < TOLERANCE and after["round_trips_error"] < 0.03 * after["round_trips"]
    assert (abs(accepted - after["acceptance"]) < 4 * np.sqrt(2) * after["acceptance_error"]).all()
    assert abs(trips - after["round_trips"]) < 4 * np.sqrt(2) * after["round_trips_error"]


def test_numbers_agree_with_each_other(tuned):
    for ladder in tuned[1].rounds:
        T, f = ladder["temperatures"], ladder["cold_fraction"]
        assert (f[0], f[-1]) == (1, 0) and (f >= 0).all() and (f <= 1).all()
        fall = -np.diff(f)
        wanted = np.where(fall > 0, ladder["round_trips"] * np.diff(T) ** 2 / np.where(fall > 0, fall, 1), np.nan)
        np.testing.assert_allclose(ladder["diffusivity"], wanted, rtol=1e-12)
    choices = tuned[1].choices
    assert (np.diff(choices["count"]) > 0).all() and (np.diff(choices["acceptance"]) > 0).all()
    mine = list(choices["count"]).index(len(tuned[1].after["temperatures"]))
    assert choices["round_trips"][mine] == pytest.approx(tuned[1].after["round_trips"], rel=0.01)


@pytest.mark.parametrize(
    "arguments, environment",
    [(["--threads", 1], {}), (["--threads", 3], {}), (["--threads", 1], {"PSFLIP_SIMD": "scalar", "BACKEND": "cpu"})],
)
def test_the_same_on_every_backend(folder, arguments, environment):
    short = ["--tune-sweeps", 1000, "--feedback"]
    assert folder.tune("a", *short)[0] == folder.tune("b", *short, *arguments, **environment)[0]


def test_given_number_of_temperatures(folder):
    text, numbers = folder.tune("n", "--count", 7)
    assert len(yaml.safe_load(text)["temperatures"]["list"]) == 7 and "target_acceptance" not in numbers.attributes


def test_target_decides_the_number(folder, tuned):
    numbers = folder.tune("target", "--target-acceptance", 0.7)[1]
    assert len(numbers.after["temperatures"]) > len(tuned[1].after["temperatures"])
    assert number_fits(numbers.after, 0.7) and numbers.attributes["target_acceptance"] == 0.7


def test_an_even_ladder_is_kept(folder, tuned):
    text, numbers = folder.tune("again", "--set", f"temperatures={yaml.safe_load(tuned[0])['temperatures']}")
    assert len(numbers.rounds) == 1
    assert yaml.safe_load(text) == yaml.safe_load(tuned[0])


def test_feedback_keeps_or_raises_the_round_trips(folder, tuned):
    numbers = folder.tune("feedback", "--feedback")[1]
    assert len(numbers.rounds) > len(tuned[1].rounds)
    np.testing.assert_array_equal(numbers.constant["temperatures"], tuned[1].after["temperatures"])
    assert numbers.after["round_trips"] >= numbers.constant["round_trips"]
    for step in numbers.rounds[numbers.attributes["constant"] + 1 :]:
        assert (step["temperatures"][0], step["temperatures"][-1]) == (0.4, 2.5)
        assert len(step["temperatures"]) == len(tuned[1].after["temperatures"])


def test_the_result_is_part_of_a_study(folder, tuned):
    text = CONFIG.replace("temperatures: {list: [0.4, 0.42, 0.5, 2.5]}\n", tuned[0])
    (folder.path / "pasted.yaml").write_text(text)
    folder.finish("thermalize", "--config", folder.path / "pasted.yaml", "--validate")


REFUSED = [
    (["--tune-ladder", "--state", "FOLDER/disorder.h5"], "--tune-ladder excludes --state"),
    (["--tune-ladder", "--state-out", "FOLDER/s.h5"], "--tune-ladder excludes --state-out"),
    (["--tune-ladder", "--until", 32768], "--tune-ladder excludes --until"),
    (["--count", 5], "--count requires --tune-ladder"),
    (["--feedback"], "--feedback requires --tune-ladder"),
    (["--tune-ladder", "--count", 5, "--target-acceptance", 0.3], "--target-acceptance excludes --count"),
    (["--tune-ladder", "--count", 65], "--count"),
    (["--tune-ladder", "--target-acceptance", 0], "--target-acceptance"),
    (["--tune-ladder", "--target-acceptance", "nan"], "--target-acceptance: nan is not a number from 0.01 to 0.95"),
    ([], "--state is required"),
    (["--tune-ladder", "--set", "temperatures={list: [1.0]}"], "give a list of two or more, or min and max"),
    (["--tune-ladder", "--numbers", "OUT"], "are the same file"),
    (["--tune-ladder", "--out", "FOLDER/disorder.h5"], "is an input of this call"),
    (
        ["--tune-ladder", "--set", "temperatures={list: [0.1, 10]}", "--target-acceptance", 0.95, "--tune-sweeps", 500],
        "but at most 64 are possible",
    ),
]


@pytest.mark.parametrize("arguments, message", REFUSED, ids=[str(r[0][:3]) for r in REFUSED])
def test_refused(folder, tmp_path, arguments, message):
    out = tmp_path / "out.yaml"
    filled = [str(a).replace("FOLDER", str(folder.path)).replace("OUT", str(out)) for a in arguments]
    given = [] if "--out" in filled else ["--out", out]
    result = folder.run("pt-run", "--disorder", folder.path / "disorder.h5", *given, *filled)
    assert result.returncode == 1, result.stderr
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_stop_leaves_nothing(folder, tmp_path):
    arguments = ["--disorder", folder.path / "disorder.h5", "--out", tmp_path / "out.yaml", "--numbers", tmp_path / "n.h5"]
    result = folder.run("pt-run", "--tune-ladder", *arguments, "--tune-sweeps", 10**9, "--time-limit", 0.2)
    assert result.returncode == 75, result.stderr
    assert "keeps no checkpoint" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_sweeps_are_rounded_to_whole_steps_of_tiles(tmp_path):
    study = tmp_path / "tiles.yaml"
    study.write_text("""seed: 2
model: {kind: ferromagnet, dimension: 2}
lattice: {L: 64}
disorder: {realizations: 1, batch: 1}
temperatures: {list: [2.3, 2.5]}
multispin: {lanes: sites}
dynamics: {tile: 2, hits: 5, tile_order: alternating, sweeps_per_swap: 5}
thermalize: {sweeps: 10}
run: {sweeps: 1600}
""")
    command = [BIN / "pt-run", "--config", study, "--backend", BACKEND, "--tune-ladder", "--tune-sweeps", "102", "--disorder", tmp_path / "d.h5", "--out", tmp_path / "ladder.yaml"]
    for words in ([BIN / "gen-disorder", "--config", study, "--first", "0", "--count", "1", "--out", tmp_path / "d.h5"], command):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    assert "temperatures" in yaml.safe_load((tmp_path / "ladder.yaml").read_text())
