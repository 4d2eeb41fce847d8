"""psflip.simulate, psflip.exchange and psflip.energies give the same bits on a GPU and on the CPU. Skipped without a GPU that works."""

import pathlib
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workflows"), str(ROOT / "tests/physics")]
import psflip  # noqa: E402
from physics_runs import need_gpu  # noqa: E402
from psflip.places import EXTENSION  # noqa: E402

T = [0.9, 1.1, 1.4, 1.8]
DRAW = np.random.default_rng(7)
CASES = {
    "share 128": ((200, 3, 8, 8, 8), {"share": 128}),
    "share 1": ((200, 3, 16, 16, 16), {}),
    "replicas in words": ((3, 3, 8, 8, 8), {}),
    "a square in a field": ((130, 2, 16, 16), {"field": 0.3, "replicas": 4, "update": "heat-bath"}),
    "clusters": ((20, 2, 32, 32), {"update": "swendsen-wang"}),
    "Gaussian": ((20, 3, 8, 8, 8), {}),
}


@pytest.fixture(scope="module", autouse=True)
def gpu():
    need_gpu()
    if not list(EXTENSION.glob("_native*.so")):
        pytest.skip(f"no extension in {EXTENSION}")


@pytest.mark.parametrize("name", CASES)
def test_equal_bits_on_both_backends(name):
    shape, arguments = CASES[name]
    J = np.ones(shape) if name == "clusters" else DRAW.normal(size=shape) if name == "Gaussian" else DRAW.choice([-1, 1], size=shape)
    here, there = (psflip.simulate(J, T, 200, seed=3, measure_every=20, record=("energy2",), backend=backend, **arguments) for backend in ("cpu", "cuda"))
    assert here.backend.startswith("cpu") and there.backend.startswith("cuda")
    for array in ("energies", "magnetisations", "overlaps", "spins", "exchange_rates"):
        assert np.array_equal(getattr(here, array), getattr(there, array)), array
    assert np.array_equal(here.records["energy2"], there.records["energy2"])
    if name != "clusters":
        field = {"field": arguments["field"]} if "field" in arguments else {}
        steps = [(spins := here.spins.copy(), psflip.exchange(spins, J, T, 5, sweeps_per_swap=5, seed=3, backend=backend, **field)) for backend in ("cpu", "cuda")]
        assert all(np.array_equal(one, other) for one, other in zip(*steps))
        assert np.array_equal(*(psflip.energies(here.spins, J, backend=backend, **field) for backend in ("cpu", "cuda")))
