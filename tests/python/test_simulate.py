"""psflip.simulate, psflip.sweep, psflip.exchange and psflip.energies: equal bits with the programs, exact energies, signals, wrong arguments."""

import itertools
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import h5py
import numpy as np
import psflip
import pytest
from conftest import BIN, ROOT
from psflip.campaign.yaml_text import load_yaml
from psflip.places import EXTENSION
from psflip.simulation import batch
from psflip.simulation.native import lattices

pytestmark = pytest.mark.skipif(not list(EXTENSION.glob("_native*.so")), reason=f"no extension in {EXTENSION}")

T = [0.9, 1.1, 1.4, 1.8]
DRAW = np.random.default_rng(7)


def glass(realizations, dimension, L, values=(-1, 1)):
    return DRAW.choice(values, size=(realizations, dimension, *dimension * (L,)))


def spins_of(run_or_state, J):
    """Returns the spins of a state file as +1 and -1."""
    words = run_or_state["spins"][()]
    bits = (words[:, :, np.arange(len(J)) // 64] >> (np.arange(len(J), dtype=np.uint64) % np.uint64(64)).reshape(-1, *(1,) * (J.ndim - 2))) & np.uint64(1)
    return 2 * bits.astype(np.int8) - 1


def naive_energies(spins, J, field=0.0):
    """Returns E = -sum J s s - h sum s of spins (replica, temperature, realization, [z,] y, x)."""
    dimension = J.shape[1]
    bonds = sum((J[:, d] * spins * np.roll(spins, -1, axis=-1 - d)).sum(axis=tuple(range(-dimension, 0)), dtype=float) for d in range(dimension))
    return -bonds - field * spins.sum(axis=tuple(range(-dimension, 0)))


# name: dimension, L, realizations, sections of the study, arguments of simulate
CASES = {
    "share 128": (3, 4, 130, "multispin: {share: 128}", {"share": 128}),
    "share 1": (3, 6, 33, "multispin: {share: 1}", {}),
    "replicas in words": (3, 4, 3, "multispin: {lanes: replicas}", {}),
    "a square in a field": (2, 8, 40, "model: {dimension: 2, field: 0.3}\nreplicas: 4\nmultispin: {share: 1}\ndynamics: {update: heat-bath}", {"field": 0.3, "replicas": 4, "update": "heat-bath"}),
    "open and diluted": (3, 4, 20, "model: {boundary: open, p_absent: 0.2}\nmultispin: {share: 1}", {"keys": {"model.p_absent": 0.2}}),
    "demons": (3, 4, 20, "dynamics: {update: demon}", {"update": "demon"}),
    "Gaussian": (3, 4, 20, "model: {couplings: gaussian}", {}),
    "Houdayer": (2, 8, 20, "model: {dimension: 2}\nmultispin: {share: 1}\ndynamics: {houdayer_every: 10}", {"keys": {"dynamics.houdayer_every": 10}}),
    "clusters": (2, 8, 20, "model: {kind: ferromagnet, dimension: 2}\ndynamics: {update: swendsen-wang}", {"update": "swendsen-wang"}),
}


@pytest.mark.parametrize("name", CASES)
def test_equal_bits_with_the_programs(tmp_path, name):
    if not (BIN / "pt-run").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    dimension, L, realizations, sections, arguments = CASES[name]
    common = f"seed: 5\nlattice: {{L: [{L}]}}\ndisorder: {{realizations: {realizations}, batch: {realizations}}}\ntemperatures: {{list: {T}}}\nthermalize: {{sweeps: 40}}\n"
    (tmp_path / "study.yaml").write_text(common + sections + "\nrun: {sweeps: 160, measure_every: 20, blocks: 8, magnetisation: always}\n")
    for program, words in (("gen-disorder", "--out disorder.h5"), ("thermalize", "--disorder disorder.h5 --out thermal.h5"), ("pt-run", "--disorder disorder.h5 --state thermal.h5 --out run.h5 --state-out end.h5")):
        where = [] if program == "gen-disorder" else ["--backend", "cpu"]
        done = subprocess.run([BIN / program, "--config", "study.yaml", *words.split(), *where], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "disorder.h5") as file:
        J = file["couplings"][()]
    run = psflip.simulate(J, T, 160, thermalize=40, measure_every=20, seed=5, backend="cpu", **arguments)
    with h5py.File(tmp_path / "end.h5") as file:
        assert np.array_equal(run.spins, spins_of(file, J))
    N = J[0, 0].size
    with h5py.File(tmp_path / "run.h5") as file:
        bonds = run.energies + arguments.get("field", 0.0) * N * run.magnetisations
        assert np.allclose(bonds.sum(axis=0), file["blocks/energy"][()].sum(axis=0), rtol=1e-12)
        assert np.allclose(N * run.magnetisations.sum(axis=0), file["blocks/magnetisation"][()].sum(axis=0))
        if name != "clusters":
            assert np.allclose(N * run.overlaps.sum(axis=0), file["blocks/overlap"][()].sum(axis=0))
    assert run.times.tolist() == list(range(60, 201, 20)) and run.completed == 200
    assert np.allclose(run.energies[-1], naive_energies(run.spins, J.astype(float), arguments.get("field", 0.0)), rtol=1e-6)
    assert np.allclose(run.magnetisations[-1], run.spins.mean(axis=tuple(range(-dimension, 0))))


@pytest.mark.parametrize("arguments", [{"share": 32}, {"lanes": "replicas"}, {"field": 0.5, "replicas": 4}, {"real": True}])
def test_single_steps_equal_a_simulation(arguments):
    """Sweeps and exchanges on arrays, one by one, are the steps of simulate."""
    J = glass(40, 2, 6)
    if arguments.pop("real", False):
        J = DRAW.normal(size=J.shape)
    shared = {name: arguments[name] for name in arguments if name != "replicas"}
    begin = psflip.simulate(J, T, 0, seed=3, sweeps_per_swap=5, **arguments)
    whole = psflip.simulate(J, T, 20, thermalize=0, seed=3, sweeps_per_swap=5, **arguments)
    spins, accepted, attempted = begin.spins.copy(), np.zeros((3, 40)), np.zeros(3)
    for completed in range(0, 20, 5):
        psflip.sweep(spins, J, T, 5, first=completed, seed=3, **shared)
        swapped = psflip.exchange(spins, J, T, completed + 5, seed=3, sweeps_per_swap=5, **shared)
        energies = psflip.energies(spins, J, field=arguments.get("field", 0.0))
        assert np.allclose(energies, naive_energies(spins, J, arguments.get("field", 0.0)), rtol=1e-6)
        assert np.allclose(energies, whole.energies[completed // 5], rtol=1e-12)
        assert not swapped[:, (completed // 5 + 1 + 1) % 2 :: 2].any()
        accepted += swapped.sum(axis=0)
        attempted[(completed // 5 + 1) % 2 :: 2] += len(spins)
    assert np.array_equal(spins, whole.spins) and 0 < accepted.sum() < attempted.sum() * 40
    assert swapped.flags.c_contiguous and np.allclose(whole.exchange_rates, accepted / attempted[:, np.newaxis])


def test_pieces_threads_and_batches_change_no_bit():
    J = glass(96, 3, 4)
    whole = psflip.simulate(J, T, 400, seed=2, threads=1, record=("link", "kmin_x"))
    first = psflip.simulate(J, T, 130, seed=2, thermalize=400, threads=2)
    second = psflip.simulate(J, T, 270, seed=2, start=first)
    assert np.array_equal(second.spins, whole.spins) and second.completed == whole.completed == 800
    assert np.array_equal(np.concatenate([first.energies, second.energies]), whole.energies)
    part = psflip.simulate(J[64:], T, 400, seed=2, first_realization=64)
    assert np.array_equal(part.overlaps, whole.overlaps[..., 64:]) and np.array_equal(part.spins, whole.spins[:, :, 64:])
    a, b = whole.spins.astype(float)
    assert np.allclose(whole.overlaps[-1, 0], (a * b).mean(axis=(-1, -2, -3)))
    links = sum(((a * np.roll(a, -1, axis)) * (b * np.roll(b, -1, axis))).sum(axis=(-1, -2, -3)) for axis in (-1, -2, -3))
    assert np.allclose(whole.records["link"][-1, 0], links) and whole.records["kmin_x"].shape == (40, 1, 4, 96)
    assert whole.pairs == [(0, 1)] and "3D, L = 4, realizations: 96, replicas: 2, T = 0.9 to 1.8 (4), measurements: 40, completed sweeps: 800" in repr(whole)


def test_arrays_are_contiguous_copies():
    given = np.array([1.0, 0.0, 1.2, 0.0, 1.5])[::2]
    run = psflip.simulate(glass(40, 3, 4), given, 40, record=("link",))
    given[0] = 0.9
    arrays = [array for array in (*vars(run).values(), *run.records.values()) if isinstance(array, np.ndarray)]
    assert len(arrays) == 8 and all(array.flags.c_contiguous for array in arrays) and run.temperatures[0] == 1.0


def test_the_page(monkeypatch, capsys, tmp_path):
    """The programs of docs/python.md run, print the numbers of the page, draw its plot, and exchange all pairs of temperatures."""
    page = (ROOT / "docs/python.md").read_text()
    blocks = [textwrap.dedent(block) for block in re.findall(r"(?:^    .*\n)+", page, re.MULTILINE)]
    exchange, swapped, names = psflip.exchange, [], {}
    monkeypatch.setattr(psflip, "exchange", lambda *arguments, **others: swapped.append(exchange(*arguments, **others)) or swapped[-1])
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        if not block.startswith("<"):
            exec(block, names)
    assert len(blocks) == 5 and (tmp_path / "susceptibility.png").stat().st_size > 1000 and capsys.readouterr().out.splitlines()[1] in page
    assert len(swapped) == 10 and np.any(swapped, axis=(0, 1, 3)).tolist() == [True] * 4
    assert np.allclose(names["E"], naive_energies(names["spins"], names["J"]))


@pytest.mark.parametrize("arguments, pairs", [({}, 1), ({"replicas": 1}, 0), ({"keys": {"model.kind": "ferromagnet"}}, 0), ({"update": "wolff"}, 0)])
def test_overlaps_of_couplings_that_are_all_1(arguments, pairs):
    assert psflip.simulate(np.ones((3, 4, 4, 4)), T, 20, **arguments).overlaps.shape == (2, pairs, 4, 1)


def test_one_realization_has_no_axis_to_give():
    J = glass(1, 3, 4)
    assert np.array_equal(psflip.simulate(J[0], T, 50).spins, psflip.simulate(J, T, 50).spins)
    assert psflip.simulate(J[0], 1.2, 50, replicas=1).overlaps.shape == (5, 0, 1, 1)


def test_shapes_without_measurements_and_with_repeated_records():
    none, some = (psflip.simulate(GOOD, T, sweeps, replicas=3, measure_every=10, record=("overlap", "link", "link")) for sweeps in (5, 4e1))
    assert list(psflip.simulate(GOOD, T, 10, record="link").records) == ["link"]
    for count, run in ((0, none), (4, some)):
        assert run.energies.shape == run.magnetisations.shape == run.overlaps.shape == run.records["link"].shape == (count, 3, 4, 2)
    assert np.array_equal(some.records["overlap"], some.overlaps * 64)


def test_wrong_calls_of_the_extension_are_errors():
    """They do not end Python."""
    study = "{seed: 1, lattice: {L: [4]}, temperatures: {list: [1.0]}, multispin: {share: 1}}"
    found = lattices()(study, GOOD.astype(np.int8), 0, 10, 0, True, "cpu", 1, 0)
    for call in (lambda: found.advance(10), lambda: found.measure(0), found.collect, lambda: found.sums("overlaps")):
        with pytest.raises(psflip.StudyError):
            call()


def test_averages_are_exact():
    """The mean energy of a 4 x 4 ferromagnet at T = 2.5 by enumeration, within 4 standard errors of 128 independent realizations."""
    states = np.array(list(itertools.product((-1, 1), repeat=16)), dtype=np.int8).reshape(1, 1, -1, 4, 4)
    J = np.ones((1, 2, 4, 4))
    energies = naive_energies(states, J)[0, 0]
    weights = np.exp(-(energies - energies.min()) / 2.5)
    run = psflip.simulate(np.ones((128, 2, 4, 4), dtype=np.int8), 2.5, 20000, replicas=1, thermalize=500)
    means = run.energies.mean(axis=0).ravel()
    assert abs(means.mean() - (weights * energies).sum() / weights.sum()) < 4 * means.std(ddof=1) / np.sqrt(len(means))


GOOD = glass(2, 3, 4)
UP = np.ones((2, 4, 2, 4, 4, 4), dtype=np.int8)


@pytest.mark.parametrize("call, sentence", [
    (lambda: psflip.simulate(np.ones((3, 5, 5, 5)), T, 10), "^couplings: L = 5 is odd; an even L from 4 to 1024 is needed$"),
    (lambda: psflip.simulate(np.ones((1, 2, 2, 2)), T, 10), "^couplings: L = 2 is too small; an even L"),
    (lambda: psflip.simulate(GOOD[:0], T, 10), "^couplings: the array has no realizations$"),
    (lambda: psflip.simulate(np.ones((3, 8, 8)), T, 10), "couplings: \\(2, y, x\\) or \\(3, z, y, x\\), with an optional first axis .* is needed, not \\(3, 8, 8\\)$"),
    (lambda: psflip.simulate(np.nan * GOOD, T, 10), "couplings: some values are not finite; remove nan and inf$"),
    (lambda: psflip.simulate(9.5 * GOOD, T, 10), "divide all couplings"),
    (lambda: psflip.simulate(2 * GOOD, T, 10), "couplings: some values are not \\+1, -1, or 0"),
    (lambda: psflip.simulate(GOOD, [1.2, 0.9], 10), "temperatures: .* ascending order"),
    (lambda: psflip.simulate(GOOD, [[0.9, 1.2]], 10), "temperatures: "),
    (lambda: psflip.simulate(GOOD, [0.0, 1.0], 10), "^temperatures: 0.0 is too small; allowed: 0.01 to 1000$"),
    (lambda: psflip.simulate(GOOD, 2000, 10), "^temperatures: 2000.0 is too large; allowed: 0.01 to 1000$"),
    (lambda: psflip.simulate(GOOD, [1.0, np.nan], 10), "^temperatures: nan is not a number; allowed"),
    (lambda: psflip.simulate(GOOD, [], 10), "^temperatures: 1 to 64 numbers are needed, not 0$"),
    (lambda: psflip.simulate(GOOD, np.arange(1, 66), 10), "^temperatures: 1 to 64 numbers are needed, not 65$"),
    (lambda: psflip.simulate(GOOD, "cold", 10), "^temperatures: a list of numbers"),
    (lambda: psflip.simulate(GOOD, "1.0", 10), "^temperatures: a list of numbers"),
    (lambda: psflip.simulate(GOOD, [0.5, True], 10), "^temperatures: a list of numbers"),
    (lambda: psflip.simulate(GOOD, np.array(["1.0"], dtype=object), 10), "^temperatures: a list of numbers"),
    (lambda: psflip.simulate(GOOD, [1j], 10), "^temperatures: a list of numbers"),
    (lambda: psflip.simulate(GOOD, T, 10, record=5), "^record = 5: a name or a list of names"),
    (lambda: psflip.simulate(GOOD, T, 10, seed=1e19), "^seed = 1e\\+19: a whole number is needed"),
    (lambda: psflip.simulate(GOOD, T, 10**12, measure_every=10), "^measure_every = 10: 100000000000 measurements need 32.0 TB of memory, and .* are available; use measure_every=[0-9]+$"),
    (lambda: psflip.simulate(GOOD, T, -1), "sweeps = -1: a whole number from 0"),
    (lambda: psflip.simulate(GOOD, T, 1.5), "sweeps = 1.5: a whole number is needed"),
    (lambda: psflip.simulate(GOOD, T, 10, thermalize=-1), "thermalize = -1"),
    (lambda: psflip.simulate(GOOD, T, 10, measure_every=0), "measure_every = 0"),
    (lambda: psflip.simulate(GOOD, T, 10, replicas=9), "replicas = 9: a whole number from 1 to 8"),
    (lambda: psflip.simulate(GOOD, T, 10, field=0.1), "^replicas = 2 does not go with field = 0.1: .* use 4"),
    (lambda: psflip.simulate(GOOD, T, 10, field="h"), "^field = 'h': a number is needed"),
    (lambda: psflip.simulate(GOOD, T, 10, field=-1000), "^field = -1000.0 is too small; allowed: -100 to 100"),
    (lambda: psflip.simulate(GOOD, T, 10, update="metropolos"), "^update = 'metropolos': one of metropolis, heat-bath, demon, swendsen-wang, wolff is needed; did you mean metropolis"),
    (lambda: psflip.simulate(GOOD, T, 10, update="cone"), "^update = 'cone': one of"),
    (lambda: psflip.simulate(GOOD, T, 10, update="wolff"), "update = 'wolff': clusters need couplings without -1"),
    (lambda: psflip.simulate(GOOD, T, 10, share=64, lanes="replicas"), "^share = 64 does not go with lanes = replicas, "),
    (lambda: psflip.simulate(GOOD, T, 10, share=7), "^share = 7 is not known; use one of 1, 32, 64, 128"),
    (lambda: psflip.simulate(np.ones((64, 3, 4, 4, 4)), T, 10, share=32), "copies of each other; use share: 1"),
    (lambda: psflip.simulate(GOOD, T, 10, lanes="sites"), "lanes = 'sites': only the programs"),
    (lambda: psflip.simulate(GOOD, T, 10, lanes="replica"), "^lanes = 'replica': one of realizations, replicas is needed; did you mean replicas"),
    (lambda: psflip.simulate(GOOD, T, 10, backend="gpu"), "backend = 'gpu': one of auto, cpu, cuda is needed; did you mean cuda"),
    (lambda: psflip.simulate(GOOD, T, 10, first_realization=5), "32"),
    (lambda: psflip.simulate(GOOD, T, 10, record=["links"]), "record = 'links': .* measures energy, .*; did you mean link"),
    (lambda: psflip.simulate(GOOD, T, 10, record="links"), "record = 'links': .*; did you mean link"),
    (lambda: psflip.simulate(GOOD, T, 10, record=["replicon"]), "record = 'replicon': this simulation measures"),
    (lambda: psflip.simulate(GOOD, T, 10, keys={"lattice.L": 8}), "keys: 'lattice.L' is set by another argument"),
    (lambda: psflip.simulate(GOOD, T, 10, keys={"dynamics.sweep": 8}), "unknown key dynamics.sweep"),
    (lambda: psflip.simulate(GOOD, T, 10, keys={"dynamics.houdayer": 10}), "^unknown key dynamics.houdayer; did you mean dynamics.houdayer_every"),
    (lambda: psflip.simulate(GOOD, T, 10, keys={"thermalize.sweeps": 8}), "keys: 'thermalize.sweeps' has no effect here"),
    (lambda: psflip.simulate(GOOD, T, 10, keys={"seed.x": 8}), "keys: 'seed.x' has no effect here"),
    (lambda: psflip.simulate(GOOD, T, 10, start=UP[:1]), "start: an array int8 .* of shape \\(2, 4, 2, 4, 4, 4\\) is needed, not int8 \\(1, 4"),
    (lambda: psflip.simulate(GOOD, T, 10, start=0 * UP), "start: some values are not"),
    (lambda: psflip.sweep(UP.astype(float), GOOD, T), "spins: an array int8"),
    (lambda: psflip.sweep(np.broadcast_to(UP, UP.shape), GOOD, T), "spins: a writable array"),
    (lambda: psflip.sweep(UP.copy(), GOOD, T[:3]), "shape \\(2, 3, 2, 4, 4, 4\\)"),
    (lambda: psflip.exchange(UP.copy(), GOOD, T, 7, sweeps_per_swap=5), "completed = 7: exchanges are due at multiples of sweeps_per_swap = 5"),
    (lambda: psflip.energies(UP[0], GOOD), "spins: an array int8"),
])  # fmt: skip
def test_errors_name_the_argument(call, sentence):
    with pytest.raises(psflip.StudyError, match=sentence):
        call()


def test_the_error_of_a_missing_gpu_names_the_argument_and_the_remedy(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(psflip.StudyError, match="^backend = 'cuda': .*; use backend='cpu'") as error:
        psflip.simulate(GOOD, T, 10, backend="cuda")
    assert str(error.value).endswith(", or build with CUDA") == ("this psflip was built without CUDA" in str(error.value))


def test_the_number_of_sweeps_between_exchanges_is_required():
    with pytest.raises(TypeError, match="sweeps_per_swap"):
        psflip.exchange(UP.copy(), GOOD, T, 10)


def test_too_little_memory_is_said_before_any_work():
    code = """
import resource, numpy, psflip
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1]))
try:
    psflip.simulate(numpy.ones((1, 3, 64, 64, 64), dtype=numpy.int8), numpy.linspace(1, 2, 64), 1, replicas=8, lanes="realizations")
except psflip.StudyError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "workflows")})
    assert "GiB of memory (1 realization of L = 64, 8 replicas, 64 temperatures)" in done.stdout, done.stderr


def test_defaults_and_bounds_are_those_of_the_keys():
    listed = load_yaml((ROOT / "workflows/schemas/config.schema.yaml").read_text())["$defs"]["temperatures"]["properties"]["list"]
    assert batch.BOUNDS == (listed["items"]["minimum"], listed["items"]["maximum"]) and batch.MAX_TEMPERATURES == listed["maxItems"]
    reference = load_yaml((ROOT / "configs/reference.yaml").read_text())
    assert batch.SEED == reference["seed"] and batch.SWEEPS_PER_SWAP == reference["dynamics"]["sweeps_per_swap"]


def test_other_threads_of_python_run_meanwhile():
    """The simulation gives the lock of the interpreter free: a Python thread counts while it runs."""
    J, counts = glass(128, 3, 8), [0]
    worker = threading.Thread(target=psflip.simulate, args=(J, T, 400), kwargs={"measure_every": 400})
    worker.start()
    longest, last = 0.0, time.monotonic()
    while worker.is_alive():
        now = time.monotonic()
        longest, last = max(longest, now - last), now
        counts[0] += 1
    assert counts[0] > 1000 and longest < 1.0


def test_control_c_ends_a_simulation():
    code = """
import numpy, psflip
J = numpy.random.default_rng(1).choice([-1, 1], size=(128, 3, 16, 16, 16))
print("begin", flush=True)
try:
    psflip.simulate(J, [1.0, 1.2], 10**9, measure_every=10**6)
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "workflows")})
    assert process.stdout.readline() == "begin\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    assert process.communicate(timeout=300) == ("interrupted\n", "") and time.monotonic() - sent < 10


def test_handlers_of_signals_run_meanwhile():
    """A handler that does not raise lets the simulation continue, with the same bits."""
    J, calls = glass(128, 3, 16), []
    arguments = {"temperatures": [1.0, 1.2], "sweeps": 3000, "measure_every": 3000, "threads": 1}
    quiet = psflip.simulate(J, **arguments)
    before = signal.signal(signal.SIGALRM, lambda *_: calls.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        run = psflip.simulate(J, **arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(calls) > 1 and np.array_equal(run.spins, quiet.spins)


def test_the_stub_is_as_nanobind_writes_it(tmp_path):
    """PSFLIP_WRITE_REFERENCE=1 writes workflows/psflip/_native.pyi."""
    stub = tmp_path / "_native.pyi"
    done = subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-i", EXTENSION, "-m", "_native", "-o", stub], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    stored = ROOT / "workflows/psflip/_native.pyi"
    if os.environ.get("PSFLIP_WRITE_REFERENCE") == "1":
        stored.write_text(stub.read_text())
    assert stub.read_text() == stored.read_text()


def test_types(tmp_path):
    """mypy accepts the package and a right program, and finds a wrong argument and a wrong attribute."""
    pytest.importorskip("mypy")

    def mypy(*words):
        command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir=/dev/null", "--strict", "--allow-untyped-calls", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "workflows", env={**os.environ, "MYPYPATH": str(ROOT / "workflows")})

    done = mypy("-p", "psflip.simulation")
    assert done.returncode == 0, done.stdout
    program = tmp_path / "program.py"
    program.write_text('import numpy\nimport psflip\nrun = psflip.simulate(numpy.ones((2, 4, 4)), [1.0], 10, replicas=1)\nreveal_type(run.energies)\npsflip.sweep(run.spins, [1], 1, first="0")\nrun.energie\n')
    out = mypy(program).stdout.splitlines()
    assert [line.split(":")[1] for line in out[:-1]] == ["4", "5", "6"] and "float64" in out[0] and 'has incompatible type "str"' in out[1] and 'no attribute "energie"' in out[2], out
