"""Checks a study that was handed over: sums of all files, and that its tables say what reduced.h5 says.

    python3 check.py                 in the folder that study.zip unpacks to
    python3 check_study.py study.zip | FOLDER

Needs h5py and numpy for the numbers; without them it says so and checks the sums alone. Exit code 0: all is well, 1: something is not.
"""

from __future__ import annotations

import csv
import hashlib
import sys
import tempfile
import zipfile
from pathlib import Path

try:
    import h5py
except ImportError:
    h5py = None

SUMS = "SHA256SUMS"
RELATIVE = 1e-9  # of numbers written as decimals


def check_sums(folder: Path) -> list[str]:
    """What is missing, changed or not listed."""
    listed: dict[str, str] = {}
    for line in (folder / SUMS).read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ", 1)
        listed[name] = digest
    there = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
    faults = [f"{name}: missing" for name in sorted(set(listed) - there)]
    faults += [f"{name}: not listed in {SUMS}" for name in sorted(there - set(listed) - {SUMS})]
    for name in sorted(set(listed) & there):
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != listed[name]:
            faults.append(f"{name}: changed")
    return faults


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def differ(text: str, value: float) -> bool:
    number = float(text or "nan")
    return not (abs(number - value) <= RELATIVE * abs(value) or (number != number and value != value))


def check_results(folder: Path, reduced) -> list[str]:
    """results.csv against reduced.h5, and the Binder ratio against q2 and q4."""
    faults = []
    rows = rows_of(folder / "results.csv")
    for row in rows:
        group, T = reduced[f"L{row['L']}"], float(row["T"])
        slot = int(abs(group["temperatures"][:] - T).argmin())
        where = f"results.csv, L = {row['L']}, T = {row['T']}"
        values = {name: group[name][slot] for name in row if name in group and len(group[name]) > slot}
        values |= {"T": group["temperatures"][slot], "n_realizations": group.attrs["n_realizations"]}
        faults += [f"{where}: {name} is {row[name]}, reduced.h5 has {value}" for name, value in values.items() if differ(row[name], value)]
        if row.get("binder") and "q2" in row:
            q2, q4 = float(row["q2"]), float(row["q4"])
            if differ(row["binder"], (3 - q4 / q2**2) / 2):
                faults.append(f"{where}: binder is {row['binder']}, but (3 - q4/q2^2)/2 = {(3 - q4 / q2**2) / 2}")
    expected = sum(len(group["temperatures"]) for name, group in reduced.items() if name.startswith("L"))
    if len(rows) != expected:
        faults.append(f"results.csv has {len(rows)} rows, reduced.h5 {expected} temperatures in all")
    return faults


def check_crossings(folder: Path, reduced) -> list[str]:
    faults = []
    group = reduced["crossings"]
    pairs = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(group["L1"][:], group["L2"][:]))}
    for row in rows_of(folder / "crossings.csv"):
        index = pairs.get((int(row["L1"]), int(row["L2"])))
        for key in [key for key in row if key not in ("observable", "L1", "L2", "note")]:
            value = float("nan") if index is None else group[f"{row['observable']}_{key}"][index]
            if differ(row[key], value):
                faults.append(f"crossings.csv, {row['observable']} of L = {row['L1']}, {row['L2']}: {key} is {row[key]}, reduced.h5 has {value}")
    return faults


def check_numbers(folder: Path) -> list[str]:
    with h5py.File(folder / "reduced.h5") as reduced:
        return check_results(folder, reduced) + check_crossings(folder, reduced)


def check(folder: Path) -> int:
    if not (folder / SUMS).is_file():
        print(f"{folder}: no {SUMS} there; unpack study.zip and give its folder")
        return 1
    faults = check_sums(folder)
    if not faults and h5py:
        faults = check_numbers(folder)
    for fault in faults:
        print(fault)
    if faults:
        print(f"{len(faults)} faults found")
        return 1
    number = len((folder / SUMS).read_text().splitlines())
    tables = "tables agree with reduced.h5" if h5py else "the numbers in the tables are not checked, which needs h5py"
    print(f"{number} files as they were written; {tables}")
    return 0


def main() -> int:
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    if len(sys.argv) > 2 or not given.exists():
        print(__doc__ if len(sys.argv) > 2 or str(given) in ("-h", "--help") else f"{given}: not there")
        return 1
    if given.is_dir():
        return check(given)
    with tempfile.TemporaryDirectory() as unpacked:
        with zipfile.ZipFile(given) as archive:
            if damaged := archive.testzip():
                print(f"{damaged}: damaged in the archive")
                return 1
            archive.extractall(unpacked)
        return check(next(Path(unpacked).iterdir()))


if __name__ == "__main__":
    sys.exit(main())
