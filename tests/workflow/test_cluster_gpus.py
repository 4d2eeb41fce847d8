"""psflip refuses GPU jobs of programs without CUDA before it submits anything."""

import os
import subprocess
import sys

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
    monkeypatch.setattr(programs, "slurm_offers_gpus", lambda: slurm_offers)
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


def test_a_campaign_is_refused_before_anything_is_submitted(tmp_path, study, stand_ins, with_gpus):
    command = [*SNAKEMAKE, "reduce", "--config", f"study={study.file}", f"bin={stand_ins}"]
    done = subprocess.run(command, cwd=tmp_path, env=with_gpus, capture_output=True, text=True)
    message = done.stdout + done.stderr
    assert done.returncode != 0 and "psflip: this Slurm offers GPUs, but the programs in" in message and "Traceback" not in message
    assert not list(tmp_path.glob("results/tiny/L*"))
