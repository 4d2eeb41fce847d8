"""`psflip status`: each job counts once, as done, running, stopped, failed or missing, whatever ended it."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from psflip.commands.status import as_text
from psflip.jobs import earlier_jobs, locks, slurm
from psflip.plan.estimate import Estimate
from psflip.plan.progress import KILLED, MADE_OF_ALL, WRITERS, add_pending, last_error, progress, progress_of_all, total_of
from psflip.plan.rates import Rates
from test_plan import campaign

JOB = "L4/batch0000000-0000031/run-2048.h5"
LOG = "logs/run/L4-0000000-0000031-2048.log"
MPIRUN = """\
--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
--------------------------------------------------------------------------
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[4711,1],1]
  Exit code:    2
--------------------------------------------------------------------------
"""
ROOT_REFUSED = "-" * 74 + "\nmpirun has detected an attempt to run as root.\n\nRunning as root is *strongly* discouraged.\n" + "-" * 74 + "\n"
RANK_KILLED = "-" * 74 + "\nmpirun noticed that process rank 1 with PID 0 on node node7 exited on signal 9 (Killed).\n" + "-" * 74 + "\n"
INFO, FULL, STOPPED = "2026-11-21 08:58:23 info pt-run L=4: 12%\n", "pt-run: run-2048.h5: no space left on device\n", "pt-run: stopped by SIGUSR1 at sweep 9 of 99; checkpoint saved; run the same command again to continue\n"


@pytest.mark.parametrize("text, error", [
    ("", ""), (INFO, ""), (FULL, FULL), (INFO + FULL, FULL), (FULL + INFO, ""), (FULL + STOPPED, ""), (STOPPED + FULL, FULL),
    (FULL + MPIRUN, FULL), (STOPPED + MPIRUN, ""), (INFO + MPIRUN, "mpirun detected that one or more processes exited with non-zero status, thus causing"),
    (ROOT_REFUSED, "mpirun has detected an attempt to run as root."), (INFO + RANK_KILLED, RANK_KILLED.splitlines()[1]), (RANK_KILLED + INFO, ""),
    ("own_couplings: couplings=mine: no couplings of L = 4\n", "own_couplings: couplings=mine: no couplings of L = 4"),
    (INFO + "srun: error: node7: task 0: Out Of Memory\n", "srun: error: node7: task 0: Out Of Memory"),
    ("x" * 100000 + "\n" + FULL + "\n\n", FULL),
])  # fmt: skip
def test_the_error_at_the_end_of_a_log(tmp_path, text, error):
    (tmp_path / "a.log").write_text(text)
    assert last_error(tmp_path / "a.log") == error.strip()


def test_writers_are_all_that_the_rules_call():
    """The name before the colon is that of the program, or of the module."""
    files = [*(ROOT / "workflows/rules").glob("*.smk"), ROOT / "workflows/psflip/workflow/job_plan.py"]
    text = "".join(file.read_text() for file in files)
    called = set(re.findall(r"\{BIN:q\}/([a-z-]+)", text)) | {name.rpartition(".")[2] for name in re.findall(r"(?:\{PACKAGE:q\} |module\(['\"])([a-z_]+\.[a-z_]+)", text)}
    assert called and called <= set(WRITERS), called - set(WRITERS)


def lock_of(number, **changes):
    """The text of a lock file of libcore/io/output/lock_owner.cpp."""
    start = re.sub(r".*\) ", "", open(f"/proc/{number}/stat").read()).split()[19] if os.path.exists(f"/proc/{number}") else "1"
    lines = {"program": "pt-run", "host": "", "process": number, "process_start": start, **locks.this_place(), "slurm_cluster": "", "slurm_job": "", "slurm_restarts": 0}
    return "# psflip: ...\n" + "".join(f"{key}: {value}\n" for key, value in (lines | {"since": "2026-11-21T08:15:00Z", "end": "lock"} | changes).items())


@pytest.fixture
def ended():
    """Returns the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize("which, changes, gone", [
    ("this", {}, False), ("ended", {}, True), ("this", {"process_start": 12345678901}, True), ("ended", {"pid_namespace": "pid:[1]"}, False),
    ("ended", {"boot": "another", "host": "node7"}, False), ("this", {"boot": "another"}, None), ("ended", {"end": "no"}, False), ("this", {"process": "x"}, False),
])  # fmt: skip
def test_whether_the_owner_of_a_lock_is_gone(tmp_path, ended, which, changes, gone):
    """Only what is certain: another machine or container may still run it. The same machine with another boot was started again."""
    (tmp_path / "x.lock").write_text(lock_of(os.getpid() if which == "this" else ended, **changes))
    if gone is None:
        gone = bool(locks.this_place()["machine"] and locks.this_place()["boot"]) and not locks.this_place()["host"].startswith("localhost")
    assert bool(locks.gone([tmp_path / "x.lock"])) == gone


@pytest.mark.parametrize("state, private, gone", [
    ("55 RUNNING\n", "none", False), ("55 COMPLETING\n", "none", False), ("55 PENDING\n", "none", True), ("56 RUNNING\n", "none", True), ("", "none", True), (None, "none", False),
    ("", "jobs,usage", False),
])  # fmt: skip
def test_locks_of_slurm_jobs_on_other_nodes(tmp_path, monkeypatch, state, private, gone):
    """`private`: the jobs that Slurm does not list may belong to another user."""
    def ask(*command, **_):
        if command[0] == "squeue" and state is None:
            raise slurm.NoAnswer("busy")
        return state if command[0] == "squeue" else f"ClusterName             = mine\nPrivateData             = {private}\n"

    monkeypatch.setattr(slurm, "ask", ask)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    slurm.configuration.cache_clear()
    lock = tmp_path / "x.lock"
    lock.write_text(lock_of(1, boot="another", host="node7", slurm_cluster="mine", slurm_job=55, slurm_restarts=3))
    assert locks.gone([lock]) == ({lock} if gone else set())
    assert locks.ended_jobs([lock]) == ("mine/55/3" if gone else "")
    slurm.configuration.cache_clear()


@pytest.mark.parametrize("files, counts", [
    ({}, (0, 0, 0)),
    ({f"{JOB}.lock": "this", "L4/batch0000000-0000031/state-2048.h5.lock": "this"}, (1, 0, 0)),
    ({f"{JOB}.lock": "this", f"{JOB}.checkpoint.h5": "", f"{JOB}.checkpoint.previous.h5": ""}, (1, 0, 0)),
    ({f"{JOB}.checkpoint.h5": "", LOG: STOPPED}, (0, 1, 0)),
    ({f"{JOB}.lock": "ended"}, (0, 0, 1)),
    ({f"{JOB}.lock": "ended", f"{JOB}.checkpoint.h5": ""}, (0, 0, 1)),
    ({f"{JOB}.lock": "ended", LOG: RANK_KILLED}, (0, 0, 1)),
    ({f"{JOB}.checkpoint.h5": "", LOG: FULL}, (0, 0, 1)),
    ({f"{JOB}.lock": "this", LOG: FULL}, (1, 0, 0)),
    ({JOB: "", LOG: FULL}, (0, 0, 0)),
    ({LOG: FULL + MPIRUN}, (0, 0, 1)),
    ({"logs/disorder/L4-0000000-0000031.log": "own_couplings: couplings=mine: no couplings of L = 4\n"}, (0, 0, 1)),
    ({"logs/audit/L4-0000000-0000031-2048.log": "audit: state-0.h5: damaged\n"}, (0, 0, 1)),
    ({"L4/batch0000000-0000031/.part7-run-2048.h5.checkpoint.h5": "", "L4/batch0000000-0000031/.run-2048.h5.lock": "this"}, (0, 0, 0)),
    ({"L4/batch0000000-0000031/relax-64.h5.lock": "this", "L4/batch0000000-0000031/relax-64.state.h5.lock": "this"}, (1, 0, 0)),
])  # fmt: skip
def test_each_job_counts_once(tmp_path, ended, files, counts):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(lock_of({"this": os.getpid(), "ended": ended}[text]) if name.endswith(".lock") else text)
    found = progress(campaign(tmp_path))[0]
    assert (found.running, found.waiting, len(found.failed)) == counts, found
    if "ended" in files.values() and LOG not in files:
        assert found.failed == [(f"{JOB}.lock", KILLED)]


def test_a_failed_round_of_equilibration(tmp_path):
    found = campaign(tmp_path)
    log = tmp_path / f"logs/equilibration/{found.round_file(6, 2048).stem}.log"
    log.parent.mkdir(parents=True)
    log.write_text("rounds: reduce-disorder failed for the round of L = 6; see its message above\n")
    assert [row.failed for row in progress(found)] == [[], [(log.relative_to(tmp_path).as_posix(), log.read_text().strip())]]


@pytest.mark.parametrize("comments, checkpoint, pending", [
    (None, False, (None, None, None)), ([], False, (0, 0, 0)), (["rule_run_wildcards_4_0000000-0000031_2048"], False, (1, 0, 0)),
    (["rule_run_wildcards_4_0000000-0000031_2048", "rule_measure_wildcards_6_0000000-0000031_2048"], True, (0, 1, 0)), (["rule_thermalize_wildcards_6_0000000-0000031"], False, (0, 1, 0)),
    (["rule_plots", "rule_reduce"], False, (0, 0, 2)), (["(null)", ""], False, (0, 0, 1)),
])  # fmt: skip
def test_jobs_in_the_queue_of_slurm(tmp_path, monkeypatch, comments, checkpoint, pending):
    """A job that stopped with a checkpoint and waits in the queue counts as stopped."""
    if comments is not None:
        (tmp_path / ".slurm_runs").write_text("name\n")
    if checkpoint:
        (tmp_path / JOB).parent.mkdir(parents=True)
        (tmp_path / f"{JOB}.checkpoint.h5").touch()
    monkeypatch.setattr(slurm, "ask", lambda *_, **__: "".join(f"{text}\n" for text in comments or []))
    found = campaign(tmp_path)
    rows = [*progress(found), progress_of_all(found, Estimate(found, Rates(found, False)))]
    add_pending(rows, found, earlier_jobs.pending(tmp_path))
    assert tuple(row.pending for row in rows) == pending
    assert total_of(rows).pending == (None if comments is None else sum(pending))


def finish(found):
    """The files that the jobs of all sizes make."""
    for name in ("plots/binder.svg", found.stamp().relative_to(found.out), *(name for name in MADE_OF_ALL.values() if name != "plots")):
        (found.out / name).parent.mkdir(parents=True, exist_ok=True)
        (found.out / name).touch()
        os.utime(found.out / name, (1e9 if name == "reduced.h5" else 2e9,) * 2)


@pytest.mark.parametrize("rule, name", [rule for rule in MADE_OF_ALL.items() if rule[0] != "plots"] + [("plots", "plots/binder.svg")])
def test_jobs_of_all_sizes_count_too(tmp_path, rule, name):
    """A missing archive is missing, and the error of its job is shown."""
    found = campaign(tmp_path)
    estimate = Estimate(found, Rates(found, False))
    assert progress_of_all(found, estimate).missing == len(MADE_OF_ALL)
    finish(found)
    assert progress_of_all(found, estimate).missing == 0
    (tmp_path / name).unlink()
    (tmp_path / "logs").mkdir()
    (tmp_path / f"logs/{rule}.log").write_text(f"{rule}: no space left on device\n" if rule != "critical" else "analysis: no space left on device\n")
    row = progress_of_all(found, estimate)
    assert row.missing_by_rule[rule] == 1 and len(row.failed) == 1 if rule != "reduce" else row.missing == len(MADE_OF_ALL)
    assert as_text([row])[-1] == f"failed: logs/{rule}.log: {row.failed[0][1]}"


def test_outdated_derived_files_are_missing(tmp_path):
    found = campaign(tmp_path)
    finish(found)
    os.utime(tmp_path / "study.zip", (5e8, 5e8))
    assert progress_of_all(found, Estimate(found, Rates(found, False))).missing_by_rule["study_zip"] == 1
