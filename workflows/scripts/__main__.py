"""Runs one of the scripts, as in `python workflows/scripts results.print_summary results/quickstart`."""

import os
import re
import runpy
import sys
from pathlib import Path

from campaign.errors import StudyError, printable

HERE = Path(__file__).resolve().parent
COMMANDS = {"plan.planning": "plan"}  # known by another name


def is_script(name: str) -> bool:
    file = HERE / f"{name.replace('.', '/')}.py"
    return bool(re.fullmatch(r"[a-z]\w*\.[a-z]\w*", name)) and file.is_file() and '__name__ == "__main__"' in file.read_text(encoding="utf-8")


def run(name: str) -> None:
    """What is wrong with options, files and folders ends in one sentence and exit code 1."""
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except BrokenPipeError:  # | head
        os._exit(0)
    except (StudyError, OSError) as error:
        told = error if isinstance(error, StudyError) or not error.filename else f"{error.filename}: {error.strerror}"
        sys.exit(printable(f"{COMMANDS.get(name, name.rpartition('.')[2])}: {told}"))


if len(sys.argv) < 2:
    sys.exit(f"{__doc__}\nREADME.md beside this file lists them.")
if not is_script(sys.argv[1]):
    sys.exit(printable(f"{sys.argv[1]}: no script of that name; {HERE / 'README.md'} lists them"))
sys.argv = sys.argv[1:]
run(sys.argv[0])
