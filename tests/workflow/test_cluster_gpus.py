"""psflip refuses GPU jobs of programs without CUDA before it submits anything."""

import os
import subprocess
import sys

import forked
import pytest
from conftest import ROOT

from psflip.campaign import programs
from psflip.campaign.errors import StudyError

SNAKEMAKE = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "workflows/Snakefile", "--workflow-profile", ROOT / "workflows/profiles/slurm"]


@pytest.mark.parametrize(
    ("cuda", "backend", "gpus", "profile_asks", "slurm_offers", "reason"),
    [
        (False, "cuda", "auto", False, False, "backend=cuda asks for GPUs"),
        (False, "auto", "auto", True, False, "the profile asks for GPUs"),
        (False, "auto", "auto", False, True, "this Slurm offers GPUs"),
        (False, "auto", 2, False, True, "this Slurm offers GPUs"),
        (False, "auto", "auto", False, False, None),
        (False, "auto", 0, False, True, None),
        (False, "cpu", "auto", False, True, None),
        (True, "cuda", "auto", True, True, None),
        (True, "auto", "auto", True, True, None),
    ],
)
def test_which_jobs_are_refused(monkeypatch, tmp_path, cuda, backend, gpus, profile_asks, slurm_offers, reason):
    monkeypatch.setattr(programs.slurm, "offers_gpus", lambda: slurm_offers)
    found = programs.Programs(tmp_path, 2, 1, cuda)
    if reason is None:
        programs.refuse_gpu_jobs(found, backend, gpus, profile_asks)
        return
    with pytest.raises(StudyError) as refused:
        programs.refuse_gpu_jobs(found, backend, gpus, profile_asks)
    assert all(part in str(refused.value) for part in (reason, str(tmp_path), "envs/quickstart --cuda", "--backend cpu"))


@pytest.fixture
def with_gpus(tmp_path):
    """An environment with the commands of a Slurm, in which sinfo lists GPUs."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    for name in ("sinfo", "sbatch", "squeue", "sacct", "scancel"):
        (folder / name).write_text('#!/bin/sh\nprintf "(null)\\ngpu:a100:4(S:0-1)\\n"\n' if name == "sinfo" else "#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("backends, more, gpus", [("cpu cuda", (), "1"), ("cpu cuda", ("--gpus", "0"), "0"), ("cpu cuda", ("--backend", "cpu"), "0"), ("cpu", (), "0")])
def test_a_dry_run_tells_what_jobs_ask_for(tmp_path, study, stand_ins, backends, more, gpus):
    """On a machine without Slurm and GPUs, too; by default and with all that the workflow prints."""
    for verbose in ((), ("--verbose",)):
        done = forked.psflip(["run", study.file, "--bin", stand_ins, "--profile", "slurm", "-n", *more, *verbose], tmp_path, {**os.environ, "STAND_IN_BACKENDS": backends})
        assert done.returncode == 0, done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        table = lines[lines.index(["rule", "L", "jobs", "GPUs", "minutes", "memory"]) + 1 :]
        assert ["equilibration", "4", "1", "-", "-", "-"] in table  # done by the workflow itself
        rows = {(row[0], row[1]): row[2:] for row in table if len(row) == 7}
        assert rows["run", "4"][:2] == ["2", gpus] and rows["thermalize", "6"][:2] == ["2", gpus] and rows["measure", "4"][1] == "0", rows
        assert all(int(row[2]) >= 10 and int(row[3]) > 500 and row[4] == "MB" for row in rows.values())
        analysis = {row[0]: row for row in table if len(row) == 6 and row[3:4] != ["-"]}
        assert {"critical", "plots", "crossings", "paired", "provenance", "report", "study_zip"} <= set(analysis), table
        assert all(row[2:4] == ["0", "10"] and 500 < int(row[4]) < 1500 for row in analysis.values()), analysis
        assert ("rule run:" in done.stdout) == bool(verbose) and not (tmp_path / "results").exists()


def test_a_dry_run_with_groups(tmp_path, study, stand_ins):
    study(disorder={"realizations": 640, "batch": 32})
    done = forked.psflip(["run", study.file, "--bin", stand_ins, "--profile", "slurm", "-n", "--group-minutes", 600], tmp_path)
    assert done.returncode == 0 and "batches of L = 4 are submitted as one" in done.stdout, done.stderr


def test_a_campaign_is_refused_before_anything_is_submitted(tmp_path, study, stand_ins, with_gpus):
    command = [*SNAKEMAKE, "reduce", "--config", f"study={study.file}", f"bin={stand_ins}"]
    done = subprocess.run(command, cwd=tmp_path, env=with_gpus, capture_output=True, text=True)
    message = done.stdout + done.stderr
    assert done.returncode != 0 and "psflip: this Slurm offers GPUs, but the programs in" in message and "Traceback" not in message
    assert not list(tmp_path.glob("results/tiny/L*"))
