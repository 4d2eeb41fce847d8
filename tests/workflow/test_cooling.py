"""Field cooling over concentrations in small: configs/fecr.yaml with L = 12, larger Dzyaloshinskii-Moriya vectors and field, its tables and pictures, and pictures of the spins."""

import csv
import os
import pathlib
import re
import sys

import numpy as np
import forked
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
CONCENTRATIONS = (0.0, 0.4, 1.0)
SMALL = ["lattice.L=12", "disorder.realizations=4", "disorder.batch=4", "model.dm=[-0.4, 0.36, -0.16]", "model.field=0.1", "relax.stage_sweeps=800",
         "relax.last=26400", "relax.waiting=[0, 16000, 26400]", "relax.measure_every=10"]  # fmt: skip


def script(*words, code=0):
    done = forked.psflip(words)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def cooling(out, *more, code=0):
    changes = [word for change in SMALL for word in ("--set", change)]
    return script("vectors.cooling", ROOT / "configs/fecr.yaml", "--out", out, "--bin", BIN, "--backend", "cpu", "--realizations", 4, *changes, *more, code=code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cooling") / "small"
    cooling(folder, "--concentrations", *CONCENTRATIONS)
    return folder


def rows(path):
    with path.open(encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def test_tables(folder):
    found, at = rows(folder / "cooling.csv"), rows(folder / "transitions.csv")
    assert [row["x"] for row in at] == list(CONCENTRATIONS) and len(found) == 3 * 33
    assert {round(row["T"], 3) for row in found} == {round(0.1 + 0.05 * i, 3) for i in range(33)} and {row["h"] for row in found} == {0.1}
    neel = {row["x"]: (row["T_neel"], row["T_neel_err"]) for row in at}
    # An infinite lattice has 1.443 |J| without vectors, which raise it, while open boundaries of small ones lower it; J(b-b) / J(a-a) = 0.22.
    assert 1.3 < neel[0.0][0] < 1.65 and neel[0.0][1] < 0.1
    assert neel[0.4][0] < 0.8 * neel[0.0][0] and 0.3 < neel[1.0][0] < 0.55
    cold = {row["x"]: row for row in found if round(row["T"], 3) == 0.1}
    assert cold[0.0]["ms"] > 0.9 and 0.48 < cold[0.0]["even"] < 0.5 and 0.48 < cold[0.0]["odd"] < 0.5
    # The canting angle of the ground state is tan(2 t) = D / |J| without anisotropy and field.
    assert abs(cold[0.0]["moment_z"] - np.sin(np.arctan(0.4) / 2)) < 0.01 and cold[0.0]["moment_z_err"] < 0.002
    assert all(row["ms"] > abs(row["moment_z"]) for row in found if row["T"] < 0.3)


def test_the_moment_changes_sign_on_the_way(folder):
    at = {row["x"]: row for row in rows(folder / "transitions.csv")}
    assert np.isnan(at[0.0]["T_compensation"]) and 0.2 < at[0.4]["T_compensation"] < 0.6 < at[0.4]["T_neel"]


def test_the_page_has_transitions_and_pictures(folder):
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.results.notation import with_error

    page = (folder / "cooling.html").read_text(encoding="utf-8")
    (row,) = [row for row in rows(folder / "transitions.csv") if row["x"] == 0.4]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", page[page.index('<td class="number">0.4</td>') :].split("</tr>")[0])
    assert cells[2:] == [with_error(row[name], row[f"{name}_err"]) for name in ("T_neel", "T_compensation")]
    assert page.count("<svg") == 6 and "x = 0.4. These are the spins of one lattice" in page and "–" in page


def test_pictures_are_the_same_again(folder):
    names = ("cooling.png", "transitions.png", "cooling.html")
    first = [(folder / name).read_bytes() for name in names]
    printed = cooling(folder, "--concentrations", *CONCENTRATIONS)  # nothing is run again
    assert re.search(r"^x = 0: T_neel = \d\.\d+\(\d+\), no T_compensation$", printed, re.M) and "nan" not in printed
    assert [(folder / name).read_bytes() for name in names] == first and all(image.startswith((b"\x89PNG", b"<!DOCTYPE")) for image in first)


def test_shaft_and_head_of_an_arrow_have_one_colour():
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors import spin_file, spins

    vectors = np.random.default_rng(1).normal(size=(3, 3, 4, 5))
    picture = spin_file.Picture(vectors / np.linalg.norm(vectors, axis=0), None, "")
    lines = spins.arrows(picture, "z").axes[0].collections[0]
    segments, colours = np.array(lines._segments3d), lines.get_colors()
    assert len(segments) == 3 * 60 == len(colours)
    for i, (segment, colour) in enumerate(zip(segments[60:], colours[60:])):
        assert any(np.allclose(segment[0], end) for end in segments[i % 60]) and np.array_equal(colour, colours[i % 60])
    assert len(np.unique(colours, axis=0)) > 30


@pytest.mark.parametrize("colour", ["staggered-x", "z", "species"])
def test_pictures_of_spins(folder, tmp_path, colour):
    words = ("vectors.spins", folder / "state-0.4.h5", "--disorder", folder / "disorder-0.4.h5", "--colour", colour, "--normal", "y", "--at", 3)
    for out in ("a", "b"):
        script(*words, "--out", tmp_path / out)
    for name in ("spins_arrows.png", "spins_slice.png", "spins_strip.png"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() and (tmp_path / "a" / name).stat().st_size > 10000


def test_of_a_large_lattice_a_corner_is_drawn():
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors import spin_file, spins

    picture = spin_file.Picture(np.ones((3, 2, 40, 64)) / np.sqrt(3), None, "")
    (axes, *_) = spins.slices([picture], "z", "z", 1).axes
    assert axes.get_xlim() == axes.get_ylim() == (-1, 32) and len(axes.collections[0].U) == 32**2
    axes = spins.arrows(picture, "z").axes[0]
    assert len(axes.collections[0]._segments3d) == 3 * 2 * 6 * 6 and "corner of $L = 64$" in axes.get_title()


def test_a_page_to_turn(tmp_path):
    pytest.importorskip("plotly")
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors import spin_file, turned

    picture = spin_file.Picture(np.eye(3)[:, [0, 1, 2, 0]].reshape(3, 1, 2, 2), None, "$T = 1$")
    points, colours = turned.needles(picture, "z")
    assert points.shape == (12, 3) and np.allclose(points[[0, 1]], [[-0.45, 0, 0], [0.45, 0, 0]]) and np.allclose(points[[6, 7]], [[0, 1, -0.45], [0, 1, 0.45]])
    assert np.isnan(points[2::3]).all() and colours.tolist() == [0] * 6 + [1] * 3 + [0] * 3
    for name in ("a.html", "b.html", "b.html"):
        turned.write(picture, "z", tmp_path / name)
    page = (tmp_path / "a.html").read_bytes()
    assert page == (tmp_path / "b.html").read_bytes() and 10**6 < len(page) < 10**7 and b"<script src=" not in page
    with pytest.raises(turned.StudyError, match="up to 32768 spins"):
        turned.page(spin_file.Picture(np.zeros((3, 33, 33, 33)), None, ""), "z")


def test_a_page_to_turn_needs_plotly(tmp_path, monkeypatch):
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors import spin_file, turned

    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(turned.StudyError, match="pip install plotly"):
        turned.page(spin_file.Picture(np.zeros((3, 2, 2, 2)), None, ""), "z")


def test_what_is_wrong_is_told(folder, tmp_path):
    state = folder / "state-0.4.h5"
    assert "no plane y = 12" in script("vectors.spins", state, "--out", tmp_path, "--normal", "y", "--at", 12, code=1)
    assert "--disorder" in script("vectors.spins", state, "--out", tmp_path, "--colour", "species", code=1)
    assert "no realization 8; use 0 to 3" in script("vectors.spins", state, "--out", tmp_path, "--realization", 8, code=1)
    assert "the file has no vector spins" in script("vectors.spins", folder / "relax-0.4.h5", "--out", tmp_path, code=1)
    assert "relax.fields" in cooling(tmp_path / "bad", "--concentrations", 0, "--set", "relax.fields=[2]", code=1)
    assert "vectors.cooling" in script("relaxation.study", "--relaxations", folder / "relax-0.4.h5", "--state", state, "--out", tmp_path / "r", "--name", "r", code=1)


def test_peak_and_change_of_sign():
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors.legs import changes_of_sign, peak, zero_between

    T = np.array([2.0, 1.5, 1.0, 0.5])
    assert abs(peak(T, 3 - (T - 1.4) ** 2) - 1.4) < 1e-12 and np.isnan(peak(T, T))
    moment, error = np.array([0.0, 0.2, 0.1, -0.3]), np.full(4, 0.01)
    assert changes_of_sign(T, moment, error, 2.0) == [2] and changes_of_sign(T, np.abs(moment), error, 2.0) == []
    assert changes_of_sign(T, moment, 10 * error, 2.0) == []  # not sure
    assert abs(zero_between(T, moment, 2) - 0.875) < 1e-12


def test_a_sample_that_loses_a_wall_does_not_rule_the_peak():
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors.legs import peak
    from psflip.vectors.protocols import Protocol

    T = np.arange(2.0, 0.5, -0.1)
    chi = np.exp(-((T - 1.4) ** 2) / 0.02) * np.array([[2.0], [3.0], [4.0], [5.0]]) + 0.1
    chi[2, np.argmin(abs(T - 1.0))] = 50.0
    typical = Protocol(8, 3, 0.0, T, 0 * T, {"chi_ms": chi}).left_out_typical("chi_ms")
    assert np.allclose(typical[0], np.exp(np.log(chi).mean(axis=0))) and np.allclose(typical[3], np.exp(np.log(np.delete(chi, 2, axis=0)).mean(axis=0)))
    assert typical.shape == (5, len(T)) and all(abs(peak(T, row) - 1.4) < 0.05 for row in typical)
    assert abs(peak(T, chi.mean(axis=0)) - 1.0) < 0.05
