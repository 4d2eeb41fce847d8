"""Lanes that are replicas or sites, vector spins and real couplings on several ranks: the same files for any number of them, also where they change
on the way."""

import pytest
from mpi_calls import MPIRUN, Call, errors_in, pt_run, relax, thermalize  # isort: skip
from interrupted import assert_same, names_in  # isort: skip

pytestmark = pytest.mark.skipif(MPIRUN is None, reason="no mpirun here")
LANES = """\
seed: 5
lattice: {L: 32}
disorder: {realizations: 2, batch: 2}
temperatures: {min: 1.0, max: 1.02, count: 3}
multispin: {share: 1, lanes: LANES}
thermalize: {sweeps: 12}
run: {sweeps: 24, measure_every: 12, blocks: 2, snapshots: 1}
replicas: 2
relax: {last: 12, per_decade: 4, waiting: [0, 4]}
"""


@pytest.mark.parametrize("L, lanes, dynamics, most", [
    ("32", "sites", "{sweeps_per_swap: 3}", 4), ("32", "sites", "{sweeps_per_swap: 6, tile: 2, hits: 3}", 2), ("32", "replicas", "{sweeps_per_swap: 3}", 3),
    ("64", "sites", "{sweeps_per_swap: 3}", 4), ("64", "sites", "{sweeps_per_swap: 6, tile: 2, hits: 3}", 2)])
def test_other_lanes(tmp_path, L, lanes, dynamics, most):
    """L = 64 is a square."""
    text = LANES.replace("LANES", lanes).replace("L: 32", f"L: {L}") + f"dynamics: {dynamics}\n" + "model: {dimension: 2}\n" * (L == "64")
    call = Call(tmp_path, text, realizations=2)
    hits = "hits" in dynamics
    for ranks in range(1, most + 1):
        call.finish(ranks, *thermalize(f"state{ranks}.h5"))
        call.finish(ranks, *pt_run(f"run{ranks}.h5", f"state{ranks}.h5"))
        if not hits:
            call.finish(ranks, *relax(f"relaxation{ranks}.h5"))
        for name in ("state", "run", *([] if hits else ["relaxation"])):
            assert_same(tmp_path / f"{name}{ranks}.h5", tmp_path / f"{name}1.h5")
    for ranks in (2, 1, most):
        assert call.run(ranks, *pt_run("parts.h5", "state1.h5"), "--time-limit", 0.000001).returncode == 75
    call.finish(2, *pt_run("parts.h5", "state1.h5"))
    assert_same(tmp_path / "parts.h5", tmp_path / "run1.h5")
    if lanes == "sites":
        result = call.run(most + 1, *thermalize("none.h5"))
        assert result.returncode == 1 and len(errors_in(result.stderr)) == 1
        assert f"{most + 1} ranks are too many for L = {L} with multispin.lanes = sites" in result.stderr and f"use at most {most} rank" in result.stderr


VECTORS = """\
seed: 5
model: MODEL
lattice: {L: 8}
disorder: {realizations: 3, batch: 3}
temperatures: {min: 0.6, max: 0.9, count: 3}
replicas: 2
dynamics: DYNAMICS
thermalize: {sweeps: 36}
run: {sweeps: 48, measure_every: 12, blocks: 2, snapshots: 1}
RELAX
"""
PEROVSKITE = "{kind: heisenberg, boundary: open, exchange: [-1, -0.6, -0.3], dm_pattern: alternating, dm: [0.1, -0.2, 0.05], concentration: 0.4, field: 0.2}"
PROTOCOL = "relax: {schedule: steps, factors: [3, 2], fields: [0, 1], stage_sweeps: 8, measure_every: 4, last: 24, waiting: [0, 16]}"


@pytest.mark.parametrize("model, dynamics, protocol", [
    ("{kind: heisenberg}", "{update: heat-bath, sweeps_per_swap: 4, over_relaxation: 2, precision: double}", ""),
    (PEROVSKITE, "{update: cone, sweeps_per_swap: 4}", PROTOCOL),
    ("{couplings: gaussian}", "{sweeps_per_swap: 4}", "")])
def test_vectors_and_real_couplings(tmp_path, model, dynamics, protocol):
    call = Call(tmp_path, VECTORS.replace("MODEL", model).replace("DYNAMICS", dynamics).replace("RELAX", protocol), realizations=3)
    for ranks in (1, 2, 3):
        call.finish(ranks, *thermalize(f"state{ranks}.h5"))
        call.finish(ranks, *pt_run(f"run{ranks}.h5", f"state{ranks}.h5", "--state-out", f"next{ranks}.h5"))
        if protocol:
            call.finish(ranks, *relax(f"relaxation{ranks}.h5", "--state-out", f"end{ranks}.h5"))
        for name in ("state", "run", "next", *(["relaxation", "end"] if protocol else [])):
            assert_same(tmp_path / f"{name}{ranks}.h5", tmp_path / f"{name}1.h5")
    for ranks in (2, 1, 3):
        assert call.run(ranks, *pt_run("parts.h5", "state1.h5"), "--time-limit", 0.000001).returncode == 75
    call.finish(2, *pt_run("parts.h5", "state1.h5"))
    assert_same(tmp_path / "parts.h5", tmp_path / "run1.h5")
    for model_of_plane, ranks, words in [(",", 5, "5 ranks are too many for L = 8"), (", dimension: 2,", 2, "study.yaml:2: model.dimension = 2 does not go with 2 ranks, because ")]:
        folder = tmp_path / f"refused{ranks}"
        folder.mkdir()
        text = VECTORS.replace("MODEL", model.replace("}", model_of_plane.rstrip(",") + "}")).replace("DYNAMICS", dynamics).replace("RELAX", "")
        result = Call(folder, text, realizations=3).run(ranks, *thermalize("none.h5"))
        assert result.returncode == 1 and len(errors_in(result.stderr)) == 1 and words in result.stderr, result.stderr
        assert names_in(folder) == ["disorder.h5", "study.yaml"]


@pytest.mark.parametrize("model, lanes, key", [
    ("{}", "realizations", "dynamics.update = demon"),
    ("{kind: ferromagnet}", "realizations", "dynamics.update = swendsen-wang"),
    ("{kind: ferromagnet}", "sites", "dynamics.update = wolff"),
    ("{dimension: 2}", "sites", "dynamics.update = demon"),
    ("{}", "replicas", "dynamics.houdayer_every = 5"),
    ("{couplings: gaussian}", "realizations", "dynamics.houdayer_every = 5"),
    ("{dimension: 2}", "realizations", "model.dimension = 2")])
def test_what_slabs_do_not_have(tmp_path, model, lanes, key):
    """--validate and the work name the line of the key, with and without couplings. relax makes no Houdayer moves, so it ignores their key."""
    name, value = key.split(" = ")
    dynamics = f"{name.split('.')[1]}: {value}" if name.startswith("dynamics") else "update: heat-bath"
    sections = f"model: {model}\ndynamics: {{sweeps_per_swap: 3, {dynamics}}}\n"
    config = LANES.replace("LANES", lanes).replace("L: 32", f"L: {64 if 'dimension' in model and lanes == 'sites' else 32 if lanes == 'sites' else 8}") + sections
    call = Call(tmp_path, config, realizations=2)
    place = f"study.yaml:{1 + config[:config.index(name.split('.')[0] + ':')].count(chr(10))}: {key} does not go with "
    for arguments in (["thermalize", "--validate"], ["pt-run", "--validate"], [*thermalize("none.h5"), "--validate"], thermalize("none.h5")):
        result = call.run(2, *arguments)
        assert result.returncode == 1 and len(errors_in(result.stderr)) == 1 and place in result.stderr and "; use " in result.stderr, result.stderr
    if "houdayer" in key and "gaussian" not in model:
        call.finish(2, *relax("relaxation.h5"))
    else:
        assert call.run(2, "relax", "--validate").returncode == 1
    assert "none.h5" not in names_in(tmp_path)
