"""The pages on files, one for each kind, and on columns of tables. They are written from files of small studies, whose datasets say what they hold."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import h5py
from markup import cell, code, entries, prose

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
    "disorder": ("d4.h5", "A disorder file holds the couplings of a batch of realizations. `gen-disorder` writes it, and so may you."),
    "state": ("e4.h5", "A state file holds spins and all that an exact continuation needs. `thermalize`, `pt-run` and `relax` write it."),
    "run": ("r4.h5", "A run file holds what `pt-run` measured, as sums."),
    "observables": ("o4.h5", "An observables file holds means, errors and verdicts of each realization and temperature. `measure` writes it."),
    "reduced": ("reduced.h5", "A reduced file holds averages over the disorder, in a group for each size. `reduce-disorder` writes it."),
    "ladder": ("ladder.h5", "A ladder file holds the ladders of temperatures that `pt-run --tune-ladder --numbers` tried."),
    "relaxation": ("relax.h5", "A relaxation file holds what `relax` measured on the way. A relaxation in parts has a file for each part."),
}
ENDINGS = {  # of names -> what such a dataset is; the longest first
    "_passing_err": "the standard error of `NAME_passing`",
    "_err_shared": "the part of `NAME_err` that comes from shared random numbers",
    "_passing": "NAME of the equilibrated realizations alone, a diagnostic",
    "_err": "the standard error of NAME",
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


def read_kind(kind: str, folders: dict[str, Path]) -> dict[str, dict[str, Row]]:
    """Study -> datasets of its file of this kind, for the studies that have one."""
    name = KINDS[kind][0]
    return {study: datasets_of(folder / name) for study, folder in folders.items() if (folder / name).exists()}


def described(path: str, files: dict[str, dict[str, Row]]) -> Row:
    """Type, axes, unit and meaning of a dataset, with the studies that alone have it."""
    having = [study for study, found in files.items() if path in found]
    dtype, axes, unit, doc = files[having[0]][path]
    return dtype, axes, unit, doc + ("" if len(having) == len(files) else f" Only: {', '.join(having)}.")


def base_of(path: str, known: set[str]) -> str:
    """The dataset that a dataset belongs to by the ending of its name; itself if none."""
    for ending in ENDINGS:
        if path.endswith(ending) and path.removesuffix(ending) in known:
            return path.removesuffix(ending)
    return path


def by_group(files: dict[str, dict[str, Row]]) -> dict[str, dict[str, tuple[list[str], Row]]]:
    """Group of the file -> name of a dataset -> endings of the names that belong to it, type, axes, unit and meaning."""
    paths = list(dict.fromkeys(path for found in files.values() for path in found))
    known = set(paths)
    groups: dict[str, dict[str, tuple[list[str], Row]]] = {}
    for path in paths:
        base = base_of(path, known)
        group, _, name = base.rpartition("/")
        endings = groups.setdefault(group, {}).setdefault(name, ([], described(base, files)))[0]
        if path != base:
            endings.append(path.removeprefix(base))
    return groups


def merged(rows: dict[str, tuple[list[str], Row]]) -> list[tuple[list[str], list[str], Row]]:
    """Rows whose meanings differ in the name alone become one, which says NAME for it."""
    found: dict[tuple, list[str]] = {}
    for name, (endings, (dtype, axes, unit, doc)) in rows.items():
        found.setdefault((tuple(endings), dtype, axes, unit, re.sub(rf"\b{name}\b", "NAME", doc)), []).append(name)
    return [(names, list(endings), (dtype, axes, unit, doc if len(names) > 1 else rows[names[0]][1][3])) for (endings, dtype, axes, unit, doc), names in found.items()]


def section(group: str, rows: dict[str, tuple[list[str], Row]]) -> str:
    listed, there = [], {ending for endings, _ in rows.values() for ending in endings}
    for names, endings, (dtype, axes, unit, doc) in merged(rows):
        told = f"{cell(dtype)} ({cell(axes)}){'' if unit == '1' else f', {cell(unit)}'}"
        also = f"<br>also {', '.join(map(code, endings))}" if endings else ""
        listed.append((f"{'<br>'.join(map(code, names))}{also}<br>{told}", cell(doc)))
    notes = "".join(f"- `NAME{ending}`: {ENDINGS[ending]}\n" for ending in reversed(ENDINGS) if ending in there)
    notes = f"Names with these endings belong to the dataset NAME:\n\n{notes}\n" if notes else ""
    title = f"Group `/{group}`" if group else "At the root"
    return f"## {title}\n\n{notes}" + entries(("dataset, type (axes), unit", "meaning"), listed)


def kind_page(kind: str, folders: dict[str, Path]) -> str:
    name, about = KINDS[kind]
    first = next(folder / name for folder in folders.values() if (folder / name).exists())
    own, common = doc_of(first)
    head = (
        f"# {kind.capitalize()} files\n\n{about} [Files](../../files.md) has the rules that all kinds follow. `h5dump -A FILE` shows these texts, too, "
        f"and `psflip.open_file(FILE)` makes labelled arrays of it. Shapes are given by the names of the axes.\n\n{prose(own)}\n"
    )
    sections = "\n".join(section(group, rows) for group, rows in sorted(by_group(read_kind(kind, folders)).items()))
    return f"{head}\n{sections}\n## In all files\n\n{prose(common)}"


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
        "# Columns of tables\n\nThese are the columns of all tables of a study; `columns.csv` next to them has the columns of this study. `results.csv` has the columns of its "
        "model: overlaps of glasses, magnetisation of ferromagnets, both in a field, and components and terms of the energy for vector spins. Errors are standard errors.\n\n" + "\n".join(parts)
    )


def pages(bin: Path, work: Path) -> dict[str, str]:
    folders = {study: work / f"{number}" for number, study in enumerate(STUDIES)}
    for study, folder in folders.items():
        make(bin, folder, STUDIES[study])
    return {f"files/{kind}": kind_page(kind, folders) for kind in KINDS} | {"columns": columns(folders)}
