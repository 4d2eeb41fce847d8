"""Tests that the notebook on the Binder crossing runs within the promised time and gives the stored numbers, near the exact temperature."""

import copy
import math
import os
import re
import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
for package in ("nbclient", "ipykernel"):
    pytest.importorskip(package)

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PSFLIP_BIN", ROOT / "build" / "bin"))
sys.path[:0] = [str(ROOT / "docs/site"), str(ROOT / "workflows")]
import notebook  # noqa: E402
from psflip.places import EXTENSION  # noqa: E402

MINUTES = 2  # processor time


def printed(book):
    return [notebook.text_of(output) for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.skipif(not list(EXTENSION.glob("_native*.so")), reason=f"no extension in {EXTENSION}")
def test_the_notebook(tmp_path):
    stored, begin = nbformat.read(ROOT / "docs/binder.ipynb", 4), os.times()
    now = notebook.saved(notebook.executed(copy.deepcopy(stored), tmp_path, BIN))
    end = os.times()
    assert end.children_user + end.children_system - begin.children_user - begin.children_system < 60 * MINUTES
    assert printed(now) == printed(stored) and sum("image/png" in output.get("data", {}) for cell in now.cells for output in cell.get("outputs", [])) == 1
    T, error = (float(number) for number in re.search(r"16 and 32: T = (\S+) \+- (\S+)", printed(now)[0]).groups())
    assert abs(T - 2 / math.log(1 + math.sqrt(2))) < 4 * error < 0.01
    code = "\n".join(cell.source for cell in now.cells if cell.cell_type == "code")
    assert len([line for line in code.splitlines() if line.strip()]) == 23  # docs/python.md gives this number
