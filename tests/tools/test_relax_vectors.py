"""The program relax for vector spins: schedules of temperature and field, sums at each time, stops and parts, and what is refused. The programs are taken
from the folder PSFLIP_BIN; PSFLIP_TEST_BACKEND=cuda runs them on a GPU."""

import sys

import h5py
import numpy as np
import pytest
from interrupted import assert_same
from test_vectors import MODEL, ROOT, H, L, call, energies

R, REPLICAS, SLOTS, STAGE = 3, 2, 2, 8
RELAX = f"{{schedule: steps, factors: [3, 2, 1.5], fields: [0, 1, -1, -0.5], stage_sweeps: {STAGE}, measure_every: 4, last: 48, waiting: [0, 16, 32]}}"
STUDY = f"""\
seed: 9
{MODEL}
lattice: {{L: {L}}}
disorder: {{realizations: {R}, batch: {R}}}
temperatures: {{list: [0.4, 0.6]}}
replicas: {REPLICAS}
dynamics: {{update: cone, precision: double}}
thermalize: {{sweeps: 16}}
relax: {RELAX}
"""
FIELDS = np.repeat([0, H, -H, -0.5 * H, H, H], 2)
FACTORS = np.repeat([3, 2, 1.5, 1, 1, 1], 2)


def relax(folder, out, *more, code=0):
    return call(folder, "relax", "--disorder", "disorder.h5", "--out", out, *more, code=code)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("protocol")
    (folder / "study.yaml").write_text(STUDY)
    call(folder, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    relax(folder, "whole.h5", "--state-out", "end.h5")
    return folder


def test_sums_are_those_of_the_spins_in_the_field_of_their_time(folder):
    with h5py.File(folder / "whole.h5") as file, h5py.File(folder / "end.h5") as end, h5py.File(folder / "disorder.h5") as disorder:
        assert file["times"][:].tolist() == list(range(4, 49, 4))
        assert np.array_equal(file["fields"][:], FIELDS) and np.array_equal(file["factors"][:], FACTORS)
        assert end["snapshots/sweep"][:].tolist() == [0, 16, 32]
        species = disorder["occupation"][:]
        terms, parts = file["relaxation/energy_terms"][:], file["relaxation/magnetisation_parts"][:]
        spins = {16: end["snapshots/spins"][1], 32: end["snapshots/spins"][2], 48: end["spins"][:]}
    assert terms.shape == (12, 4 * REPLICAS, SLOTS, R)
    eta = (-1.0) ** np.indices((L, L, L)).sum(axis=0)
    for t, s in spins.items():
        i = t // 4 - 1
        found = terms[i].reshape(REPLICAS, 4, SLOTS, R)
        wanted = np.stack([energies(s[:, :, r], species[r]) for r in range(R)], axis=-1)  # term, replica, slot, realization
        wanted[3] *= FIELDS[i] / H
        assert np.allclose(found, wanted.transpose(1, 0, 2, 3), rtol=0, atol=1e-6), t
        of = [(s * ((eta > 0) == even) * (species == b)[:, None]).sum(axis=(4, 5, 6)) for even in (True, False) for b in (0, 1)]
        of = np.stack(of, axis=3).reshape(REPLICAS, SLOTS, R, 12).transpose(0, 3, 1, 2)
        assert np.allclose(parts[i].reshape(REPLICAS, 12, SLOTS, R), of, rtol=0, atol=1e-6), t


def test_stops_and_parts_change_nothing(folder):
    relax(folder, "stopped.h5", "--state-out", "stopped-end.h5", "--time-limit", "1e-6", code=75)
    relax(folder, "stopped.h5", "--state-out", "stopped-end.h5", "--threads", 2)
    assert_same(folder / "stopped.h5", folder / "whole.h5")
    assert_same(folder / "stopped-end.h5", folder / "end.h5")
    relax(folder, "first.h5", "--state-out", "first-end.h5", "--set", "relax.last=20")
    relax(folder, "second.h5", "--state", "first-end.h5", "--state-out", "second-end.h5")
    assert_same(folder / "second-end.h5", folder / "end.h5")
    with h5py.File(folder / "first.h5") as a, h5py.File(folder / "second.h5") as b, h5py.File(folder / "whole.h5") as both:
        for name in ("times", "fields", "relaxation/energy", "relaxation/magnetisation_parts", "relaxation/staggered_kmin"):
            assert np.array_equal(np.concatenate([a[name][:], b[name][:]]), both[name][:]), name
    assert "continues only with the keys it began with" in relax(folder, "no.h5", "--state", "first-end.h5", "--set", "relax.fields=[1]", code=1)


def test_without_a_schedule_the_spins_are_those_of_thermalize(folder):
    plain = ("--set", "relax.schedule=constant", "--set", "relax.factors=[]", "--set", "relax.fields=[]", "--set", "relax.last=16", "--set", "relax.waiting=[]")
    relax(folder, "plain.h5", "--state-out", "plain-end.h5", *plain)
    call(folder, "thermalize", "--disorder", "disorder.h5", "--out", "thermal.h5", "--set", "dynamics.sweeps_per_swap=100")
    with h5py.File(folder / "plain-end.h5") as a, h5py.File(folder / "thermal.h5") as b:
        assert np.array_equal(a["spins"][:], b["spins"][:]) and np.array_equal(a["moves/width"][:], b["moves/width"][:])
    relax(folder, "up.h5", "--state-out", "up-end.h5", *plain[:-2], "--set", "relax.waiting=[0]", "--set", "relax.start=up")
    with h5py.File(folder / "up-end.h5") as file:
        start = file["snapshots/spins"][0]
    assert (start[..., 2, :, :, :] == 1).all() and (start[..., :2, :, :, :] == 0).all()


def test_free_spins_follow_temperature_and_field(tmp_path):
    """Langevin's function in each stage, as the heat bath of free spins has no memory."""
    sys.path.insert(0, str(ROOT / "workflows"))
    from psflip.vectors import protocols

    text = STUDY.replace(MODEL, "model: {kind: heisenberg, exchange: [0, 0, 0], field: 0.8, moments: [2, 1]}").replace("update: cone", "update: heat-bath")
    (tmp_path / "study.yaml").write_text(text)
    call(tmp_path, "gen-disorder", "--first", 0, "--count", R, "--out", "disorder.h5")
    relax(tmp_path, "out.h5", "--set", "relax.stage_sweeps=400", "--set", "relax.last=2000", "--set", "relax.waiting=[]")
    protocol = protocols.read(tmp_path / "out.h5", slot=1)
    assert np.allclose(protocol.T, 0.6 * np.array([3, 2, 1.5, 1, 1])) and np.allclose(protocol.h, 0.8 * np.array([0, 1, -1, -0.5, 1]))
    x = np.where(protocol.h == 0, 1e-9, 2 * protocol.h / protocol.T)
    langevin = np.where(protocol.h == 0, 0, 1 / np.tanh(x) - 1 / x)
    deviation = (1 / np.sqrt(3 * L**3 * R * REPLICAS * 50)) * 2  # of a moment 2, at most
    assert (np.abs(protocol.mean("moment_z") - 2 * langevin) < 4.5 * deviation).all()
    assert (np.abs(protocol.mean("moment_x")) < 4.5 * deviation).all()
    across = np.where(protocol.h == 0, 1 / 3, langevin / x)
    along = np.where(protocol.h == 0, 1 / 3, 1 - 2 * langevin / x - langevin**2)
    for name, variance in (("chi_x", across), ("chi_z", along), ("chi_even", across + along / 2)):
        wanted = (4 if name != "chi_even" else 1) * variance / protocol.T
        assert np.allclose(protocol.mean(name), wanted, rtol=0.35), (name, protocol.mean(name), wanted)


REFUSED = [
    (f"field: {H}", "field: 0", ["relax.fields", "has no use without a field"]),
    ("fields: [0, 1", "fields: [0, 2", ["relax.fields", "-1 to 1"]),
    ("measure_every: 4", "measure_every: 64", ["relax.measure_every = 64", "larger than relax.last = 48"]),
]


@pytest.mark.parametrize("old, new, words", REFUSED)
def test_bad_keys_are_refused(tmp_path, old, new, words):
    assert old in STUDY
    (tmp_path / "study.yaml").write_text(STUDY.replace(old, new))
    error = call(tmp_path, "gen-disorder", "--first", 0, "--count", 2, "--out", "no.h5", code=1)
    assert "study.yaml:" in error and all(word in error for word in words), error


def test_ising_spins_have_no_schedule_of_the_field(tmp_path):
    (tmp_path / "study.yaml").write_text("relax: {fields: [0.5], stage_sweeps: 10}\nmodel: {field: 0.5}\nreplicas: 4\n")
    assert "relax.fields" in call(tmp_path, "gen-disorder", "--L", 4, "--first", 0, "--count", 32, "--out", "no.h5", code=1)
