"""The pages on datasets of files and columns of tables, written from files of small studies: what they hold says of itself what it is."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import h5py
from reference import cell, code, entries, prose

BATCH = "lattice: {L: [4, 6]}\ndisorder: {realizations: 32, batch: 32}\nrelax: {last: 20, waiting: [2]}\nthermalize: {sweeps: 20}\n"
RUN = "run: {sweeps: 1600, measure_every: 20, blocks: 8, snapshots: 2, magnetisation: always}\n"
ISING = ", magnetisation: always"  # a key of Ising spins
SHARED = "multispin: {share: 32}\n"
STUDIES = {  # what is studied -> study file
    "glass": "temperatures: {list: [1.1, 1.5, 2.0]}\n" + SHARED,
    "glass in a field, four replicas": "model: {field: 0.2}\nreplicas: 4\ntemperatures: {list: [1.1, 1.5, 2.0]}\n" + SHARED,
    "diluted glass": "model: {p_absent: 0.2}\ntemperatures: {list: [1.1, 1.5, 2.0]}\n" + SHARED,
    "ferromagnet": "model: {kind: ferromagnet}\nmultispin: {share: 1}\ntemperatures: {list: [4.3, 4.5, 4.7]}\n",
    "vector spins": "model: {kind: heisenberg, concentration: 0.5, field: 0.1}\ntemperatures: {list: [1.2, 1.4, 1.6]}\n",
}
KINDS = {  # kind -> file, what it is
    "disorder": ("d4.h5", "Couplings of a batch of realizations: `gen-disorder`, or by hand."),
    "state": ("e4.h5", "Spins, and all that an exact continuation needs: `thermalize`, `pt-run`, `relax`."),
    "run": ("r4.h5", "What was measured, as sums: `pt-run`."),
    "observables": ("o4.h5", "Of each realization and temperature: `measure`."),
    "reduced": ("reduced.h5", "Averages over the disorder, a group for each size: `reduce-disorder`."),
    "ladder": ("ladder.h5", "Ladders of temperatures that were tried: `pt-run --tune-ladder --numbers`."),
    "relaxation": ("relax.h5", "What was measured on the way: `relax`."),
}
Row = tuple[str, str, str, str]  # type, axes, unit, meaning


def call(bin: Path, folder: Path, program: str, *words: object) -> None:
    command = [str(bin / program), "--config", "study.yaml", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")


def make(bin: Path, folder: Path, study: str) -> None:
    """All files of a small study."""
    folder.mkdir()
    vectors = "heisenberg" in study
    (folder / "study.yaml").write_text(BATCH + (RUN.replace(ISING, "") if vectors else RUN) + study)
    for L in (4, 6):
        own = ["--L", L, "--backend", "cpu", "--disorder", f"d{L}.h5"]
        call(bin, folder, "gen-disorder", "--L", L, "--out", f"d{L}.h5")
        call(bin, folder, "thermalize", *own, "--out", f"s{L}.h5")
        call(bin, folder, "pt-run", *own, "--state", f"s{L}.h5", "--out", f"r{L}.h5", "--state-out", f"e{L}.h5")
        call(bin, folder, "measure", "--L", L, "--disorder", f"d{L}.h5", "--run", f"r{L}.h5", "--out", f"o{L}.h5")
    call(bin, folder, "reduce-disorder", "--out", "reduced.h5", "--csv", "results.csv", "o4.h5", "o6.h5")
    own = ["--L", 4, "--backend", "cpu", "--disorder", "d4.h5"]
    if not vectors:
        call(bin, folder, "pt-run", *own, "--tune-ladder", "--tune-sweeps", 200, "--out", "ladder.yaml", "--numbers", "ladder.h5")
    if vectors or ("field" not in study and "p_absent" not in study):
        call(bin, folder, "relax", *own, "--out", "relax.h5", "--state-out", "relaxed.h5")


def said(node: h5py.Dataset) -> Row:
    return str(node.dtype if node.dtype.kind != "O" else "text"), *(str(node.attrs.get(name, "")) for name in ("axes", "unit", "doc"))


def datasets_of(file: Path) -> dict[str, Row]:
    """By path; groups of sizes are one."""
    found: dict[str, Row] = {}

    def visit(path: str, node: object) -> None:
        if isinstance(node, h5py.Dataset):
            found.setdefault(re.sub(r"^L\d+/", "L<size>/", path), said(node))

    with h5py.File(file, locking=False) as opened:
        opened.visititems(visit)
    return found


def doc_of(file: Path) -> tuple[str, str]:
    """The text at the root of a file: what is of its kind, and what all files say."""
    with h5py.File(file, locking=False) as opened:
        own, _, common = str(opened.attrs.get("doc", "")).partition("\n")
        return own, common


def section(kind: str, folders: dict[str, Path]) -> str:
    """Heading and table of one kind of file; what only some studies have says so."""
    name, about = KINDS[kind]
    files = {study: datasets_of(folder / name) for study, folder in folders.items() if (folder / name).exists()}
    rows: dict[str, Row] = {}
    for found in files.values():
        rows |= {path: row for path, row in found.items() if path not in rows}
    listed = []
    for path, (dtype, axes, unit, doc) in rows.items():
        having = [study for study, found in files.items() if path in found]
        only = "" if len(having) == len(files) else f" Only: {', '.join(having)}."
        listed.append((f"{code('/' + path)}<br>{cell(dtype)} ({cell(axes)}){'' if unit == '1' else f', {cell(unit)}'}", cell(doc + only)))
    first = next(folder / name for folder in folders.values() if (folder / name).exists())
    return f"## {kind}\n\n{about}\n\n{prose(doc_of(first)[0])}\n" + entries(("dataset, type (axes), unit", "meaning"), listed)


def columns(folders: dict[str, Path]) -> str:
    from psflip.results import columns as known

    rows: dict[str, dict[str, tuple[str, str]]] = {"results.csv": {}}
    for folder in folders.values():
        for name, unit, doc in known.of_results(folder / "reduced.h5", known.columns_of(folder / "results.csv")):
            rows["results.csv"].setdefault(name, (unit, doc))
    for name, of_table in known.TABLES.items():
        rows[name] = {column: (unit, doc) for column, unit, doc in of_table}
    parts = [f"## {name}\n\n" + entries(("column", "unit", "meaning"), [(code(column), cell(unit), cell(doc)) for column, (unit, doc) in found.items()]) for name, found in rows.items()]
    return (
        "# Columns of tables\n\nThe tables of a study; `columns.csv` beside them says the same of those columns that the study has. `results.csv` has the columns of its "
        "model: overlaps of glasses, magnetisation of ferromagnets, both in a field, and of vector spins components and terms of the energy. Errors are standard errors.\n\n" + "\n".join(parts)
    )


def pages(bin: Path, work: Path) -> dict[str, str]:
    folders = {study: work / f"{number}" for number, study in enumerate(STUDIES)}
    for study, folder in folders.items():
        make(bin, folder, STUDIES[study])
    head = (
        "# Datasets of files\n\nWhat files of each kind hold, as the files themselves say it: `h5dump -A FILE` shows it, and `psflip.open_file(FILE)` makes labelled arrays of it. "
        "Kinds and rules: [Files](../files.md). Shapes are told by the names of the axes. All say:\n\n"
    )
    head += prose(doc_of(folders["glass"] / "d4.h5")[1]) + "\n"
    return {"datasets": head + "\n".join(section(kind, folders) for kind in KINDS), "columns": columns(folders)}
