"""Texts and tables as Markdown."""

from __future__ import annotations

import re


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


def prose(text: str) -> str:
    """Plain text with names between backticks, as Markdown; a line that ends a sentence stays a line."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*_\[\]#])", r"\\\1", part).replace("<", "&lt;") for part in parts[::2]]
    lines = [line.strip() for line in "`".join(parts).splitlines()]
    return "\n".join(line + "  " if line.endswith(".") else line for line in lines) + "\n"
