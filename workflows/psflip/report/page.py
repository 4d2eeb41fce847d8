"""Makes an HTML page and its elements: tables, facts, foldable parts, plots. Cells, titles and captions are HTML already."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import jinja2

from psflip.report.svg import inline_svg
from psflip.results.cautions import Caution

HERE = Path(__file__).parent
DASH = "–"
WIDE = ' class="wide"'
FOLDED = ("Jobs and cost", "Provenance", "Reproduce this study")  # sections that few readers need: only their titles are shown at first
SCRIPTS = ("zoom.js", "folds.js")


@cache
def templates() -> jinja2.Environment:
    """Returns templates that escape all texts except the texts that they call `safe`. A name without a value is an error."""
    return jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)


def render(name: str, **values: object) -> str:
    """Returns templates/NAME.html with these values."""
    return templates().get_template(f"{name}.html").render(values).strip()


def document(title: str, lead: str, boxes: list[str], table: str, sections: list[tuple[str, str]], warnings: list[Caution] | None = None, doubt: str = "") -> str:
    """Returns a whole page. `sections`: titles and HTML in order; empty ones are left out. `boxes`: facts. `doubt`: what the mark behind numbers means."""
    return render(
        "page",
        title=title,
        style=(HERE / "report.css").read_text(encoding="utf-8"),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
        lead=lead,
        warnings=warnings or [],
        doubt=doubt,
        facts=facts(boxes),
        table=table,
        sections=[{"name": name, "anchor": name.lower().replace(" ", "-"), "html": html, "folded": name in FOLDED} for name, html in sections if html],
    ) + "\n"


def joined(*parts: str) -> str:
    """Joins the parts that are not empty."""
    return "\n".join(part for part in parts if part)


def heading(cell: str) -> str:
    """Returns the title of a column. A long title has two or three lines."""
    words = re.sub(r"<[^>]+>", "", cell).split()
    length = len(" ".join(words))
    if length < 14 or len(words) == 1:
        return cell
    width = max(length // (3 if length > 24 else 2) + 3, *map(len, words))
    return f'<span style="width:{width}ch">{cell}</span>'


def table(head: list[str], rows: list[list[str]], words: int = 1, note: str = "") -> str:
    """Returns a table with its note, empty without rows. All but the first `words` columns hold numbers. Columns with dashes only are left out."""
    if not rows:
        return ""
    there = [i for i in range(len(head)) if i < words or any(row[i] != DASH for row in rows)]
    kind = {i: "" if i < words else ' class="number"' for i in there}
    titles = "".join(f"<th{kind[i]}>{heading(head[i])}</th>\n" for i in there)
    lines = "".join(f"<tr>{''.join(f'<td{kind[i]}>{row[i]}</td>' for i in there)}</tr>\n" for row in rows)
    return f'<div class="scroll"><table>\n<thead><tr>\n{titles}</tr></thead><tbody>\n{lines}</tbody></table></div>{note}'


def fact(title: str, value: str, note: str) -> str:
    return f'<div class="fact"><span>{title}</span><strong>{value}</strong><span>{note}</span></div>'


def facts(boxes: list[str]) -> str:
    return joined('<div class="facts">', *boxes, "</div>") if boxes else ""


def folded(title: str, inside: str) -> str:
    return f"<details><summary>{title}</summary>{inside}</details>"


def notes(lines: list[str]) -> str:
    """Returns a list, empty without lines."""
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>" if lines else ""


def drawings(parts: Iterable[tuple[Path, str, bool]]) -> str:
    """Returns the existing plots with their captions, empty without plots. `parts` has file, caption, and whether the plot is as wide as the page."""
    found = [
        f'<figure id="plot-{file.stem}"{WIDE if is_wide else ""}>{inline_svg(file, caption)}<figcaption>{caption}</figcaption></figure>'
        for file, caption, is_wide in parts if file.is_file()
    ]  # fmt: skip
    return '<div class="figures">' + "\n".join(found) + "</div>" if found else ""


def ranges(numbers: list[int]) -> str:
    """Returns `3, 17, 40–43` for ascending numbers."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}–{b}" if b > a + 1 else f"{a}, {b}" for a, b in parts)


def quantity(value: float, unit: str = "") -> str:
    """Returns three digits, from 10^5 with a power of ten: `1.32 × 10<sup>16</sup>`. A missing number is a dash."""
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
    """Returns `48 s`, `12.5 min`, `3.4 h` or `12 d`. A missing number is a dash."""
    if seconds is None or seconds != seconds:
        return DASH
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"
