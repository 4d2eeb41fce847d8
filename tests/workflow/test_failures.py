"""Why a job failed whose program wrote nothing: the reason of Slurm, as psflip run prints it and psflip status finds it."""

import os
from pathlib import Path
from types import SimpleNamespace

import forked
import pytest

from psflip.jobs import failures
from psflip.plan.progress import last_error

SBATCH = "SLURM sbatch failed. The error message was 'sbatch: error: {}\nsbatch: error: Batch job submission failed: {}'.\n    sbatch call:\n        sbatch --wrap=\"python '.snakemake'\"\n"
PARTITION = SBATCH.format("invalid partition specified: nope", "Invalid partition name specified")
REFUSED = "sbatch: error: invalid partition specified: nope; Batch job submission failed: Invalid partition name specified"
ENDED = "SLURM-job '17' failed, SLURM status is: 'FAILED'. Detailed failure reason unavailable (status command is not 'sacct')."
STOPPED, FULL, INFO = "pt-run: stopped by SIGUSR1 at sweep 9 of 99; checkpoint saved\n", "pt-run: run-2048.h5: no space left on device\n", "2026-11-21 08:58:23 info pt-run L=4: 12%\n"
MEMORY = "slurmstepd: error: Detected 1 oom_kill event in StepId=17.batch."


def job_of(log):
    return SimpleNamespace(log=[str(log)], is_group=lambda: False)


@pytest.mark.parametrize("message, log, slurm_log, reason, kept", [
    (PARTITION, None, None, REFUSED, True),
    (PARTITION, STOPPED, None, REFUSED, True),  # of an earlier start
    (PARTITION, FULL, None, REFUSED, True),
    ("SLURM job submission failed. The error message was sbatch: error: no\n", None, None, "sbatch: error: no", True),
    ("Job submission failed with exception: no sbatch", None, None, "sbatch: error: no sbatch", True),
    (ENDED, None, f"{MEMORY}\nend\n", f"Slurm job 17: FAILED: {MEMORY}", True),
    (ENDED, None, f"{MEMORY}\nsrun: fatal: no configuration\n", "Slurm job 17: FAILED: srun: fatal: no configuration", True),
    (ENDED, None, "end\n", "Slurm job 17: FAILED; its log: slurm.log", True),
    (ENDED, FULL, MEMORY, FULL.strip(), True),
    (ENDED, "Traceback\nKeyError: 1\n", MEMORY, "KeyError: 1", False),
    ("", None, None, "no message", False),
])  # fmt: skip
def test_the_reason_of_a_failed_job(tmp_path, monkeypatch, message, log, slurm_log, reason, kept):
    """It is printed, and `kept`: the log of the job ends with it until the program writes again."""
    monkeypatch.chdir(tmp_path)
    own = Path("logs/run/L4.log")
    for file, text in ((own, log), (Path("slurm.log"), slurm_log)):
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            file.write_text(text)
    monkeypatch.setattr(failures, "_noted", {})
    if message:
        failures.note(job_of(own), message, ["slurm.log"] if slurm_log else None)
    assert failures.cause(own) == reason
    assert last_error(own) == (reason if kept else "")
    if kept:
        with own.open("a") as file:
            file.write(INFO)
        assert last_error(own) == ""


@pytest.mark.parametrize("more", [(), ("--group-minutes", 600)])
def test_a_refused_job_has_a_reason(tmp_path, study, stand_ins, more):
    """`sbatch` refuses all jobs: the last line of psflip run says why, and psflip status counts and shows it."""
    folder = tmp_path / "slurm"
    folder.mkdir()
    for name in ("sbatch", "squeue", "sacct", "scancel", "sinfo", "scontrol"):
        (folder / name).write_text("#!/bin/sh\n" + ("echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1\n" if name == "sbatch" else {"scontrol": "echo 'MinJobAge = 300 sec'\n", "sinfo": "echo slurm 24.05\n"}.get(name, "")))
        (folder / name).chmod(0o755)
    profile = tmp_path / "cluster"
    assert forked.psflip(["profile", "slurm", profile, "--partition", "nope"], tmp_path).returncode == 0
    text = (profile / "profile.yaml").read_text()
    (profile / "profile.yaml").write_text(text.replace("status-checks: 20", "status-checks: 1").replace("retries: 2", "retries: 0"))
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    done = forked.psflip(["run", study.file, "--bin", stand_ins, "--profile", profile, *more], tmp_path, environment)
    reason = "sbatch: error: invalid partition specified: nope"
    assert done.returncode != 0 and done.stderr.splitlines()[-1].startswith("failed: ") and done.stderr.splitlines()[-1].endswith(reason), done.stderr
    status = forked.psflip(["status", study.file], tmp_path)
    rows = {words[0]: words for line in status.stdout.splitlines() if (words := line.split())}
    assert int(rows["4"][5]) >= 2 and f"{reason}" in status.stdout, status.stdout
