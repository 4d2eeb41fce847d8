"""Runs Snakemake and the command psflip in forks of a process that has imported their packages.

An option that Snakemake refuses then takes 0.4 s instead of 1 s. Folder, output and exit code are as in a new process. Variables that Python or a package reads at
its start have no effect.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

PSFLIP = Path(__file__).resolve().parents[1] / "workflows" / "psflip"
PACKAGES = ["snakemake.cli", "snakemake.api", "snakemake.workflow", "numpy", "scipy.stats", "scipy.optimize", "pandas", "xarray", "matplotlib.pyplot", "h5py", "yaml", "jsonschema", "jinja2"]
TIMEOUT = 600  # seconds
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["forked", *PACKAGES])


def run(words: list[str], folder: str, environment: dict[str, str], output: tuple[str, str]) -> None:
    """Runs in the forked process. words[0] is a file or folder that Python can run."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, file in enumerate((os.devnull, *output)):
        os.dup2(os.open(file, os.O_RDWR), descriptor)
    sys.argv = list(words)
    sys.path[0] = words[0] if os.path.isdir(words[0]) else folder  # as for python FOLDER and python -m
    atexit._clear()  # forked processes do not run the functions that the program registers for its end
    try:
        runpy.run_path(words[0], run_name="__main__")
    finally:
        atexit._run_exitfuncs()


def call(words: list[object], folder: str | Path | None = None, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    """Calls `python WORDS...` in a folder and waits for its end."""
    texts = [str(word) for word in words]
    with tempfile.NamedTemporaryFile("r", errors="replace") as out, tempfile.NamedTemporaryFile("r", errors="replace") as err:
        place = str(folder or Path.cwd())
        process = SERVER.Process(target=run, args=(texts, place, dict(os.environ if environment is None else environment), (out.name, err.name)))
        process.start()
        process.join(TIMEOUT)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(texts, TIMEOUT)
        return subprocess.CompletedProcess([sys.executable, *texts], process.exitcode, out.read(), err.read())


def snakemake(words: list[object], folder: str | Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    program = Path(find_spec("snakemake").origin).parent / "__main__.py"
    return call([program, *words], folder, environment)


def psflip(words: list[object], folder: str | Path | None = None, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
    return call([PSFLIP, *words], folder, environment)
