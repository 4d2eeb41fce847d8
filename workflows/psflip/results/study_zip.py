"""Writes study.zip, or relaxation.zip of a relaxation: a study to hand over, with sums and a program that checks it. Equal files give equal archives.

    python workflows/psflip results.study_zip --results results/quickstart --study configs/quickstart.yaml --out study.zip
    python workflows/psflip results.study_zip --relax --results results/relax3d --study configs/relax3d.yaml --out relaxation.zip
"""

from __future__ import annotations

import hashlib
import platform
import zipfile
from importlib import metadata
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.study import Study
from psflip.campaign.whole_files import visible, whole
from psflip.places import REQUIREMENTS
from psflip.relaxation.stored import read as read_relaxation
from psflip.results import ro_crate
from psflip.results.check_study import CRATE, SUMS
from psflip.results.columns import Row, columns_of, of_results
from psflip.results.literature import model_of
from psflip.results.provenance import by_program, read
from psflip.results.reduced import read_provenance, read_reduced

HERE = Path(__file__).resolve().parent
TABLES = ("results.csv", "crossings.csv", "critical.csv", "critical.json", "columns.csv", "equilibration.csv", "reduced.h5", "provenance.csv", "report.html")
OF_RELAXATION = ("relaxation.csv", "relaxation.json", "relaxation.html", "provenance.csv")
WHERE_THERE = ("plots/*", "plan.json", "ladder/L*.*", "audit/*.json")  # files that not every study has
OF_RELAXATION_WHERE_THERE = ("two_time.csv", "relaxation/*", "relaxation-plan.json")
PARAMETERS = ("L", "T", "beta", "n_realizations")  # columns of results.csv that are not measured
PACKAGES = ("numpy", "scipy", "h5py", "matplotlib", "pandas", "snakemake")

README = """psflip study: {name}

{summary}

To check: python3 check.py, or sha256sum -c SHA256SUMS for the sums alone.
Before you publish this study, write authors and a licence into ro-crate-metadata.json, at the entity "./".

{files}

Temperatures are in units of J/k_B, energies per spin in units of J. Errors are standard errors (jackknife over realizations).
"""
INPUTS = {
    "study.yaml": "the study file as it was given",
    "config.yaml": "the study file with all defaults, as the programs read it",
}
FILES = {
    "results.csv": "averages over the disorder with errors: one row per L and temperature",
    "crossings.csv": "crossings of the curves of two sizes",
    "columns.csv": "meaning of the columns of all tables",
    "critical.csv": "T_c, nu and eta: quotients, fits by smallest size; of a transition at T = 0, nu and theta",
    "critical.json": "T_c and exponents with all parameters of the fits",
    "equilibration.csv": "paired differences between the last half of the runs and earlier parts",
    "reduced.h5": "all of the above and more: overlap distributions, log2 bins, verdicts by realization",
    "report.html": "report with all plots; opens in any browser",
    "plots/": "the plots as SVG, PDF and PNG",
    "plan.json": "the plan of the study",
    "ladder/": "tuned temperatures",
    "audit/": "parts of runs that were repeated on another backend",
}
FILES_OF_RELAXATION = {
    "relaxation.csv": "averages over the disorder with errors: one row per L, temperature and time",
    "relaxation.json": "fits and their results",
    "relaxation.html": "page with all pictures; opens in any browser",
    "relaxation/": "the pictures as SVG and PNG",
    "two_time.csv": "correlations between two times, if the study has waiting times",
    "relaxation-plan.json": "the plan of the study",
}
ABOUT_THE_ARCHIVE = {
    "provenance.csv": "every file of the study: program, version, host, time, hashes (XXH64) of its inputs",
    "environment/": "requirements.txt: Python packages; versions.txt: versions of the programs and of the packages behind this archive",
    "README.txt": "this text",
    "check.py": "checks sums and, if Python has h5py, tables",
    SUMS: "SHA-256 sums of all other files except ro-crate-metadata.json",
    CRATE: "metadata for repositories of research data (RO-Crate 1.1)",
}


def versions(rows: list[dict[str, str]]) -> str:
    lines = ["programs that made the files:"]
    lines += [f"  {row['program']} {row['version']}, commit {row['git_commit']}: {row['files']} files" for row in by_program(rows)]
    lines += ["", "plots, report and this archive:", f"  Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            lines.append(f"  {package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return "\n".join(lines) + "\n"


def contents(folder: Path, study: Path) -> dict[str, bytes]:
    """Returns the contents of the archive of a study in equilibrium."""
    data = read_reduced(folder / "reduced.h5")
    about = data.model
    summary = [about.full_name, about.warning, about.no_crossings, "; ".join(f"L = {size.L}: {size.n_realizations} realizations" for size in data.sizes)]
    names = [name for name in columns_of(folder / "results.csv") if not name.endswith("_err") and name not in PARAMETERS]
    columns = list(of_results(folder / "reduced.h5", names))
    return packed(folder, study, (TABLES, WHERE_THERE), data.provenance.get("config", ""), [text for text in summary if text], FILES, columns)


def contents_of_relaxation(folder: Path, study: Path) -> dict[str, bytes]:
    sizes = ", ".join(f"L = {L}" for L in sorted({size["L"] for size in read_relaxation(folder)["sizes"]}))
    last = visible(folder, "L*/batch*/relax-*[0-9].h5")[-1:]
    if not last:
        raise StudyError(f"{folder}: this folder has no relaxation files")
    with hdf5_file(last[0], "a relaxation file") as file:
        config = read_provenance(file).get("config", "")
    head = columns_of(folder / "relaxation.csv")
    columns = [(name, "", f"Column {name} of relaxation.csv. Column {name}_err is its standard error.") for name in head if f"{name}_err" in head]
    summary = [model_of(Study.read(study).data).full_name, f"Relaxation of {sizes}"]
    return packed(folder, study, (OF_RELAXATION, OF_RELAXATION_WHERE_THERE), config, summary, FILES_OF_RELAXATION, columns)


def packed(folder: Path, study: Path, names: tuple[tuple[str, ...], tuple[str, ...]], config: str, summary: list[str], descriptions: dict[str, str], columns: list[Row]) -> dict[str, bytes]:
    """Returns the contents of the archive by name. `names`: existing files, and patterns of optional files; `config`: the configuration with all defaults;
    `summary`: what was simulated; `descriptions`: texts of the files; `columns`: the measured quantities."""
    rows, name = read(folder / "provenance.csv"), folder.resolve().name
    files = {name: (folder / name).read_bytes() for name in names[0]}
    files |= {file.relative_to(folder).as_posix(): file.read_bytes() for pattern in names[1] for file in visible(folder, pattern)}
    files["study.yaml"] = study.read_bytes()
    files["config.yaml"] = config.encode()
    files["environment/requirements.txt"] = REQUIREMENTS.read_bytes()
    files["environment/versions.txt"] = versions(rows).encode()
    files["check.py"] = (HERE / "check_study.py").read_bytes()
    descriptions = {**INPUTS, **descriptions, **ABOUT_THE_ARCHIVE}
    there = {name for file in files for name in (file, f"{file.partition('/')[0]}/")} | set(ABOUT_THE_ARCHIVE)
    listed = "\n".join(f"{name:<24} {text}" for name, text in descriptions.items() if name in there)
    files["README.txt"] = README.format(name=name, summary="\n".join(summary), files=listed).encode()
    files[SUMS] = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()
    return {**files, CRATE: ro_crate.metadata(name, ". ".join(text.rstrip(".") for text in summary) + ".", files, descriptions, columns, by_program(rows))}


def write(out: Path, name: str, files: dict[str, bytes]) -> None:
    """Writes the archive with one order and one date for all files."""
    with whole(out, "archive of a study") as part, zipfile.ZipFile(part, "w") as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(f"{name}/{path}", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            archive.writestr(entry, files[path])


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_input("--study", required=True, help="the study file")
    parser.add_output("--out", "archive of a study", required=True)
    parser.add_argument("--relax", action="store_true", help="of a relaxation")
    given = parser.parse_args()
    Study.read(given.study)  # StudyError if the file is not a study file
    found = contents_of_relaxation if given.relax else contents
    write(given.out, given.results.resolve().name, found(given.results, given.study))


if __name__ == "__main__":
    main()
