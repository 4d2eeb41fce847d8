"""Your own couplings as a disorder file: from arrays and from lists of edges; what is refused."""

import itertools

import forked
import h5py
import numpy as np
import psflip
import pytest
from conftest import BIN, call
from psflip.analysis.edge_list import couplings_of
from psflip.campaign import hdf5

GOOD = (4, 3, 4, 4, 4)


def ones(shape, **values):
    J = np.ones(shape, **values)
    J.flat[::3] = -1
    return J


def masked():
    J = np.ma.array(ones(GOOD))
    J[1, 0, 0, 0, 0] = np.ma.masked
    return J


def filled(value, dtype=float):
    J = ones(GOOD, dtype=dtype)
    J[0, 0, 0, 0, 1] = value
    return J


@pytest.mark.parametrize("J, first, sentence", [
    (ones((4, 3, 4, 4)), 0, "shape is \\(4, 3, 4, 4\\)"), (ones((4, 3, 4, 4, 6)), 0, "equal sides"), (ones((4, 3, 5, 5, 5)), 0, "an even L from 4"), (ones((4, 3, 2, 2, 2)), 0, "an even L from 4"),
    (np.ones((0, 3, 4, 4, 4)), 0, "no realizations"), (filled(2, int), 0, "values are"), (filled(8.5), 0, "within -8 and 8"), (filled(np.nan), 0, "not finite; remove nan and inf"),
    (ones(GOOD) > 0, 0, "the array has the type bool; write \\+1 and -1"), (ones(GOOD).astype(complex), 0, "the array has the type complex"), (masked(), 0, "some values are masked"),
    (ones(GOOD), 5, "first_realization=5: a multiple of 32"), (ones(GOOD), -32, "a multiple of 32, 0 or more"), (ones(GOOD), 0.5, "first_realization=0.5: a whole number"),
    (ones(GOOD), 32.0, "first_realization=32.0: a whole number"), (ones(GOOD), True, "a multiple of 32"), (ones(GOOD), 1 << 24, "numbered from 0 to 16777215"),
    (ones(GOOD), (1 << 24) + 32, "numbered from 0 to 16777215"), (ones((64, 2, 4, 4)), (1 << 24) - 32, "numbered from 0 to 16777215"),
])  # fmt: skip
def test_couplings_that_are_none(tmp_path, J, first, sentence):
    with pytest.raises(psflip.StudyError, match=sentence):
        psflip.couplings(tmp_path / "x.h5", J, first)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("J", [ones(GOOD), ones(GOOD, dtype=int), np.ma.array(ones(GOOD)), filled(0.25), filled(0)])
def test_files_are_as_the_programs_write_them(tmp_path, J):
    """Sealed, in the format with checksums of metadata, with all attributes; any flipped bit is found."""
    file = psflip.couplings(tmp_path / "x.h5", J, np.int64(64))
    assert hdf5.check_seal(file, "a file")
    with hdf5.hdf5_file(file, "a file") as opened:
        hdf5.check_root(opened, "disorder")
        assert opened.id.get_create_plist().get_version()[0] >= 2
        assert [hdf5.integer_attribute(opened, name) for name in ("first_realization", "realizations", "L", "sealed")] == [64, 4, 4, 1]
        assert opened["couplings"].dtype == (np.float64 if (J == 0.25).any() else np.int8) and np.array_equal(opened["couplings"], J)
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(psflip.StudyError, match="damaged"):
        psflip.open_file(file)


def edges_of(J, order="x-fastest", base=1, header=True, comment="# i j w"):
    """The text of a list of edges of J (direction, z, y, x), bond by bond."""
    dimension, L = J.ndim - 1, J.shape[-1]
    lines = []

    def number(place):  # x, y, z
        digits = place if order == "x-fastest" else place[::-1]
        return base + sum(digit * L**k for k, digit in enumerate(digits))

    for place in itertools.product(range(L), repeat=dimension):
        for d in range(dimension):
            w = J[(d, *place[::-1])]
            if w != 0:
                to = [(x + (k == d)) % L for k, x in enumerate(place)]
                ends = [number(place), number(to)]
                lines.append(f"{ends[len(lines) % 2]} {ends[1 - len(lines) % 2]} {w:.17g}")
    return "\n".join([comment, *([f"{L**dimension} {len(lines)}"] if header else []), *lines]) + "\n"


def drawn(dimension, L, real=False, is_open=False):
    rng = np.random.default_rng(L)
    J = np.clip(rng.normal(size=(dimension, *[L] * dimension)), -8, 8) if real else rng.choice([-1.0, 1.0], size=(dimension, *[L] * dimension))
    if is_open:
        for d in range(dimension):
            J[d].swapaxes(0, dimension - 1 - d)[-1] = 0
    return J


@pytest.mark.parametrize("dimension, L", [(2, 4), (2, 8), (3, 4), (3, 6)])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("order, base, header", [("x-fastest", 0, True), ("x-fastest", 1, False), ("x-slowest", 0, False), ("x-slowest", 1, True)])
def test_lists_of_edges(tmp_path, dimension, L, is_open, order, base, header):
    J = drawn(dimension, L, real=base == 0, is_open=is_open)
    (tmp_path / "edges.txt").write_text(edges_of(J, order, base, header))
    assert np.array_equal(couplings_of(tmp_path / "edges.txt", order), J)
    file = psflip.couplings(tmp_path / "x.h5", str(tmp_path / "edges.txt"), order=order)
    with h5py.File(file) as opened:
        assert np.array_equal(opened["couplings"][0], J) and opened["couplings"].dtype == (np.float64 if base == 0 else np.int8)


def lines(*more, keep=None):
    def make(path):
        text = edges_of(drawn(2, 4)).splitlines()[:keep]
        path.write_text("\n".join([*text[:1], *text[2:], *more]) + "\n")

    return make


@pytest.mark.parametrize("make, sentence", [
    (lines("1 3 1"), "edge 1 3 does not join neighbours of a lattice of L = 4 in 2 dimensions"), (lines("1 6 1"), "edge 1 6 does not join neighbours"), (lines("2 1 1"), "edge 2 1 comes twice"),
    (lines("3 3 1"), "edge 3 3 joins a site with itself"), (lines("1 2"), "write lines `i j w`"), (lines("a b c"), "write lines `i j w`"), (lines("1.5 2 1"), "give sites as whole numbers"),
    (lines("1 2 nan"), "weights as finite numbers"), (lines("16 17 1"), "17 sites, but L\\^2 or L\\^3 with an even L from 4"), (lines(keep=2), "write lines `i j w`"),
    (lambda path: path.write_text("9 18\n" + "1 2 1\n" * 18), "9 sites, but"), (lambda path: path.write_text("16 3\n1 2 1\n"), "16 sites and 3 edges, but there are 1 edges"),
    (lambda path: path.write_text("16 1\n1 17 1\n"), "sites up to 17"), (lambda path: path.write_text("2 3 1\n"), "the smallest site is 2"),
    (lambda path: path.write_text("64 1\n1 2 1\n"), "fit two dimensions and three; give the dimension"), (lambda path: path.write_text("16 1\n1 2 9.5\n"), "within -8 and 8"),
    (lambda path: None, "no such file"),
])  # fmt: skip
def test_lists_of_other_things(tmp_path, make, sentence):
    make(tmp_path / "edges.txt")
    with pytest.raises(psflip.StudyError, match=sentence):
        psflip.couplings(tmp_path / "x.h5", tmp_path / "edges.txt")
    assert not (tmp_path / "x.h5").exists()


def test_the_command(tmp_path):
    J = np.array([drawn(3, 4), -drawn(3, 4)])
    for name, one in zip(("a.txt", "b.txt"), J):
        (tmp_path / name).write_text(edges_of(one))
    done = forked.psflip(["couplings", "a.txt", "b.txt", "--out", "mine.h5", "--first-realization", "32"], tmp_path)
    assert done.returncode == 0 and "mine.h5: 2 realizations of L = 4 in 3 dimensions, couplings +1 and -1, 384 of 384 bonds" in done.stdout, done.stderr
    with h5py.File(tmp_path / "mine.h5") as file:
        assert np.array_equal(file["couplings"], J) and file.attrs["first_realization"] == 32
    (tmp_path / "c.txt").write_text(edges_of(drawn(3, 6)))
    for words, said in ((["a.txt", "c.txt", "--out", "other.h5"], "c.txt: this is another lattice"), (["a.txt", "--out", "mine.h5"], "exists already"), (["a.txt", "--out", "a.txt"], "would be lost")):
        done = forked.psflip(["couplings", *words], tmp_path)
        assert done.returncode == 1 and said in done.stderr, done.stderr


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("real", [False, True])
def test_the_programs_take_them(tmp_path, dimension, real):
    """Energies of the state from its spins and the couplings of the list are those that the programs measure."""
    if not (BIN / "measure").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    model = f"model: {{dimension: {dimension}{', couplings: gaussian' if real else ''}}}\n"
    (tmp_path / "study.yaml").write_text(f"seed: 1\n{model}lattice: {{L: 4}}\ndisorder: {{realizations: 1, batch: 1}}\ntemperatures: {{list: [0.1]}}\nmultispin: {{share: 1}}\nthermalize: {{sweeps: 400}}\nrun: {{sweeps: 200, measure_every: 10}}\n")  # fmt: skip
    J = drawn(dimension, 4, real)
    (tmp_path / "edges.txt").write_text(edges_of(J, base=0))
    psflip.couplings(tmp_path / "d.h5", tmp_path / "edges.txt")
    call(tmp_path, "thermalize", "--disorder", "d.h5", "--out", "s.h5")
    call(tmp_path, "pt-run", "--disorder", "d.h5", "--state", "s.h5", "--out", "r.h5", "--state-out", "t.h5")
    call(tmp_path, "measure", "--disorder", "d.h5", "--run", "r.h5", "--out", "o.h5")
    s = psflip.open_file(tmp_path / "t.h5")["spins"].isel(T=0, realization=0)
    energy = -sum(J[d] * (s * s.roll({axis: -1})).transpose("replica", *"zyx"[3 - dimension :]).values for d, axis in enumerate("xyz"[:dimension]))
    energy = energy.reshape(len(energy), -1).mean(axis=1)
    measured = psflip.open_file(tmp_path / "o.h5")["mean/energy"].values.item()
    assert abs(energy.mean() - measured) < 0.1 and measured < -1.1
