"""Writes texts and tables as Markdown."""

from __future__ import annotations

import re


def cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def prose_cell(text: str) -> str:
    """Returns a cell of a table. Each example between backticks begins a new line."""
    parts = text.split("`")
    parts[::2] = [cell(part) for part in parts[::2]]
    parts[1::2] = [f"<br>`{part}`" for part in parts[1::2]]
    return "".join(parts)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Returns a table of Markdown cells."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n"


def entries(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Returns a table that shows the cells of a row below each other on a phone."""
    return f'<div class="entries" markdown>\n\n{table(head, rows)}\n</div>\n'


def prose(text: str) -> str:
    """Escapes plain text with names between backticks. A line that ends a sentence ends with a line break."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*_\[\]#])", r"\\\1", part).replace("<", "&lt;") for part in parts[::2]]
    lines = [line.strip() for line in "`".join(parts).splitlines()]
    return "\n".join(line + "  " if line.endswith(".") else line for line in lines) + "\n"
