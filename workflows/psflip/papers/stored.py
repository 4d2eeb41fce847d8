"""Reads the table of a paper (`docs/papers/NAME.yaml`) and the stored rows of measurements that it names (`docs/data/*.json`).

Expressions in the table use the fields of a row, as in `ps_per_flip * words * L**3`. A condition `where` is such an expression, too."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from psflip.campaign.errors import StudyError, reading
from psflip.papers.meeting import meeting
from psflip.places import DOCS
from psflip.results.notation import with_error

PAPERS = ("lulli", "fang", "weigel", "molina")
FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "log", "log2", "exp")} | {f.__name__: f for f in (abs, dict, min, max, round, int, sorted, str, sum, tuple, zip, with_error, meeting)}
TAKES: dict[str, Any] = {"min": min, "max": max, "sum": sum, "only": lambda values: values[0], "count": len, "list": tuple, "mean": lambda values: sum(values) / len(values), "rms": lambda values: math.sqrt(sum(value**2 for value in values) / len(values))}


def value(expression: str | float, row: dict) -> Any:
    """Returns an expression of the fields of a row. Errors: StudyError that names the expression."""
    try:
        return eval(str(expression), {"__builtins__": {}} | FUNCTIONS | row)  # noqa: S307 - the tables are sources of psflip
    except (NameError, SyntaxError, TypeError, ValueError, ArithmeticError) as error:
        raise StudyError(f"the expression {expression!r} does not work for {row}: {error}") from None


def with_fields(row: dict, add: dict[str, str]) -> dict:
    """Returns a row with further fields {name: expression}."""
    for name, expression in add.items():
        row = row | {name: value(expression, row)}
    return row


@dataclass
class Data:
    """Holds the rows of the files of a folder, read once."""

    folder: Path
    read: dict[str, list[dict]] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        return (self.folder / name).is_file()

    def file(self, name: str) -> list[dict]:
        if name not in self.read:
            path = self.folder / name
            with reading(path, "stored rows of measurements"):
                text = path.read_text(encoding="utf-8")
                rows = list(numbers_of(csv.DictReader(text.splitlines()))) if path.suffix == ".csv" else json.loads(text)
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                raise StudyError(f"{path} has no list of rows")
            self.read[name] = rows
        return self.read[name]

    def rows(self, names: str | list[str], where: str | None = None, known: dict | None = None) -> list[dict]:
        """Returns the rows of files that fit. `known`: further numbers for the condition."""
        found = [row for name in ([names] if isinstance(names, str) else names) for row in self.file(name)]
        return [row for row in found if value(where, (known or {}) | row)] if where else found


def numbers_of(rows: csv.DictReader):
    """Yields the rows of a table with numbers instead of their texts."""
    for row in rows:
        yield {name: number(text) for name, text in row.items()}


def number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def rows_text(rows: list[dict]) -> str:
    """Returns rows as the text of a file, with a line for each."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"


def numbers(table: dict[str, dict], data: Data) -> dict[str, Any]:
    """Returns the numbers of a text. Each has `file`, `where`, `of` and `take` (default: only; list: all values), or `is`, an expression of earlier numbers. Expressions of rows may use earlier
    numbers, too. Errors: StudyError if no row fits, or if `only` fits several values."""
    found: dict[str, Any] = {}
    for name, wanted in table.items():
        if "is" in wanted:
            found[name] = value(wanted["is"], found)
            continue
        values = [value(wanted["of"], found | row) for row in data.rows(wanted["file"], wanted.get("where"), found)]
        take = wanted.get("take", "only")
        if not values or (take == "only" and len(set(values)) > 1):
            raise StudyError(f"{name}: {len(values)} rows of {wanted['file']} fit {wanted.get('where')}")
        found[name] = TAKES[take](values)
    return found


@dataclass
class Row:
    """Holds a figure or table of a paper."""

    id: str
    name: str
    what: str
    published: str
    psflip: str = ""
    data: list[str] = field(default_factory=list)
    where: str | None = None  # rows of `data` that name device, commit and date
    numbers: dict[str, dict] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    picture: dict | None = None
    tables: list[dict] = field(default_factory=list)
    text: str = ""
    timed: bool = True  # whether the page says how much repeated timings vary
    measured: str = ""  # instead of device, commit and date of `data`
    missing: str = ""
    visit: int = 0  # of the measurements on a GPU
    minutes: float = 0
    machine: str = "one H100 or H200"

    def is_measured(self, data: Data) -> bool:
        return bool(self.psflip) and all(data.has(name) for name in self.data)


@dataclass
class Paper:
    name: str
    title: str
    reference: str
    text: str
    rows: list[Row]


def read_paper(name: str, folder: Path = DOCS / "papers") -> Paper:
    path = folder / f"{name}.yaml"
    with reading(path, "the table of a paper"):
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = [Row(**row) for row in table.pop("rows")]
        return Paper(name=name, rows=rows, **table)


def read_papers(folder: Path = DOCS / "papers", names: tuple[str, ...] = PAPERS) -> list[Paper]:
    if not folder.is_dir():
        raise StudyError(f"{folder} is missing; the pages on papers are made in a checkout of psflip")
    return [read_paper(name, folder) for name in names]
