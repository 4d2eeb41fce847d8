"""Sections and tables of docs/validation.md."""

import re


def pivot(head, columns, cells):
    """Returns a Markdown table from (beginning of a line, column) -> cell. A missing cell is empty."""
    lines = {line: [cells.get((line, column), "") for column in columns] for line, _ in cells}
    width = head.count(" | ") + 1
    return "\n".join([f"| {head} |", "|" + "---|" * width, *(" | ".join([f"| {line}", *of_line]) + " |" for line, of_line in lines.items())])


def with_section(page, title, text):
    """Returns the page with the section, which replaces its previous version or is appended."""
    older = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    return older.sub(lambda _: text + "\n", page).rstrip("\n") + "\n" if older.search(page) else page.rstrip("\n") + "\n\n" + text
