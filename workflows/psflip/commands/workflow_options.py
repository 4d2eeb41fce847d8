"""The options of the workflow as those of a command: one table, campaign/options.py, makes both."""

from __future__ import annotations

import argparse
from pathlib import Path

import yaml

from psflip.campaign import options
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, check_there
from psflip.campaign.study import add_kinds

HELP = {
    "out": "folder of the results (default: results/<name of the study file>)",
    "bin": "folder of the psflip programs",
    "backend": "auto, cpu or cuda",
    "gpus": "number of GPUs of this machine, or auto",
    "gpu_jobs": "jobs on one GPU at once",
    "slabs": "slabs of a large lattice, or auto",
    "node_gpus": "on a cluster: GPUs of a node",
    "mpi": "the command that starts MPI programs, or auto",
    "ladder": "temperatures: study, tuned, or tuned:L",
    "ladder_options": "options of pt-run --tune-ladder, in quotes",
    "audit": "so many runs are done again in part on another backend and compared",
    "time_limit": "seconds after which a job stops with a checkpoint",
    "max_runtime": "minutes that a job asks a cluster for at most",
    "group_minutes": "on a cluster: short jobs of one size are put together into jobs of about so many minutes",
    "rates": "JSON or CSV of bench-flip from the machine that runs the jobs",
    "couplings": "a folder of disorder files, or one, for a study with disorder.source: files",
}
PATHS = ("study", "out", "bin", "rates", "couplings")


def add_workflow_options(parser: Parser) -> None:
    parser.add_input("study", help="the study file")
    add_kinds(parser)
    for name, about in HELP.items():
        default = options.OPTIONS[name].default
        shown = f" (default: {default})" if default not in (None, "") and name != "bin" else ""
        parser.add_argument(f"--{name.replace('_', '-')}", help=about + shown, metavar="VALUE")


def as_path(text: str) -> str:
    """Snakemake reads values as YAML: a name that looks like a number begins with ./ there."""
    try:
        return text if yaml.safe_load(text) == text else f"./{text}"
    except yaml.YAMLError:
        return text


def config_of(given: argparse.Namespace) -> dict[str, object]:
    """The options that were given, by name, each checked; StudyError names option, value and cure."""
    config: dict[str, object] = {"study": as_path(str(given.study))}
    if given.kind != "auto":
        config["kind"] = given.kind
    for name in HELP:
        text = getattr(given, name)
        if text is not None:
            config[name] = as_path(text) if name in PATHS else options.as_number(text)
    try:
        found = options.read(config)
    except StudyError as error:
        raise StudyError(as_option(str(error), config)) from None
    if found["rates"]:
        check_there(Path(str(found["rates"])), option="--rates")
    options.check_out(str(found["out"]))
    options.check_rates(found["rates"])  # type: ignore[arg-type]
    return config


def as_option(text: str, config: dict[str, object]) -> str:
    """`--gpu-jobs 0: ...` in the place of `gpu_jobs=0: ...`."""
    name, _, rest = text.partition("=")
    return f"--{name.replace('_', '-')} {rest}" if name in config and rest else text


def words_of(config: dict[str, object]) -> list[str]:
    """After --config of Snakemake."""
    return [f"{name}={value}" for name, value in config.items()]
