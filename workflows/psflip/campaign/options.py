"""The options of the workflow, given as --config name=value: one table. Each is checked by its value before anything else is read;
what passes can stand in a shell command, and in the name of a file that Snakemake makes."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from psflip.bench.bench_data import read_timings
from psflip.campaign.errors import StudyError, nearest
from psflip.places import BIN


def path(value: object) -> str:
    """Snakemake takes names with braces for patterns, <word> for a variable and what follows ` #` for a comment, programs those that begin
    with a dash for options."""
    if not isinstance(value, str):
        raise ValueError("Snakemake reads this as a number, a truth value or a list; write a name as it would be in a shell, with ./ before it")
    found = os.path.normpath(value)
    if not found.isprintable() or set(found) & set("{}<>") or " #" in found:
        raise ValueError("a name without line breaks, control characters, any of {}<>, and ' #' is needed")
    if found.startswith("-"):
        raise ValueError("a name that does not begin with a dash is needed")
    return found


def folder_of_results(value: object) -> str:
    found = path(value)
    if found in (os.sep, os.curdir, os.pardir):
        raise ValueError("the results need a folder of their own")
    return found


def one_of(*choices: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if value not in choices:
            asked = nearest(str(value), choices)
            raise ValueError(f"known are {', '.join(choices)}" + (f"; {asked}" if asked else ""))
        return str(value)

    return check


def whole(least: int, most: int) -> Callable[[object], int]:
    def check(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"a whole number from {least} to {most} is needed")
        return value

    return check


def number(least: float, most: float, unit: str = "") -> Callable[[object], float]:
    def check(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            raise ValueError(f"a number{unit} from {least:g} to {most:g} is needed")
        return value

    return check


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
    raise ValueError("known are study, tuned (each size its own), and tuned:L (that of one size for all), as in ladder=tuned:16")


TUNING = {"--feedback": None, "--target-acceptance": number(0.01, 0.95), "--count": whole(2, 64), "--tune-sweeps": whole(100, 2**40)}


def command(value: object) -> str:
    """auto, or the words of a command, each quoted for a shell."""
    words = words_of(value)
    if not words:
        raise ValueError("auto, or the command that starts MPI programs is needed, as in mpi='mpirun --bind-to none'")
    return shlex.join(words)


def words_of(value: object) -> list[str]:
    try:
        return shlex.split(value) if isinstance(value, str) else [str(value)]
    except ValueError as error:
        raise ValueError(f"not to be read as words of a command line: {error}") from None


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
            raise ValueError(f"{word!r} is none of the options for tuning: {', '.join(TUNING)}")
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
    default: object
    check: Callable[[object], object]  # gives the value to use; ValueError: what is needed


OPTIONS = {
    "study": Option(None, path),
    "kind": Option("auto", one_of("auto", "equilibrium", "relaxation")),
    "out": Option(None, folder_of_results),  # by default results/<name of the study file>
    "bin": Option(str(BIN), path),
    "backend": Option("auto", one_of("auto", "cpu", "cuda")),
    "gpus": Option("auto", auto_or(whole(0, 1024))),
    "gpu_jobs": Option(1, whole(1, 16)),
    "slabs": Option("auto", auto_or(whole(1, 512))),
    "node_gpus": Option(1, whole(1, 64)),
    "mpi": Option("auto", command),
    "ladder": Option("study", ladder),
    "ladder_options": Option("", ladder_options),
    "audit": Option(0, whole(0, 10**6)),
    "time_limit": Option(None, number(1e-3, 1e9, " of seconds")),
    "max_runtime": Option(720, whole(1, 10**6)),
    "group_minutes": Option(0, whole(0, 10**6)),
    "rates": Option(None, path),
    "couplings": Option(None, path),
}


def shown(value: object) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def checked(name: str, value: object) -> object:
    """The value to use; StudyError with option, value and remedy."""
    try:
        return OPTIONS[name].check(value)
    except ValueError as error:
        raise StudyError(f"{name}={shown(value)}: {error}") from None


def unknown(name: str) -> str:
    asked = nearest(name, OPTIONS)
    return f"unknown option {name}" + (f"; {asked}" if asked else ".") + f" Known are {', '.join(OPTIONS)}."


def check_whole(config: dict, words: list[str]) -> None:
    """StudyError where Snakemake took a part of a value for a comment; `words`: of its command line."""
    for word in words:
        name, _, value = word.removeprefix("--config=").partition("=")
        if name in OPTIONS and " #" in value and "#" not in str(config.get(name)):
            raise StudyError(f"{word}: for Snakemake a comment begins at ' #'; give a name without it")


def read(config: dict) -> dict[str, object]:
    """All options with their values; StudyError tells the first that is wrong. What is given as nothing (`rates=`) is the default."""
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
    """Whether the folder of results is there or can be made; makes nothing."""
    here = Path(out).absolute()
    while not here.exists() and here != here.parent and not here.is_symlink():
        here = here.parent
    if not here.is_dir():
        raise StudyError(f"out={out}: {here} is no folder; give another folder for the results")
    if not os.access(here, os.W_OK | os.X_OK):
        raise StudyError(f"out={out}: no permission to write in {here}; give another folder for the results")


def check_rates(file: str | Path | None) -> None:
    """Whether it is a file of bench-flip."""
    if file is None:
        return
    try:
        timings = read_timings(Path(file))
    except StudyError as error:
        raise StudyError(f"rates={error}; give a file of bench-flip --json or --csv, or none") from None
    if not timings or any(not 0 < timing.ps_per_flip < math.inf for timing in timings):
        raise StudyError(f"rates={file}: no timings, or one that is no positive number; make it again with bench-flip")
