"""What `psflip run` shows of a study, of one that fails and of one that is stopped; relaxations from the study file to Python; what was changed since the last run."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import forked
import pytest
from conftest import BIN, ROOT
from test_command import RELAX, TINY, folder, psflip  # noqa: F401

from psflip import load  # after test_command, which sets the path
from psflip.campaign.errors import StudyError
from psflip.commands import progress_line, run
from psflip.jobs import events, writer
from psflip.plan import machine

relaxation = pytest.mark.parametrize("finished", [RELAX], indirect=True)
RUN = ("run", "my.yaml", "--bin", BIN, "--backend", "cpu", "--cores", 2)
PSFLIP = ROOT / "workflows" / "psflip"


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Runs a study once. Returns its folder and what the command printed."""
    @cache
    def run_once(text):
        (there := tmp_path_factory.mktemp("once")).joinpath("my.yaml").write_text(text)
        done = forked.psflip(RUN, there)
        assert done.returncode == 0, done.stderr
        return there, done

    return run_once


@pytest.fixture(params=[TINY])
def finished(once, folder, request):  # noqa: F811
    """The finished study in the current folder, and what the command printed."""
    there, done = once(request.param)
    shutil.copytree(there, folder, dirs_exist_ok=True)
    return done


def logs():
    return sorted(Path("results/my/logs").glob("workflow-*.log"))


def planned_sizes(folder):  # noqa: F811
    """Bytes that the plan counts, without doublings and with all."""
    Path("my.yaml").write_text(TINY.replace("test: none", "max_doublings: 4"))
    assert psflip("plan", "my.yaml", "--bin", BIN, "--backend", "cpu", "--json", "plan.json").returncode == 0
    plan = json.loads(Path("plan.json").read_text())
    return [plan["missing"][name]["disk_bytes"] for name in ("least", "most")]


def test_a_run_shows_little_and_keeps_its_log(finished):
    done = finished
    assert len(done.stdout.splitlines()) < 12 and len(done.stderr.splitlines()) < 12 and "rule run" not in done.stdout + done.stderr
    first, *_ = done.stderr.splitlines()
    assert re.fullmatch(r"my\.yaml \(equilibrium\): \d+ jobs, about \S+ \S+ on 2 cores; results in results/my", first), first
    assert "note: lattice.L: one size has no crossing" in done.stderr
    (line,) = [text for text in psflip(*RUN, "--out", "results/other", "-n").stdout.splitlines() if re.match(r"\d+ jobs", text)]
    assert line.split(" jobs")[0] == first.split(": ")[1].split(" jobs")[0] and "steps of bookkeeping by the workflow do not count" in line
    (log,) = logs()
    text = log.read_text()
    assert text.splitlines()[0] == first and "rule run:" in text and "(100%) done" in text
    done = psflip(*RUN)
    assert done.returncode == 0 and "all jobs are done" in done.stderr and "report:  results/my/report.html" in done.stdout and len(logs()) == 2
    assert "Nothing to be done" in logs()[1].read_text()


def test_a_full_disk_is_refused_before_the_first_job(folder, monkeypatch):  # noqa: F811
    """A dry run only says so, and a disk that only all doublings would fill is enough."""
    least, most = planned_sizes(folder)
    given = run.parse(list(map(str, RUN[1:])), "", "psflip run")[0]
    for free, refused in ((0.5 * least, True), (0.5 * (least + most), False), (2 * most, None)):
        monkeypatch.setattr(machine.shutil, "disk_usage", lambda _, free=free: SimpleNamespace(free=free))
        given.dry_run = True
        said = " | ".join(run.prepare(given))
        assert ("without --dry-run psflip run refuses: disk: " in said, "note: disk: up to " in said) == (refused is True, refused is False), said
        given.dry_run = False
        if refused:
            with pytest.raises(StudyError, match=r"disk: .* are needed and .* are free in this folder; choose a larger disk with --out, or lower disorder.realizations or run.snapshots"):
                run.prepare(given)
        else:
            run.prepare(given)


LOST = "2026-11-21 08:58:23 warning run L=4: asked for a GPU, but the CPU is used (--backend cuda: no driver)\n"


@pytest.mark.parametrize("logs, number", [([""], 0), ([LOST], 1), ([LOST, LOST + "2026-11-21 08:58:24 info pt-run L=4: 12%\n", ""], 2)])
def test_jobs_without_their_gpu_are_told_once_and_counted(tmp_path, logs, number):  # noqa: F811
    state = progress_line.State()
    for i, text in enumerate(logs):
        (tmp_path / f"{i}.log").write_text(text)
        state.take({"event": "job", "id": i, "rule": "run", "L": "4", "logs": [str(tmp_path / f"{i}.log")], "seconds": 1.0})
        state.take({"event": "finished" if i else "error", "id": i})
    assert len(state.said) == bool(number) and all("0.log: asked for a GPU, but the CPU is used" in text for text in state.said)
    assert [f"the CPU is used: {number}, such as {tmp_path}/0.log" in text for text in state.warnings()] == [True] * bool(number)


def test_verbose_shows_all(folder):  # noqa: F811
    for words in (("--verbose",), ("--", "--until", "run")):
        done = psflip(*RUN, "--out", f"results/{words[0].strip('-') or 'until'}", *words)
        assert done.returncode == 0 and "rule run:" in done.stderr and " steps (" in done.stderr and not list(Path("results").rglob("workflow-*.log"))


def broken(name, text, code=2):
    """A folder of the programs in which one of them fails."""
    there = Path("broken")
    there.mkdir()
    for program in BIN.iterdir():
        if os.access(program, os.X_OK) and program.name != name:
            (there / program.name).symlink_to(program)
    (there / name).write_text(f"#!/bin/sh\necho '{text}' >&2\nexit {code}\n")
    (there / name).chmod(0o755)
    return there


def test_the_cause_of_a_failure_comes_last(folder):  # noqa: F811
    message = "measure: run-160.h5: no space left on device"
    done = psflip("run", "my.yaml", "--bin", broken("measure", message), "--backend", "cpu", "--cores", 2)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and not done.stdout and len(lines) < 12
    assert re.fullmatch(rf"failed: results/my/logs/measure/L4-\d+-\d+-160\.log: {message}", lines[-1]), lines
    assert any(line.startswith("psflip run: not all is done; the workflow's log: results/my/logs/workflow-") for line in lines)


def test_jobs_that_stopped_say_how_to_go_on(folder):  # noqa: F811
    Path("my.yaml").write_text(TINY.replace("sweeps: 160", "sweeps: 160000000"))
    done = psflip(*RUN, "--time-limit", 1)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and "jobs that stopped early and saved a checkpoint: 1" in lines and "the same command resumes them" in lines
    assert re.search(r"^failed: results/my/logs/run/.*: pt-run: stopped by ", lines[-1]), lines
    assert psflip("status", "my.yaml").stdout.splitlines()[1].split()[:6] == ["4", "4", "2", "0", "1", "0"]


def test_what_only_snakemake_refuses_comes_last(finished):
    """Another run in the folder holds its lock."""
    code = "import sys, time; from psflip.jobs.writer import one_writer; one_writer('results/my'); print('ready', flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT / "workflows")})
    try:
        assert holder.stdout.readline() == b"ready\n"
        done = psflip(*RUN)
        assert done.returncode == 1 and "another Snakemake works on this folder" in done.stderr.splitlines()[-1]
    finally:
        holder.kill()
        holder.wait()


def test_warnings_reach_the_terminal(tmp_path, monkeypatch, capfd):
    """Also those that the modules of the workflow print into its log."""
    listen, send = os.pipe()
    monkeypatch.setenv(events.VARIABLE, str(send))
    told = events.Events.of_environment()
    assert events.VARIABLE not in os.environ
    writer.warn(tmp_path, "no locks", "take care")
    told.send(event="refused", text="no")
    told.pipe.close()
    monkeypatch.setattr(events, "_listening", [])
    state = progress_line.follow(listen, progress_line.Line("psflip: "))
    warning = f"psflip: warning: the file system of {tmp_path} cannot lock files (no locks): take care"
    assert capfd.readouterr().err.splitlines()[:2] == [warning, warning] and state.refused == "no"  # printed, and sent


def long_run():
    Path("my.yaml").write_text(TINY.replace("sweeps: 160", "sweeps: 1600000000"))
    return [sys.executable, PSFLIP, *map(str, RUN)]


def wait_for(found, seconds=60):
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end
        time.sleep(0.1)


def sweeping(folder):  # noqa: F811
    """The pt-run processes of the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().split(b"\0")[0].endswith(b"/pt-run") and (process / "cwd").resolve() == folder.resolve():
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("to_all, number", [(True, signal.SIGINT), (False, signal.SIGTERM), (True, signal.SIGTERM), (True, signal.SIGHUP)])
def test_ctrl_c_stops_jobs_with_a_checkpoint(folder, to_all, number):  # noqa: F811
    """SIGTERM stops jobs with a checkpoint, too: sent to psflip run alone, or by `timeout`, which sends it to all processes. Meanwhile status names the process."""
    process = subprocess.Popen(long_run(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    wait_for(lambda: sweeping(folder))
    time.sleep(1)
    status = psflip("status", "my.yaml").stdout
    assert re.search(r"psflip run works on it now \(process \d+ on \S+\)", status) and "does what is missing" not in status, status
    (os.killpg if to_all else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert err.count("psflip run: stopping the jobs") == 1
    assert process.returncode != 0 and not out and not sweeping(folder)
    assert "Traceback" not in err and err.splitlines()[-1] == "the same command resumes them" and re.search(r"psflip run: stopped with \d+ of \d+ jobs done; the workflow's log: results/my/logs/workflow-", err)
    assert list(Path("results/my").glob("L4/*/run-*.checkpoint.h5"))
    assert "psflip run my.yaml does what is missing" in psflip("status", "my.yaml").stdout


def test_a_third_request_to_stop_kills(monkeypatch, capfd):
    """A Snakemake that hears nothing ends nevertheless."""
    deaf = [sys.executable, "-c", "import signal, time\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\nprint(1, flush=True); time.sleep(60)"]
    with subprocess.Popen(deaf, stdout=subprocess.PIPE, process_group=0) as process:
        process.stdout.readline()
        stopped = []
        for _ in range(3):
            assert process.poll() is None
            run.stop(process, signal.SIGTERM, stopped)
        assert process.wait(10) == -signal.SIGKILL
    assert "killing Snakemake" in capfd.readouterr().err


def test_one_line_on_a_terminal(folder):  # noqa: F811
    """It is written over itself and gone at the end."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen([sys.executable, PSFLIP, *map(str, RUN)], stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # closed
            break
        if not data:
            break
        shown += data
    assert process.wait(60) == 0
    *before, last = shown.decode().split("\r\x1b[K")
    updates = [part for part in "".join(before).split("\r") if part.startswith("psflip: ")]
    assert updates and any(re.match(r"psflip: \d+ of \d+ jobs done, .*; now \w+", text) for text in updates) and not last.strip()
    assert shown.count(b"\n") < 12


def test_the_time_left():
    state = progress_line.State()
    state.take({"event": "jobs", "jobs": 9, "seconds": 100.0})
    state.began -= 10
    assert state.seconds_left() is None and state.text() == "0 of 9 jobs done, 10 s"
    state.take({"event": "progress", "done": 0, "total": 14})  # with the bookkeeping of the workflow
    for number in (1, 2, 3):
        state.take({"event": "job", "id": number, "rule": "run", "L": "8" if number < 3 else "", "logs": [], "seconds": 25.0})
    state.take({"event": "finished", "id": 1})
    assert state.seconds_left() == pytest.approx(30, rel=0.05)
    assert state.text() == "1 of 9 jobs done, 10 s, about 30 s left; now run L = 8, run"
    for rule in ("final", "equilibration"):
        state.take({"event": "job", "id": 7, "rule": rule, "L": "8", "logs": [], "seconds": 0.0})
        state.take({"event": "finished", "id": 7})
    state.take({"event": "jobs", "jobs": 13, "seconds": 140.0})  # batches that continue
    assert (state.done, state.total) == (1, 13)
    state.take({"event": "error", "id": 2})
    state.take({"event": "job", "id": 2, "rule": "run", "L": "8", "logs": [], "seconds": 25.0})
    assert state.started_seconds == 75.0


def test_what_the_plan_does_not_count_has_the_steps_of_snakemake():
    state = progress_line.State()
    assert state.text() == "looking for what is missing, 0 s"
    state.take({"event": "progress", "done": 2, "total": 7})
    assert state.text().startswith("2 of 7 jobs done")


def test_a_round_that_ends_sends_the_jobs_that_are_known_now():
    sent = []
    told = events.Events(None, count=lambda: (21, 90.0))
    told.send = lambda **event: sent.append(event)
    for number, rule in ((1, "run"), (2, "equilibration")):
        told.take(SimpleNamespace(event="job_info", jobid=number, rule_name=rule, wildcards={"L": "8"}, log=[]))
        told.take(SimpleNamespace(event="job_finished", job_id=number))
    assert [event for event in sent if event["event"] == "jobs"] == [{"event": "jobs", "jobs": 21, "seconds": 90.0}] and sent[-1]["event"] == "jobs"


@pytest.mark.parametrize("text, part", [
    ("2026-11-21 08:58:23 info pt-run L=4: 12%\n", 0.12), ("2026-11-21 08:58:23 info relax L=8: 99.5%, 1 s left\n", 0.995), ("pt-run: stopped by SIGINT\n", 0.0), ("", 0.0),
])  # fmt: skip
def test_the_part_that_a_log_tells(text, part):
    assert progress_line.part_of(text.splitlines()) == pytest.approx(part)


CHANGES = [  # change of the study file -> what status says, and whether psflip run would do it
    ("realizations: 32, batch: 32", "realizations: 300, batch: 32", "disorder.realizations: 32 -> 300", True),
    ("L: [4]", "L: [4, 8]", "lattice.L: [4] -> [4, 8]", True),
    ("sweeps: 160", "sweeps: 320", "run.sweeps: 160 -> 320", True),
    ("list: [1.0, 1.5]", "list: [1.0, 1.4]", "temperatures: {list: [1, 1.5]} -> {list: [1, 1.4]}", False),
]


def test_status_compares_the_file_with_the_last_run(finished):
    assert "was changed" not in psflip("status", "my.yaml").stdout
    for old, new, said, grows in CHANGES:
        Path("my.yaml").write_text(TINY.replace(old, new))
        lines = psflip("status", "my.yaml").stdout.splitlines()
        assert any(line == f"my.yaml was changed since the last psflip run: {said}" for line in lines), lines
        assert not any("all is done" in line for line in lines) and (lines[-1] == "psflip run my.yaml does what is missing") == grows
        assert any("would refuse it: temperatures" in line for line in lines) != grows
        assert "all is done" in psflip("status", "results/my").stdout, "the folder stands for the last run"
    Path("my.yaml").unlink()
    done = psflip("status", "my.yaml")
    assert done.returncode == 1 and "study file my.yaml does not exist" in done.stderr


def test_a_study_file_stands_for_its_results(finished):
    assert psflip("show", "my.yaml").stdout == psflip("show", "results/my").stdout
    done = psflip("partial", "my.yaml", "--bin", BIN)
    assert done.returncode == 0 and "report: results/my/partial/report.html" in done.stdout
    assert load("my.yaml").folder == Path("results/my") and load("results/my/partial").sizes == [4]


@relaxation
def test_a_relaxation_from_the_study_file_to_python(finished):
    """No tempering is run, and each command knows what the study is."""
    assert finished.stderr.startswith("my.yaml (relaxation): 5 jobs, about ") and "report:  results/my/relaxation.html" in finished.stdout
    assert finished.stdout.startswith("Relaxation of L = 4, 8\n") and psflip("show", "my.yaml").stdout == finished.stdout
    names = {file.name for file in Path("results/my").glob("L8/*/*.h5")}
    assert names == {"disorder.h5", "relax-64.h5", "relax-64.state.h5"} and not Path("results/my/reduced.h5").exists()
    lines = psflip("status", "my.yaml").stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [["4", "2", "2"], ["8", "2", "2"], ["all", "1", "1"]] and lines[-1] == "all is done; report: results/my/relaxation.html"
    plan = psflip("plan", "my.yaml", "--bin", BIN, "--backend", "cpu").stdout
    assert "my.yaml, relaxation, results in results/my" in plan and "Nothing is missing" in plan and "thermalize" not in plan
    study = load("my.yaml")
    assert study.sizes == [4, 8] and study.results.loc[8, 1.0].index.max() == 64 and set(study.two_time.index.get_level_values("t_w")) == {0, 8}
    assert "all jobs are done" in psflip(*RUN).stderr


@relaxation
def test_a_relaxation_is_handed_over_and_has_partial_results(finished, tmp_path):
    assert "archive: results/my/relaxation.zip" in finished.stdout
    check = [sys.executable, PSFLIP / "results" / "check_study.py"]
    done = subprocess.run([*check, "results/my/relaxation.zip"], capture_output=True, text=True)
    assert done.returncode == 0 and "files as they were written; tables agree with relaxation.json" in done.stdout, done.stdout
    with zipfile.ZipFile("results/my/relaxation.zip") as archive:
        archive.extractall(tmp_path / "there")
    names = {file.name for file in (tmp_path / "there/my").iterdir()}
    assert {"study.yaml", "config.yaml", "relaxation.csv", "two_time.csv", "relaxation.html", "relaxation", "provenance.csv", "environment", "check.py"} <= names
    assert load(tmp_path / "there/my").sizes == [4, 8] and "relax: {last: 64" in (tmp_path / "there/my/study.yaml").read_text()
    for file in Path("results/my/L8").glob("*/relax-64*"):
        file.unlink()
    done = psflip("partial", "my.yaml", "--bin", BIN)
    assert done.returncode == 0 and "L = 8: 0 of 64 realizations" in done.stdout and "report: results/my/partial/relaxation.html" in done.stdout, done.stderr
    assert load("results/my/partial").sizes == [4] and "relaxation, so far</title>" in Path("results/my/partial/relaxation.html").read_text()
    for file in Path("results/my/L4").glob("*/relax-64*"):
        file.unlink()
    done = psflip("partial", "my.yaml", "--bin", BIN)
    assert done.returncode == 1 and "results/my: no batch is measured yet" in done.stderr


@relaxation
def test_the_page_of_a_relaxation(finished):
    page = Path("results/my/relaxation.html").read_text()
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Growth", "Pictures", "Jobs and cost", "Provenance", "Reproduce this study"]
    assert '<p class="lead">Three-dimensional ±J Edwards–Anderson model; relaxation of L = 4, 8 at times up to 64 sweeps; 64 realizations of each size.</p>' in page
    assert "Time of all jobs" in page and "<td>relax</td>" in page.replace(' class="words"', "") and "psflip run my.yaml --out results/my</pre>" in page and "relax: {last: 64" in page
    assert "Raise disorder.realizations to 320 or more" in page  # two groups have no exponents
    assert "Planned and used" in page and Path("results/my/provenance.csv").read_text().count(",relaxation,") == 2


@relaxation
def test_a_relaxation_grows(finished):
    before = {file: file.read_bytes() for file in Path("results/my").glob("L*/*/relax-64.h5")}
    Path("my.yaml").write_text(RELAX.replace("last: 64", "last: 128"))
    lines = psflip("status", "my.yaml").stdout.splitlines()
    assert "my.yaml was changed since the last psflip run: relax.last: 64 -> 128" in lines and lines[1].split()[:3] == ["4", "3", "2"]
    assert psflip(*RUN).returncode == 0
    assert before and all(file.read_bytes() == content for file, content in before.items()) and load("my.yaml").results.loc[8, 1.0].index.max() > 64
    for old, new, said in (("1.5]", "1.4]", "temperatures: finished files have"), ("waiting: [0, 8]", "waiting: [0, 16]", "relax.waiting: finished files have [0, 8], but the study file has [0, 16]")):
        Path("my.yaml").write_text(RELAX.replace("last: 64", "last: 128").replace(old, new))
        done = psflip(*RUN)
        assert done.returncode == 1 and "does not fit what is in results/my" in done.stderr and said in done.stderr


def test_a_file_of_both_kinds(folder):  # noqa: F811
    Path("my.yaml").write_text(TINY.replace("realizations: 32, batch: 32", "realizations: 64, batch: 64") + "relax: {last: 32}\n")
    assert psflip(*RUN, "--relax").returncode == 0 and not Path("results/my/reduced.h5").exists()
    assert "psflip run my.yaml --out results/my --relax</pre>" in Path("results/my/relaxation.html").read_text()
    assert "all is done; report: results/my/relaxation.html" in psflip("status", "results/my").stdout
    lines = psflip("status", "my.yaml", "--equilibrium").stdout.splitlines()
    assert lines[1].split()[:3] == ["4", "4", "1"]
    done = psflip(*RUN, "--equilibrium")
    assert done.returncode == 0 and "report:  results/my/report.html" in done.stdout and "relaxation" not in done.stdout
    shown = psflip("show", "my.yaml").stdout
    assert "results/my/report.html" in shown and "results/my/relaxation.html" in shown
    assert "all is done" in psflip("status", "my.yaml", "--relax").stdout
