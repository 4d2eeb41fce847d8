"""Paths and helpers of the workflow tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import forked
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workflows"))
sys.path.insert(0, str(Path(__file__).parent))

TOOLS = ("gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder")
PROGRAMS = Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))


@pytest.fixture
def programs() -> Path:
    """Returns the folder of the real programs; skips the test if they are not built."""
    missing = [name for name in TOOLS if not (PROGRAMS / name).is_file()]
    if missing:
        pytest.skip(f"{', '.join(missing)} not in {PROGRAMS}; set PSFLIP_BIN")
    return PROGRAMS


def lock_elsewhere(number: object, **changes: object) -> str:
    """The text of the lock of a Slurm job on another machine."""
    lines = {"program": "pt-run", "host": "node7", "process": 1, "process_start": 1, "machine": "m", "boot": "b", "pid_namespace": "pid:[1]", "slurm_cluster": "tide", "slurm_job": number}
    return "".join(f"{key}: {value}\n" for key, value in {**lines, "slurm_restarts": 0, **changes, "end": "lock"}.items())


@pytest.fixture
def stand_ins(tmp_path) -> Path:
    """A folder of programs that write small text files under the right names, for tests of the workflow alone."""
    return link_stand_ins(tmp_path / "bin")


def link_stand_ins(folder: Path) -> Path:
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(Path(__file__).parent / "stand_in.py")
    return folder


@pytest.fixture
def study(tmp_path):
    """A copy of tiny.yaml: `study.file`; study(section={key: value}) changes keys of it."""
    file = tmp_path / "tiny.yaml"
    shutil.copy(Path(__file__).parent / "tiny.yaml", file)

    def change(**sections):
        data = yaml.safe_load(file.read_text())
        for section, keys in sections.items():
            data[section] = {**data.get(section, {}), **keys} if isinstance(keys, dict) else keys
        file.write_text(yaml.safe_dump(data))

    change.file = file
    return change


def snakemake(folder: Path, *arguments: str, check: bool = True, **options: object) -> subprocess.CompletedProcess:
    """Runs the workflow in `folder` with --config options."""
    words = ["--snakefile", str(ROOT / "workflows" / "Snakefile"), "--cores", "2", *arguments]
    words += ["--config", *(f"{key}={value}" for key, value in options.items())]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # the stand-ins take python3 from there
    done = forked.snakemake(words, folder, {**os.environ, "PATH": path})
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def planned(output: str) -> dict[str, int]:
    """The table of jobs that `snakemake --dry-run` prints: rule -> number."""
    jobs: dict[str, int] = {}
    table = False
    for line in output.splitlines():
        parts = line.split()
        if parts == ["job", "count"]:
            table = True
        elif table and len(parts) == 2 and parts[1].isdigit():
            jobs[parts[0]] = int(parts[1])
            table = parts[0] != "total"
    return {name: count for name, count in jobs.items() if count}


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """tiny.yaml, finished with the stand-ins, to the averages."""
    folder = tmp_path_factory.mktemp("template")
    shutil.copy(Path(__file__).parent / "tiny.yaml", folder)
    snakemake(folder, "reduce", study="tiny.yaml", bin=link_stand_ins(folder / "bin"))
    return folder


@pytest.fixture
def finished(template, study, tmp_path):
    """A copy of it in tmp_path, without what Snakemake remembers of it."""
    shutil.copytree(template / "results", tmp_path / "results")
