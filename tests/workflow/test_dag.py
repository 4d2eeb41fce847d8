"""Which jobs the workflow plans, for a fresh study, a changed one and an interrupted one. Stand-ins take the place of the programs."""

import os
import shutil
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, planned, snakemake

TINY = Path(__file__).parent / "tiny.yaml"
UNTIL = ("--until", "measure")  # the stand-ins write no HDF5 that could be reduced


@pytest.fixture
def study(tmp_path):
    """A copy of tiny.yaml and a function that changes keys of it."""
    file = tmp_path / "tiny.yaml"
    shutil.copy(TINY, file)

    def change(**sections):
        data = yaml.safe_load(file.read_text())
        for section, keys in sections.items():
            data[section] = {**data.get(section, {}), **keys} if isinstance(keys, dict) else keys
        file.write_text(yaml.safe_dump(data))
        return file

    change.file = file
    return change


def plan(tmp_path, study, stand_ins, *arguments, **options):
    return planned(snakemake(tmp_path, "--dry-run", *arguments, study=study.file, bin=stand_ins, **options).stdout)


def test_fresh_study_has_one_chain_per_batch(tmp_path, study, stand_ins):
    jobs = plan(tmp_path, study, stand_ins)
    chains = {name: jobs[name] for name in ("disorder", "thermalize", "run", "measure")}
    assert chains == {"disorder": 4, "thermalize": 4, "run": 4, "measure": 4}
    assert jobs["reduce"] == jobs["plots"] == jobs["crossings"] == jobs["report"] == 1


@pytest.mark.parametrize("name", ["quickstart", "ea3d"])
def test_configs_have_a_plan(tmp_path, stand_ins, name):
    file = ROOT / "configs" / f"{name}.yaml"
    if not file.is_file():
        pytest.skip(f"no {file.name} yet")
    jobs = planned(snakemake(tmp_path, "--dry-run", "--quiet", "rules", study=file, bin=stand_ins).stdout)
    assert jobs["run"] == jobs["disorder"] >= 6


def finish(tmp_path, study, stand_ins, **options):
    return snakemake(tmp_path, *UNTIL, study=study.file, bin=stand_ins, **options)


def test_nothing_to_do_the_second_time(tmp_path, study, stand_ins):
    finish(tmp_path, study, stand_ins)
    assert plan(tmp_path, study, stand_ins, *UNTIL) == {}


def test_more_realizations_only_add_batches(tmp_path, study, stand_ins):
    finish(tmp_path, study, stand_ins)
    study(disorder={"realizations": 128})
    jobs = plan(tmp_path, study, stand_ins, *UNTIL)
    assert jobs == {"disorder": 4, "thermalize": 4, "run": 4, "measure": 4, "total": 16}


def test_another_size_only_adds_its_batches(tmp_path, study, stand_ins):
    finish(tmp_path, study, stand_ins)
    study(lattice={"L": [4, 6, 8]}, run={"sweeps": {4: 2048, 6: 2048, 8: 4096}})
    jobs = plan(tmp_path, study, stand_ins, *UNTIL)
    assert jobs == {"disorder": 2, "thermalize": 2, "run": 2, "measure": 2, "total": 8}


def test_changed_run_keeps_what_came_before(tmp_path, study, stand_ins):
    finish(tmp_path, study, stand_ins)
    study(run={"sweeps": {4: 2048, 6: 4096}})
    assert plan(tmp_path, study, stand_ins, *UNTIL) == {"run": 2, "measure": 2, "total": 4}


def test_changed_threshold_only_measures_again(tmp_path, study, stand_ins):
    finish(tmp_path, study, stand_ins)
    study(equilibration={"threshold_sigma": 5})
    assert plan(tmp_path, study, stand_ins, *UNTIL) == {"measure": 4, "total": 4}


def test_checkpoint_interval_changes_nothing(tmp_path, study, stand_ins):
    finish(tmp_path, study, stand_ins)
    study(checkpoint={"every_seconds": 10}, disorder={"batch": 32})
    assert plan(tmp_path, study, stand_ins, *UNTIL) == {}


def test_new_physics_version_runs_all_again(tmp_path, study, stand_ins, monkeypatch):
    finish(tmp_path, study, stand_ins)
    monkeypatch.setenv("STAND_IN_PHYSICS", "2")
    assert plan(tmp_path, study, stand_ins, *UNTIL)["disorder"] == 4


def test_stopped_job_keeps_its_checkpoint_and_goes_on(tmp_path, study, stand_ins):
    folder = tmp_path / "results/tiny/L4/batch0000000"
    folder.mkdir(parents=True)
    (folder / "stop").touch()
    stopped = snakemake(tmp_path, *UNTIL, check=False, study=study.file, bin=stand_ins)
    assert stopped.returncode != 0
    assert "checkpoint" in stopped.stdout + stopped.stderr
    assert (folder / "run.h5.checkpoint.h5").is_file() and not (folder / "run.h5").exists()
    (folder / "stop").unlink()
    finish(tmp_path, study, stand_ins)
    assert (folder / "resumed").exists() and (folder / "run.h5").is_file()
    assert not (folder / "run.h5.checkpoint.h5").exists()


def test_extend_doubles_what_is_not_equilibrated(tmp_path, study, stand_ins):
    import h5py

    finish(tmp_path, study, stand_ins)
    folder = tmp_path / "results/tiny/L6/batch0000032"
    when = (folder / "observables.h5").stat()
    for other, verdict in ((folder, [1, 0]), (tmp_path / "results/tiny/L6/batch0000000", [1, 1])):
        with h5py.File(other / "observables.h5", "w") as file:
            file["equilibration/equilibrated"] = verdict
        os.utime(other / "observables.h5", ns=(when.st_atime_ns, when.st_mtime_ns))
    for other in (tmp_path / "results/tiny").glob("L4/*/observables.h5"):
        os.utime(other.parent / "observables.h5", ns=(when.st_atime_ns, when.st_mtime_ns))
        with h5py.File(other, "w") as file:
            file["equilibration/equilibrated"] = [1]
    assert plan(tmp_path, study, stand_ins, *UNTIL, extend="yes") == {"run_on": 1, "measure": 1, "total": 2}
    finish(tmp_path, study, stand_ins, extend="yes")
    assert (folder / "run2.h5").is_file() and (folder / "state2.h5").is_file()
    assert plan(tmp_path, study, stand_ins, *UNTIL) == {}, "a doubled batch stays doubled without the option"


def test_gpu_jobs_take_a_device(tmp_path, study, stand_ins, monkeypatch):
    monkeypatch.setenv("STAND_IN_BACKENDS", "cpu cuda")
    monkeypatch.setenv("STAND_IN_LOG", str(tmp_path / "calls"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    finish(tmp_path, study, stand_ins, gpus=1)
    calls = [line for line in (tmp_path / "calls").read_text().splitlines() if line.startswith(("thermalize", "pt-run"))]
    assert len(calls) == 8 and all("--backend auto" in line and line.endswith("--device 0") for line in calls)


@pytest.mark.parametrize(
    "options, message",
    [({}, "--config study="), ({"study": "no.yaml"}, "no.yaml not found"), ({"study": TINY, "seed": 3}, "unknown --config seed")],
)
def test_wrong_options_are_told(tmp_path, stand_ins, options, message):
    done = snakemake(tmp_path, "--dry-run", check=False, bin=stand_ins, **options)
    assert done.returncode != 0 and message in done.stdout + done.stderr


def test_missing_programs_are_told(tmp_path):
    done = snakemake(tmp_path, "--dry-run", check=False, bin=tmp_path / "nothing", study=TINY)
    assert done.returncode != 0 and "no psflip programs" in done.stdout + done.stderr
