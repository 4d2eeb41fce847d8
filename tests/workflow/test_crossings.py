"""Crossings of curves with known ones, and the command psflip crossings."""

import csv
import subprocess
import sys

import h5py
import numpy as np
import pytest
from conftest import ROOT
from psflip.critical.crossings import crossing, last_below
from psflip.results.notation import with_error
from psflip.results.averages import Size
from psflip.results.reduced import read_reduced
from synthetic import write_reduced

GROUPS = 200
CRITICAL = 1.1
LADDER = np.geomspace(0.8, 2.0, 16)
NEVER = "the difference of the curves is not 2 sigma on both sides of a change of sign"
NO_COMMON = "the sizes have fewer than two common temperatures with values and jackknife samples"


def binder(T, L):
    """Finite-size scaling without corrections: all sizes cross at CRITICAL, with slopes like the ±J model."""
    x = (T / CRITICAL - 1) * L ** (1 / 2.56)
    return 0.5 * (3 - (1 + 2 / (1 + np.exp(1.10 - 1.1 * x - 0.3 * x * x))))


def steep(T, L):
    """Curves of a ferromagnet's overlap, with a wide flat part on either side."""
    return 0.5 - 0.5 * np.tanh((T / CRITICAL - 1) * 5 * L)


def size_of(L, T, curve, error, own, random, noise=0.0):
    """Values with `noise` times their error, and samples with this error, of which the part `own` is not common to temperatures."""
    groups = error * np.sqrt(GROUPS) * (np.sqrt(1 - own**2) * random.normal(size=(GROUPS, 1)) + own * random.normal(size=(GROUPS, len(T))))
    groups -= (1 - noise) * groups.mean(axis=0)
    groups = curve(T, L) + groups
    mean = groups.mean(axis=0)
    return Size(L, np.asarray(T), 1000, {"binder": mean}, samples={"binder": (GROUPS * mean - groups) / (GROUPS - 1)})


def crossing_of(small, large, curve, error=0.003):
    random = np.random.default_rng(7)
    return crossing(size_of(4, small, curve, error, 0.1, random), size_of(8, large, curve, error, 0.1, random), "binder")


@pytest.mark.parametrize("small, large", [(LADDER, LADDER), (np.geomspace(0.7, 1.9, 14), np.geomspace(0.9, 1.6, 17))])
def test_exact_scaling_curves_cross_where_they_should(small, large):
    found = crossing_of(small, large, binder)
    assert found.T == pytest.approx(CRITICAL, rel=1e-3) and found.value == pytest.approx(binder(CRITICAL, 4), rel=1e-3)
    assert 0 < found.T_err < 0.1 and found.T_first < CRITICAL < found.T_last


def test_no_crossing_says_why():
    hot, cold = np.geomspace(1.3, 2.0, 8), np.geomspace(0.5, 0.9, 6)
    for small, large, curve, error, note in (
        (hot, hot, binder, 0.003, NEVER),
        (LADDER, LADDER, lambda T, L: binder(T, 12 - L), 0.003, NEVER),
        (LADDER, LADDER, binder, 100.0, NEVER),
        (cold, hot, binder, 0.003, NO_COMMON),
        (LADDER, LADDER, lambda T, L: np.full_like(T, np.nan), 0.003, NO_COMMON),
        (np.array([0.9, 1.4]), np.array([0.9, 1.4]), lambda T, L: binder(T, L), 0.0, NO_COMMON),
    ):
        found = crossing_of(small, large, curve, error)
        assert found.note == note and not found.found and np.isnan([found.T_err, found.value, found.value_err, found.p]).all()


def test_few_temperatures_and_holes():
    for count in (3, 4, 5):
        found = crossing_of(np.linspace(0.9, 1.4, count), np.linspace(0.9, 1.4, count), binder, 0.001)
        assert found.T == pytest.approx(CRITICAL, abs=2 * found.T_err) and found.T_err < 0.1

    def holes(T, L):
        return np.where((L == 8) & ((T == LADDER[3]) | (T == LADDER[14])), np.nan, binder(T, L))

    assert crossing_of(LADDER, LADDER, holes).T == pytest.approx(CRITICAL, rel=2e-3)


@pytest.mark.parametrize("count", [12, 24, 48])
def test_steep_curves_are_fitted_in_a_narrow_window(count):
    """No wide polynomial fits them; the crossing stays near the change of sign, and a note says that nothing tests it."""
    T = np.geomspace(0.8, 1.5, count)
    found = crossing_of(T, T, steep, 0.01)
    above = int(np.searchsorted(T, CRITICAL))
    assert abs(found.T - CRITICAL) < 2.5 * found.T_err and found.T_err < 0.02
    assert "too far apart" in found.note and found.T_last - found.T_first < 0.3
    assert T[above - 2] < found.T < T[above + 1]


@pytest.mark.parametrize("z, below", [
    ([7.8, 3.0, -3.2, -2.9], 1), ([7.8, 3.0, -3.2, -2.9, 2.0, 3.0, 4.0, 3.0], 1), ([7.8, 3.0, -3.2, -2.9, 2.0, 3.0, 4.0, 3.0, -0.1, -0.3], 1),
    ([5.0, -0.4, 0.3, 4.0, -0.2, 0.1, -5.0, -6.0], 3), ([1000.0, -2.0, 3.0, -1000.0, -5.0], 2), ([-7.8, -3.0, 3.2, 2.9], -1), ([0.4, 0.5, -0.3, -0.6], -1),
    ([1.9, 1.9, -3.0, -4.0], -1), ([3.0, 2.1, -1.9, -1.9], -1), ([2.1, 0.1, -0.1, -2.1], 1), ([], -1),
])  # fmt: skip
def test_the_change_of_sign_is_the_best_split(z, below):
    """Sizes beyond 5 sigma say no more; both sides need 2 sigma."""
    assert last_below(np.array(z)) == below


def test_curves_that_cross_back_in_the_paramagnet():
    T = np.geomspace(0.9, 2.0, 24)
    found = crossing_of(T, T, lambda T, L: steep(T, L) + (L == 8) * 0.02 * np.maximum(0, T - 1.35), 1e-3)
    assert found.T == pytest.approx(CRITICAL, rel=0.01)


def test_the_noise_of_the_paramagnet_does_not_cross():
    random, T = np.random.default_rng(11), np.geomspace(300.0, 400.0, 12)
    found = [crossing(*(size_of(L, T, lambda T, L: np.zeros_like(T), 0.05, 1.0, random, 1.0) for L in (4, 6)), "binder") for _ in range(200)]
    assert not any(c.found for c in found)
    reasons = ["infinite temperature" in c.note for c in found]
    assert any(reasons) and not all(reasons)


@pytest.mark.parametrize("own", [0.1, 0.5])
def test_errors_cover(own):
    """200 pairs of curves with noise in their values."""
    random = np.random.default_rng(29)
    found = [crossing(*(size_of(L, LADDER, binder, 0.001, own, random, 1.0) for L in (4, 8)), "binder") for _ in range(200)]
    T, error = np.array([(c.T, c.T_err) for c in found if c.found]).T
    print(f"{len(T)} found, scatter {T.std():.4f}, quoted {np.sqrt((error**2).mean()):.4f}, within {np.mean(np.abs(T - CRITICAL) < error):.2f}")
    assert len(T) > 190 and np.isfinite(error).mean() > 0.95
    assert np.mean(np.abs(T - CRITICAL) < error) == pytest.approx(0.68, abs=0.1)


def test_noise_that_realizations_share_enters_the_error():
    random = np.random.default_rng(43)
    sizes = [size_of(L, LADDER, binder, 0.003, 0.3, random) for L in (4, 8)]
    alone = crossing(*sizes, "binder")
    sizes[1].columns["binder_err_shared"] = np.full(len(LADDER), 0.003)
    assert 1.02 * alone.T_err < crossing(*sizes, "binder").T_err < 2 * alone.T_err
    sizes[1].columns["binder_err_shared"][5] = np.nan
    unknown = crossing(*sizes, "binder")
    assert unknown.found and np.isnan([unknown.T_err, unknown.value_err]).all() and "one time block" in unknown.note


def psflip(*words):
    return subprocess.run([sys.executable, ROOT / "workflows/psflip", "crossings", *map(str, words)], capture_output=True, text=True)


@pytest.fixture
def reduced(tmp_path):
    """As an earlier version wrote it, with crossings in the file."""
    path = write_reduced(tmp_path / "reduced.h5")
    with h5py.File(path, "r+") as file:
        file["crossings/L1"], file["crossings/L2"], file["crossings/binder_T"] = [4, 4, 6], [6, 8, 8], [7.0, 7.0, 7.0]
    return path


def test_the_command_prints_and_writes_all_pairs(reduced, tmp_path):
    done = psflip(reduced, "--csv", tmp_path / "crossings.csv")
    assert done.returncode == 0 and not done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["quantity", "L1", "L2", "T", "value", "there", "p", "note"] and len(lines) == 7
    rows = list(csv.DictReader((tmp_path / "crossings.csv").open()))
    known = [c for of in read_reduced(reduced).crossings.values() for c in of]
    assert [(row["observable"], int(row["L1"]), int(row["L2"])) for row in rows] == [(name, *pair) for name in ("binder", "xi_over_L") for pair in ((4, 6), (4, 8), (6, 8))]
    for row, c, line in zip(rows, known, lines[1:]):
        assert float(row["T"]) == pytest.approx(c.T, rel=1e-9) and abs(c.T - 1.15) < 0.2
        assert line.split()[:3] == [row["observable"], row["L1"], row["L2"]] and with_error(c.T, c.T_err) in line and line.endswith(c.note)


def test_the_command_takes_several_files(reduced, tmp_path):
    one = write_reduced(tmp_path / "one.h5", sizes=(4,))
    done = psflip(reduced, one, "--csv", tmp_path / "all.csv")
    assert done.stdout.startswith(f"{reduced}:\n") and done.stdout.endswith(f"{one}:\nL = 4 alone has no crossing, because a crossing needs two sizes\n")
    assert {row["file"] for row in csv.DictReader((tmp_path / "all.csv").open())} == {str(reduced)}


def test_files_that_are_missing_or_something_else(reduced, tmp_path):
    (tmp_path / "text.h5").write_text("no HDF5")
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file.attrs["kind"] = "run"
    for words, said in (
        ([tmp_path / "gone.h5"], "gone.h5: no such file"),
        ([tmp_path / "text.h5"], "text.h5: this is not a reduced file as reduce-disorder writes it"),
        ([tmp_path / "run.h5"], "run.h5: a reduced file is needed, but this is a file of kind run"),
        ([reduced, "--csv", reduced], "would be lost"),
        ([], "the following arguments are required: reduced"),
    ):
        done = psflip(*words)
        assert done.returncode == 1 and not done.stdout and done.stderr.startswith("psflip crossings: ") and said in done.stderr and done.stderr.count("\n") == 1
