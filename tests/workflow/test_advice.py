"""Advice on study files, and plans that exceed the machine: what is said, and that nothing is said of ordinary studies."""

from dataclasses import replace

import pytest
from conftest import ROOT
from psflip.campaign import profiles
from psflip.campaign.campaign import Campaign
from psflip.campaign.study import Study, validate
from psflip.plan import advice, plan_text, planning
from psflip.plan.estimate import Estimate
from psflip.plan.rates import Rates
from test_plan import MACHINE, campaign, plan_of

HOT = "lie far above any transition"
COLD = "are so low that nothing equilibrates"
GLASS, SQUARE, GAUSSIAN = {}, {"model": {"kind": "ferromagnet", "dimension": 2}, "multispin": {"share": 1}}, {"model": {"couplings": "gaussian"}, "multispin": {"share": 1}}


def vectors(**keys):
    return {"model": {"kind": "heisenberg", **keys}, "multispin": {"share": 1}}


@pytest.mark.parametrize("model, T, said", [
    (GLASS, (300, 400), HOT), (GLASS, (12.1, 13), HOT), (GLASS, (11.9, 13), ""), (GLASS, (0.8, 2.0), ""), (GLASS, (0.11, 0.2), ""), (GLASS, (0.02, 0.09), COLD), (GLASS, (0.02, 0.2), ""),
    ({"model": {"dimension": 2}}, (8.1, 9), HOT), ({"model": {"dimension": 2}}, (7.9, 9), ""), (SQUARE, (2.1, 2.5), ""), (SQUARE, (300, 400), HOT), (SQUARE, (0.02, 0.09), COLD),
    (GAUSSIAN, (0.02, 0.09), ""), (GAUSSIAN, (12.1, 13), HOT), (GAUSSIAN | {"disorder": {"source": "files"}}, (12.1, 13), ""), (GAUSSIAN | {"disorder": {"source": "files"}}, (97, 99), HOT),
    (vectors(), (0.02, 0.09), ""), (vectors(), (12.1, 13), HOT), (vectors(exchange=[10, 1, 1]), (100, 119), ""), (vectors(exchange=[10, 1, 1]), (121, 130), HOT),
    (vectors(exchange=[1, 1, 10]), (12.1, 13), HOT), (vectors(exchange=[1, 1, 10], concentration=0.5), (12.1, 13), ""), (vectors(dm=[2, 0, 0]), (12.1, 13), HOT),
    (vectors(dm=[2, 0, 0], dm_pattern="constant"), (12.1, 13), ""),
])  # fmt: skip
def test_temperatures_without_physics(tmp_path, model, T, said):
    study = campaign(tmp_path, temperatures={"list": list(T)}, **model).study
    found = advice.of_temperatures(study)
    assert len(found) == bool(said) and all(said in text and "J/k_B, not kelvin" in text and f"temperatures: {T[0]:g} to {T[1]:g}" in text for text in found)
    study.kind = "relaxation"
    assert bool(advice.of_temperatures(study)) == (said == HOT)  # a quench may go to T = 0


@pytest.mark.parametrize("sizes, said", [
    ([4, 6, 8], []), ([8, 16], []), ([8, 12], []), ([4, 6, 8, 10], ["L = 10 makes no pair", "20 would make one"]), ([8, 12, 16, 20], ["L = 20 makes no pair", "10 or 30 or 40 would make one"]),
    ([8], ["one size has no crossing", "with L = 8, the sizes 4 or 12 or 16"]), ([6, 10], ["L = 6 makes no pair", "4 or 12 would", "L = 10 makes no pair"]),
])  # fmt: skip
def test_sizes_without_partners(tmp_path, sizes, said):
    text = " | ".join(advice.of_sizes(campaign(tmp_path, lattice={"L": sizes}).study))
    assert bool(text) == bool(said) and all(part in text for part in said), text
    assert advice.of_sizes(campaign(tmp_path, lattice={"L": sizes}, model={"dimension": 2}).study) == []  # orders at T = 0 only


@pytest.mark.parametrize("realizations, share, said", [(32, 32, ["32 make 1 group with", "no report", "raise it to 64"]), (64, 128, ["64 make 0 groups", "256"]), (256, 32, ["8 groups", "exponents need 10", "320"]), (320, 32, []), (10, 1, [])])
def test_groups_of_a_relaxation(tmp_path, realizations, share, said):
    study = campaign(tmp_path, disorder={"realizations": realizations, "batch": realizations}, multispin={"share": share}).study
    assert advice.of_groups(study) == []  # in equilibrium
    study.kind = "relaxation"
    text = " | ".join(advice.of_groups(study))
    assert bool(text) == bool(said) and all(part in text for part in said), text


ONE_OF_FILES = {"disorder": {"realizations": 1, "batch": 1, "source": "files"}, "multispin": {"share": 128}, "temperatures": {"count": 16}, "lattice": {"L": [8]}}


@pytest.mark.parametrize("sections, said", [
    (ONE_OF_FILES, ["with realizations, because 127 of 128 lanes are idle with 1 realization in a batch", "with replicas", "{lanes: replicas}", "write it before the first run"]),
    (ONE_OF_FILES | {"disorder": {"realizations": 1, "batch": 1}}, ["127 of 128 lanes are idle", "{lanes: replicas}"]),
    (ONE_OF_FILES | {"multispin": {"lanes": "replicas"}}, []),
    (ONE_OF_FILES | {"dynamics": {"houdayer_every": 10}}, ["{lanes: replicas}"]),
    (ONE_OF_FILES | {"dynamics": {"houdayer_every": 10}, "model": {"p_absent": 0.3}}, []),
    ({"disorder": {"realizations": 1024, "batch": 128}, "multispin": {"share": 128}}, []),
    ({"disorder": {"realizations": 128, "batch": 128}, "multispin": {"lanes": "replicas"}, "temperatures": {"count": 4}}, ["with replicas", "{lanes: realizations}"]),
    (vectors(), []),
])  # fmt: skip
def test_codings_that_another_one_beats(tmp_path, sections, said):
    found = campaign(tmp_path, **sections)
    text = " | ".join(advice.of_codings(found, planning.make_plan(Estimate(found, Rates(found, False)))))
    assert bool(text) == bool(said) and all(part in text for part in said), text


def test_the_time_of_an_idle_coding_is_that_of_wanted_flips(tmp_path):
    """128 realizations fill up a word if couplings are drawn; files hold one. Both cost as much for the one that is wanted."""
    texts = []
    for disorder in ({"realizations": 1, "batch": 1}, {"realizations": 1, "batch": 1, "source": "files"}):
        found = campaign(tmp_path, **ONE_OF_FILES | {"disorder": disorder})
        texts += advice.of_codings(found, planning.make_plan(Estimate(found, Rates(found, False))))
    assert len(texts) == 2 and texts[0] == texts[1]


@pytest.mark.parametrize("name", sorted(file.stem for file in (ROOT / "configs").glob("*.yaml") if file.stem != "reference"))
def test_the_studies_that_come_with_psflip_need_no_advice_on_temperatures(tmp_path, name):
    study = Study.read(ROOT / f"configs/{name}.yaml")
    assert advice.of_temperatures(study) == []
    assert study.kind == ("relaxation" if name.startswith(("relax", "hysteresis", "fecr")) else "equilibrium")


@pytest.mark.parametrize("machine, sections, said", [
    ({}, {}, []),
    ({"free": 1e6}, {}, ["disk: ", "are needed and 1.0 MB are free"]),
    ({"memory": 1e7}, {}, ["memory: a job takes", "10.0 MB", "lower disorder.batch"]),
    ({"memory": 1e9, "cores": 64}, {"disorder": {"realizations": 4096, "batch": 32}}, ["memory: 64 jobs side by side take", "run with --cores"]),
])  # fmt: skip
def test_what_exceeds_the_machine(tmp_path, machine, sections, said):
    text = " | ".join(plan_text.limits(plan_of(tmp_path, **sections), replace(MACHINE, **machine)))
    assert bool(text) == bool(said) and all(part in text for part in said), text


def test_doublings_that_may_not_fit(tmp_path):
    plan = plan_of(tmp_path)
    between = (plan["missing"]["least"]["disk_bytes"] + plan["missing"]["most"]["disk_bytes"]) / 2
    assert "disk: up to" in plan_text.limits(plan, replace(MACHINE, free=between))[0]


def test_a_gpu_that_is_not_here(tmp_path):
    plan = plan_of(tmp_path, gpu=True)
    assert "nvidia-smi lists none here" in plan_text.limits(plan, MACHINE)[0] and plan_text.limits(plan, replace(MACHINE, gpus=1)) == []
    assert "on 1 GPU (this machine has none)" in plan_text.as_text(plan, MACHINE)[0] and "on 8 GPUs" in plan_text.as_text(plan, replace(MACHINE, gpus=8))[0]


def test_times_are_those_of_the_machine(tmp_path):
    """More cores make a study shorter, but neither its longest job nor the analysis at the end."""
    plan = plan_of(tmp_path, run={"sweeps": 2**24})["whole"]["least"]
    times = [replace(MACHINE, cores=cores).seconds(plan) for cores in (1, 2, 1000)]
    assert times[0] - plan["last_seconds"] == pytest.approx(2 * (times[1] - plan["last_seconds"]), rel=0.01)
    assert times[2] == pytest.approx(plan["longest_job"]["seconds"] + plan["last_seconds"])
    assert [plan_text.duration(seconds) for seconds in (0.2, 48, 750, 12240, 1e6, 1e9)] == ["less than 1 s", "48 s", "12.5 min", "3.4 h", "11.6 d", "31.7 years"]


@pytest.mark.parametrize("least, most, text", [("48 s", "48 s", "about 48 s"), ("1 s", "3 s", "about 1 s, or 3 s with all doublings"), ("less than 1 s", "1 s", "up to 1 s with all doublings"),
                                               ("less than 1 s", "less than 1 s", "less than 1 s"), ("none", "none", "none")])  # fmt: skip
def test_times_of_less_than_a_second(least, most, text):
    assert plan_text.about(plan_text.span(least, most)) == text


def test_a_finished_study_has_nothing_to_do(tmp_path):
    found = Campaign(Study(validate({"lattice": {"L": [4]}, "disorder": {"realizations": 32, "batch": 32}, "multispin": {"share": 32}, "equilibration": {"test": "none"}})), tmp_path, 2)
    (tmp_path / found.batches(4)[0].folder).mkdir(parents=True)
    for name in ("disorder.h5", "state-0.h5", "run-8192.h5", "state-8192.h5", "observables-8192.h5"):
        (tmp_path / found.batches(4)[0].folder / name).touch()
    found.stamp().parent.mkdir()
    found.stamp().touch()
    found.forget()
    plan = planning.make_plan(Estimate(found, Rates(found, False)))
    assert plan_text.as_text(plan, MACHINE)[0] == "Nothing is missing; psflip run has nothing to do."
    assert plan_text.announced(plan, MACHINE, False, "my.yaml", tmp_path) == f"my.yaml: all jobs are done; results in {tmp_path}"


@pytest.mark.parametrize("text, cluster, seconds", [
    ("executor: slurm\nslurm-init-seconds-before-status-checks: 20\n", True, 50), ("executor: slurm\n", True, 90), ("executor: cluster-generic\n", True, 20),
    ("executor: cluster-generic\nseconds-between-status-checks: 30\n", True, 60), ("cores: all\n", False, 20), ("executor: slurm\nslurm-init-seconds-before-status-checks: soon\n", True, 0),
])  # fmt: skip
def test_a_plan_names_the_wait_on_a_cluster(tmp_path, text, cluster, seconds):
    (tmp_path / "profile.yaml").write_text(text)
    assert (profiles.is_cluster(tmp_path), profiles.seconds_of_stage(tmp_path)) == (cluster, seconds)
    plan = plan_of(tmp_path / "results")
    wait = plan_text.Wait(cluster, seconds)
    wanted = f"plus about {plan_text.duration(8 * seconds)} of queueing and polling for 8 stages (with all doublings " if cluster else ""
    for line in (plan_text.as_text(plan, MACHINE, wait)[0], plan_text.announced(plan, MACHINE, wait, "my.yaml", tmp_path)):
        assert wanted in line and ("summed over cores" in line) == cluster and ("queueing" in line) == cluster, line
    (line,) = [line for line in plan_text.as_text(plan, replace(MACHINE, slurm=True), replace(wait, cluster=False)) if line.startswith("Slurm: ")]
    assert line.endswith("of queueing and polling for 8 stages (with all doublings " + line.rpartition(" doublings ")[2])
