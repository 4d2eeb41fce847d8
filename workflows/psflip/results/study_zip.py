"""Writes study.zip: what to hand over of a study, with sums and a program that checks it. The same files give the same archive.

    python workflows/psflip results.study_zip --results results/quickstart --study configs/quickstart.yaml --out study.zip
"""

from __future__ import annotations

import hashlib
import platform
import zipfile
from importlib import metadata
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.study import Study
from psflip.campaign.whole_files import visible, whole
from psflip.places import REQUIREMENTS
from psflip.results.check_study import SUMS
from psflip.results.provenance import by_program, read
from psflip.results.reduced import read_reduced

HERE = Path(__file__).resolve().parent
TABLES = ("results.csv", "crossings.csv", "critical.csv", "critical.json", "columns.csv", "equilibration.csv", "reduced.h5", "provenance.csv", "report.html")
WHERE_THERE = ("plan.json", "ladder/L*.*", "audit/*.json")  # parts of a campaign that not every study has
PACKAGES = ("numpy", "scipy", "h5py", "matplotlib", "pandas", "snakemake")

README = """psflip study: {name}

{model}
{summary}

To check: python3 check.py, or sha256sum -c SHA256SUMS for the sums alone.

study.yaml               the study file as it was given
config.yaml              the same with all defaults, as the programs read it
results.csv              averages over the disorder with errors: one row per L and temperature
crossings.csv            where the curves of two sizes cross
columns.csv              what the columns of all tables mean
critical.csv             T_c, nu and eta: quotients, fits by smallest size; critical.json: the same with all parameters
equilibration.csv        the last half of the runs against the parts before it, paired over realizations
reduced.h5               all of the above and more: overlap distributions, log2 bins, verdicts by realization
report.html              report with all plots; opens in any browser
plots/                   the plots as SVG, PDF and PNG
provenance.csv           every file of the study: program, version, host, time, hashes (XXH64) of the files it was made from
plan.json, ladder/, audit/   where there are such: what was planned, tuned temperatures, pieces that were run again elsewhere
environment/             requirements.txt: Python packages; versions.txt: programs and what wrote this archive
check.py                 checks sums and tables (needs h5py)

Temperatures are in units of J/k_B, energies per spin in units of J. Errors are standard errors (jackknife over realizations).
"""


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
    data = read_reduced(folder / "reduced.h5")
    sizes = "; ".join(f"L = {size.L}: {size.n_realizations} realizations" for size in data.sizes)
    about = data.model
    model = "\n".join(part for part in (about.full_name, about.warning, about.no_crossings) if part)
    files = {name: (folder / name).read_bytes() for name in TABLES}
    files |= {file.relative_to(folder).as_posix(): file.read_bytes() for pattern in ("plots/*", *WHERE_THERE) for file in visible(folder, pattern)}
    files["study.yaml"] = study.read_bytes()
    files["config.yaml"] = data.provenance.get("config", "").encode()
    files["README.txt"] = README.format(name=folder.resolve().name, model=model, summary=sizes).encode()
    files["environment/requirements.txt"] = REQUIREMENTS.read_bytes()
    files["environment/versions.txt"] = versions(read(folder / "provenance.csv")).encode()
    files["check.py"] = (HERE / "check_study.py").read_bytes()
    sums = [f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)]
    return {**files, SUMS: "".join(sums).encode()}


def write(out: Path, name: str, files: dict[str, bytes]) -> None:
    """One order and one date for all files."""
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
    given = parser.parse_args()
    Study.read(given.study)  # tells what is none
    write(given.out, given.results.resolve().name, contents(given.results, given.study))


if __name__ == "__main__":
    main()
