"""Prints what a key of the study file means, its default, its unit and its range; of a section all its keys; without a name all keys.

    psflip keys run.sweeps
    psflip keys dynamics
    psflip keys
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, nearest, printable
from psflip.places import CONFIGS

REFERENCE = CONFIGS / "reference.yaml"  # written from the table of keys of the programs
WIDTH = 110
NO_DEFAULT = "[...]"  # stands in the file for a list without a default
INDENT = " " * 4


@dataclass(frozen=True)
class Key:
    """`allowed`: unit and range. `lines`: what the key means; a line that begins with a space is an example."""

    path: str
    default: str
    allowed: str
    lines: tuple[str, ...]


def read_keys(text: str) -> Iterator[Key]:
    """Reads configs/reference.yaml, in its order. A section appears if the file says something of it."""
    comment: list[str] = []
    section = ""
    for line in text.splitlines():
        explained = bool(comment) and comment[-1].startswith("[")  # unit and range are the last line; a key without a default is a comment, too
        if found := re.fullmatch(r"( *)(?:# )?(\w+):(?: (.*))?" if explained else r"( *)(\w+):(?: (.*))?", line):
            section = section if found[1] else ""
            if explained:
                default = "" if found[3] in (None, NO_DEFAULT) else found[3]
                yield Key(section + found[2], default, comment[-1][1:-1], tuple(comment[:-1]))
            section = section or (f"{found[2]}." if not found[3] else "")
            comment = []
        elif line.lstrip().startswith("#"):
            comment.append(line.lstrip().removeprefix("#").removeprefix(" "))
        else:
            comment = []


def paragraphs(lines: tuple[str, ...]) -> list[str]:
    """Joins the lines of a sentence; examples stay separate lines."""
    found: list[str] = []
    for line in lines:
        if line.startswith(" ") or not found or found[-1].startswith(" "):
            found.append(line)
        else:
            found[-1] += f" {line}"
    return found


def described(key: Key) -> str:
    unit, _, limits = key.allowed.partition("; ")
    facts = [("default", key.default)] if key.default else []
    facts += [("unit", unit), ("allowed", limits)] if limits and not re.match(r"one of|\d|-|a |up ", unit) else [("allowed", key.allowed)]
    lines = [key.path]
    for paragraph in paragraphs(key.lines):
        lines += [INDENT + paragraph] if paragraph.startswith(" ") else textwrap.wrap(paragraph, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    for name, text in facts:
        begin = f"{INDENT}{name + ':':9}"
        lines += textwrap.wrap(text, WIDTH, initial_indent=begin, subsequent_indent=" " * len(begin), break_long_words=False)
    return "\n".join(lines)


def chosen(keys: list[Key], name: str) -> list[Key]:
    """Returns a key, or the keys of a section; StudyError with the nearest names if there is none."""
    found = [key for key in keys if key.path == name or key.path.startswith(f"{name}.")]
    if found:
        return found
    known = sorted({key.path for key in keys} | {key.path.partition(".")[0] for key in keys})
    ends = [path for path in known if path.rpartition(".")[2] == name]
    among = ends or [path for path in known if name in path]
    asked = f"did you mean {' or '.join(among)}?" if among else nearest(name, known, 3)
    raise StudyError(f"there is no key {name}; {asked or 'psflip keys lists all'}")


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip keys")
    parser.add_argument("key", nargs="?", help="a key such as run.sweeps, or a section such as run")
    given = parser.parse_args(words)
    keys = list(read_keys(REFERENCE.read_text(encoding="utf-8")))
    print(printable("\n\n".join(map(described, chosen(keys, given.key) if given.key else keys))))
    return 0
