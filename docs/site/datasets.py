"""Writes a page for each kind of file and a page of the columns of tables. The texts come from the files of small studies."""

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
STUDIES = {  # name of a system -> its study file
    "glass": "temperatures: {list: [1.1, 1.5, 2.0]}\n" + SHARED,
    "glass in a field, four replicas": "model: {field: 0.2}\nreplicas: 4\ntemperatures: {list: [1.1, 1.5, 2.0]}\n" + SHARED,
    "diluted glass": "model: {p_absent: 0.2}\ntemperatures: {list: [1.1, 1.5, 2.0]}\n" + SHARED,
    "ferromagnet": "model: {kind: ferromagnet}\nmultispin: {share: 1}\ntemperatures: {list: [4.3, 4.5, 4.7]}\n",
    "vector spins": "model: {kind: heisenberg, concentration: 0.5, field: 0.1}\ntemperatures: {list: [1.2, 1.4, 1.6]}\n",
}
KINDS = {  # kind -> file, description
    "disorder": ("d4.h5", "A disorder file holds the couplings of a batch of realizations. `gen-disorder` writes it, or you write [your own](../../own-couplings.md)."),
    "state": ("e4.h5", "A state file holds spins and everything that an exact continuation needs. `thermalize`, `pt-run` and `relax` write it."),
    "run": ("r4.h5", "A run file holds the sums of the measurements of `pt-run`."),
    "observables": ("o4.h5", "An observables file holds means, errors and verdicts of each realization and temperature. `measure` writes it."),
    "reduced": ("reduced.h5", "A reduced file holds disorder averages, with a group for each size. `reduce-disorder` writes it."),
    "ladder": ("ladder.h5", "A ladder file holds the temperature ladders that `pt-run --tune-ladder --numbers` tried."),
    "relaxation": ("relax.h5", "A relaxation file holds the measurements of `relax`. Each continuation of a relaxation writes its own file."),
}
ENDINGS = {  # ending of a name -> meaning; the longest ending comes first
    "_passing_err": "the standard error of `NAME_passing`",
    "_err_shared": "the part of `NAME_err` that comes from shared random numbers",
    "_passing": "NAME averaged over the equilibrated realizations only, a diagnostic",
    "_err": "the standard error of NAME",
}
Row = tuple[str, str, str, str]  # type, axes, unit, meaning


def call(bin: Path, folder: Path, program: str, *words: object) -> None:
    command = [str(bin / program), "--config", "study.yaml", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")


def make(bin: Path, folder: Path, study: str) -> None:
    """Writes all files of a small study."""
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


def row_of(node: h5py.Dataset) -> Row:
    """Returns type, axes, unit and meaning of a dataset."""
    return str(node.dtype if node.dtype.kind != "O" else "text"), *(str(node.attrs.get(name, "")) for name in ("axes", "unit", "doc"))


def datasets_of(file: Path) -> dict[str, Row]:
    """Returns the datasets of a file by path. Groups of sizes become one group, and so do rounds of tuning."""
    found: dict[str, Row] = {}

    def visit(path: str, node: object) -> None:
        if isinstance(node, h5py.Dataset):
            found.setdefault(re.sub(r"^round\d+/", "round<n>/", re.sub(r"^L\d+/", "L<size>/", path)), row_of(node))

    with h5py.File(file, locking=False) as opened:
        opened.visititems(visit)
    return found


def attributes(file: Path) -> str:
    """Returns the page of the text at the root of a file. The first line describes one kind and is left out."""
    with h5py.File(file, locking=False) as opened:
        text = str(opened.attrs["doc"]).partition("\n")[2]
    return "# Root attributes\n\nThe attribute `doc` at the root of every file has this text:\n\n" + "".join(f"- {prose(line)}" for line in text.splitlines())


def read_kind(kind: str, folders: dict[str, Path]) -> dict[str, dict[str, Row]]:
    """Returns study -> datasets of its file of this kind, for the studies that have such a file."""
    name = KINDS[kind][0]
    return {study: datasets_of(folder / name) for study, folder in folders.items() if (folder / name).exists()}


def described(path: str, files: dict[str, dict[str, Row]]) -> Row:
    """Returns type, axes, unit and meaning of a dataset. The meaning names the studies that have it, unless all have it."""
    having = [study for study, found in files.items() if path in found]
    dtype, axes, unit, doc = files[having[0]][path]
    return dtype, axes, unit, doc + ("" if len(having) == len(files) else f" Only: {', '.join(having)}.")


def base_of(path: str, known: set[str]) -> str:
    """Returns the dataset that a dataset with an ending such as `_err` belongs to, or the path itself."""
    for ending in ENDINGS:
        if path.endswith(ending) and path.removesuffix(ending) in known:
            return path.removesuffix(ending)
    return path


def by_group(files: dict[str, dict[str, Row]]) -> dict[str, dict[str, tuple[list[str], Row]]]:
    """Returns group -> name of a dataset -> endings of the names that belong to it, and its row."""
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
    """Merges rows whose meanings differ only in the name. The merged meaning says NAME."""
    found: dict[tuple, list[str]] = {}
    for name, (endings, (dtype, axes, unit, doc)) in rows.items():
        found.setdefault((tuple(endings), dtype, axes, unit, re.sub(rf"\b{name}\b", "NAME", doc)), []).append(name)
    return [(names, list(endings), (dtype, axes, unit, doc if len(names) > 1 else rows[names[0]][1][3])) for (endings, dtype, axes, unit, doc), names in found.items()]


def section(group: str, rows: dict[str, tuple[list[str], Row]]) -> str:
    listed, there = [], {ending for endings, _ in rows.values() for ending in endings}
    for names, endings, (dtype, axes, unit, doc) in merged(rows):
        kind = f"{cell(dtype)} ({cell(axes)}){'' if unit == '1' else f', {cell(unit)}'}"
        also = f"<br>also {', '.join(map(code, endings))}" if endings else ""
        listed.append((f"{'<br>'.join(map(code, names))}{also}<br>{kind}", cell(doc)))
    notes = "".join(f"- `NAME{ending}`: {ENDINGS[ending]}\n" for ending in reversed(ENDINGS) if ending in there)
    notes = f"Names with these endings belong to the dataset NAME:\n\n{notes}\n" if notes else ""
    title = f"Group `/{group}`" if group else "At the root"
    return f"## {title}\n\n{notes}" + entries(("dataset, type (axes), unit", "meaning"), listed)


def kind_page(kind: str, folders: dict[str, Path]) -> str:
    about = KINDS[kind][1]
    head = (
        f"# {kind.capitalize()} files\n\n{about} [Files](../../files.md) has the rules of all kinds, and [Root attributes](attributes.md) lists the attributes. "
        "`h5dump -A FILE` prints these texts, and `psflip.open_file(FILE)` returns labelled arrays. The names of the axes give the shapes.\n"
    )
    sections = "\n".join(section(group, rows) for group, rows in sorted(by_group(read_kind(kind, folders)).items()))
    return f"{head}\n{sections}"


def columns(folders: dict[str, Path]) -> str:
    from psflip.results import columns as known

    rows: dict[str, dict[str, tuple[str, str]]] = {"results.csv": {}}
    for folder in folders.values():
        for name, unit, doc in known.of_results(folder / "reduced.h5", known.columns_of(folder / "results.csv")):
            if not name.endswith("_err"):
                rows["results.csv"].setdefault(name, (unit, doc))
    for name, of_table in known.TABLES.items():
        rows[name] = {column: (unit, doc) for column, unit, doc in of_table}
    parts = [f"## {name}\n\n" + entries(("column", "unit", "meaning"), [(code(column), cell(unit), cell(doc)) for column, (unit, doc) in found.items()]) for name, found in rows.items()]
    return (
        "# Columns of tables\n\nThis page lists the columns of all tables. `columns.csv` lists the columns of one study. `results.csv` has the columns of its model: overlaps "
        "of glasses, magnetisation of ferromagnets, both in a field, and components and energy terms of vector spins. "
        "The column NAME_err of `results.csv` is the standard error of NAME, by the jackknife over realizations.\n\n" + "\n".join(parts)
    )


def pages(bin: Path, work: Path) -> dict[str, str]:
    folders = {study: work / f"{number}" for number, study in enumerate(STUDIES)}
    for study, folder in folders.items():
        make(bin, folder, STUDIES[study])
    common = attributes(next(iter(folders.values())) / KINDS["run"][0])
    return {f"files/{kind}": kind_page(kind, folders) for kind in KINDS} | {"files/attributes": common, "columns": columns(folders)}
