"""The scripts in envs/: they print how they are called, and refuse arguments that they do not know before they install or build anything."""

import subprocess
from pathlib import Path

import pytest

ENVS = Path(__file__).resolve().parents[2] / "envs"
SCRIPTS = sorted(file.name for file in ENVS.iterdir() if file.is_file() and file.read_bytes().startswith(b"#!"))


def call(name, *arguments):
    return subprocess.run([ENVS / name, *arguments], capture_output=True, text=True, timeout=60)


def test_the_scripts_are_known():
    assert {"check", "install", "quickstart", "wheel"} <= set(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(name, option):
    done = call(name, option)
    assert done.returncode == 0 and done.stderr == ""
    assert f"envs/{name}" in done.stdout and not any(line.startswith("#") for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("words", [["--halp"], ["now"], ["--help-me", "--help"]])
def test_unknown_arguments(name, words):
    done = call(name, *words)
    assert done.returncode == 1 and done.stdout == ""
    assert f"unknown argument '{words[0]}'" in done.stderr and "--help" in done.stderr


def test_check_needs_the_name_of_a_part():
    done = call("check", "--only")
    assert done.returncode == 1 and "--only needs the name of a part" in done.stderr


def test_a_wheel_without_cuda_is_an_option():
    assert "--cpu" in call("wheel", "--help").stdout
    done = call("wheel", "--cpu", "--halp")
    assert done.returncode == 1 and "unknown argument '--halp'" in done.stderr
