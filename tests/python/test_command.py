"""The command psflip: what it does, and what it says of wrong uses."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import forked
import pytest
from conftest import BIN, ROOT

sys.path.insert(0, str(ROOT / "workflows"))
from psflip import __main__ as command  # noqa: E402
from psflip.campaign.errors import StudyError  # noqa: E402
from psflip.campaign.profiles import executor_of, folder_of  # noqa: E402
from psflip.campaign.programs import Programs  # noqa: E402
from psflip.commands import doctor, run, status  # noqa: E402
from psflip.plan.machine import Machine, slurm_version  # noqa: E402

TINY = """\
seed: 3
lattice: {L: [4]}
disorder: {realizations: 32, batch: 32}
temperatures: {list: [1.0, 1.5]}
multispin: {share: 32}
thermalize: {sweeps: 20}
run: {sweeps: 160, measure_every: 10}
equilibration: {test: none}
"""


RELAX = """\
seed: 3
lattice: {L: [4, 8]}
disorder: {realizations: 64, batch: 64}
temperatures: {list: [1.0, 1.5]}
multispin: {share: 32}
relax: {last: 64, waiting: [0, 8]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    if not (BIN / "measure").is_file():
        pytest.skip(f"no programs in {BIN}; set PSFLIP_BIN")
    monkeypatch.chdir(tmp_path)
    Path("my.yaml").write_text(TINY)
    Path("bad.yaml").write_text(TINY.replace("seed", "sede"))
    Path("list.yaml").write_text("- 1\n")
    Path("both.yaml").write_text(TINY + "relax: {last: 64}\n")
    Path("relax.yaml").write_text(RELAX)
    Path("text.json").write_text("no\n")
    Path("empty").mkdir()
    return tmp_path


def psflip(*words):
    return forked.psflip(words)


RUN = f"run my.yaml --bin {BIN}"
WRONG = [  # words -> what the sentence names
    ("rnu my.yaml", ["rnu", "did you mean run?"]),
    ("thermalise my.yaml", ["thermalise: there is no such command", "did you mean thermalize?"]),
    ("reduce-disoder", ["did you mean reduce-disorder?"]),
    ("tune my.yaml", ["tune: there is no such command", "Known are new, plan"]),
    ("run", ["study", "--help"]),
    ("run nosuch.yaml", ["study nosuch.yaml", "no such file"]),
    ("run empty", ["study empty", "a file is needed"]),
    (f"run bad.yaml --bin {BIN}", ["bad.yaml", "sede", "seed"]),
    (f"run list.yaml --bin {BIN}", ["list.yaml"]),
    ("run my.yaml --bin empty", ["no psflip programs in", "empty", "build them"]),
    ("run my.yaml --bin nosuch", ["no psflip programs in", "nosuch"]),
    (f"{RUN} --gpu-jbs 2", ["--gpu-jbs", "did you mean --gpu-jobs?"]),
    (f"{RUN} --gpu-jobs 0", ["--gpu-jobs 0", "from 1 to 16"]),
    (f"{RUN} --gpu-jobs two", ["--gpu-jobs two", "from 1 to 16"]),
    (f"{RUN} --gpus many", ["--gpus many", "auto, or a whole number"]),
    (f"{RUN} --gpus -1", ["--gpus"]),
    (f"{RUN} --gpus 1.5", ["--gpus 1.5", "whole number"]),
    (f"{RUN} --backend gpu", ["--backend gpu", "auto, cpu, cuda"]),
    (f"{RUN} --backend cdua", ["--backend cdua", "did you mean cuda?"]),
    (f"{RUN} --slabs 0", ["--slabs 0", "from 1 to 512"]),
    (f"{RUN} --node-gpus 100", ["--node-gpus 100", "from 1 to 64"]),
    (f"{RUN} --ladder best", ["--ladder best", "study, tuned"]),
    (f"{RUN} --ladder-options --flow", ["--ladder-options"]),
    (f"{RUN} --ladder-options=--flow", ["--ladder-options", "'--flow'", "--feedback"]),
    (f"{RUN} --audit -3", ["--audit"]),
    (f"{RUN} --audit some", ["--audit some", "whole number from 0"]),
    (f"{RUN} --time-limit 0", ["--time-limit 0", "of seconds"]),
    (f"{RUN} --time-limit 2h", ["--time-limit 2h", "of seconds"]),
    (f"{RUN} --max-runtime 0.5", ["--max-runtime 0.5", "whole number"]),
    (f"{RUN} --group-minutes hour", ["--group-minutes hour", "whole number from 0"]),
    (f"{RUN} --couplings mine{{L}}.h5", ["--couplings mine{L}.h5", "{}<>"]),
    (f"{RUN} --rates nosuch.json", ["--rates nosuch.json", "no such file"]),
    (f"{RUN} --rates text.json", ["rates", "text.json", "bench-flip"]),
    (f"{RUN} --out /", ["--out /", "their own folder"]),
    (f"{RUN} --out my.yaml/x", ["my.yaml", "not a folder"]),
    (f"{RUN} --out a{{b}}", ["--out a{b}", "{}<>"]),
    (f"{RUN} --cores 0", ["--cores 0", "from 1 on, or all"]),
    (f"{RUN} --cores many", ["--cores many", "all"]),
    (f"{RUN} --retries often", ["--retries", "often", "whole number"]),
    (f"{RUN} --profile slrum", ["--profile slrum", "default, slurm", "did you mean slurm?"]),
    (f"{RUN} --profile empty", ["--profile empty", "profile.yaml"]),
    (f"{RUN} other.yaml", ["unrecognized arguments: other.yaml"]),
    (f"run both.yaml --bin {BIN}", ["both.yaml", "run and relax", "--relax", "--equilibrium"]),
    (f"plan both.yaml --bin {BIN}", ["both.yaml", "run and relax", "--relax", "--equilibrium"]),
    (f"{RUN} --relax", ["my.yaml", "--relax needs a section relax"]),
    (f"run relax.yaml --bin {BIN} --equilibrium", ["relax.yaml", "--equilibrium needs a section run"]),
    (f"run both.yaml --bin {BIN} --relax --equilibrium", ["--equilibrium", "not allowed with", "--relax"]),
    (f"ladder relax.yaml --bin {BIN}", ["relax.yaml", "a relaxation exchanges no temperatures"]),
    ("status", ["results", "--help"]),
    ("status my.yaml", ["results/my", "study.json", "psflip run"]),
    ("status empty", ["empty", "not a folder of results"]),
    ("plan my.yaml --backend gpu", ["--backend", "gpu", "cuda"]),
    (f"plan my.yaml --bin {BIN} --slabs 0", ["slabs=0", "from 1 to 512"]),
    (f"plan my.yaml --bin {BIN} --gpus none", ["--gpus", "none"]),
    ("plan my.yaml --rates nosuch", ["--rates nosuch", "no such file"]),
    ("partial", ["results", "--help"]),
    (f"partial empty --bin {BIN}", ["empty is not a folder of results", "study.yaml"]),
    ("show empty", ["empty: this study is not finished"]),
    ("show nosuch", ["nosuch: this study is not finished"]),
    ("show empty --al", ["unrecognized arguments: --al", "--help"]),
    ("ladder nosuch.yaml", ["study nosuch.yaml", "no such file"]),
    ("new glas x.yaml", ["no model glas", "did you mean glass?", "Known are glass, "]),
    ("new zzz x.yaml", ["no model zzz", "Known are glass, "]),
    ("new glass", ["file", "--help"]),
    ("new glass my.yaml", ["my.yaml exists already", "another name"]),
    ("new glass x.yaml --L 5", ["--L 5", "even number", "6"]),
    ("new glass x.yaml --L big", ["--L", "big", "from 4 to 1024"]),
    ("new glass x.yaml --realizations 0", ["--realizations", "0", "from 1 to"]),
    ("new glass x.yaml --sweeps 5000", ["--sweeps 5000", "multiple of 1600", "4800"]),
    ("new glass x.yaml --L 2", ["--L", "2", "from 4 to 1024"]),
    ("new relaxation x.yaml --sweeps 33", ["--sweeps 33", "multiple of 2", "32"]),
    ("keys run.swoops", ["no key run.swoops", "run.sweeps"]),
    ("keys sweeps", ["did you mean run.sweeps or thermalize.sweeps"]),
    ("keys thermalise", ["no key thermalise", "did you mean thermalize"]),
    ("keys zzz", ["no key zzz", "psflip keys lists all"]),
    ("profile pbs x", ["no scheduler pbs", "Known are slurm"]),
    ("profile slurm x --partition two,$(words)", ["--partition two,$(words)", "letters, digits"]),
    ("profile slurm x --acount me", ["did you mean --account?"]),
    ("docs readin", ["no page readin", "did you mean reading?", "own-couplings"]),
    ("quickstart --gpu-jbs 2", ["--gpu-jbs", "did you mean --gpu-jobs?"]),
    ("new glass x.yaml --sed 4", ["--sed", "did you mean --seed?"]),
    ("doctor --bin empty", ["no psflip programs in", "empty"]),
]  # fmt: skip


@pytest.mark.parametrize("words, names", WRONG, ids=[words.replace(str(BIN), "BIN") for words, _ in WRONG])
def test_wrong_uses_are_told_in_a_sentence(folder, monkeypatch, words, names):
    """The text that the command ends with (exit code 1) names option, value and cure; nothing is written."""
    before = sorted(folder.rglob("*"))
    monkeypatch.setattr(sys, "argv", ["psflip", *words.split()])
    said = command.main()
    assert isinstance(said, str) and said.startswith("psflip ") and "Traceback" not in said
    assert all(name in said for name in names), said
    assert sorted(folder.rglob("*")) == before


def test_exit_code_and_stream(folder):
    done = psflip("run", "nosuch.yaml")
    assert done.returncode == 1 and not done.stdout and done.stderr == "psflip run: study nosuch.yaml: no such file\n"
    assert psflip("--help").returncode == 0 and "psflip doctor" in psflip().stdout
    done = psflip("run", "--help")
    assert done.returncode == 0 and "--node-gpus" in done.stdout


def test_wrong_options_of_snakemake_and_of_the_workflow(folder):
    """Refuses wrong options of Snakemake behind --, and values that only the workflow checks."""
    done = psflip(*RUN.split(), "--", "--no-such-option")
    assert done.returncode not in (0, None) and "no-such-option" in done.stderr and "Traceback" not in done.stderr
    Path("out").mkdir()
    Path("out/report.html").write_text("mine")
    done = psflip(*RUN.split(), "--out", "out")
    assert done.returncode == 1 and "would replace report.html" in done.stderr and "Traceback" not in done.stderr


def test_run_status_show(folder):
    """From the study file to the report, and again with nothing to do."""
    done = psflip(*RUN.split(), "--dry-run")
    assert done.returncode == 0 and not Path("results").exists() and len(done.stdout + done.stderr) < 1500
    assert [line.split()[:3] for line in done.stdout.splitlines()[:3]] == [["rule", "L", "jobs"], ["disorder", "4", "1"], ["thermalize", "4", "1"]]
    done = psflip(*RUN.split(), "--cores", 2, "--backend", "cpu")
    assert done.returncode == 0, done.stderr
    assert "report:  results/my/report.html" in done.stdout and Path("results/my/report.html").is_file()
    done = psflip("status", "my.yaml")
    assert done.returncode == 0 and done.stdout.splitlines()[1].split() == ["4", "4", "4", "0", "0", "0", "-", "-"] and "all is done" in done.stdout
    shutil.rmtree("results/my/rounds")
    Path("results/my/L4/batch0000000-0000127/observables-160.h5").unlink(missing_ok=True)
    for file in Path("results/my/L4").glob("*/observables-160.h5"):
        file.unlink()
    Path("results/my/logs/measure").mkdir(exist_ok=True)
    next(Path("results/my/logs/measure").glob("L4-*.log")).write_text("measure: run-160.h5: damaged\n")
    lines = psflip("status", "results/my").stdout.splitlines()
    assert lines[1].split()[:6] == ["4", "4", "3", "0", "0", "1"] and lines[-1].startswith("failed: logs/measure/L4-") and lines[-1].endswith("damaged")
    done = psflip("show", "results/my")
    assert done.returncode == 0 and done.stdout.startswith("L = 4 alone has no crossing, because a crossing needs two sizes; add one to lattice.L, such as 8\n")
    assert psflip("show", "my.yaml").stdout == done.stdout
    assert "\nL = 4: 32 realizations" in done.stdout and "\nreport:  results/my/report.html\n" in done.stdout


@pytest.mark.parametrize("words, cuda, there, names", [
    ("--profile slurm", False, (), ["--profile slurm: there is no Slurm here", "no command sbatch", "SLURM_CONF", "login node"]),
    ("--profile slurm", False, ("sbatch",), []),
    ("--backend cuda", False, (), ["--backend cuda: the programs in ", "are built without CUDA", "--backend cpu"]),
    ("--backend cuda", True, (), ["--backend cuda: nvidia-smi lists no GPU", "--backend cpu"]),
    ("--backend cuda", True, ("GPU",), []),
    ("--backend cuda --gpus 0", True, ("GPU",), ["--backend cuda and --gpus 0 exclude each other"]),
    ("--backend cuda --gpus 0 --profile slurm", True, ("sbatch",), ["--backend cuda and --gpus 0 exclude each other"]),
    ("--backend cuda --profile slurm", True, ("sbatch",), []),
    ("", True, (), []),
])  # fmt: skip
def test_what_keeps_the_first_job_from_running(folder, monkeypatch, words, cuda, there, names):
    """No scheduler, no GPU, no CUDA: a run is refused, a dry run only says so."""
    monkeypatch.setattr(run, "slurm_version", lambda: "slurm 24.05" if "sbatch" in there else "")
    monkeypatch.setattr(run, "count_gpus", lambda: int("GPU" in there))
    given, _ = run.parse([*RUN.split()[1:], *words.split()], "", "psflip run")
    found = run.obstacles(given, Programs(BIN, 1, 1, cuda))
    assert len(found) == bool(names) and all(name in found[0] for name in names), found


def test_a_dry_run_says_once_that_a_run_is_refused(folder, monkeypatch, capsys):
    monkeypatch.setattr(run, "count_gpus", lambda: 0)
    monkeypatch.setattr(run.Programs, "find", lambda _: Programs(BIN, 2, 2, True))
    given, _ = run.parse([*RUN.split()[1:], "--backend", "cuda", "-n"], "", "psflip run")
    (note,) = [line for line in run.prepare(given) if "nvidia-smi" in line]
    assert note.startswith("note: without --dry-run psflip run refuses: --backend cuda: nvidia-smi lists no GPU")
    given.dry_run = False
    with pytest.raises(StudyError, match="^--backend cuda: nvidia-smi lists no GPU"):
        run.prepare(given)


@pytest.mark.parametrize("commands, found", [((), ""), (("sbatch",), ""), (("sinfo",), ""), (("sbatch", "sinfo"), "slurm 24.05"), (("sbatch", "broken sinfo"), "")])
def test_plan_and_doctor_agree_on_slurm(tmp_path, monkeypatch, commands, found):
    """Commands without a configuration, as where SLURM_CONF is not set, are no Slurm."""
    for command in commands:
        name = command.split()[-1]
        (tmp_path / name).write_text(f"#!/bin/sh\necho slurm 24.05\nexit {int(' ' in command)}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert slurm_version() == found and Machine.here(tmp_path, 0).slurm == bool(found)
    (line,) = [text for name, text in doctor.around(BIN) if name == "Slurm"]
    assert line == (f"{found}; psflip run STUDY --profile slurm" if found else "not here; jobs run on this machine")


@pytest.mark.parametrize("words", [(), ("keys",), ("partial",), ("pt-run",)])
def test_help_is_a_word_for_the_option(folder, words):
    done = psflip("help", *words)
    assert done.returncode == 0 and done.stdout and done.stdout == psflip(*words, "--help").stdout


def test_columns_of_status():
    assert len(status.HEAD) == len(status.row(status.Progress(4, 1, {"run": 2}, {"run": 1}, 1, 0, 90.0)))
    assert status.row(status.Progress(4, 1, {"run": 2}, {"run": 1}, 3, 0, 90.0))[-2:] == ("1.5 min", "30 s")
    rows = [status.Progress(4, 1, {"run": 2}, {"run": 1}, 3, 0, 90.0), status.Progress("all", 0, {"plots": 1}, {"plots": 1}, 0, 1, 6.0, [("a.log", "full")])]
    lines = [line.split() for line in status.as_text(rows)]
    assert lines[3] == ["total", "3", "1", "3", "1", "1", "1.6", "min", "32", "s"] and lines[4:] == [["failed:", "a.log:", "full"]]
    rows[0].pending, rows[1].pending = 5, 2
    lines = [line.split() for line in status.as_text(rows)]
    assert lines[0][5:7] == ["failed", "pending"] and [line[6] for line in lines[1:4]] == ["5", "2", "7"]


def test_doctor_tells_what_is_used(folder, capsys):
    assert doctor.main(["--bin", str(BIN)]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("processor", "instructions:", "programs", "physics version", "backend", "MPI", "Slurm", "snakemake"))


def test_doctor_says_what_the_programs_lack():
    assert doctor.mpi_line("mpirun (Open MPI) 4.1.4", True) == "not in the programs; each lattice stays in one process"
    assert doctor.mpi_line("mpirun (MPICH) 4.0", False) == "mpirun (MPICH) 4.0; large lattices can be cut into slabs"


def test_profiles():
    assert [str(folder_of(name)).rpartition("workflows/")[2] for name in (None, "slurm")] == ["profiles/default", "profiles/slurm"]
    named = ([], ["--cores", "2"], ["-e", "slurm"], ["--executor=cluster-generic"], ["--workflow-profile", str(folder_of("slurm"))], [f"--profile={folder_of('slurm')}"])
    assert [executor_of(words) for words in named] == ["", "", "slurm", "cluster-generic", "slurm", "slurm"]


SHADOWS = ("random", "types", "yaml", "json", "csv", "snakemake", "psflip", "numpy", "jinja2", "snakemake_executor_plugin_mine")


@pytest.mark.parametrize("words", [f"{RUN} --cores 1 --dry-run", f"ladder my.yaml --bin {BIN} --dry-run", f"plan my.yaml --bin {BIN} --backend cpu", "status results/my", f"partial results/my --bin {BIN}", f"doctor --bin {BIN}"])
def test_files_beside_the_study_are_not_executed(folder, words):
    """Also if files have names of Python's modules. Separate processes run the commands, as a user starts them."""
    for name in SHADOWS:
        Path(f"{name}.py").write_text("open('EXECUTED', 'w')\nraise ImportError('EXECUTED')\n")
    Path("results/my").mkdir(parents=True)
    done = subprocess.run([sys.executable, ROOT / "workflows/psflip", *words.split()], capture_output=True, text=True)
    assert not list(folder.rglob("EXECUTED")) and "EXECUTED" not in done.stdout + done.stderr
    assert done.returncode == 0 or "is not a folder of results" in done.stderr, done.stderr


def test_profiles_of_the_environment_and_of_the_folder_are_not_taken(folder, monkeypatch):
    """Neither sends jobs elsewhere. A line says so of the one in the environment."""
    for place in (Path("elsewhere"), Path("profiles/default"), Path("default")):
        place.mkdir(parents=True)
        (place / "profile.yaml").write_text("executor: nosuch\n")
    monkeypatch.setenv("SNAKEMAKE_PROFILE", str(Path("elsewhere").resolve()))
    done = psflip(*RUN.split(), "--dry-run")
    assert done.returncode == 0 and "nosuch" not in done.stderr, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "SNAKEMAKE_PROFILE" in line]
    assert line.startswith("psflip: SNAKEMAKE_PROFILE=") and "elsewhere in the environment is not used" in line and "--profile" in line
    done = psflip(*RUN.split(), "--dry-run", "--", "--profile", "elsewhere")
    assert done.returncode != 0 and "nosuch" in done.stderr and "is not used" not in done.stderr


def test_a_read_only_working_directory(folder, monkeypatch):
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and access(path, mode))
    monkeypatch.setattr(sys, "argv", ["psflip", *RUN.split(), "--out", str(folder / "deep/out")])
    assert "deep" in command.main()  # the results come first
    (folder / "deep").mkdir()
    said = command.main()
    assert said.startswith(f"psflip run: {folder}: Snakemake keeps notes") and "--out" in said


def test_quiet_runs_that_fail_say_so(folder):
    Path("out").mkdir()
    Path("out/report.html").write_text("mine")
    done = psflip(*RUN.split(), "--out", "out", "--", "--quiet", "all")
    assert done.returncode == 1 and done.stderr.count("psflip run: out: the workflow would replace report.html") == 1
    done = psflip(*RUN.split(), "--", "no-such-target", "--quiet", "all")
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == "psflip: Snakemake ended with exit code 1; without --quiet all it says more"


@pytest.mark.parametrize("mpi, user, allowed, refused", [
    ("mpirun (Open MPI) 4.1.4", 0, (), True), ("mpirun (Open MPI) 4.1.4", 1000, (), False), ("mpirun (Open MPI) 4.1.4", 0, doctor.ROOT_MAY, False),
    ("mpirun (Open MPI) 4.1.4", 0, doctor.ROOT_MAY[:1], True), ("HYDRA build details:", 0, (), False), ("", 0, (), False),
])  # fmt: skip
def test_doctor_tells_that_mpirun_refuses_root(monkeypatch, mpi, user, allowed, refused):
    monkeypatch.setattr(os, "geteuid", lambda: user)
    for name in doctor.ROOT_MAY:
        monkeypatch.delenv(name, raising=False)
    for name in allowed:
        monkeypatch.setenv(name, "1")
    line = doctor.mpi_line(mpi, unused=False)
    assert ("refuses to start processes of root" in line and "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" in line) == refused


def test_programs_are_commands(tmp_path):
    """Those in psflip's own folder, wherever it lies."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pt-run").write_text("#!/bin/sh\necho program $@\nexit 75\n")
    (tmp_path / "bin/pt-run").chmod(0o755)
    code = f"import sys; from pathlib import Path; from psflip import __main__ as m; m.BIN = Path({str(tmp_path / 'bin')!r}); sys.argv = ['psflip', 'pt-run', '--x', 'a b']; m.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "workflows")
    assert done.returncode == 75 and done.stdout == "program --x a b\n"


def test_faults_of_psflip_itself_are_told_without_a_traceback(folder, monkeypatch):
    def broken(_):
        raise ZeroDivisionError("no\x1b")

    monkeypatch.setattr(doctor, "main", broken)
    monkeypatch.setattr(sys, "argv", ["psflip", "doctor"])
    said = command.main()
    assert said.startswith("psflip doctor: a fault of psflip itself (ZeroDivisionError: no\\x1b); please report it, with what PSFLIP_TRACEBACK=1")
    monkeypatch.setenv("PSFLIP_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        command.main()
