"""psflip: Monte Carlo of disordered magnets, from a study file to tables, plots and report.

    psflip quickstart          runs a small study in the current folder: minutes on two cores
    psflip new MODEL FILE      writes a commented study file to begin with
    psflip plan STUDY          prints jobs, time and disk space that a study takes
    psflip ladder STUDY        proposes temperatures
    psflip run STUDY           runs what is missing, to plots and report
    psflip status RESULTS      prints progress, a line per size
    psflip partial RESULTS     makes averages, plots and report of what is measured so far
    psflip show RESULTS        prints the results of a finished study and where its files lie
    psflip crossings REDUCED   prints where curves of two sizes cross, from files of reduce-disorder
    psflip couplings EDGES     writes a disorder file from lists of edges
    psflip keys [KEY]          explains a key of the study file, or all keys: default, unit, range
    psflip profile slurm DIR   writes a profile for a Slurm cluster
    psflip docs [PAGE]         lists the pages of the documentation, or prints one
    psflip papers [FIGURE]     writes the pages on published figures from stored data, or measures on a GPU
    psflip doctor              prints what this machine has, and what psflip will use
    psflip completion SHELL    prints a script with which bash, zsh or fish completes words of psflip

    psflip PROGRAM ...         one step alone: gen-disorder, thermalize, pt-run, measure, reduce-disorder, relax, audit, bench-flip, ...

`psflip help COMMAND` and `psflip COMMAND --help` print the options. FOLDER.NAME instead of a command runs a module of the package, as the workflow does."""

from __future__ import annotations

import os
import re
import runpy
import sys
from importlib import import_module
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
if not __package__:  # started by the path of this folder: its modules go by their names within psflip
    if Path(sys.path[0]).resolve() == PACKAGE:
        del sys.path[0]
    sys.path.insert(0, str(PACKAGE.parent))

from psflip.campaign.colour import coloured  # noqa: E402
from psflip.campaign.errors import StudyError, nearest, printable  # noqa: E402
from psflip.places import BIN  # noqa: E402

COMMANDS = ("new", "plan", "ladder", "run", "status", "partial", "show", "crossings", "couplings", "quickstart", "keys", "profile", "docs", "papers", "doctor", "completion")
MODULES = {"plan": "plan.planning", "partial": "campaign.partial", "show": "results.print_summary"}  # commands that are modules by themselves
PROGRAM = re.compile(r"[a-z]+(-[a-z]+)*")
TRACEBACK = "PSFLIP_TRACEBACK"  # in the environment: faults of psflip itself are shown as Python shows them
NAMES = {"plan.planning": "plan"}  # as told in messages


def is_script(name: str) -> bool:
    file = PACKAGE / f"{name.replace('.', '/')}.py"
    return bool(re.fullmatch(r"[a-z]\w*\.[a-z]\w*", name)) and file.is_file() and '__name__ == "__main__"' in file.read_text(encoding="utf-8")


def call(name: str, words: list[str]) -> int | str | None:
    """What a command or a module ends with."""
    if name in COMMANDS and name not in MODULES:
        return import_module(f"psflip.commands.{name}").main(words)
    sys.argv = [f"psflip {name}" if name in COMMANDS else name, *words]
    runpy.run_module(f"psflip.{MODULES.get(name, name)}", run_name="__main__", alter_sys=True)
    return 0


def run(name: str, words: list[str]) -> int | str | None:
    """What is wrong with options, files and folders ends in one sentence and exit code 1."""
    try:
        return call(name, words)
    except BrokenPipeError:  # | head
        os._exit(0)
    except KeyboardInterrupt:
        return 130
    except ModuleNotFoundError as error:
        told: object = f"the Python package {error.name} is not installed for {sys.executable}; install it: pip install {error.name}"
    except (StudyError, OSError) as error:
        told = error if isinstance(error, StudyError) or not error.filename else f"{error.filename}: {error.strerror}"
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        told = f"a fault of psflip itself ({type(error).__name__}: {error}); please report it, with what {TRACEBACK}=1 in the environment shows"
    who = printable(f"psflip {name}" if name in COMMANDS else NAMES.get(name, name.rpartition(".")[2]))
    return f"{coloured(f'{who}:', 'bad', sys.stderr)} {printable(told)}"


def main() -> int | str | None:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # names and texts may hold letters that the terminal's encoding lacks
    name, *words = sys.argv[1:] or ["--help"]
    if name == "help" and words:
        name, words = words[0], ["--help"]
    if name in ("-h", "--help", "help"):
        print(__doc__)
        return 0 if sys.argv[1:] else 1
    if name in ("-V", "--version"):
        return run("doctor", words)
    if name in COMMANDS or is_script(name):
        return run(name, words)
    if PROGRAM.fullmatch(name) and os.access(BIN / name, os.X_OK):
        os.execv(BIN / name, [name, *words])
    if name.startswith("bench-"):
        return printable(f"psflip {name}: the program is not in {BIN}; build it: cmake --preset release -DPSFLIP_BENCHMARKS=ON && cmake --build --preset programs")
    if "." in name:
        return printable(f"{name}: there is no script of that name in {PACKAGE}")
    return unknown(name)


def unknown(name: str) -> str:
    """Returns what is said of a word that is neither a command nor a program that is built."""
    from psflip.campaign.programs import NAMES, OTHERS

    if name in (*NAMES, *OTHERS):
        return printable(f"psflip {name}: the program is not in {BIN}; build it: cmake --preset release && cmake --build --preset programs")
    built = (file.name for file in BIN.glob("*") if PROGRAM.fullmatch(file.name))
    asked = nearest(name, sorted({*COMMANDS, *NAMES, *OTHERS, *built}))
    return printable(f"psflip {name}: there is no such command{f'; {asked}' if asked else '.'} Known are {', '.join(COMMANDS)}.")


if __name__ == "__main__":
    sys.exit(main())
