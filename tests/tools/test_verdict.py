"""What the verdict "equilibrated" rests on, in files and in what the programs say."""

import h5py
import pytest
from raw_runs import run

FULL = "log2 test, temperature walk and hottest temperature"
ONE = "log2 test and memory of the start"
UNTESTED = "not tested (one temperature has the log2 test alone)"
STUDY = """\
seed: 5
lattice: {L: 4}
disorder: {realizations: 32, batch: 32}
temperatures: {list: TEMPERATURES}
replicas: 2
MODEL
dynamics: {sweeps_per_swap: 1MOVES}
thermalize: {sweeps: 2000}
run: {sweeps: 2048, measure_every: 8}
equilibration: {test: TEST, min_walk_times: TIMES}
"""


def verdicts(folder, temperatures, test="log2", times=20, moves="", model="multispin: {share: 32}"):
    """Verdicts, what moved, basis, reduced attributes, and what the programs said."""
    study = folder / "study.yaml"
    study.write_text(STUDY.replace("TEMPERATURES", str(temperatures)).replace("TEST", test).replace("TIMES", str(times)).replace("MOVES", moves).replace("MODEL", model))
    d, s, r, o, out = (folder / f"{name}.h5" for name in ("d", "s", "r", "o", "reduced"))
    run("gen-disorder", "--config", study, "--first", 0, "--count", 32, "--out", d)
    run("thermalize", "--config", study, "--disorder", d, "--out", s)
    run("pt-run", "--config", study, "--disorder", d, "--state", s, "--out", r)
    said = run("measure", "--config", study, "--disorder", d, "--run", r, "--out", o).stderr
    said += run("reduce-disorder", "--config", study, "--out", out, "--csv", folder / "t.csv", o).stderr
    with h5py.File(o) as file:
        group = file["equilibration"]
        equilibrated, moved, basis = group["equilibrated"][:], group["moved"][:], group.attrs["basis"]
    with h5py.File(out) as file:
        return equilibrated, moved, basis, dict(file["L4"].attrs), said


def test_a_frozen_quench_is_not_equilibrated(tmp_path):
    equilibrated, moved, basis, reduced, said = verdicts(tmp_path, [0.01])
    assert (moved == 0).sum() > 10 and not equilibrated.any()
    assert basis == reduced["verdict_basis"] == "log2 test and memory of the start"
    assert reduced["never_moved"] == (moved == 0).sum()
    assert "nothing ever moved" in reduced["warnings"] and "the spins do not forget where the run ended" in reduced["warnings"]
    assert "never moved" in said and "nothing ever moved" in said and "0.0% equilibrated" in said


def test_one_temperature_without_a_test_with_power_is_not_tested(tmp_path):
    _, _, basis, reduced, said = verdicts(tmp_path, [1.5], times=0)
    assert basis == reduced["verdict_basis"] == UNTESTED
    assert "one temperature" in reduced["warnings"] and "equilibrium was not tested" in said and "% equilibrated" not in said


@pytest.mark.parametrize("model", ["multispin: {share: 32}", "multispin: {lanes: replicas}", "model: {couplings: gaussian}"])
def test_houdayer_moves_leave_less_of_the_walk(tmp_path, model):
    equilibrated, _, basis, reduced, said = verdicts(tmp_path, [1.5, 2.0], moves=", houdayer_every: 2, houdayer_below: 2", model=model)
    assert basis == reduced["verdict_basis"] == f"{FULL} (Houdayer moves mix walkers, so walks do not show decorrelation)"
    assert "does not show that configurations decorrelate" in reduced["warnings"] and "does not show that configurations decorrelate" in said
    assert reduced["warning_kinds"].splitlines()[0] == "mixed_walkers" and equilibrated.mean() > 0.9


@pytest.mark.parametrize(
    "temperatures, test, times, basis",
    [
        ([1.5], "log2", 20, ONE),
        ([1.5], "log2", 0, UNTESTED),
        ([1.5, 2.0], "log2", 0, "log2 test alone (equilibration.min_walk_times is 0)"),
        ([0.01], "none", 20, "nothing (equilibration.test is none)"),
        ([1.5, 2.0], "log2", 20, FULL),
    ],
)
def test_the_basis(tmp_path, temperatures, test, times, basis):
    equilibrated, moved, found, reduced, said = verdicts(tmp_path, temperatures, test, times)
    assert found == reduced["verdict_basis"] == basis
    full = basis in (ONE, FULL)
    assert ("seldom notices" in said) == ("seldom notices" in reduced["warnings"]) == (not full)
    assert moved.all() == (temperatures != [0.01])
    assert equilibrated.mean() > 0.9
