"""Exponents of a transition at T = 0 from scaling forms: exact curves, corrections, coverage of errors, files, report."""

import csv
import math
from html import unescape

import numpy as np
import pytest
from critical_coverage import COLD, ZERO, Tally
from psflip.critical import stored, zero_temperature
from psflip.critical.analysis import analyse
from psflip.critical.jackknife import error
from psflip.results.averages import Size
from psflip.results.notation import with_error
from psflip.results.reduced import Reduced, read_reduced
from scaling_forms import AtZero, reduced_of, write
from scipy.optimize import brentq
from test_report import Page, report_of, script

SIZES, NU = (4, 6, 8, 12, 16), 3.58
CONFIG = "model: {dimension: 2, couplings: gaussian}"


def made(seed, noise, sizes=SIZES, truth=ZERO, config=CONFIG):
    data = reduced_of(truth, np.random.default_rng(seed), sizes, COLD, noise)
    return Reduced(data.sizes, {"config": config})


@pytest.fixture(scope="module")
def study():
    return made(1, 0.005)


def test_curves_without_noise_give_the_exponent():
    """Temperatures at the levels agree with the exact curves, and theta with -1/nu, for neighbours and for pairs of L and 2L."""
    found = zero_temperature.exponents(made(2, 1e-5))
    assert {e.sizes for e in found} == {(4, 6), (4, 8), (6, 8), (6, 12), (8, 12), (8, 16), (12, 16)}
    assert len(found) > 80
    for e in found:
        exact = brentq(lambda T: ZERO.curve(e.quantity, T, e.sizes[0]) - e.level, COLD[0], COLD[-1])
        assert e.small.T[0] == pytest.approx(exact, rel=2e-4)
        assert e.theta[0] == pytest.approx(-1 / NU, abs=2e-3)


def test_levels_outside_the_temperatures_give_nothing():
    """A size that does not reach a level on both sides has no temperature there."""
    data = made(2, 1e-5)
    low, high = (ZERO.curve("xi_over_L", T, 4) for T in (COLD[-1], COLD[0]))
    levels = {level: zero_temperature.reached(data.sizes[0], "xi_over_L", level) is not None for level in (0.9 * low, 1.2 * low, 0.95 * high, 1.05 * high)}
    assert list(levels.values()) == [False, True, True, False]


def test_the_quoted_pair_is_the_largest_at_a_level_that_the_previous_pair_has(study):
    found = zero_temperature.exponents(study)
    best = zero_temperature.quoted(found)
    assert (best.quantity, best.sizes, zero_temperature.previous(found, best).sizes) == ("xi_over_L", (8, 16), (6, 12))
    assert best.level == max(e.level for e in found if e.quantity == "xi_over_L" and e.sizes == (6, 12))
    of_neighbours = zero_temperature.exponents(made(1, 0.005, (8, 12, 16)[:2] + (18,)))
    best = zero_temperature.quoted(of_neighbours)
    assert best.sizes == (12, 18) and zero_temperature.previous(of_neighbours, best).sizes == (8, 12)


def test_changes_have_the_error_of_correlated_levels(study):
    """The samples of two levels are the same realizations, so the error of their difference is not the sum of the squares of their errors."""
    rows = zero_temperature.of_study(study)
    (best,) = (e for e in rows if e["quoted"])
    assert best["change"] == 0 and best["change_err"] == 0
    near = [e for e in rows if (e["quantity"], e["L1"], e["L2"]) == ("xi_over_L", 8, 16) and 0.3 <= e["level"] < best["level"]]
    assert near
    for e in near:
        assert 0 < e["change_err"] < 0.9 * math.hypot(e["theta_err"], best["theta_err"])
        assert e["change"] == pytest.approx(e["theta"] - best["theta"])


def test_corrections_to_scaling_show_as_changes():
    """Without noise, a correction L^-omega makes theta depend on the level and on the sizes."""
    rows = zero_temperature.of_study(made(3, 1e-4, truth=AtZero(nu=NU, eta=0.0, dimension=2, stars=(1.1, 1.2), slopes=(0.5, 0.9), amplitudes=(-0.1, -0.1), curvature=0.0)))
    others = [e for e in rows if e["quantity"] == "xi_over_L" and not e["quoted"]]
    assert sum(abs(e["change"]) > 5 * e["change_err"] for e in others) > 0.8 * len(others)


def test_coverage_of_errors():
    """40 studies: theta scatters around the truth as the errors say. critical/README.md has a table of more studies."""
    tally = Tally(ZERO)
    for seed in range(40):
        tally.add(made(1000 + seed, 0.005))
    always = [name for name, of in tally.found.items() if len(of) == 40]
    assert len(always) >= 10
    for name in always:
        assert 0.5 < tally.within(name, 1) <= 0.95, name
        assert tally.within(name, 2) > 0.85, name
        assert abs(tally.bias(name)) < 0.6, name


def test_other_models_and_files_without_samples(study):
    assert analyse(Reduced(study.sizes, {"config": "model: {dimension: 2}"}))["levels"] == []
    in_field = analyse(Reduced(study.sizes, {"config": "model: {dimension: 2, couplings: gaussian, field: 0.1}"}))
    assert in_field["levels"] == [] and in_field["missing"]
    few = [Size(s.L, s.temperatures, 8, s.columns, samples={name: rows[:8] for name, rows in s.samples.items()}, dimension=2) for s in study.sizes]
    assert analyse(Reduced(few, study.provenance))["missing"] == "The file has 8 jackknife groups, but covariances need 20 or more"
    alone = analyse(Reduced(study.sizes[:1], study.provenance))
    assert alone["missing"] == zero_temperature.NO_LEVEL and alone["levels"] == []


def test_couplings_by_hand_are_compared_with_nothing(study):
    assert study.model.theta == (-0.2793, 0.0003)
    study.sizes[0].couplings_origin, before = "by hand", study.sizes[0].couplings_origin
    assert study.model.theta is None and study.model.orders_at_zero
    study.sizes[0].couplings_origin = before


@pytest.fixture(scope="module")
def folder(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("zero")
    write(folder / "reduced.h5", study, CONFIG)
    script("critical.analysis", "--reduced", folder / "reduced.h5", "--json", folder / "critical.json", "--csv", folder / "critical.csv")
    report_of(folder, plots=True)
    return folder


def test_files_report_and_summary_have_the_quoted_numbers(study, folder):
    found = stored.read_critical(folder / "critical.json")
    (best,) = (e for e in found["levels"] if e["quoted"])
    e = zero_temperature.quoted(zero_temperature.exponents(read_reduced(folder / "reduced.h5")))
    assert best["theta"] == pytest.approx(e.theta[0]) and best["theta_err"] == pytest.approx(error(e.theta)) and best["nu"] == pytest.approx(-1 / best["theta"])
    with (folder / "critical.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == "level"]
    assert len(rows) == 4 * len(found["levels"])
    (theta,) = (row for row in rows if row["name"] == "theta" and row["weight"] == "1")
    assert float(theta["value"]) == pytest.approx(best["theta"], rel=1e-9) and float(theta["level"]) == best["level"]

    html = unescape((folder / "report.html").read_text())
    nu, value = with_error(best["nu"], best["nu_err"]), with_error(best["theta"], best["theta_err"])
    section = unescape(Page((folder / "report.html").read_text()).sections["zero-temperature"])
    for text in (nu, value, "-0.2793(3)", "3.580(4)", "arXiv:1710.01670", f"{best['level']:g}, L = 8 and 16, without extrapolation", "quoted"):
        assert text in section, text
    assert "nan" not in section and 'id="plot-zero_temperature"' in html and "orders at T = 0 only" in html
    assert (folder / "plots/zero_temperature.svg").read_text().count("<title>") > 100
    summary = script("results.print_summary", folder).stdout
    assert f"Transition at T = 0: nu = {nu}, theta = {value} at xi_L/L = {best['level']:g}, L = 8 and 16, without extrapolation" in summary
