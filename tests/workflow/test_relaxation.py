"""Relaxations: the statistics on synthetic data, and a small study of both kinds with the real programs."""

import csv
import json
import shutil

import h5py
import numpy as np
import pytest
from conftest import PROGRAMS, snakemake
from psflip.relaxation import analysis, data, lengths
from psflip.relaxation.fits import power_law

GLASS = """\
seed: 31
lattice: {L: [8, 16]}
disorder: {realizations: 384, batch: 192}
temperatures: {list: [0.7, 1.1]}
replicas: 4
multispin: {share: 32}
relax: {last: LAST, per_decade: 6, waiting: [0, 16, 64]}
"""
FERROMAGNET = """\
seed: 2
model: {kind: ferromagnet, dimension: 2}
lattice: {L: 128}
disorder: {realizations: 64, batch: 64}
temperatures: {list: [1.5]}
replicas: 1
multispin: {share: 1}
dynamics: {update: heat-bath}
relax: {last: 200, per_decade: 8, waiting: [0, 32]}
"""


def samples(truth: np.ndarray, errors: np.ndarray, groups: int = 32, seed: int = 1) -> np.ndarray:
    """Jackknife rows of a mean with these errors."""
    random = np.random.default_rng(seed)
    values = truth + errors * np.sqrt(groups) * random.normal(size=(groups, *truth.shape))
    return data.leave_one_out(values, np.arange(groups))


def test_leave_one_out_and_whole_packs():
    values = np.array([1.0, 2.0, 3.0, 10.0])
    rows = data.leave_one_out(values, np.array([0, 0, 1, 1]))
    assert rows.tolist() == [4.0, 6.5, 1.5]
    groups = data.groups_of(np.arange(64, 64 + 3 * 32), 32)
    assert [set(groups[i * 32 : (i + 1) * 32]) for i in range(3)] == [{0}, {1}, {2}]
    many = data.groups_of(np.arange(1000), 1)
    assert many.max() + 1 == data.MOST_GROUPS and np.all(np.diff(many) >= 0)


@pytest.mark.parametrize("form", [lengths.GLASS, lengths.DOMAINS])
def test_integral_lengths_of_a_known_correlation(form):
    """The cut-off and the tail leave the length of C = r^-a exp(-(r/xi)^b) within its errors, which are small, and errors are those of
    independent data."""
    r, xi = np.arange(1, 33, dtype=float), 5.0
    truth = r ** -form[0] * np.exp(-((r / xi) ** form[1])) * (0.6 if form[0] else 1.0)
    fine = np.concatenate([[1.0], truth, np.zeros(20)])
    x = np.arange(len(fine), dtype=float)
    wanted = np.trapezoid(x**2 * fine, x) / np.trapezoid(x * fine, x)
    found = [lengths.integral_lengths(samples(truth, np.full(32, 2e-3), seed=seed), form)["xi12"] for seed in range(40)]
    means, errors = np.array([rows[0] for rows in found]), np.array([lengths.error(rows[:, None])[0] for rows in found])
    assert abs(means.mean() - wanted) < 0.02 * wanted
    assert 0.6 < means.std(ddof=1) / errors.mean() < 1.6
    assert errors.mean() < 0.05 * wanted


def test_noise_has_no_length():
    rows = samples(np.zeros(16), np.full(16, 1e-3))
    assert np.isnan(lengths.integral_lengths(rows)["xi12"]).all()


def test_power_law_and_its_error():
    t = np.array([10.0, 30.0, 100.0, 300.0, 1000.0])
    truth = 0.8 * t ** (1 / 7.0)
    fits = [power_law(t, samples(truth, 0.01 * truth, seed=seed), t > 20) for seed in range(60)]
    powers = np.array([fit.power for fit in fits])
    assert all(fit.points == 4 and fit.first == 30 for fit in fits)
    assert abs(powers.mean() - 1 / 7) < 4 * powers.std(ddof=1) / np.sqrt(60)
    assert 0.7 < powers.std(ddof=1) / np.mean([fit.power_error for fit in fits]) < 1.4
    assert power_law(t, samples(truth, 0.01 * truth), t > 200) is None


@pytest.fixture(scope="module")
def relaxed(tmp_path_factory):
    """Both studies, run by the workflow."""
    folder = tmp_path_factory.mktemp("relax")
    if not (PROGRAMS / "relax").is_file():
        pytest.skip(f"no relax in {PROGRAMS}; set PSFLIP_BIN")
    (folder / "glass.yaml").write_text(GLASS.replace("LAST", "400"))
    (folder / "ferromagnet.yaml").write_text(FERROMAGNET)
    for name in ("glass", "ferromagnet"):
        snakemake(folder, "relaxation", study=f"{name}.yaml", bin=PROGRAMS, backend="cpu")
    return folder


def test_the_glass_grows_slowly_and_ages(relaxed):
    out = relaxed / "results" / "glass"
    found = json.loads((out / "relaxation.json").read_text())
    fits = {(f["L"], f["T"], f["xi_from"]): f for f in found["growth"]}
    for temperature, low, high in ((0.7, 8.0, 14.0), (1.1, 4.5, 8.5)):
        z = fits[16, temperature, 1.5]["z"]
        assert low < z < high, z
    rows = list(csv.DictReader((out / "relaxation.csv").open()))
    assert {row["L"] for row in rows} == {"8", "16"}
    first = [float(row["energy"]) for row in rows if row["L"] == "16" and row["T"] == "0.7"]
    assert np.all(np.diff(first) < 0.01) and -1.78 < first[-1] < -1.7
    curves = analysis.curves_of(data.read(sorted(out.glob("L16/*/relax-400.h5")))[0])
    two_time, times = curves.value("two_time_overlap"), curves.data.times.tolist()
    young, old = two_time[times.index(16 + 20), 0, 1], two_time[times.index(64 + 20), 0, 2]
    assert 0.5 < young < old < 0.9  # older glasses are slower
    page = (out / "relaxation.html").read_text()
    assert page.count("<svg") == 7 and "diagonal χ²" in page


def test_domains_of_the_ferromagnet_diffuse(relaxed):
    out = relaxed / "results" / "ferromagnet"
    found = json.loads((out / "relaxation.json").read_text())
    (fit,) = found["diffusive"]
    assert fit["b"] > 10 * fit["b_err"]
    power = next(f["power"] for f in found["growth"] if f["xi_from"] == 1.5)
    assert 0.38 < power < 0.55
    assert (out / "relaxation" / "domains.png").stat().st_size > 5000
    assert not found["decay"] or found["decay"][0]["power"] < 0


def test_more_time_goes_on_from_the_end(relaxed, tmp_path):
    folder = tmp_path / "longer"
    shutil.copytree(relaxed, folder)
    out = folder / "results" / "glass"
    before = {file: file.read_bytes() for file in out.glob("L*/*/relax-400.h5")}
    (folder / "glass.yaml").write_text(GLASS.replace("LAST", "600"))
    snakemake(folder, "relaxation", study="glass.yaml", bin=PROGRAMS, backend="cpu")
    assert all(file.read_bytes() == content for file, content in before.items())
    for file in out.glob("L*/*/relax-600.h5"):
        with h5py.File(file) as part:
            assert part["times"][0] > 390 and part["times"][-1] <= 600
    times = {int(row["t"]) for row in csv.DictReader((out / "relaxation.csv").open())}
    assert min(times) == 2 and 400 < max(times) <= 600
