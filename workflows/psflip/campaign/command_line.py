"""The options of a script, with what holds for all of them: inputs are there, and no output replaces an input or what psflip did not make."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from psflip.campaign.errors import StudyError, check_there, nearest
from psflip.campaign.whole_files import check_output


def same(one: Path, other: Path) -> bool:
    """Also through links; of what is not there yet, by its path."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


class Described(Exception):
    """Ends a command before it reads its words, because only its parser is wanted."""


class Parser(argparse.ArgumentParser):
    """Wrong options and files end in StudyError."""

    describe: ClassVar[Callable[[Parser], None] | None] = None  # set by parser_of

    def __init__(self, about: str, prog: str | None = None):
        super().__init__(prog, description=about, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
        self._inputs: list[tuple[argparse.Action, bool]] = []
        self._outputs: list[tuple[argparse.Action, str]] = []

    def add_input(self, name: str, folder: bool = False, **more: object) -> None:
        """A file, or a folder, that is read."""
        self._inputs.append((self.add_argument(name, type=Path, **more), folder))

    def add_output(self, name: str, kind: str, **more: object) -> None:
        """A file that is written; `kind`: of whole_files.KINDS."""
        self._outputs.append((self.add_argument(name, type=Path, **more), kind))

    @staticmethod
    def whole(least: int, most: int) -> Callable[[str], int]:
        """The type of an option that is a whole number."""

        def check(text: str) -> int:
            if not text.isdecimal() or not least <= int(text) <= most:
                raise argparse.ArgumentTypeError(f"{text}: a whole number from {least} to {most} is needed")
            return int(text)

        return check

    def unknown(self, words: list[str]) -> str:
        """What is said of words that no option takes."""
        known = [name for action in self._actions for name in action.option_strings]
        near = [f"{word}: {asked}" for word in words if word.startswith("-") and (asked := nearest(word.partition("=")[0], known))]
        return f"unrecognized arguments: {' '.join(words)}" + (f" ({' '.join(near)})" if near else "")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Names the nearest choice if `value` is none."""
        choices = list(map(str, action.choices or []))
        if choices and value not in choices:
            asked = nearest(str(value), choices)
            raise argparse.ArgumentError(action, f"no {action.dest} {value}; {f'{asked} ' if asked else ''}Known are {', '.join(choices)}")

    def parse_args(self, *arguments: object) -> argparse.Namespace:
        if Parser.describe:
            Parser.describe(self)
            raise Described
        given, rest = super().parse_known_args(*arguments)
        if rest:
            self.error(self.unknown(rest))
        taken = []
        for action, folder in self._inputs:
            for option, path in named(action, given):
                check_there(path, folder, option)
                taken.append((option, path, "an input of this call"))
        for action, kind in self._outputs:
            for option, path in named(action, given):
                for other, there, what in taken:
                    if same(path, there):
                        raise StudyError(f"{option} {path} is {what}, {other} {there}, and would be lost; give {option} another name")
                check_output(path, kind, option)
                taken.append((option, path, "another output"))
        return given

    def error(self, message: str) -> None:
        raise StudyError(f"{message}; --help prints the options")


def parser_of(main: Callable[[], object]) -> Parser:
    """Returns the parser of a command. Calls the main function of the command up to the place where it reads its words."""
    found: list[Parser] = []
    Parser.describe = found.append
    try:
        with suppress(Described):
            main()
    finally:
        Parser.describe = None
    return found[0]


def named(action: argparse.Action, given: argparse.Namespace) -> list[tuple[str, Path]]:
    """The paths that an option was given, each with its name."""
    value = getattr(given, action.dest)
    paths = value if isinstance(value, list) else [] if value is None else [value]
    return [(action.option_strings[0] if action.option_strings else action.dest, path) for path in paths]
