"""What the verdict "equilibrated" rests on, in files and in what the programs say."""

import h5py
import pytest
from raw_runs import run

STUDY = """\
seed: 5
lattice: {L: 4}
disorder: {realizations: 32, batch: 32}
temperatures: {list: TEMPERATURES}
replicas: 2
multispin: {share: 32}
dynamics: {sweeps_per_swap: 1}
thermalize: {sweeps: 2000}
run: {sweeps: 2048, measure_every: 8}
equilibration: {test: TEST, min_walk_times: TIMES}
"""


def verdicts(folder, temperatures, test="log2", times=20):
    """Verdicts, what moved, basis, reduced attributes, and what the programs said."""
    study = folder / "study.yaml"
    study.write_text(STUDY.replace("TEMPERATURES", str(temperatures)).replace("TEST", test).replace("TIMES", str(times)))
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
    assert (moved == 0).sum() > 10 and not equilibrated[moved == 0].any()
    assert basis == reduced["verdict_basis"] == "not tested (one temperature has the log2 test alone)"
    assert reduced["never_moved"] == (moved == 0).sum()
    assert "nothing ever moved" in reduced["warnings"] and "one temperature" in reduced["warnings"]
    assert "never moved" in said and "nothing ever moved" in said and "equilibrium was not tested" in said and "the hottest temperature was not tested" in said and "% equilibrated" not in said


@pytest.mark.parametrize(
    "temperatures, test, times, basis",
    [
        ([1.5], "log2", 20, "not tested (one temperature has the log2 test alone)"),
        ([1.5, 2.0], "log2", 0, "log2 test alone (equilibration.min_walk_times is 0)"),
        ([0.01], "none", 20, "nothing (equilibration.test is none)"),
        ([1.5, 2.0], "log2", 20, "log2 test, temperature walk and hottest temperature"),
    ],
)
def test_the_basis(tmp_path, temperatures, test, times, basis):
    equilibrated, moved, found, reduced, said = verdicts(tmp_path, temperatures, test, times)
    assert found == reduced["verdict_basis"] == basis
    full = basis == "log2 test, temperature walk and hottest temperature"
    assert ("seldom notices" in said) == ("seldom notices" in reduced["warnings"]) == (not full)
    assert moved.all() == (temperatures != [0.01])
    assert equilibrated.mean() > 0.9
