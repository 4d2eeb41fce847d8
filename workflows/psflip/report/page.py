"""Pieces of an HTML page: tables, facts, foldable parts, and plots inside the page. Their HTML is in templates/."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from psflip.report.svg import inline_svg

DASH = "–"
NUMBER = Markup(' class="number"')


@cache
def templates() -> jinja2.Environment:
    """Texts are escaped but for those that a template calls `safe`; a name that is not given is an error."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)


def render(name: str, **values: object) -> str:
    """templates/NAME.html with these values."""
    return templates().get_template(f"{name}.html").render(values).strip()


def piece(name: str, *values: object) -> str:
    """A macro of templates/pieces.html."""
    return str(getattr(templates().get_template("pieces.html").module, name)(*values))


def heading(cell: str) -> str:
    """A column's title; a long one in two or three lines."""
    words = re.sub(r"<[^>]+>", "", cell).split()
    length = len(" ".join(words))
    if length < 14 or len(words) == 1:
        return cell
    width = max(length // (3 if length > 24 else 2) + 3, *map(len, words))
    return f'<span style="width:{width}ch">{cell}</span>'


def table(head: list[str], rows: list[list[str]], words: int = 1) -> str:
    """A table that scrolls inside itself where the screen is narrow; all but the first `words` columns hold numbers. Cells are HTML.
    Columns that hold nothing are left out."""
    there = [i for i in range(len(head)) if i < words or any(row[i] != DASH for row in rows)]
    head, rows = [head[i] for i in there], [[row[i] for i in there] for row in rows]
    kind = ["" if i < words else NUMBER for i in range(len(head))]
    titles = [{"kind": k, "html": heading(cell)} for k, cell in zip(kind, head)]
    return piece("table", titles, [[{"kind": k, "html": cell} for k, cell in zip(kind, row)] for row in rows])


def fact(title: str, value: str, note: str) -> str:
    return piece("fact", title, value, note)


def facts(boxes: list[str]) -> str:
    return piece("facts", boxes)


def folded(title: str, inside: str) -> str:
    return piece("folded", title, inside)


def notes(lines: list[str]) -> str:
    """A list; nothing without lines."""
    return piece("notes", lines)


def drawing(file: Path, caption: str, wide: bool = False) -> str:
    """A plot with its caption; `wide`: over the whole width of the page."""
    return piece("drawing", file.stem, inline_svg(file, caption), caption, wide)


def drawings(parts: list[str]) -> str:
    return piece("drawings", parts)


def ranges(numbers: list[int]) -> str:
    """`3, 17, 40–43`, for ascending numbers."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}–{b}" if b > a + 1 else f"{a}, {b}" for a, b in parts)


def quantity(value: float, unit: str = "") -> str:
    """Three digits, powers of ten in HTML from 10^5 on: `1.32 × 10<sup>16</sup>`; a dash for none."""
    if value is None or value != value:
        return DASH
    text = f"{value:.3g}"
    if "e+" in text and abs(value) < 99950:
        text = f"{float(text):.0f}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa} × 10<sup>{int(exponent)}</sup>"
    return f"{text} {unit}".strip()


def duration(seconds: float) -> str:
    """In the largest unit that gives one or more: `48 s`, `12.5 min`, `3.4 h`, `12 d`."""
    if seconds is None or seconds != seconds:
        return DASH
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
