"""Which jobs the workflow plans, for a fresh study, a changed one and an interrupted one. Stand-ins take the place of the programs."""

import json
import re
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, planned, snakemake

TINY = Path(__file__).parent / "tiny.yaml"
TARGET = "reduce"  # the stand-ins write no HDF5 that could be reduced


def plan(tmp_path, study, stand_ins, *arguments, **options):
    return planned(snakemake(tmp_path, "--dry-run", *arguments, study=study.file, bin=stand_ins, **options).stdout)


def test_fresh_study_has_one_chain_per_batch(tmp_path, study, stand_ins):
    jobs = plan(tmp_path, study, stand_ins)
    chains = {name: jobs[name] for name in ("disorder", "thermalize", "run", "measure")}
    assert chains == {"disorder": 4, "thermalize": 4, "run": 4, "measure": 4}
    assert jobs["reduce"] == jobs["plots"] == jobs["crossings"] == jobs["critical"] == jobs["report"] == 1


@pytest.mark.parametrize("name", ["quickstart", "ea3d"])
def test_configs_have_a_plan(tmp_path, stand_ins, name):
    file = ROOT / "configs" / f"{name}.yaml"
    jobs = planned(snakemake(tmp_path, "--dry-run", "--quiet", "rules", study=file, bin=stand_ins).stdout)
    assert jobs["run"] == jobs["disorder"] >= 6


def finish(tmp_path, study, stand_ins, **options):
    return snakemake(tmp_path, TARGET, study=study.file, bin=stand_ins, **options)


MEASURED_AGAIN = {"criteria": 1, "measure": 4, "equilibration": 2, "final": 2, "reduce": 1, "total": 10}
CHANGES = [  # of a finished study -> jobs
    ({}, {}),
    ({"checkpoint": {"every_seconds": 10}, "disorder": {"batch": 64}}, {}),
    ({"disorder": {"realizations": 128}}, {"disorder": 4, "thermalize": 4, "run": 4, "measure": 4, "equilibration": 2, "final": 2, "reduce": 1, "total": 21}),
    ({"disorder": {"realizations": 40}}, {"equilibration": 2, "final": 2, "reduce": 1, "total": 5}),
    ({"lattice": {"L": [4, 6, 8]}, "run": {"sweeps": {4: 2048, 6: 2048, 8: 4096}}},
     {"disorder": 2, "thermalize": 2, "run": 2, "measure": 2, "equilibration": 1, "final": 1, "reduce": 1, "total": 11}),
    ({"equilibration": {"threshold_sigma": 5}}, MEASURED_AGAIN),
    ({"run": {"discard": 0.25}}, MEASURED_AGAIN),
]  # fmt: skip


@pytest.mark.parametrize("change, jobs", CHANGES)
def test_only_what_a_change_needs_is_planned(tmp_path, study, stand_ins, finished, change, jobs):
    study(**change)
    assert plan(tmp_path, study, stand_ins, TARGET) == jobs


def test_doubled_sweeps_go_on_from_the_end_before(tmp_path, study, stand_ins, monkeypatch, finished):
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "calls"))
    study(run={"sweeps": {4: 2048, 6: 4096}})
    finish(tmp_path, study, stand_ins)
    calls = [line.split() for line in (tmp_path / "calls").read_text().splitlines()]
    calls = [words for words in calls if words[0] != "reduce-disorder"]
    assert sorted(words[0] for words in calls) == ["measure"] * 2 + ["pt-run"] * 2
    for words in calls:
        batch = "results/tiny/L6/" + ("batch0000000-0000031" if "0000000-" in " ".join(words) else "batch0000032-0000063")
        if words[0] == "pt-run":
            assert words[words.index("--state") + 1] == f"{batch}/state-2048.h5" and words[words.index("--until") + 1] == "4096"
        else:
            start = words.index("--run") + 1
            assert words[start : start + 2] == [f"{batch}/run-2048.h5", f"{batch}/run-4096.h5"]


def test_another_analysis_version_only_measures_again(tmp_path, study, stand_ins, monkeypatch, finished):
    """The folder was made by programs of version 1, and ends in files of version 2; a rerun then has nothing to do."""
    monkeypatch.setenv("STAND_IN_ANALYSIS", "2")
    assert plan(tmp_path, study, stand_ins, TARGET) == MEASURED_AGAIN
    finish(tmp_path, study, stand_ins)
    assert json.loads((tmp_path / "results/tiny/study.json").read_text())["analysis_version"] == 2
    assert plan(tmp_path, study, stand_ins, TARGET) == {}


def test_threshold_there_and_back(tmp_path, study, stand_ins, finished):
    study(equilibration={"threshold_sigma": 5})
    finish(tmp_path, study, stand_ins)
    study(equilibration={"threshold_sigma": 4})
    assert plan(tmp_path, study, stand_ins, TARGET)["measure"] == 4


def test_stopped_job_keeps_its_checkpoint_and_goes_on(tmp_path, study, stand_ins):
    folder = tmp_path / "results/tiny/L4/batch0000000-0000031"
    folder.mkdir(parents=True)
    (folder / "stop").touch()
    stopped = snakemake(tmp_path, TARGET, check=False, study=study.file, bin=stand_ins)
    assert stopped.returncode != 0
    assert "checkpoint" in stopped.stdout + stopped.stderr
    assert (folder / "run-2048.h5.checkpoint.h5").is_file() and not (folder / "run-2048.h5").exists()
    (folder / "stop").unlink()
    finish(tmp_path, study, stand_ins)
    assert (folder / "resumed").exists() and (folder / "run-2048.h5").is_file()
    assert not (folder / "run-2048.h5.checkpoint.h5").exists()


def test_stopped_job_is_finished_before_a_longer_run(tmp_path, study, stand_ins):
    folder = tmp_path / "results/tiny/L4/batch0000000-0000031"
    folder.mkdir(parents=True)
    (folder / "stop").touch()
    snakemake(tmp_path, TARGET, check=False, study=study.file, bin=stand_ins)
    (folder / "stop").unlink()
    study(run={"sweeps": 4096})
    finish(tmp_path, study, stand_ins)
    assert {file.name for file in folder.glob("run-*")} == {"run-2048.h5", "run-4096.h5"}
    other = {file.name for file in (tmp_path / "results/tiny/L4/batch0000032-0000063").glob("run-*")}
    assert other in ({"run-4096.h5"}, {"run-2048.h5", "run-4096.h5"})


@pytest.mark.parametrize("program", ["thermalize", "pt-run"])
def test_a_round_that_ends_while_a_job_ends(tmp_path, study, stand_ins, monkeypatch, program):
    """The files of the other size's job are there already when Snakemake looks at all jobs anew."""
    lingers = {"pt-run L6/batch0000000-0000031": 3, f"{program} L4/batch0000000-0000031": 6}
    monkeypatch.setenv("STAND_IN_LINGERS", json.dumps(lingers))
    snakemake(tmp_path, TARGET, "--cores", "3", study=study.file, bin=stand_ins)
    assert final_of(tmp_path / "results/tiny", 4) and final_of(tmp_path / "results/tiny", 6)
    assert plan(tmp_path, study, stand_ins, TARGET) == {}


def final_of(out, L):
    (file,) = out.glob(f"rounds/L{L}-final-*.json")
    return json.loads(file.read_text())


def test_averages_that_drift_go_on(tmp_path, study, stand_ins, monkeypatch):
    """All batches of that size, though all realizations pass."""
    monkeypatch.setenv("STAND_IN_DRIFTS", json.dumps({"L6": 4096}))
    study(equilibration={"max_doublings": 2})
    finish(tmp_path, study, stand_ins)
    out = tmp_path / "results/tiny"
    ends = {L: {re.search(r"-(\d+)\.h5", name)[1] for name in final_of(out, L)["observables"]} for L in (4, 6)}
    assert ends == {4: {"2048"}, 6: {"4096"}}
    first, second = (json.loads(next(out.glob(f"rounds/L6-{end}-*.json")).read_text()) for end in (2048, 4096))
    assert (first["stationary"], first["largest_paired_z"], first["unequilibrated"], len(first["go_on"])) == (False, 9.0, 0, 2)
    assert (second["stationary"], second["go_on"]) == (True, [])
    assert "the averages drift (largest paired difference 9.0 sigma), 2 batches continue" in next(out.glob("logs/equilibration/L6-2048-*.log")).read_text()


def test_doublings_follow_the_verdict(tmp_path, study, stand_ins, monkeypatch):
    """One realization needs one doubling, one more than are allowed; realizations beyond the study's number do not count."""
    study(equilibration={"max_doublings": 2}, disorder={"realizations": 60})
    needs = {"L4/batch0000000-0000031": {"3": 4096}, "L6/batch0000032-0000063": {"5": 99999}, "L6/batch0000000-0000031": {}}
    needs["L4/batch0000032-0000063"] = {"28": 99999}
    monkeypatch.setenv("STAND_IN_NEEDS", json.dumps(needs))
    finish(tmp_path, study, stand_ins)
    out = tmp_path / "results/tiny"
    final = [name for L in (4, 6) for name in final_of(out, L)["observables"]]
    assert final == [
        "L4/batch0000000-0000031/observables-4096.h5",
        "L4/batch0000032-0000063/observables-2048.h5",
        "L6/batch0000000-0000031/observables-2048.h5",
        "L6/batch0000032-0000063/observables-8192.h5",
    ]
    assert plan(tmp_path, study, stand_ins, TARGET) == {}
    study(disorder={"realizations": 61})
    jobs = plan(tmp_path, study, stand_ins, TARGET)
    assert jobs == {"equilibration": 2, "final": 2, "reduce": 1, "total": 5}
    finish(tmp_path, study, stand_ins)
    assert (out / "L4/batch0000032-0000063/observables-8192.h5").is_file()


def test_gpu_jobs_take_a_device(tmp_path, study, stand_ins, monkeypatch):
    monkeypatch.setenv("STAND_IN_BACKENDS", "cpu cuda")
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "calls"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    finish(tmp_path, study, stand_ins, gpus=1)
    calls = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith(("thermalize", "pt-run"))]
    assert len(calls) == 8 and all("--backend auto" in line and line.endswith(" on GPU 0") for line in calls)
    logs = [file for rule in ("disorder", "thermalize", "run", "measure") for file in (tmp_path / "results/tiny/logs" / rule).glob("*.log")]
    assert {file.parent.name for file in logs if "asked for a GPU" in file.read_text()} == {"thermalize", "run"}  # only these ask
    # Large lattices come first within a batch, so that the files of small ones are written while large ones sweep.
    runs = [re.search(r"results/tiny/(L\d)/batch(\d+)", line).groups() for line in calls if line.startswith("pt-run")]
    assert runs == [("L6", "0000000"), ("L4", "0000000"), ("L6", "0000032"), ("L4", "0000032")]


def test_missing_programs_are_told(tmp_path):
    done = snakemake(tmp_path, "--dry-run", check=False, bin=tmp_path / "nothing", study=TINY)
    assert done.returncode != 0 and "no psflip programs" in done.stdout + done.stderr


def test_the_program_tells_what_is_wrong_with_the_study_and_where(tmp_path, study, programs):
    study(disorder={"batch": 33, "realizatons": 64})
    done = snakemake(tmp_path, "--dry-run", check=False, study=study.file, bin=programs)
    assert done.returncode != 0
    assert f"{study.file}:" in done.stdout + done.stderr and "did you mean disorder.realizations?" in done.stdout + done.stderr


def test_the_files_to_average_are_listed(tmp_path, study, stand_ins, monkeypatch):
    """A large campaign has more than fit on a command line."""
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "calls"))
    finish(tmp_path, study, stand_ins)
    calls = [line.split() for line in (tmp_path / "calls").read_text().splitlines() if line.startswith("reduce-disorder")]
    words = calls[-1]  # those before are of the rounds
    assert len(words) == 11 and words[words.index("--files-from") + 1] == "results/tiny/observables.txt"
    listed = (tmp_path / "results/tiny/observables.txt").read_text().splitlines()
    assert len(listed) == 4 and sorted(listed) == sorted(str(file.relative_to(tmp_path)) for file in tmp_path.glob("results/tiny/L*/*/observables-*.h5"))


def test_sizes_there_and_back(tmp_path, study, stand_ins, finished):
    """Both choices of sizes have the same batches, rounds and criteria; the averages contain the sizes of the study only."""
    study(lattice={"L": [4, 8]}, run={"sweeps": {4: 2048, 6: 2048, 8: 2048}})
    finish(tmp_path, study, stand_ins)
    study(lattice={"L": [4, 6]})
    jobs = plan(tmp_path, study, stand_ins, TARGET)
    assert jobs["reduce"] == 1 and not jobs.keys() & {"disorder", "thermalize", "run", "measure"}


def test_removed_size_is_decided_anew(tmp_path, study, stand_ins, monkeypatch, finished):
    """The files of a size are gone: rounds and averages that stood on them are made again, too, with what is found now."""
    monkeypatch.setenv("STAND_IN_NEEDS", json.dumps({"L6/batch0000032-0000063": {"5": 4096}}))
    shutil.rmtree(tmp_path / "results/tiny/L6")
    study(replicas=2, thermalize={"sweeps": {4: 512, 6: 1024}})
    finish(tmp_path, study, stand_ins)
    runs = sorted(file.relative_to(tmp_path / "results/tiny").as_posix() for file in tmp_path.glob("results/tiny/L6/*/observables-*"))
    assert runs == [f"L6/batch{name}.h5" for name in ("0000000-0000031/observables-2048", "0000032-0000063/observables-2048", "0000032-0000063/observables-4096")]
    final = [file for file in (tmp_path / "results/tiny/rounds").glob("L6-final-*")]
    assert len(final) == 1 and "observables-4096" in final[0].read_text()
    assert plan(tmp_path, study, stand_ins, TARGET) == {}


def test_averages_of_another_physics_version_do_not_count(tmp_path, study, stand_ins, monkeypatch, finished):
    """Programs of another one, and the folders of all sizes removed: nothing that is left in rounds/ or reduced.h5 makes a job needless."""
    fresh = plan(tmp_path, study, stand_ins, TARGET, out="fresh")
    out = tmp_path / "results/tiny"
    for folder in (out / "L4", out / "L6"):
        shutil.rmtree(folder)
    monkeypatch.setenv("STAND_IN_PHYSICS", "2")
    jobs = plan(tmp_path, study, stand_ins, TARGET)
    assert jobs | {"criteria": 1, "total": jobs["total"] + 1} == fresh  # the criteria are the same
    finish(tmp_path, study, stand_ins)
    assert json.loads((out / "study.json").read_text())["physics_version"] == 2
    assert len(list((out / "rounds").glob("averages-*"))) == 1 and plan(tmp_path, study, stand_ins, TARGET) == {}


def test_jobs_of_another_study_that_were_waited_for(tmp_path, study, stand_ins, monkeypatch, finished):
    """A Snakemake died before its jobs had written a file, the study was changed, and the jobs end while the next Snakemake waits."""
    out = tmp_path / "results/tiny"
    shutil.move(out / "L6", tmp_path / "late")
    (out / ".slurm_runs").write_text("first\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "squeue").write_text(f"#!/bin/sh\n[ -d {tmp_path}/late ] || exit 0\nmv {tmp_path}/late {out}/L6\necho 17\n")
    (tools / "squeue").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    study(thermalize={"sweeps": {4: 512, 6: 1024}})
    done = snakemake(tmp_path, check=False, study=study.file, bin=stand_ins)
    assert done.returncode != 0 and "thermalize.sweeps: finished files have 512, but the study file has 1024" in done.stdout + done.stderr


def test_removed_batch_is_made_again(tmp_path, study, stand_ins, finished):
    """As an audit that failed tells: the batch and the rounds are removed."""
    shutil.rmtree(tmp_path / "results/tiny/L6/batch0000032-0000063")
    shutil.rmtree(tmp_path / "results/tiny/rounds")
    finish(tmp_path, study, stand_ins)
    assert len(list(tmp_path.glob("results/tiny/L6/batch0000032-0000063/observables-*.h5"))) == 1
    assert plan(tmp_path, study, stand_ins, TARGET) == {}
