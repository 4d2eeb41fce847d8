"""Independent studies of two sizes scatter by the errors that they quote for differences of their curves and for crossings."""

import dataclasses

import numpy as np
import pytest

import coverage

STUDIES = 40
LIMIT = 3.0  # standard errors of the scatter

AT_HALF, ALONE, SHARED, FERROMAGNET = coverage.DESIGNS
# Short runs scatter by their errors, too. The Binder ratios of so few realizations have no crossing at p_ferro 0.5.
DESIGNS = {
    "p_ferro 0.5": dataclasses.replace(AT_HALF, realizations=768, thermalize=200, sweeps=400),
    "p_ferro 0.85": dataclasses.replace(SHARED, realizations=256),
    "p_ferro 1": dataclasses.replace(FERROMAGNET, realizations=128),
}


@pytest.fixture(scope="module", params=DESIGNS)
def case(request, tmp_path_factory):
    design = DESIGNS[request.param]
    return request.param, coverage.studies(design, STUDIES, tmp_path_factory.mktemp("coverage"))


def check(what, ratio):
    error = 1 / np.sqrt(2 * (STUDIES - 1))
    print(f"{what}: scatter / quoted {ratio:.3f} +- {error:.3f}")
    assert abs(ratio - 1) < LIMIT * error, f"{what}: scatter is {ratio:.2f} of the quoted errors"


def test_differences_of_curves(case):
    """The mean over temperatures, which mostly scatter together."""
    name, results = case
    for curve in coverage.CURVES:
        check(f"{name}, {curve}", np.mean([s.ratio for s in coverage.of_differences(results, curve)]))


def test_crossings(case):
    name, results = case
    for curve in coverage.CROSSINGS[name == "p_ferro 0.5" :]:
        for what, s in zip(("temperature", "value"), coverage.of_crossings(results, curve)):
            assert s.found == STUDIES, f"{name}, {curve}: {STUDIES - s.found} studies without a crossing"
            check(f"{name}, {curve}, {what} of the crossing", s.ratio)
