"""Options after --config: psflip checks each value, names a wrong value with its remedy, and passes no value to a shell."""

import os
import re
import subprocess

import pytest
import yaml
from psflip.campaign import options, programs
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.programs import Programs
from conftest import ROOT, snakemake

ODD = "it's \"a\" $(touch INJECTED) study; touch INJECTED & é#1"


def refused(done):
    """The one sentence that Snakemake ended with."""
    text = done.stdout + done.stderr
    assert done.returncode == 1, text
    assert "Traceback" not in text and "\n  File " not in text, text
    (line,) = [line for line in text.splitlines() if line.startswith("psflip: ")]
    assert line == text.rstrip().splitlines()[-1]
    return line


BY_VALUE = [
    ("time_limit=100; touch INJECTED", "a number of seconds"), ("time_limit=-1", "a number of seconds"), ("time_limit=nan", "a number of seconds"), ("time_limit=true", "a number of seconds"),
    ("audit=x", "a whole number from 0"), ("audit=-1", "a whole number from 0"), ("audit=1.5", "a whole number from 0"), ("max_runtime=0", "a whole number from 1"),
    ("backend=cuda; touch INJECTED", "known are auto, cpu, cuda"), ("backend=gpu", "known are auto, cpu, cuda"), ("gpus=-1", "auto, or a whole number"),
    ("gpus=$(touch INJECTED)", "auto, or a whole number"), ("gpu_jobs=0", "a whole number from 1 to 16"), ("gpu_jobs=2; touch INJECTED", "a whole number"),
    ("node_gpus='`touch INJECTED`'", "a whole number"), ("slabs=2; touch INJECTED", "auto, or a whole number"), ("slabs=x", "auto, or a whole number"), ("slabs=0", "from 1 to 512"),
    ("mpi=mpirun '--host", "this cannot be read as words of a command line"), ("ladder=tund", "known are study, tuned"), ("ladder=tuned:16; touch INJECTED", "known are study, tuned"),
    ("ladder_options=--count 20; touch INJECTED", "after --count, a whole number from 2 to 64"), ("ladder_options='`touch INJECTED`'", "is not an option for tuning; use --feedback"),
    ("ladder_options=--count '20", "this cannot be read as words of a command line"), ("ladder_options=--out elsewhere", "'--out' is not an option for tuning"),
    ("ladder_options=--count 20 --target-acceptance 0.3", "exclude each other"), ("out=-x", "a name that does not begin with a dash"), ("out=a{L}b", "a name without line breaks"),
    ("out=<results>/x", "a name without line breaks"), ("study=a>b.yaml", "a name without"), ("study=a{b}.yaml", "a name without"), ("bin=<x", "a name without"),
    ('out="a\\nb"', "a name without line breaks, control characters, any of {}<>, and ' #'"), ('out="a\\e[31mb"', "a name without"), ("out=.", "the results need their own folder"),
    ("out=7", "Snakemake reads this as a number"), ("out=[a, b]", "Snakemake reads this as a number, a truth value or a list"),
]  # fmt: skip
BY_SNAKEMAKE = [
    ("time_limit=100; touch INJECTED", "time_limit=100; touch INJECTED: a number of seconds"), ("gpus=$(touch INJECTED)", "gpus=$(touch INJECTED): auto, or a whole number"),
    ("audit=1", "no audit in "), ("ladder=tuned:7", "ladder=tuned:7: L = 7 is not a size of this study (4, 6)"), ("rates=no.json", "rates=no.json: no such file"),
    ("rates=tiny.yaml", "rates=tiny.yaml: this is not a file of bench-flip --json or --csv, or it is damaged (it has no 'series'); give a file of bench-flip"),
    ("rates=/dev/zero", "rates=/dev/zero: this is a pipe or a device, but a file is needed"), ("bin=/dev/null", "no psflip programs in /dev/null"), ("out=tiny.yaml", "out=tiny.yaml: "),
    ("out=tiny.yaml/more", "tiny.yaml is not a folder; give another folder"), ("out='a #b'", "out='a #b': for Snakemake a comment begins at ' #'"), ("out=a\x1b[31mb", "out=a\\x1b[31mb: give a name without"),
    ("study=no.yaml", "no.yaml does not exist"), ("study=.", "study file "), ("aduit=3", "unknown option aduit; did you mean audit?"),
]  # fmt: skip


@pytest.mark.parametrize("given, told", BY_VALUE)
def test_wrong_values_are_refused(given, told):
    """Snakemake reads values as YAML."""
    name, text = given.split("=", 1)
    with pytest.raises(StudyError, match=rf"(?s)^{name}=.*{re.escape(told)}") as error:
        options.read({"study": "tiny.yaml", name: yaml.safe_load(text)})
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("given, told", BY_SNAKEMAKE)
def test_wrong_options_are_refused(tmp_path, study, stand_ins, given, told):
    before = sorted(tmp_path.rglob("*"))
    name, value = given.split("=", 1)
    done = snakemake(tmp_path, "--dry-run", check=False, **{"study": "tiny.yaml", "bin": stand_ins, name: value})
    assert told in refused(done)
    assert [file for file in sorted(tmp_path.rglob("*")) if ".snakemake" not in file.parts] == before


def test_a_folder_that_cannot_be_made(tmp_path, study, stand_ins):
    """As the start of the workflow tells it, where a look at the folder above did not show it."""
    done = snakemake(tmp_path, check=False, study=study.file, bin=stand_ins, out="/proc/results")
    assert "/proc/results: the folder of results cannot be made or written to" in refused(done)


def test_a_study_is_needed_and_nothing_unknown():
    with pytest.raises(StudyError, match="which study. Give --config study=FILE.yaml"):
        options.read({"study": None})
    with pytest.raises(StudyError, match="--config: unknown option seed. Known are study, kind, out, .*not as --configfile"):
        options.read({"study": "tiny.yaml", "seed": 3})


def test_values_that_are_taken(tmp_path):
    found = options.read({"study": "a b.yaml", "time_limit": 0.3, "audit": 5, "gpus": 0, "ladder": "tuned:16", "rates": None})
    assert found["out"] == "results/a b" and (found["time_limit"], found["audit"], found["gpus"]) == (0.3, 5, 0)
    assert found["rates"] is None and found["max_runtime"] == 720 and found["bin"] == str(ROOT / "build/bin")
    assert options.read({"study": "s.yaml", "out": "./7/"})["out"] == "7"
    for text in ("--feedback --count 20", "--target-acceptance 0.3 --tune-sweeps 1000", ""):
        assert options.checked("ladder_options", text) == text
    assert options.checked("mpi", "mpirun; touch INJECTED $(x) --bind-to none") == "'mpirun;' touch INJECTED '$(x)' --bind-to none"


def test_options_of_the_tuning_are_those_of_the_program(programs):
    text = " ".join(subprocess.run([programs / "pt-run", "--help"], capture_output=True, text=True, check=True).stdout.split())
    for name, check in options.TUNING.items():
        assert f" {name} " in text
        if check is None:
            assert not re.search(rf" {name} \w+:\w+ in ", text), name
            continue
        low, high = map(options.as_number, re.search(rf" {name} \w+:\w+ in \[(\S+) - (\S+)\]", text).groups())
        assert check(low) == low and check(high) == high
        for beyond in (low - (1 if low > 1 else 0.001), high + (1 if high > 1 else 0.001)):
            with pytest.raises(ValueError):
                check(beyond)


def test_the_readme_has_every_option_with_its_default():
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", (ROOT / "workflows/README.md").read_text(), re.MULTILINE)
    told = dict(rows[: len(options.OPTIONS)])
    assert list(told) == list(options.OPTIONS)
    for name, text in told.items():
        if name not in ("out", "bin"):
            default = options.OPTIONS[name].default
            assert text.strip("`") == ("none" if default in (None, "") else str(default)), name


def test_a_study_in_a_folder_with_an_odd_name(tmp_path, study, programs):
    """With all jobs by the real programs; the last line tells what came out, also where Snakemake is quiet and where nothing is left to do."""
    study(equilibration={"max_doublings": 0})
    study.file.rename(tmp_path / "a 'study'.yaml")
    given = {"study": "a 'study'.yaml", "bin": programs, "out": ODD, "audit": 1 if (programs / "audit").is_file() else 0, "time_limit": 600}
    done = snakemake(tmp_path, "--quiet", "all", "--retries", "0", **given)
    assert (tmp_path / ODD / "study.zip").is_file() and not list(tmp_path.rglob("INJECTED"))
    (line,) = done.stdout.splitlines()
    assert line == (done.stdout + done.stderr).splitlines()[0] and "Report" not in done.stderr
    assert re.fullmatch(r"Crossing of xi_L/L.*\. Crossing of Binder ratio.*\. Report: .*report\.html", line) and f"{ODD}/report.html" in line
    again = snakemake(tmp_path, **given)
    assert "Nothing to be done" in again.stderr and again.stdout.splitlines()[-1] == line
    assert line not in snakemake(tmp_path, "--dry-run", **given).stdout


def test_where_no_report_was_asked_for_there_is_no_last_line(tmp_path, study, stand_ins):
    assert "Report" not in snakemake(tmp_path, "reduce", study=study.file, bin=stand_ins).stdout


def test_a_failed_workflow_has_no_last_line(tmp_path, study, stand_ins):
    """A quiet one names its failed jobs, and options that are wrong."""
    done = snakemake(tmp_path, check=False, study=study.file, bin=stand_ins)  # plots of what is no HDF5
    assert done.returncode != 0 and "Report: " not in done.stdout
    done = snakemake(tmp_path, "--quiet", "all", check=False, study=study.file, bin=stand_ins)
    assert done.returncode != 0 and not done.stdout and re.search(r"^failed: results/tiny/logs/\w+\.log: \w+: results/tiny/\S+: a reduced file is needed", done.stderr, re.M), done.stderr
    done = snakemake(tmp_path, "--quiet", "all", check=False, study=study.file, bin=stand_ins, backend="gpu")
    assert done.returncode == 1 and done.stderr.count("psflip: backend=gpu: known are auto, cpu, cuda") == 1


def script(file, text):
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def test_programs_that_do_not_end_are_stopped(tmp_path, study, monkeypatch):
    """As they did for a study file that their YAML library reads for ever."""
    for name in programs.NAMES:
        script(tmp_path / name, f'echo $$ > "{tmp_path}/pid"; case "$*" in *--version*) echo "physics version: 2" ;; *) exec sleep 300 ;; esac')
    found = Programs.find(tmp_path)
    monkeypatch.setattr(programs, "PATIENCE", 0.5)
    with pytest.raises(StudyError, match=r"gen-disorder --config .*tiny.yaml --validate: psflip stopped this program, because it did not end within 0.5 s"):
        found.check(study.file)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize(
    "text, told",
    [("exit 3", r"--version reports no physics version \(exit code 3\)"), ("echo hello", "reports no physics version"), ("kill -SEGV $$", "exit code -11")],
)
def test_programs_that_do_not_answer(tmp_path, text, told):
    for name in programs.NAMES:
        script(tmp_path / name, text)
    with pytest.raises(StudyError, match=told):
        Programs.find(tmp_path)


def test_programs_of_another_machine_or_incomplete(tmp_path):
    for name in programs.NAMES:
        (tmp_path / name).write_bytes(b"\x7fELF of another machine")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(StudyError, match="gen-disorder cannot be started"):
        Programs.find(tmp_path)
    (tmp_path / "measure").unlink()
    (tmp_path / "pt-run").chmod(0o644)
    with pytest.raises(StudyError, match="no pt-run and no measure in .*--config bin=FOLDER"):
        Programs.find(tmp_path)


def test_texts_of_others_cannot_command_the_terminal(tmp_path, study, stand_ins):
    assert printable("a\x1b]0;x\x07é\nb\udc80\u202e") == "a\\x1b]0;x\\x07é\nb\\udc80\\u202e"
    out = tmp_path / "out"
    out.mkdir()
    (out / "study.json").write_text('{"format": "\x1b[31m"}'.replace("\x1b", "\\u001b"))
    done = snakemake(tmp_path, "--dry-run", check=False, study=study.file, bin=stand_ins, out=out)
    assert "format \\x1b[31m" in refused(done)


def test_a_comment_in_quotes_is_none():
    options.check_whole({"out": "a#b", "study": "x"}, ["out=a#b", "--config=study=x", "study=x", "more= #"])
    with pytest.raises(StudyError, match="study=x #y: for Snakemake a comment begins"):
        options.check_whole({"study": "x"}, ["--config=study=x #y"])


@pytest.mark.parametrize("command", ["plan", "partial"])
def test_the_commands_tell_it_too(tmp_path, study, command):
    arguments = [study.file, "--rates", "no.json"] if command == "plan" else [tmp_path]
    done = subprocess.run([ROOT / "workflows" / command, *arguments, "--bin", tmp_path], capture_output=True, text=True, cwd=tmp_path)
    told = "--rates no.json: no such file" if command == "plan" else "no psflip programs in "
    assert done.returncode == 1 and done.stderr.startswith(f"{command}: ") and told in done.stderr and done.stderr.count("\n") == 1
