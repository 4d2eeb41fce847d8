"""What is wrong with a study, an option or a file, told in plain words; texts of others made fit for a terminal."""

from __future__ import annotations

import csv
import difflib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml


def printable(text: object) -> str:
    """The text with all that is no visible character written as an escape (`\\x1b`), but for ends of lines: texts from files may hold
    commands for the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in str(text))


OTHER_NAMES = {"gpu": "cuda"}  # words that mean a name, but are spelled like another one


def nearest(word: str, known: Iterable[str], most: int = 1) -> str:
    """Returns `did you mean run?`, with up to `most` names; empty if no known name is near."""
    known = list(known)
    found = [OTHER_NAMES[word]] if OTHER_NAMES.get(word) in known else difflib.get_close_matches(word, known, most)
    return f"did you mean {' or '.join(found)}?" if found else ""


class StudyError(Exception):
    """A study file, an option, or a file of a campaign is wrong; the message says what would be right."""

    def __init__(self, message: object):
        super().__init__(printable(message))


# What reading a file raises that others made, or that is damaged; csv.Error and YAMLError are of no other kind.
FAULTS = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError, MemoryError, csv.Error, yaml.YAMLError)


def reason(error: Exception) -> str:
    text = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
    return f"it has no {text!r}" if isinstance(error, KeyError) and text.isidentifier() else text


def check_there(path: Path, folder: bool = False, option: str = "") -> None:
    """StudyError where `path` is no regular file (or no folder): neither a pipe that nobody writes to nor an endless device is read."""
    named, wanted = f"{option} {path}".strip(), "folder" if folder else "file"
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise StudyError(f"{named}: no such {wanted}") from None
    except OSError as error:
        raise StudyError(f"{named}: {error.strerror}") from None
    if not (stat.S_ISDIR(mode) if folder else stat.S_ISREG(mode)):
        found = "a folder" if stat.S_ISDIR(mode) else "a file" if stat.S_ISREG(mode) else "a pipe or a device"
        raise StudyError(f"{named}: this is {found}, but a {wanted} is needed")


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Guards a block that reads a file of the kind `what`, as in "a study.json of psflip". Throws StudyError if the file is missing, damaged or
    of another kind."""
    check_there(path)
    try:
        yield
    except OSError as error:
        raise StudyError(f"{path}: this is not {what}, or it is not readable or damaged ({error.strerror or error})") from None
    except FAULTS as error:
        raise StudyError(f"{path}: this is not {what}, or it is damaged ({reason(error)})") from None
