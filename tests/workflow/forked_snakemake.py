"""Snakemake in a process that is forked from one which has imported it already: a call takes a quarter of the time of `python -m snakemake`."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["forked_snakemake", "snakemake.cli", "snakemake.api", "snakemake.workflow", "numpy", "h5py", "yaml", "jsonschema"])


def main(words: list[str], folder: str, environment: dict[str, str], output: tuple[str, str]) -> None:
    """What the forked process does: ends as Snakemake's command line does."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, file in enumerate((os.devnull, *output)):
        os.dup2(os.open(file, os.O_RDWR), descriptor)
    from snakemake import cli

    sys.argv = [cli.__file__, *words]
    sys.path[0] = folder  # as for python -m
    atexit._clear()  # a forked process leaves out functions that are registered to run at the end, the Snakefile's, too
    try:
        cli.main()
    finally:
        atexit._run_exitfuncs()


def snakemake(words: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
    """Calls `snakemake WORDS...` in a folder and waits for its end."""
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as err:
        process = SERVER.Process(target=main, args=(words, str(folder), environment, (out.name, err.name)))
        process.start()
        process.join()
        return subprocess.CompletedProcess(["snakemake", *words], process.exitcode, out.read(), err.read())
