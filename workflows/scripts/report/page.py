"""Pieces of an HTML page: tables, facts, foldable parts, and plots inside the page."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from campaign.errors import reading

DASH = "–"


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
    kind = ["" if i < words else ' class="number"' for i in range(len(head))]
    lines = ['<div class="scroll"><table>', "<thead><tr>"]
    lines += [f"<th{k}>{heading(cell)}</th>" for k, cell in zip(kind, head)]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td{k}>{cell}</td>" for k, cell in zip(kind, row)) + "</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])


def fact(title: str, value: str, note: str) -> str:
    return f'<div class="fact"><span>{title}</span><strong>{value}</strong><span>{note}</span></div>'


def facts(boxes: list[str]) -> str:
    return "\n".join(['<div class="facts">', *boxes, "</div>"]) if boxes else ""


def folded(title: str, inside: str) -> str:
    return f"<details><summary>{title}</summary>{inside}</details>"


def plain(html: str) -> str:
    """Without tags, for attributes."""
    return escape(re.sub(r"<[^>]+>", "", html), quote=True)


def inline_svg(file: Path, label: str) -> str:
    """The drawing of an SVG file for use inside a page: without declaration and metadata, and with the file's name before all its
    names, since those of several drawings would clash."""
    with reading(file, "a drawing"):
        text = file.read_text(encoding="utf-8")
        text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"<defs>\s*</defs>", "", text)
    text = re.sub(r'\bid="', f'id="{file.stem}-', text)
    text = re.sub(r'href="#', f'href="#{file.stem}-', text)
    text = text.replace("url(#", f"url(#{file.stem}-")
    text = re.sub(r"\s+", " ", text).replace("> <", "><").strip()
    head, rest = text.split(">", 1)
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{plain(label)}">{rest}'


def drawing(file: Path, caption: str, wide: bool = False) -> str:
    """A plot with its caption; `wide`: over the whole width of the page."""
    kind = ' class="wide"' if wide else ""
    return f'<figure id="plot-{file.stem}"{kind}>{inline_svg(file, caption)}<figcaption>{caption}</figcaption></figure>'


def drawings(parts: list[str]) -> str:
    return '<div class="figures">' + "\n".join(parts) + "</div>" if parts else ""


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
