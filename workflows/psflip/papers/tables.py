"""Makes the Markdown tables of a paper's page from stored rows.

A table has `file`, `where`, `head` (the head of the first column), and texts with fields in braces: `line`, and `column` with `cell`, or `columns` {head: cell}. `add` names further
fields {name: expression}. `published` adds columns {head: {line: text}}."""

from __future__ import annotations

from psflip.papers.stored import Data, with_fields


def markdown(head: list[str], lines: list[list[str]]) -> str:
    first, *rest = ("| " + " | ".join(cells) + " |" for cells in [head, *lines])
    return "\n".join([first, "|" + "---|" * len(head), *rest])


def table_of(table: dict, data: Data) -> str:
    cells: dict[tuple[str, str], str] = {}
    for row in data.rows(table["file"], table.get("where")):
        named = with_fields(row, table.get("add", {}))
        of_row = table.get("columns") or {table["column"].format(**named): table["cell"]}
        cells |= {(table["line"].format(**named), column): cell.format(**named) for column, cell in of_row.items()}
    published = {head: {str(line): str(text) for line, text in of.items()} for head, of in table.get("published", {}).items()}
    lines = list(dict.fromkeys([*(line for line, _ in cells), *(line for of in published.values() for line in of)]))
    columns = list(dict.fromkeys(column for _, column in cells))
    rows = [[line, *(cells.get((line, column), "") for column in columns), *(of.get(line, "") for of in published.values())] for line in lines]
    return markdown([table["head"], *columns, *published], rows)
