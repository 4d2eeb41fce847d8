"""Lists the words that commands of psflip and its programs take: options, their values, and arguments. The lists come from the parsers of the commands and from the
help texts of the programs. Completion and manual pages are made from them."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from psflip.campaign.command_line import Parser, parser_of
from psflip.campaign.options import OPTIONS, OneOf
from psflip.campaign.programs import NAMES, OTHERS
from psflip.commands import docs, keys
from psflip.papers.stored import read_papers
from psflip.places import BIN, DOCS

NOTHING, TEXT, WORD, FILE, FOLDER, STUDY, SETTING = "nothing", "text", "word", "file", "folder", "study", "setting"
STUDIES = ("study", "results", "--config")  # arguments and options that take study files; results may also be a folder


@dataclass(frozen=True)
class Word:
    """Describes an option (`names`) or an argument (no names). `takes`: what follows the option, or what the argument is. `choices`: the words of WORD.
    `many`: an argument that may be repeated. `value`: what help texts call the value."""

    names: tuple[str, ...]
    about: str
    takes: str
    choices: tuple[str, ...] = ()
    many: bool = False
    value: str = ""


@dataclass(frozen=True)
class Command:
    """`about`: its description. `usage`: its words in one line."""

    name: str
    about: str
    words: tuple[Word, ...]
    usage: str

    @property
    def options(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if word.names)

    @property
    def arguments(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if not word.names)

    @property
    def summary(self) -> str:
        """Returns the first sentence of the description, without its full stop."""
        return re.split(r"(?<=\w)[.:;](?:\s|$)", " ".join(self.about.split()), maxsplit=1)[0].rstrip(".")


@dataclass(frozen=True)
class Setting:
    """A key of the study file, for --set KEY=VALUE. `choices`: its values, if they are words."""

    path: str
    choices: tuple[str, ...]


def settings() -> tuple[Setting, ...]:
    found = keys.read_keys(keys.REFERENCE.read_text(encoding="utf-8"))
    return tuple(Setting(key.path, choices_of(key.allowed)) for key in found)


def choices_of(allowed: str) -> tuple[str, ...]:
    """Returns the values of `one of a, b, c; conditions`."""
    listed = re.match(r"(?:\[?one of )([\w., -]+)", allowed)
    return tuple(listed[1].split(", ")) if listed else ()


def sections_and_keys() -> tuple[str, ...]:
    paths = [setting.path for setting in settings()]
    return tuple(sorted({*paths, *(path.partition(".")[0] for path in paths)}))


NAMED: dict[tuple[str, str], Callable[[], tuple[str, ...]]] = {  # arguments that are names which psflip knows
    ("keys", "key"): sections_and_keys,
    ("docs", "page"): lambda: tuple(docs.pages()),
    ("papers", "figure"): lambda: tuple(row.id for paper in read_papers(DOCS / "papers") for row in paper.rows) if (DOCS / "papers").is_dir() else (),  # not in a wheel
}


def kind_of(command: str, action: argparse.Action, parser: Parser) -> tuple[str, tuple[str, ...]]:
    """Returns what an option or an argument of a command takes, and its choices."""
    name = action.option_strings[-1] if action.option_strings else action.dest
    option = OPTIONS.get(action.dest)
    check = option.check if option else None
    if action.nargs == 0:
        return NOTHING, ()
    if known := NAMED.get((command, name), tuple)():
        return WORD, known
    if action.choices or isinstance(check, OneOf):
        return WORD, tuple(map(str, action.choices or check.choices))  # type: ignore[union-attr]
    if name in STUDIES:
        return STUDY, ()
    if re.match(r"(the )?folder\b(?!.*\bor\b)", action.help or ""):
        return FOLDER, ()
    is_path = action.type is Path or (option is not None and option.is_path)
    return (FILE if is_path else TEXT), ()


def of_parser(name: str, parser: Parser) -> Command:
    words = []
    for action in parser._actions:
        takes, choices = kind_of(name, action, parser)
        braces = f"{{{','.join(choices)}}}" if choices else action.dest.upper()
        value = "" if takes == NOTHING else action.dest if not action.option_strings else str(action.metavar or braces)
        about = "" if action.help in (None, argparse.SUPPRESS) else str(action.help)
        if name == "quickstart" and not action.option_strings:
            continue  # the study file, which this command chooses
        words.append(Word(tuple(action.option_strings), about, takes, choices, action.nargs in ("*", "+"), value))
    return Command(name, parser.description or "", tuple(words), parser.format_usage().removeprefix("usage: ").strip())


def of_command(name: str) -> Command:
    """Returns the words of a command of psflip."""
    from psflip.__main__ import MODULES

    if name in MODULES:
        return of_parser(name, parser_of(import_module(f"psflip.{MODULES[name]}").main))
    main = import_module(f"psflip.commands.{name}").main
    return of_parser(name, parser_of(lambda: main(["-"])))


OPTION = re.compile(r"^ {2}(?P<names>-\S+)(?: (?P<value>\S+(?: \S+)*))?(?: {2,}(?P<about>.*))?$")
KINDS = {"--config": STUDY, "--set": SETTING}  # of options whose value says more than a file or a number


def of_help(name: str, text: str) -> Command:
    """Reads the help text of a program."""
    words: list[Word] = []
    about: list[str] = []
    for line in text.splitlines():
        if found := OPTION.match(line):
            names, value = tuple(found["names"].split(",")), re.split(r" ?(?:Needs|Excludes):", found["value"] or "")[0]
            listed = re.search(r"\{([\w,.-]+)\}", value)
            takes = KINDS.get(names[-1]) or (WORD if listed else FILE if value.startswith("FILE") else TEXT if value else NOTHING)
            words.append(Word(names, found["about"] or "", takes, tuple(listed[1].split(",")) if listed else (), value=value))
        elif words and line.startswith(" " * 8):
            words[-1] = replace(words[-1], about=f"{words[-1].about} {line.strip()}".strip())
        elif line.startswith("Usage: "):
            usage = line.removeprefix("Usage: ")
        elif not words and line.strip() and not line.endswith(":"):
            about.append(line.strip())
    return Command(name, " ".join(about), tuple(words), usage)


def programs(folder: Path = BIN) -> list[str]:
    """Returns the names of the programs in a folder, in the order of their use."""
    bench = sorted(file.name for file in folder.glob("bench-*"))
    return [name for name in (*NAMES, *OTHERS, *bench) if os.access(folder / name, os.X_OK)]


def help_of(program: Path) -> str:
    return subprocess.run([program, "--help"], capture_output=True, encoding="utf-8", check=True, timeout=60, env={"PATH": "/usr/bin:/bin", "COLUMNS": "110"}).stdout


def of_program(name: str, folder: Path = BIN) -> Command:
    return of_help(name, help_of(folder / name))
