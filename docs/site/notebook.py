"""Writes a notebook as a page with its saved outputs. As a program, runs a notebook and saves its outputs.

    python docs/site/notebook.py docs/tutorial.ipynb --bin build/bin
"""

from __future__ import annotations

import argparse
import base64
import os
import sys
import tempfile
from pathlib import Path

import nbformat

WORKFLOWS = Path(__file__).resolve().parents[2] / "workflows"
COMMAND = """#!/bin/sh
case "$1" in
run | plan)
    name=$1 study=$2
    shift 2
    exec {python} {psflip} "$name" "$study" --bin {bin} "$@"
    ;;
esac
exec {python} {psflip} "$@"
"""


def executed(notebook: nbformat.NotebookNode, folder: Path, bin: Path, seconds: int = 600) -> nbformat.NotebookNode:
    """Runs a notebook in `folder` and returns it with its outputs. The command psflip uses the programs in `bin`."""
    from nbclient import NotebookClient

    with tempfile.TemporaryDirectory() as place:
        command = Path(place) / "psflip"
        command.write_text(COMMAND.format(python=sys.executable, psflip=WORKFLOWS / "psflip", bin=bin.resolve()))
        command.chmod(0o755)
        environment = {**os.environ, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(WORKFLOWS)}
        # nbclient drops outputs that arrive later than iopub_timeout after the end of a cell. On a busy machine outputs arrive late.
        client = NotebookClient(
            notebook, timeout=seconds, iopub_timeout=seconds, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
        )
        return client.execute(env=environment)


def is_shell(cell: nbformat.NotebookNode) -> bool:
    return cell.cell_type == "code" and cell.source.startswith("!")


def text_of(output: nbformat.NotebookNode) -> str:
    """Returns the text of an output, empty for pictures."""
    data = output.get("data", {})
    return "" if "image/png" in data else output.get("text") or data.get("text/plain", "")


def shown(output: nbformat.NotebookNode, picture: Path) -> str:
    """Returns the Markdown of an output. A picture becomes a file next to the page."""
    data = output.get("data", {})
    if "image/png" in data:
        picture.write_bytes(base64.b64decode(data["image/png"]))
        return f"![Figure of the cell above]({picture.name})\n"
    return f"```text\n{text_of(output).rstrip()}\n```\n"


def write_page(notebook: Path, page: Path) -> None:
    parts = []
    for number, cell in enumerate(nbformat.read(notebook, 4).cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source + "\n")
            continue
        source = "\n".join(line.removeprefix("!") for line in cell.source.splitlines()) if is_shell(cell) else cell.source
        parts.append(f"```{'bash' if is_shell(cell) else 'python'}\n{source}\n```\n")
        parts += [shown(output, page.with_name(f"{page.stem}-{number}-{k}.png")) for k, output in enumerate(cell.outputs)]
    page.write_text("\n".join(parts))


def in_one_piece(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Drops error output and joins standard output into one text, without the path of Snakemake's profile on this machine."""
    printed = [output for output in outputs if output.get("name") == "stdout"]
    lines = "".join(output.text for output in printed).replace("\r\n", "\n").split("\n")
    if printed:
        printed[0].text = "\n".join(line for line in lines if not line.startswith("Using workflow specific profile"))
    return [output for output in outputs if output.output_type != "stream" or output is (printed or [None])[0]]


def saved(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Drops what differs between runs, such as times of cells, and tables as HTML."""
    for cell in notebook.cells:
        cell.metadata.clear()
        if cell.cell_type == "code":
            cell.outputs = in_one_piece(cell.outputs)
            for output in cell.outputs:
                output.get("data", {}).pop("text/html", None)
    return notebook


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook")
    parser.add_argument("--bin", type=Path, default=WORKFLOWS.parent / "build/bin")
    given = parser.parse_args()
    notebook = nbformat.read(given.notebook, 4)
    with tempfile.TemporaryDirectory() as folder:
        nbformat.write(saved(executed(notebook, Path(folder), given.bin)), given.notebook)


if __name__ == "__main__":
    main()
