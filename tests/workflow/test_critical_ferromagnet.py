"""The critical point of the two-dimensional ferromagnet, which is known exactly, from a small study with the real programs: 30 seconds of one core."""

import json
import math

import pytest
from conftest import PROGRAMS, TOOLS, snakemake
from psflip.results.literature import SQUARE_FERROMAGNET

STUDY = """seed: 2269
model: {kind: ferromagnet, dimension: 2}
lattice: {L: [8, 12, 16, 24, 32]}
disorder: {realizations: 256, batch: 256}
temperatures: {min: 2.19, max: 2.37, count: 12, spacing: linear}
replicas: 1
multispin: {share: 1}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: {8: 1000, 12: 2000, 16: 4000, 24: 8000, 32: 16000}}
run: {sweeps: {8: 8000, 12: 8000, 16: 8000, 24: 16000, 32: 16000}, measure_every: 20, blocks: 32}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    if any(not (PROGRAMS / name).is_file() for name in TOOLS):
        pytest.skip(f"no programs in {PROGRAMS}; set PSFLIP_BIN")
    folder = tmp_path_factory.mktemp("square")
    (folder / "square.yaml").write_text(STUDY)
    snakemake(folder, "results/square/critical.json", study="square.yaml", bin=PROGRAMS, out="results/square")
    return folder / "results/square"


def test_temperature_exponents_and_ratios_are_the_exact_ones(results):
    found = json.loads((results / "critical.json").read_text())
    known = SQUARE_FERROMAGNET
    exact = {"T_c": known.T_c[0], "nu": 1.0, "eta": 0.25, **{name: value for name, (value, _) in known.values.items()}}
    largest = {"T_c": 0.003, "nu": 0.1, "eta": 0.02, "binder_m": 0.01, "xi_m_over_L": 0.05}  # errors
    assert not found["missing"] and set(found["results"]) == set(exact)
    for name, result in found["results"].items():
        whole = math.hypot(result["error"], result["range_error"], result["omega_error"])
        print(f"{name}: {result['value']:.5f} +- {whole:.5f}, exact {exact[name]:.5f}")
        assert abs(result["value"] - exact[name]) < 3 * whole and whole < largest[name], name
