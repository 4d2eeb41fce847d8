"""Relaxations: the statistics on synthetic data, and a small study of both kinds with the real programs."""

import csv
import json
import shutil

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pytest
from conftest import PROGRAMS, snakemake
from psflip.campaign.errors import StudyError
from psflip.relaxation import analysis, data, figures, lengths, report, scaling, stored
from psflip.relaxation.fits import power_law
from psflip.relaxation.parts import Part, one_after_the_other
from psflip.results import check_study
from psflip.results.cautions import Caution

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
CRITICAL = """\
seed: 20023
model: {kind: ferromagnet, dimension: 2}
lattice: {L: [12, 16, 32]}
disorder: {realizations: 2048, batch: 2048}
temperatures: {list: [2.15, 2.2, 2.24, 2.27, 2.3, 2.34, 2.4]}
replicas: 1
multispin: {share: 1}
relax: {last: 1200, per_decade: 8}
"""


def samples(truth: np.ndarray, errors: np.ndarray, groups: int = 32, seed: int = 1) -> np.ndarray:
    """Jackknife rows of a mean with these errors."""
    random = np.random.default_rng(seed)
    values = truth + errors * np.sqrt(groups) * random.normal(size=(groups, *truth.shape))
    return data.leave_one_out(values, np.arange(groups))


def check_coverage(z: np.ndarray) -> None:
    """As many (value - truth) / error within one and two as of a normal variable, to three standard errors."""
    for errors, expected in ((1.0, 0.683), (2.0, 0.95)):
        assert abs(np.mean(np.abs(z) < errors) - expected) < 3 * np.sqrt(expected * (1 - expected) / len(z))


def test_leave_one_out_and_whole_packs():
    values = np.array([1.0, 2.0, 3.0, 10.0])
    rows = data.leave_one_out(values, np.array([0, 0, 1, 1]))
    assert rows.tolist() == [4.0, 6.5, 1.5]
    groups = data.groups_of(np.arange(64, 64 + 3 * 32), 32)
    assert [set(groups[i * 32 : (i + 1) * 32]) for i in range(3)] == [{0}, {1}, {2}]
    many = data.groups_of(np.arange(1000), 1)
    assert many.max() + 1 == data.MAX_GROUPS and np.all(np.diff(many) >= 0)


def test_the_second_moment_of_uniform_spins_is_no_length():
    """The modes of uniform spins are rounding errors."""
    found = lengths.second_moment(np.array([1.0, 1.0, 0.1, 1.0]), np.array([1e-32, 0.0, 0.2, 0.2]), 4)
    assert np.isnan(found[:3]).all() and found[3] == pytest.approx(2 / (2 * np.sin(np.pi / 4)))


@pytest.mark.parametrize("form", [lengths.GLASS, lengths.DOMAINS])
def test_integral_lengths_of_a_known_correlation(form):
    """The cut-off and the tail leave the length of C = r^-a exp(-(r/xi)^b) within its errors, which are small. The errors equal the errors of
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


@pytest.mark.parametrize("groups", [10, 32])
def test_errors_of_lengths_cover(groups):
    """Where a cut-off lies between two distances, one study has it here and another one there."""
    truth = np.exp(-((np.arange(1, 13) / 3.0) ** 1.5)) / np.sqrt(np.arange(1, 13))
    found = [lengths.integral_lengths(samples(truth, np.full(12, 3e-3), seed=seed, groups=groups))["xi12"] for seed in range(400)]
    values, errors = np.array([rows[0] for rows in found]), np.array([lengths.error(rows[:, None])[0] for rows in found])
    check_coverage((values - values.mean()) / errors)


def test_noise_has_no_length():
    rows = samples(np.zeros(16), np.full(16, 1e-3))
    assert np.isnan(lengths.integral_lengths(rows)["xi12"]).all()


def test_power_law_and_its_error():
    t = np.array([10.0, 30.0, 100.0, 300.0, 1000.0])
    truth = 0.8 * t ** (1 / 7.0)
    fits = [power_law(t, samples(truth, 0.01 * truth, seed=seed), t > 20, 0.0) for seed in range(60)]
    powers = np.array([fit.power for fit in fits])
    assert all(fit.points == 4 and fit.t_from == 30 for fit in fits)
    assert abs(powers.mean() - 1 / 7) < 4 * powers.std(ddof=1) / np.sqrt(60)
    assert 0.7 < powers.std(ddof=1) / np.mean([fit.power_err for fit in fits]) < 1.4
    assert power_law(t, samples(truth, 0.01 * truth), t > 200, 0.0) is None


@pytest.mark.parametrize("groups", [10, 16, 64])
def test_powers_of_correlated_times_cover(groups):
    """400 relaxations whose times are correlated and grow noisier, with a correction to the power, so that it depends on the weights: powers lie around that of many groups as their errors say, as
    often within one and two of them as a normal variable."""
    t = 2.0 ** (np.arange(4, 40) / 3)
    smooth, everything = t ** (1 / 7) * (1 - 0.3 / np.sqrt(t)), np.ones(len(t), dtype=bool)
    exact = power_law(t, samples(smooth, 1e-9 * smooth), everything, -1.5).power
    noise = np.linalg.cholesky(np.exp(-np.abs(np.subtract.outer(np.log(t), np.log(t))) / 0.7)) * (t / t[0])[:, None] ** 0.3
    random, z = np.random.default_rng(5), []
    for _ in range(400):
        values = smooth * (1 + 0.002 * random.normal(size=(groups, len(t))) @ noise.T)
        fit = power_law(t, data.leave_one_out(values, np.arange(groups)), everything, -1.5)
        z.append((fit.power - exact) / fit.power_err)
    check_coverage(np.array(z))


def test_few_groups_have_no_exponents():
    """The default share with 256 realizations, and what the report says about it."""
    times = np.unique(np.logspace(1, 4, 20).round())
    rows = samples(times[:, None] ** (1 / 7), 0.003 * times[:, None] ** (1 / 7), groups=2)
    of = data.Relaxation(64, 3, times, np.zeros(0), np.array([1.1]), np.ones(len(times)), 256, {"energy": rows}, share=128)
    curves = analysis.Curves(of, {"xi12": rows})
    found = analysis.summary([curves], None)
    assert not found["growth"] and not found["decay"] and not found["z_against_temperature"]
    assert found["refused"] == [
        "L = 64 has no exponents: 256 realizations make 2 jackknife groups, as 128 realizations share random numbers, and errors of exponents need 10. "
        "Raise disorder.realizations to 1280 or more, or start another study with multispin.share: 1."
    ]
    page = report.document("few", [curves], found, [])
    assert found["refused"][0] in page and "does not grow far enough" not in page
    assert curves.error("xi12")[0, 0] == pytest.approx(1.8373 * lengths.error(rows)[0, 0], rel=1e-4)  # Student's factor of one degree of freedom


def synthetic(same: bool, seed: int, strength: float = 1.0) -> list[analysis.Curves]:
    """Two sizes and five temperatures around T_c = 1.1 with nu = 2.5, xi_L and the Binder ratio with noise that they have in common."""
    random, found = np.random.default_rng(seed), []
    for number, L in enumerate((8, 16)):
        T, groups = np.array([1.0, 1.05, 1.1, 1.15, 1.2]), 32 if same else 32 + 8 * number
        x = np.linspace(0.05, 0.7, 40)[:, None] * (1 - 0.3 * (T - 1.1) * L**0.4)
        D = (T - 1.1) * L**0.4
        noise = 0.01 * np.sqrt(groups) * random.normal(size=(2, groups, *x.shape))
        xs = data.leave_one_out(x + 0.3 * noise[0], np.arange(groups))
        gs = data.leave_one_out(np.tanh(1.8 * x) + strength * (0.1 * D**2 - 0.4 * D) * x + 0.6 * noise[0] + 0.3 * noise[1], np.arange(groups))
        of = data.Relaxation(L, 3, np.arange(40), np.zeros(0), T, np.ones(40), 32 * groups, {"energy": xs})
        found.append(analysis.Curves(of, {"xi": L * xs, "binder": gs}))
    return found


@pytest.mark.parametrize("same", [True, False])
def test_a_collapse_finds_the_temperature_and_nu(same):
    fits = [scaling.collapse(scaling.points_of(synthetic(same, seed))) for seed in range(16)]
    for name, truth in (("T_c", 1.1), ("nu", 2.5)):
        values, errors = np.array([getattr(f, name) for f in fits]), np.array([getattr(f, f"{name}_error") for f in fits])
        assert abs(values.mean() - truth) < 4 * values.std(ddof=1) / 4, name
        assert 0.6 < values.std(ddof=1) / errors.mean() < 1.6, name
        assert errors.mean() < 0.2 * truth, name
    used = fits[0].points
    assert set(used.L) == {8, 16} and used.x[0].min() >= scaling.WINDOW[0]
    assert np.abs(fits[0].shifted() - fits[0].master(used.x[0])).max() < 0.1


def test_one_size_does_not_collapse():
    assert scaling.collapse(scaling.points_of(synthetic(True, 1)[:1])) is None


def test_curves_that_collapse_at_all_temperatures_tell_none():
    found = [scaling.collapse(scaling.points_of(synthetic(True, seed, 0.0))) for seed in range(6)]
    assert sum(one is None for one in found) >= 3


def test_fits_take_times_of_constant_temperature_alone():
    """A schedule: powers, lambda and xi12^2 = a + b t begin behind its last change."""
    times = np.unique(np.logspace(1, 4, 20).round())
    rows = samples(1.2 * times[:, None] ** 0.5, 0.003 * times[:, None] ** 0.5, seed=3)
    of = data.Relaxation(1000, 2, times, np.zeros(1), np.array([1.5]), np.where(times <= 1000, 2.0, 1.0), 32, {"energy": rows})
    curves = analysis.Curves(of, {"xi12": rows, "two_time_overlap": 1 / rows[..., None]})
    fits = [*analysis.growth(curves), *analysis.diffusive(curves), *analysis.decay(curves)]
    assert len(fits) == 3 and all(fit["t_from"] == times[times > 1000][0] for fit in fits)
    curves.rows["xi12"] = rows + 300
    assert analysis.decay(curves) == []  # longer than is free of the size
    assert f"up to t = {times[times <= 1000][-1]:g}. Until then, they are the temperatures of the table times a factor, 2. Fits" in report.schedule_text([curves])


def test_links_are_per_bond_that_is_there(tmp_path):
    """Replicas and times that agree everywhere, on lattices of which a quarter of the bonds is missing."""
    with h5py.File(tmp_path / "all.h5", "w") as file:
        group = file.create_group("relaxation")
        group["energy"], group["overlap"] = np.zeros((1, 2, 1, 3)), np.full((1, 1, 1, 3), 16)
        group["kmin"], group["link"] = np.zeros((1, 1, 1, 3)), np.full((1, 1, 1, 3), 24)
        group["two_time_overlap"], group["two_time_link"] = np.full((1, 2, 1, 3), 16), np.full((1, 2, 1, 3), 24)
        found = data.per_realization(file, 4, 2, 1, 0.75)
    for name in ("q", "link", "two_time_overlap", "two_time_link"):
        assert np.all(found[name] == 1.0), name


def test_parts_with_a_gap_are_no_relaxation():
    def part(begin, end):
        return Part({"begin": begin, "end": end}, {"times": np.array([end])}, {"energy": np.zeros((1, 1, 2))}, np.arange(2), 2)

    assert one_after_the_other([part(100, 200), part(0, 100)]).along["times"].tolist() == [100, 200]
    for parts in ([part(0, 100), part(200, 400)], [part(100, 200)], [part(0, 100), part(50, 200)]):
        with pytest.raises(StudyError, match="do not make one relaxation from its start"):
            one_after_the_other(parts)


def test_z_against_temperature():
    """z = 2 + 5 / T at three temperatures."""
    times, T = np.unique(np.logspace(1, 4, 20).round()), np.array([0.6, 0.8, 1.0])
    truth = 1.2 * times[:, None] ** (1 / (2 + 5 / T))
    rows = samples(truth, 0.003 * truth, seed=3)
    of = data.Relaxation(64, 3, times, np.zeros(0), T, np.ones(len(times)), 1024, {"energy": rows})
    (fit, *_) = analysis.z_against_temperature(analysis.Curves(of, {"xi12": rows}))
    assert fit["temperatures"] == T.tolist()
    for name, wanted in (("a", 2.0), ("b", 5.0)):
        assert abs(fit[name] - wanted) < 4 * fit[f"{name}_err"] < 2.0, name
    assert 6.2 < fit["zT"] < 7.0


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
    assert page.count("<svg") == 9 and "diagonal χ²" in page and "Temperatures changed" not in page
    of_two = list(csv.DictReader((out / "two_time.csv").open()))
    row = next(r for r in of_two if (r["L"], r["T"], r["t_w"], r["t"]) == ("16", "0.7", "64", "20"))
    link = curves.value("two_time_link")[times.index(64 + 20), 0, 2]
    assert float(row["C"]) == pytest.approx(old, rel=1e-7) and float(row["link"]) == pytest.approx(link, rel=1e-7)
    assert {r["t_w"] for r in of_two} == {"0", "16", "64"} and min(int(r["t"]) for r in of_two) == 2


def test_domains_of_the_ferromagnet_diffuse(relaxed):
    out = relaxed / "results" / "ferromagnet"
    found = json.loads((out / "relaxation.json").read_text())
    assert [fit["xi_from"] for fit in found["diffusive"]] == [2.0, 8.0]
    assert all(fit["b"] > 5 * fit["b_err"] for fit in found["diffusive"])
    power = next(f["power"] for f in found["growth"] if f["xi_from"] == 1.5)
    assert 0.38 < power < 0.55
    assert (out / "relaxation" / "domains.png").stat().st_size > 5000
    (decay,) = found["decay"]
    assert -0.65 < decay["power"] < -0.35 and decay["power_err"] < 0.05
    row = next(csv.DictReader((out / "relaxation.csv").open()))
    assert "q2" not in row and "link" not in row and abs(float(row["m"])) < 5 * float(row["m_err"]) and 0 < float(row["m2"]) < 0.01
    assert not (out / "relaxation" / "collapse.png").exists()  # of one size


def test_the_ferromagnet_collapses_at_its_critical_temperature(tmp_path):
    """At 2 / ln(1 + sqrt 2), with nu = 1, long before the larger lattices are in equilibrium."""
    if not (PROGRAMS / "relax").is_file():
        pytest.skip(f"no relax in {PROGRAMS}; set PSFLIP_BIN")
    (tmp_path / "critical.yaml").write_text(CRITICAL)
    snakemake(tmp_path, "relaxation", study="critical.yaml", bin=PROGRAMS, backend="cpu")
    out = tmp_path / "results" / "critical"
    fit = json.loads((out / "relaxation.json").read_text())["collapse"]
    assert abs(fit["T_c"] - 2 / np.log(1 + np.sqrt(2))) < 4 * fit["T_c_err"] < 0.06
    assert abs(fit["nu"] - 1.0) < 4 * fit["nu_err"] < 1.6
    page = (out / "relaxation.html").read_text()
    assert "Collapse of the Binder ratio of L = 12, 16, 32" in page and (out / "relaxation" / "collapse_fit.png").is_file()


def test_more_time_goes_on_from_the_end(relaxed, tmp_path):
    folder = tmp_path / "longer"
    shutil.copytree(relaxed, folder)
    out = folder / "results" / "glass"
    before = {file: file.read_bytes() for file in out.glob("L*/*/relax-400.h5")}
    assert len(before) == 4
    (folder / "glass.yaml").write_text(GLASS.replace("LAST", "600"))
    snakemake(folder, "relaxation", study="glass.yaml", bin=PROGRAMS, backend="cpu")
    assert all(file.read_bytes() == content for file, content in before.items())
    longer = list(out.glob("L*/*/relax-600.h5"))
    assert len(longer) == 4
    for file in longer:
        with h5py.File(file) as part:
            assert part["times"][0] > 390 and part["times"][-1] <= 600
    times = {int(row["t"]) for row in csv.DictReader((out / "relaxation.csv").open())}
    assert min(times) == 2 and 400 < max(times) <= 600


@pytest.mark.parametrize("values, nothing", [([-1.0, np.nan], True), ([0.0, -2.0], True), ([0.5, -1.0], False)])
def test_a_logarithmic_axis_needs_a_value_above_zero(values, nothing):
    axes = plt.subplots()[1]
    axes.errorbar([1, 2], values, [0.1, 0.1])
    assert figures.shows_nothing(axes) == nothing
    plt.close("all")


def test_warnings_are_in_the_lines_for_a_terminal(tmp_path):
    found = {"kind": "relaxation", "sizes": [{"L": 8}]} | stored.cautions_of([Caution((8,), "too hot", "temperatures.max: 2")])
    (tmp_path / stored.NAME).write_text(json.dumps(found))
    assert "warning (L = 8): too hot. Remedy: temperatures.max: 2" in stored.summary(tmp_path) and "cautions" not in stored.cautions_of([])


OF_ISING = [{"L": 8, "realizations": 4, "times": 2}]
OF_VECTORS = [{"L": 8, "T": 0.5, "samples": 4, "stages": 2}, {"L": 8, "T": 0.9, "samples": 4, "stages": 1}]
FOUR, THREE = "8,0.5,1,4\n8,0.5,2,4\n8,0.9,1,4\n8,0.9,2,4\n", "8,0.5,1,4\n8,0.5,2,4\n8,0.9,1,4\n"


@pytest.mark.parametrize("sizes, count, rows, fault", [
    (OF_ISING, "realizations", FOUR, ""), (OF_ISING, "realizations", THREE, "3 rows, but relaxation.json has 4"), (OF_ISING, "realizations", FOUR.replace("2,4", "2,5"), "5 realizations, but relaxation.json has 4"),
    (OF_ISING, "realizations", FOUR + "6,0.5,1,4\n", "relaxation.csv has L = 6, which relaxation.json does not have"), (OF_ISING, "realizations", "", "0 rows"), (OF_ISING, "number", FOUR, "not as psflip writes it"),
    (OF_VECTORS, "samples", THREE, ""), (OF_VECTORS, "samples", FOUR, "T = 0.9: 2 rows, but relaxation.json has 1"), ([{"L": "8"}], "samples", THREE, "not as psflip writes it"),
])  # fmt: skip
def test_the_table_of_a_relaxation_is_compared_with_its_numbers(tmp_path, sizes, count, rows, fault):
    (tmp_path / "relaxation.json").write_text(json.dumps({"kind": "relaxation", "sizes": sizes}))
    (tmp_path / "relaxation.csv").write_text(f"L,T,t,{count}\n{rows}")
    found = check_study.check_relaxation(tmp_path)
    assert len(found) == bool(fault) and all(fault in text for text in found), found
