"""Reference pages that are written from tables and from what programs say of themselves."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from functools import cached_property
from pathlib import Path
from types import FunctionType

PROGRAMS = ("gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder", "relax", "audit", "bench-flip", "bench-sites", "bench-vector", "bench-slab", "bench-rng")
WIDTH = 114  # characters of a line that a page shows


def cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def prose_cell(text: str) -> str:
    """A cell with examples between backticks, each on a line of its own."""
    parts = text.split("`")
    parts[::2] = [cell(part) for part in parts[::2]]
    parts[1::2] = [f"<br>`{part}`" for part in parts[1::2]]
    return "".join(parts)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Cells are Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n"


def entries(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table whose rows stand one cell below the other on a phone."""
    return f'<div class="entries" markdown>\n\n{table(head, rows)}\n</div>\n'


def keys_of(text: str) -> list[tuple[str, str, str, str]]:
    """Of configs/reference.yaml: path of the key, default, unit and range, meaning; sections are left out unless something is said of them."""
    found, comment, section = [], [], ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            example = stripped.startswith("#   ")
            comment.append(f"`{stripped[1:].strip()}`" if example else stripped[1:].strip())
        elif match := re.fullmatch(r"( *)(\w+):\s*(.*)", line):
            section = "" if not match[1] else section
            if comment and comment[-1].startswith("["):
                found.append((section + match[2], match[3], comment[-1].strip("[]"), " ".join(comment[:-1])))
            section = section or f"{match[2]}." if not match[3] else section
            comment = []
        elif not stripped:
            comment = []
    return found


def keys(root: Path) -> str:
    rows = [
        (f"{code(key)}<br>{f'default {code(default)}' if default else ''}", f"{prose_cell(doc)} <br>*{cell(allowed)}*") for key, default, allowed, doc in keys_of((root / "configs/reference.yaml").read_text())
    ]
    return (
        "# Keys of the study file\n\nWritten from the table of keys of the programs, as `configs/reference.yaml` is. A key that is left out has its default; "
        "`--set key=value` changes one for a call of a program. An unknown key, a value out of range or of another type is refused before any work, with file, line and what would be right.\n\n"
        + entries(("key", "meaning, *unit and range*"), rows)
    )


def help_of(command: list[object]) -> str:
    done = subprocess.run([*map(str, command), "--help"], capture_output=True, text=True, env={"COLUMNS": "110", "PATH": "/usr/bin:/bin"}, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{command[0]} --help ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip()


def prose(text: str) -> str:
    """Plain text with names between backticks, as Markdown; a line that ends a sentence stays a line."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*_\[\]#])", r"\\\1", part).replace("<", "&lt;") for part in parts[::2]]
    lines = [line.strip() for line in "`".join(parts).splitlines()]
    return "\n".join(line + "  " if line.endswith(".") else line for line in lines) + "\n"


def wrapped(line: str) -> str:
    """A line of a help text; of a long one what does not fit begins where its last column does."""
    indent = max((match.end() for match in re.finditer(r"^ *|  +", line)), default=0)
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * min(indent, WIDTH // 2), break_long_words=False, break_on_hyphens=False) if len(line) > WIDTH else line


def verbatim(text: str) -> str:
    return "```text\n" + "\n".join(wrapped(line) for line in text.splitlines()) + "\n```\n"


def programs(bin: Path) -> str:
    parts = [f"## {name}\n\n{verbatim(help_of([bin / name]))}" for name in PROGRAMS]
    codes = [("0", "done, outputs complete"), ("1", "usage, configuration or input is wrong; the message names file and key"), ("2", "no device, memory, disk space or permission"),
             ("75", "stopped (signal or `--time-limit`) with a checkpoint; the same command goes on")]  # fmt: skip
    return "# Programs\n\nWhat `PROGRAM --help` tells. Exit codes of all:\n\n" + table(("code", "meaning"), codes) + "\n" + "\n".join(parts)


def command() -> str:
    from psflip.__main__ import COMMANDS, PACKAGE

    first = verbatim(help_of([sys.executable, PACKAGE]))
    parts = [f"## psflip {name}\n\n{verbatim(help_of([sys.executable, PACKAGE, name]))}" for name in COMMANDS]
    return f"# The command psflip\n\n{first}\n" + "\n".join(parts)


def described(name: str, value: object, level: str) -> str:
    """Heading, call and documentation of a function, a method or a property."""
    if isinstance(value, (property, cached_property)):
        return f"{level} {name}\n\n{prose(inspect.getdoc(value) or '')}"
    # Types are texts, as annotations are not evaluated.
    signature = "" if inspect.isclass(value) else re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))
    return f"{level} {name}\n\n```python\n{name}{signature}\n```\n\n{prose(inspect.getdoc(value) or '')}"


def python() -> str:
    import psflip

    parts = [described(f"psflip.{name}", getattr(psflip, name), "##") for name in ("load", "open_file", "couplings")]
    parts.append(described("psflip.Results", psflip.Results, "##"))
    own = [(name, value) for name, value in vars(psflip.Results).items() if not name.startswith("_") and isinstance(value, (FunctionType, property, cached_property))]
    parts += [described(name, value, "###") for name, value in own]
    parts.append(described("psflip.StudyError", psflip.StudyError, "##"))
    return "# Python\n\nThe package `psflip`; how to use it: [Read results and files](../reading.md).\n\n" + "\n".join(parts)
