"""Writes the reference pages of programs and of the Python package from their help texts."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import textwrap
from functools import cached_property
from pathlib import Path
from types import FunctionType

from markup import prose

PROGRAMS = ("gen-disorder", "thermalize", "pt-run", "measure", "reduce-disorder", "relax", "audit", "bench-flip", "bench-sites", "bench-vector", "bench-slab", "bench-rng")
WIDTH = 114  # characters of a line that fits on a page


def help_of(command: list[object]) -> str:
    done = subprocess.run([*map(str, command), "--help"], capture_output=True, text=True, env={"COLUMNS": "110", "PATH": "/usr/bin:/bin"}, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{command[0]} --help ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip()


def wrapped(line: str) -> str:
    """Wraps a long line of a help text. Its further lines begin at its last column."""
    indent = max((match.end() for match in re.finditer(r"^ *|  +", line)), default=0)
    return textwrap.fill(line, WIDTH, subsequent_indent=" " * min(indent, WIDTH // 2), break_long_words=False, break_on_hyphens=False) if len(line) > WIDTH else line


def verbatim(text: str) -> str:
    return "```text\n" + "\n".join(wrapped(line) for line in text.splitlines()) + "\n```\n"


def programs(bin: Path) -> str:
    parts = [f"## {name}\n\n{verbatim(help_of([bin / name]))}" for name in PROGRAMS]
    return (
        "# Options of programs\n\nEach program does one step of a study, and `--help` prints its text of this page. `psflip run` calls the programs. "
        "[Programs, files and exit codes](../programs.md) explains their order.\n\n" + "\n".join(parts)
    )


def command() -> str:
    from psflip.__main__ import COMMANDS, PACKAGE

    first = verbatim(help_of([sys.executable, PACKAGE]))
    parts = [f"## psflip {name}\n\n{verbatim(help_of([sys.executable, PACKAGE, name]))}" for name in COMMANDS]
    return f"# The command psflip\n\nThe command `psflip` runs and watches studies. Without arguments it prints:\n\n{first}\n" + "\n".join(parts)


def described(name: str, value: object, level: str) -> str:
    """Returns heading, call and docstring of a function, a method or a property."""
    if isinstance(value, (property, cached_property)):
        return f"{level} {name}\n\n{prose(inspect.getdoc(value) or '')}"
    # Python does not evaluate these annotations, so types are strings.
    signature = "" if inspect.isclass(value) else re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))
    return f"{level} {name}\n\n```python\n{name}{signature}\n```\n\n{prose(inspect.getdoc(value) or '')}"


def fields(kind: type) -> str:
    """Returns a list of the members of a dataclass, whose descriptions are the texts below them in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body
    pairs = [(member.target.id, text.value.value) for member, text in zip(body, body[1:]) if isinstance(member, ast.AnnAssign) and isinstance(text, ast.Expr)]
    return "\n" + "\n".join(f"- `{name}`: {prose(text).strip()}" for name, text in pairs) + "\n"


def python() -> str:
    import psflip

    parts = [described(f"psflip.{name}", getattr(psflip, name), "##") for name in ("load", "open_file", "couplings", "simulate", "sweep", "exchange", "energies")]
    parts.append(described("psflip.Run", psflip.Run, "##") + fields(psflip.Run))
    parts.append(described("psflip.Results", psflip.Results, "##"))
    own = [(name, value) for name, value in vars(psflip.Results).items() if not name.startswith("_") and isinstance(value, (FunctionType, property, cached_property))]
    parts += [described(name, value, "###") for name, value in own]
    parts.append(described("psflip.StudyError", psflip.StudyError, "##"))
    return "# Python package\n\nThe package `psflip` reads results and files, and simulates arrays of couplings. [Read results and files](../reading.md) and [Simulate arrays in Python](../python.md) show how to use it.\n\n" + "\n".join(parts)
