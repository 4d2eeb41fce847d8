"""Independent studies scatter by the errors that they quote: differences of curves, crossings, critical points, exponents of relaxations."""

import dataclasses

import numpy as np
import pytest

import coverage
import error_coverage

pytestmark = pytest.mark.long

STUDIES = 40
LIMIT = 3.0  # standard errors of the scatter

AT_HALF, ALONE, SHARED, FERROMAGNET = coverage.DESIGNS
# Runs out of equilibrium scatter by their errors, too. At p_ferro 0.5 crossings need longer runs of more realizations than there is time for.
DESIGNS = {
    "p_ferro 0.5": dataclasses.replace(AT_HALF, sizes=(4, 6), realizations=512, thermalize=300, sweeps=400),
    "p_ferro 0.85": dataclasses.replace(SHARED, realizations=256),
    "p_ferro 1": dataclasses.replace(FERROMAGNET, realizations=128),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return {name: coverage.studies(design, STUDIES, tmp_path_factory.mktemp("coverage")) for name, design in DESIGNS.items()}


def check(what, ratio):
    error = 1 / np.sqrt(2 * (STUDIES - 1))
    print(f"{what}: scatter / quoted {ratio:.3f} +- {error:.3f}")
    assert abs(ratio - 1) < LIMIT * error, f"{what}: scatter is {ratio:.2f} of the quoted errors"


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("curve", coverage.CURVES)
def test_differences_of_curves(results, name, curve):
    """The mean over temperatures, which mostly scatter together."""
    check(f"{name}, {curve}", np.mean([s.ratio for s in coverage.of_differences(results[name], curve)]))


@pytest.mark.parametrize("name", ["p_ferro 0.85", "p_ferro 1"])
@pytest.mark.parametrize("curve", coverage.CROSSINGS)
def test_crossings(results, name, curve):
    for what, s in zip(("temperature", "value"), coverage.of_crossings(results[name], curve)):
        assert s.found == STUDIES, f"{name}, {curve}: {STUDIES - s.found} studies without a crossing"
        check(f"{name}, {curve}, {what} of the crossing", s.ratio)


def test_critical_points_of_small_sizes(tmp_path):
    """Of the two-dimensional ferromagnet of L = 4 to 16: values lie around the exact ones, and not farther away than their errors say. Errors may be larger, as that of sizes does not scatter."""
    found = error_coverage.of_ferromagnets(error_coverage.FERROMAGNETS["2D"], STUDIES, tmp_path, processes=2)
    for name in ("T_c", "nu", "eta", "xi_m_over_L", "binder_m"):
        one = found[name]
        print(f"{name}: {one.cells}")
        assert len(one.z) == STUDIES, name
        assert abs(one.mean) < LIMIT / np.sqrt(STUDIES), name
        assert one.rms < 1 + LIMIT * one.rms_error, name


def test_exponents_of_relaxations(tmp_path):
    """With as few groups as exponents need, and with more."""
    found = error_coverage.of_relaxations(error_coverage.Glass(packs=640), STUDIES, tmp_path, (10, 16))
    for groups, numbers in found.items():
        for name, one in numbers.items():
            print(f"{name}, {groups} groups: {one.cells}")
            assert abs(one.rms - 1) < LIMIT * one.rms_error, (groups, name)
