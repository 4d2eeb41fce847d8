"""Checks a study that was handed over: the sums of all files, and its tables against reduced.h5 (for a relaxation, against relaxation.json).

    python3 check.py                 in the folder that study.zip unpacks to
    python3 check_study.py study.zip | relaxation.zip | FOLDER

To check the numbers of reduced.h5, the program needs h5py and numpy. Without them it checks the sums alone and prints this. The exit code is 0 without faults, else 1.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from itertools import combinations
from pathlib import Path

try:
    import h5py
except ImportError:
    h5py = None

SUMS = "SHA256SUMS"
TABLES = ("results.csv", "crossings.csv", "reduced.h5")  # what every study in equilibrium has
RELAXATION = "relaxation.json"
OF_RELAXATION = ("relaxation.csv", RELAXATION)  # what every relaxation has
OTHERS = ("beta", "swap_rate", "round_trips", "equilibrated_fraction", "houdayer_acceptance", "houdayer_cluster_size")  # columns of results.csv that are not averages with errors
RELATIVE = 1e-9  # largest relative deviation of numbers written as decimals
SPARE, RATIO, MAX_FILES = 1 << 26, 32, 10**5  # bytes that any archive may unpack to, and how many times its own size beyond that


class NoStudy(Exception):
    """The given file or folder is not a study that was handed over."""


def say(text: str) -> None:
    """Prints a text with escapes for special characters, because names and texts from elsewhere may contain commands for the terminal."""
    print("".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text))


def listed_sums(folder: Path) -> dict[str, str]:
    """Maps each name of a file to its sum."""
    listed: dict[str, str] = {}
    try:
        for line in (folder / SUMS).read_text(encoding="utf-8").splitlines():
            digest, name = line.split("  ", 1)
            listed[name] = digest
    except (OSError, ValueError):
        raise NoStudy(f"{folder / SUMS}: this is not a list of sums and names; unpack study.zip again") from None
    return listed


def check_sums(folder: Path) -> list[str]:
    """Returns the faults: missing, changed and unlisted files. Hidden files do not count."""
    listed = listed_sums(folder)
    files = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
    there = {file.as_posix() for file in files if not any(part == "__pycache__" or part.startswith(".") for part in file.parts)}
    faults = [f"{name}: missing" for name in sorted((set(listed) | set(OF_RELAXATION if is_relaxation(folder) else TABLES)) - there)]
    faults += [f"{name}: the file is not listed in {SUMS}" for name in sorted(there - set(listed) - {SUMS})]
    for name in sorted(set(listed) & there):
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != listed[name]:
            faults.append(f"{name}: changed")
    return faults


def is_relaxation(folder: Path) -> bool:
    """Returns whether the list of sums belongs to a relaxation."""
    return RELAXATION in listed_sums(folder)


def check_relaxation(folder: Path) -> list[str]:
    """Compares relaxation.csv with relaxation.json: each size must have the rows of its times, or of its stages at each temperature."""
    faults = []
    try:
        rows, sizes = rows_of(folder / "relaxation.csv"), json.loads((folder / RELAXATION).read_text(encoding="utf-8"))["sizes"]
        for size in sizes:
            of = [row for row in rows if int(row["L"]) == size["L"] and ("T" not in size or abs(float(row["T"]) - size["T"]) <= 1e-5 * size["T"])]
            name = "realizations" if "realizations" in size else "samples"
            expected = size["stages"] if "stages" in size else size["times"] * len({row["T"] for row in of})
            where = f"relaxation.csv, L = {size['L']}" + (f", T = {size['T']:g}" if "T" in size else "")
            if len(of) != expected or not of:
                faults.append(f"{where}: {len(of)} rows, but {RELAXATION} has {expected}")
            faults += [f"{where}: {row[name]} {name}, but {RELAXATION} has {size[name]}" for row in of if int(row[name]) != size[name]][:1]
        if strays := {row["L"] for row in rows} - {str(size["L"]) for size in sizes}:
            faults.append(f"relaxation.csv has L = {', '.join(sorted(strays))}, which {RELAXATION} does not have")
    except (KeyError, ValueError, TypeError, AttributeError, csv.Error) as error:
        faults.append(f"relaxation.csv or {RELAXATION} is not as psflip writes it: {error!r}")
    return faults


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def differ(text: str, value: float) -> bool:
    number = float(text or "nan")
    return not (abs(number - value) <= RELATIVE * abs(value) or (number != number and value != value))


def missing_columns(table: str, rows: list[dict[str, str]], needed: list[str]) -> list[str]:
    missing = [name for name in needed if rows and name not in rows[0]]
    return [f"{table} has no column {', '.join(missing)}"] if missing else []


def not_once(table: str, expected: set[tuple], found: list[tuple]) -> list[str]:
    """Checks that the table has one row of each key, and no other rows."""
    counts = Counter(found)
    wrong = sorted(key for key in expected | set(found) if counts[key] != 1 or key not in expected)
    return [f"{table} has {counts[wrong[0]]} rows of {', '.join(map(str, wrong[0]))}, not one; such faults: {len(wrong)}, rows in reduced.h5: {len(expected)}"] if wrong else []


def slot_of(row: dict[str, str], reduced) -> int:
    """Returns the index of the nearest temperature."""
    return int(abs(reduced[f"L{row['L']}"]["temperatures"][:] - float(row["T"])).argmin())


def columns_of(sizes: list) -> list[str]:
    """Returns the columns of results.csv that all sizes have: OTHERS, and averages by temperature with their errors, but not over passing realizations alone."""

    def is_average(name: str, group) -> bool:
        return name in group and f"{name}_err" in group and group[name].shape == group["temperatures"].shape and not name.endswith("_passing")

    averages = [name for name in sizes[0] if all(is_average(name, group) for group in sizes)]
    return [*(name + ending for name in averages for ending in ("", "_err")), *(name for name in OTHERS if all(name in group for group in sizes))]


def check_results(folder: Path, reduced) -> list[str]:
    """Compares results.csv with reduced.h5, and Binder ratios with their moments."""
    rows = rows_of(folder / "results.csv")
    sizes = {name[1:]: group for name, group in reduced.items() if name.startswith("L")}
    faults = missing_columns("results.csv", rows, ["L", "T", "n_realizations", *columns_of(list(sizes.values()))])
    expected = {(f"L = {L}", f"T = {T:.10g}") for L, group in sizes.items() for T in group["temperatures"][:]}
    found = [(f"L = {row['L']}", f"T = {sizes[row['L']]['temperatures'][slot_of(row, reduced)]:.10g}") for row in rows]
    faults += not_once("results.csv", expected, found)
    for row in rows:
        group, slot = reduced[f"L{row['L']}"], slot_of(row, reduced)
        where = f"results.csv, L = {row['L']}, T = {row['T']}"
        values = {name: group[name][slot] for name in row if name in group and len(group[name]) > slot}
        values |= {"T": group["temperatures"][slot], "n_realizations": group.attrs["n_realizations"]}
        faults += [f"{where}: {name} is {row[name]}, but reduced.h5 has {value}" for name, value in values.items() if differ(row[name], value)]
        n = 3 if "kind: heisenberg" in str(group.attrs.get("physics", "")) else 1  # components of a spin
        formula = "5 - 3 " if n == 3 else "3 - "
        for ratio, second, fourth in (("binder", "q2", "q4"), ("binder_m", "m2", "m4"), ("binder_ms", "ms2", "ms4")):
            if row.get(ratio) and second in row:
                expected_ratio = (n + 2 - n * float(row[fourth]) / float(row[second]) ** 2) / 2
                if differ(row[ratio], expected_ratio):
                    faults.append(f"{where}: {ratio} is {row[ratio]}, but ({formula}{fourth}/{second}^2)/2 = {expected_ratio}")
    return faults


def check_crossings(folder: Path, reduced) -> list[str]:
    """Checks that each pair of sizes has one row."""
    rows = rows_of(folder / "crossings.csv")
    sizes = sorted(int(name[1:]) for name in reduced if name.startswith("L"))
    faults = missing_columns("crossings.csv", rows, ["observable", "L1", "L2", "T", "T_err", "value", "value_err", "note"])
    expected = {(name, *pair) for name in {row["observable"] for row in rows} for pair in combinations(sizes, 2)}
    return faults + not_once("crossings.csv", expected, [(row["observable"], int(row["L1"]), int(row["L2"])) for row in rows])


def check_numbers(folder: Path) -> list[str]:
    faults = []
    try:
        with h5py.File(folder / "reduced.h5", locking=False) as reduced:
            for name, compare in (("results.csv", check_results), ("crossings.csv", check_crossings)):
                try:
                    faults += compare(folder, reduced)
                except (KeyError, ValueError, TypeError, IndexError, AttributeError, csv.Error) as error:
                    faults.append(f"{name} or reduced.h5 is not as psflip writes it: {error!r}")
    except (OSError, RuntimeError) as error:
        faults.append(f"reduced.h5: this is not readable as HDF5 ({error})")
    return faults


def check(folder: Path) -> int:
    if not (folder / SUMS).is_file():
        raise NoStudy(f"{folder}: there is no {SUMS}; unpack study.zip and give its folder")
    is_relaxed = is_relaxation(folder)
    faults = check_sums(folder) or (check_relaxation(folder) if is_relaxed else check_numbers(folder) if h5py else [])
    for fault in faults:
        say(fault)
    if faults:
        print(f"{len(faults)} faults found")
        return 1
    tables = f"tables agree with {RELAXATION if is_relaxed else 'reduced.h5'}" if h5py or is_relaxed else "the numbers in the tables are not checked, which needs h5py"
    print(f"{len(listed_sums(folder))} files as they were written; {tables}")
    return 0


def check_contents(file: Path, archive: zipfile.ZipFile) -> None:
    """Raises NoStudy before anything is unpacked if names and declared sizes cannot belong to a study."""
    entries = archive.infolist()
    declared, most = sum(entry.file_size for entry in entries), SPARE + RATIO * file.stat().st_size
    if declared > most or len(entries) > MAX_FILES:
        raise NoStudy(f"{file}: this is not a study.zip of psflip: it would unpack to {declared / 1e6:.0f} MB in {len(entries)} files, but at most {most / 1e6:.0f} MB in {MAX_FILES} files are possible for its size")
    folders = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith(f"/{SUMS}")]
    if len(folders) != 1:
        raise NoStudy(f"{file}: this is not a study.zip of psflip: it has {len(folders)} folders with {SUMS} instead of one")


def check_archive(file: Path) -> int:
    try:
        with tempfile.TemporaryDirectory() as unpacked, zipfile.ZipFile(file) as archive:
            check_contents(file, archive)
            archive.extractall(unpacked)  # reads no more of a file than its declared size, and compares the check sums
            (sums,) = Path(unpacked).glob(f"*/{SUMS}")
            return check(sums.parent)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError) as error:
        raise NoStudy(f"{file}: this is not a zip archive, or it is damaged ({error})") from None


def main() -> int:
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
    if len(sys.argv) > 2 or str(given) in ("-h", "--help"):
        print(__doc__)
        return 1
    try:
        if not given.is_dir() and not given.is_file():
            raise NoStudy(f"{given}: this does not exist, or is neither a folder nor a file")
        return check(given) if given.is_dir() else check_archive(given)
    except NoStudy as error:
        say(str(error))
    except OSError as error:
        say(f"{error.filename or given}: {error.strerror}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
