"""Writes averages, plots and a report of the measurements so far into OUT/partial. Nothing else is written and no lock is needed, so this
may run at any time, also while Snakemake works on the study.

    psflip partial results/ea3d
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from psflip.campaign import programs
from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.programs import Programs
from psflip.campaign.reduce import files_from
from psflip.campaign.results_folder import check_folder, study_for
from psflip.campaign.study import PAGES, RELAXATION
from psflip.campaign.whole_files import visible
from psflip.places import BIN, PACKAGE

OBSERVABLES = re.compile(r"observables-(\d+)\.h5")
SCRIPTS = ("relaxation.study", "vectors.study")  # of Ising and of vector spins
LONGEST = 6 * 3600  # seconds that a step may take


def measured(campaign: Campaign, batch: Batch) -> list[Path]:
    """The files of a batch that its averages take: observables of its longest run, or all parts of its relaxation; none if nothing is measured."""
    if campaign.study.kind == RELAXATION:
        return [campaign.out / batch.folder / f"relax-{end}.h5" for end in campaign.relaxed(batch)]
    ends = [int(m[1]) for m in map(OBSERVABLES.fullmatch, campaign.names(batch)) if m]
    return [campaign.observables(batch, max(ends))] if ends else []


def finished(campaign: Campaign) -> dict[int, list[Path]]:
    """Returns the files that averages take, by size."""
    return {L: [file for batch in campaign.batches(L) for file in measured(campaign, batch)] for L in campaign.study.sizes}


def realizations(campaign: Campaign, L: int) -> int:
    """Of the study, in those files."""
    here = (batch for batch in campaign.batches(L) if measured(campaign, batch))
    return sum(min(batch.last + 1, campaign.realizations) - batch.first for batch in here)


def call(name: str, *arguments: object) -> None:
    done = programs.call(list(arguments), LONGEST)
    if done.returncode:
        raise StudyError(f"{name} ended with exit code {done.returncode}:\n{(done.stderr or done.stdout).strip()}")


def reduce(program: Path, campaign: Campaign, files: dict[int, list[Path]], to: Path) -> None:
    """The program takes only sizes that have a file; the others are left out of its study. Realizations that are not equilibrated may
    still go on, and are no reason to refuse."""
    sizes = [L for L in campaign.study.sizes if files[L]]
    names = files_from(to / "observables.txt", [file for L in sizes for file in files[L]])
    chosen = ["--set", f"lattice.L=[{','.join(map(str, sizes))}]"]
    if campaign.study.data["equilibration"]["unequilibrated"] == "refuse":
        chosen += ["--set", "equilibration.unequilibrated=keep"]
    call("reduce-disorder", program, "--config", campaign.study.path, *chosen, "--out", to / "reduced.h5", "--csv", to / "results.csv", *names)


def draw(campaign: Campaign, to: Path) -> None:
    script = [sys.executable, PACKAGE]
    call("critical point", *script, "critical.analysis", "--reduced", to / "reduced.h5", "--json", to / "critical.json", "--csv", to / "critical.csv")
    given = ["--reduced", to / "reduced.h5", "--critical", to / "critical.json"]
    call("plots", *script, "plots.plots", *given, "--results", campaign.out, "--out", to / "plots", "--formats", "png", "svg")
    call("crossings", *script, "results.crossings", "--reduced", to / "reduced.h5", "--out", to / "crossings.csv", "--columns", to / "columns.csv")
    call("paired differences", *script, "results.paired", "--reduced", to / "reduced.h5", "--out", to / "equilibration.csv")
    call("provenance", *script, "results.provenance", "--results", campaign.out, "--out", to / "provenance.csv")
    arguments = ["--results", campaign.out, "--averages", to, "--study", campaign.study.path, "--out", to / "report.html"]
    call("report", *script, "report.report", *arguments)


def relaxation(campaign: Campaign, files: dict[int, list[Path]], to: Path) -> None:
    """Numbers, pictures and page of a relaxation."""
    script, words = SCRIPTS[campaign.study.data["model"]["kind"] == "heisenberg"], [file for L in campaign.study.sizes for file in files[L]]
    given = ["--relaxations", *words, "--study", campaign.study.path, "--results", campaign.out, "--out", to, "--name", campaign.out.resolve().name]
    call("relaxation", sys.executable, PACKAGE, script, *given)


def without_errors(campaign: Campaign, L: int) -> bool:
    """Whether a size has fewer than two groups of realizations that share random numbers, so that a relaxation of Ising spins has no errors."""
    return campaign.study.kind == RELAXATION and campaign.study.data["model"]["kind"] != "heisenberg" and realizations(campaign, L) < 2 * campaign.study.data["multispin"]["share"]


def publish(made: Path, to: Path) -> None:
    """Moves file by file, each as a whole, so that a reader of the files before is not disturbed."""
    for file in visible(made, "**/*"):
        (to / file.relative_to(made)).parent.mkdir(parents=True, exist_ok=True)
        file.replace(to / file.relative_to(made))


def main() -> int:
    parser = Parser(__doc__, "psflip partial")
    parser.add_argument("results", type=Path, help="the study file, or the folder of its results")
    parser.add_argument("--bin", type=Path, default=BIN, help="folder of the psflip programs")
    given = parser.parse_args()
    found = Programs.find(given.bin)
    folder = check_folder(given.results)
    study = study_for(folder, folder, "auto")
    campaign = Campaign(study, folder, found.physics_version, found.analysis_version)
    files = finished(campaign)
    for L in campaign.study.sizes:
        few = bool(files[L]) and without_errors(campaign, L)
        files[L] = [] if few else files[L]
        print(f"L = {L}: {realizations(campaign, L)} of {campaign.realizations} realizations" + (", too few for errors: left out" if few else ""))
    if not any(files.values()):
        raise StudyError(f"{folder}: no batch is measured yet; continue with psflip run")
    to = folder / "partial"
    to.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=to) as made:
        if study.kind == RELAXATION:
            relaxation(campaign, files, Path(made))
        else:
            reduce(found.folder / "reduce-disorder", campaign, files, Path(made))
            draw(campaign, Path(made))
        publish(Path(made), to)
    print(printable(f"report: {to / PAGES[study.kind]}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
