"""The options of the workflow, given as --config name=value to Snakemake or as --name value to `psflip run`: one table. Each is checked by its value before anything else
is read. A checked value can stand in a shell command, and in the name of a file that Snakemake makes."""

from __future__ import annotations

import argparse
import math
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from psflip.bench.bench_data import read_timings
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, check_there, nearest
from psflip.campaign.study import add_kinds
from psflip.places import BIN


def path(value: object) -> str:
    """Returns the name of a file or folder. To Snakemake, braces make patterns, <word> is a variable, and ` #` begins a comment. To programs, a dash begins an option."""
    if not isinstance(value, str):
        raise ValueError("Snakemake reads this as a number, a truth value or a list; write ./ before the name")
    found = os.path.normpath(value)
    if not found.isprintable() or set(found) & set("{}<>") or " #" in found:
        raise ValueError("give a name without line breaks, control characters, any of {}<>, and ' #'")
    if found.startswith("-"):
        raise ValueError("give a name that does not begin with a dash")
    return found


def folder_of_results(value: object) -> str:
    found = path(value)
    if found in (os.sep, os.curdir, os.pardir):
        raise ValueError("the results need their own folder; give another one")
    return found


class OneOf:
    """The check of an option with fixed values."""

    def __init__(self, *choices: str):
        self.choices = choices

    def __call__(self, value: object) -> str:
        if value not in self.choices:
            asked = nearest(str(value), self.choices)
            raise ValueError(f"known are {', '.join(self.choices)}" + (f"; {asked}" if asked else ""))
        return str(value)


def number(least: float, most: float, what: str = "a number", kinds: tuple[type, ...] = (int, float)) -> Callable[[object], float]:
    def check(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
            raise ValueError(f"{what} from {least} to {most} is needed")
        return value

    return check


def whole(least: int, most: int) -> Callable[[object], int]:
    return number(least, most, "a whole number", (int,))


def auto_or(check: Callable[[object], object]) -> Callable[[object], object]:
    def checked(value: object) -> object:
        if value == "auto":
            return value
        try:
            return check(value)
        except ValueError as error:
            raise ValueError(f"auto, or {error}") from None

    return checked


def ladder(value: object) -> str:
    if value in ("study", "tuned") or re.fullmatch(r"tuned:[1-9]\d{0,3}", str(value)):
        return str(value)
    raise ValueError("known are study, tuned (each size has its own ladder), and tuned:L (all sizes have the ladder of one size), as in ladder=tuned:16")


TUNING = {"--feedback": None, "--target-acceptance": number(0.01, 0.95), "--count": whole(2, 64), "--tune-sweeps": whole(100, 2**40)}


def command(value: object) -> str:
    """auto, or the words of a command, each quoted for a shell."""
    words = words_of(value)
    if not words:
        raise ValueError("give auto, or the command that starts MPI programs, as in mpi='mpirun --bind-to none'")
    return shlex.join(words)


def words_of(value: object) -> list[str]:
    try:
        return shlex.split(value) if isinstance(value, str) else [str(value)]
    except ValueError as error:
        raise ValueError(f"this cannot be read as words of a command line: {error}") from None


def as_number(text: str) -> object:
    try:
        return int(text) if re.fullmatch(r"\d+", text) else float(text)
    except ValueError:
        return text


def ladder_options(value: object) -> str:
    """The words of `pt-run --tune-ladder`, each quoted for a shell."""
    words = words_of(value)
    left = iter(words)
    for word in left:
        if word not in TUNING:
            raise ValueError(f"{word!r} is not an option for tuning; use {', '.join(TUNING)}")
        if TUNING[word]:
            try:
                TUNING[word](as_number(next(left, "")))
            except ValueError as error:
                raise ValueError(f"after {word}, {error}") from None
    if {"--count", "--target-acceptance"} <= set(words):
        raise ValueError("--count and --target-acceptance exclude each other; give one of them")
    return shlex.join(words)


@dataclass(frozen=True)
class Option:
    """`check` returns the value to use, and raises ValueError with what is needed. An option without `help` is none of `psflip run`."""

    default: object
    check: Callable[[object], object]
    help: str = ""

    @property
    def is_path(self) -> bool:
        return self.check in (path, folder_of_results)


OPTIONS = {
    "study": Option(None, path),
    "kind": Option("auto", OneOf("auto", "equilibrium", "relaxation")),
    "out": Option(None, folder_of_results, "folder of the results (default: results/<name of the study file>)"),
    "bin": Option(str(BIN), path, "folder of the psflip programs"),
    "backend": Option("auto", OneOf("auto", "cpu", "cuda"), "auto, cpu or cuda"),
    "gpus": Option("auto", auto_or(whole(0, 1024)), "number of GPUs of this machine, or auto"),
    "gpu_jobs": Option(1, whole(1, 16), "jobs on one GPU at once"),
    "slabs": Option("auto", auto_or(whole(1, 512)), "slabs of a large lattice, or auto"),
    "node_gpus": Option(1, whole(1, 64), "on a cluster: GPUs of a node"),
    "mpi": Option("auto", command, "the command that starts MPI programs, or auto"),
    "ladder": Option("study", ladder, "temperatures: study, tuned, or tuned:L"),
    "ladder_options": Option("", ladder_options, "options of pt-run --tune-ladder, in quotes"),
    "audit": Option(0, whole(0, 10**6), "number of runs to repeat in part on another backend and to compare"),
    "time_limit": Option(None, number(0.001, 10**9, "a number of seconds"), "seconds after which a job stops with a checkpoint"),
    "max_runtime": Option(720, whole(1, 10**6), "longest time that a job asks a cluster for, in minutes"),
    "group_minutes": Option(0, whole(0, 10**6), "on a cluster: put short jobs of one size together into jobs of about this length"),
    "rates": Option(None, path, "JSON or CSV of bench-flip from the machine that runs the jobs"),
    "couplings": Option(None, path, "a folder of disorder files, or one, for a study with disorder.source: files"),
}


def shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def checked(name: str, value: object) -> object:
    """Returns the value to use. Errors: StudyError with option, value and remedy."""
    try:
        return OPTIONS[name].check(value)
    except ValueError as error:
        raise StudyError(f"{name}={shown(value)}: {error}") from None


def unknown(name: str) -> str:
    asked = nearest(name, OPTIONS)
    return f"unknown option {name}" + (f"; {asked}" if asked else ".") + f" Known are {', '.join(OPTIONS)}."


def check_whole(config: dict, words: list[str]) -> None:
    """Raises StudyError if Snakemake took a part of a value for a comment. `words`: its command line."""
    for word in words:
        name, _, value = word.removeprefix("--config=").partition("=")
        if name in OPTIONS and " #" in value and "#" not in str(config.get(name)):
            raise StudyError(f"{word}: for Snakemake a comment begins at ' #'; give a name without it")


def read(config: dict) -> dict[str, object]:
    """Returns all options with their values. An option without a value, as in `rates=`, has its default. Errors: StudyError for the first wrong option."""
    for name in config:
        if name not in OPTIONS:
            raise StudyError(f"--config: {unknown(name)} The study file goes in as study=FILE.yaml, not as --configfile.")
    given = {name: value for name, value in config.items() if value is not None}
    found = {name: checked(name, given[name]) if name in given else option.default for name, option in OPTIONS.items()}
    if found["study"] is None:
        raise StudyError("which study? Give --config study=FILE.yaml")
    if found["out"] is None:
        found["out"] = checked("out", f"results/{Path(found['study']).stem}")
    return found


def check_out(out: str) -> None:
    """Raises StudyError if the folder of results neither exists nor can be made. Makes nothing."""
    here = Path(out).absolute()
    while not here.exists() and here != here.parent and not here.is_symlink():
        here = here.parent
    if not here.is_dir():
        raise StudyError(f"out={out}: {here} is not a folder; give another folder for the results")
    if not os.access(here, os.W_OK | os.X_OK):
        raise StudyError(f"out={out}: you may not write in {here}; give another folder for the results")


def check_rates(file: str | Path | None) -> None:
    """Raises StudyError if it is no file of bench-flip."""
    if file is None:
        return
    try:
        timings = read_timings(Path(file))
    except StudyError as error:
        raise StudyError(f"rates={error}; give a file of bench-flip --json or --csv, or none") from None
    if not timings or any(not 0 < timing.ps_per_flip < math.inf for timing in timings):
        raise StudyError(f"rates={file}: the file has no timings, or one that is not a positive number; make it again with bench-flip")


# --- of psflip run -----------------------------------------------------------------------------------------------------
def add_options(parser: Parser) -> None:
    """Adds the study file and the options of the workflow."""
    parser.add_input("study", help="the study file")
    add_kinds(parser)
    for name, option in OPTIONS.items():
        if option.help:
            default = f" (default: {option.default})" if option.default not in (None, "", str(BIN)) else ""
            parser.add_argument(f"--{name.replace('_', '-')}", help=option.help + default, metavar="VALUE")


def as_path(text: str) -> str:
    """Returns a name as Snakemake reads it. Snakemake reads values as YAML, so that a name that looks like a number needs ./ before it."""
    try:
        return text if yaml.safe_load(text) == text else f"./{text}"
    except yaml.YAMLError:
        return text


def config_of(given: argparse.Namespace) -> dict[str, object]:
    """Returns the given options by name, each checked. Errors: StudyError with option, value and remedy."""
    config: dict[str, object] = {"study": as_path(str(given.study))}
    if given.kind != "auto":
        config["kind"] = given.kind
    for name, option in OPTIONS.items():
        if option.help and (text := getattr(given, name)) is not None:
            config[name] = as_path(text) if option.is_path else as_number(text)
    try:
        found = read(config)
    except StudyError as error:  # `--gpu-jobs 0: ...` instead of `gpu_jobs=0: ...`
        name, _, rest = str(error).partition("=")
        raise StudyError(f"--{name.replace('_', '-')} {rest}" if name in config and rest else error) from None
    if found["rates"]:
        check_there(Path(str(found["rates"])), option="--rates")
    check_out(str(found["out"]))
    check_rates(found["rates"])  # type: ignore[arg-type]
    return config
