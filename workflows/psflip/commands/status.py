"""How far a study is: a line per size, and one for averages, plots, report and archive. It reads names of files, locks and logs alone, and may run at any time.

    psflip status results/my
    psflip status my.yaml
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.manifest import NAME, campaign_of
from psflip.plan.estimate import Estimate
from psflip.plan.planning import duration
from psflip.plan.progress import Progress, progress, progress_of_all
from psflip.plan.rates import Rates

HEAD = ("L", "jobs", "done", "running", "stopped", "failed", "left", "time left")


def folder_of(given: Path) -> Path:
    """The folder of results, or that of a study file."""
    folder = given if given.is_dir() else Path("results") / given.stem
    if not (folder / NAME).is_file() or not (folder / "study.yaml").is_file():
        what = f"{given}: its results would lie in {folder}, which" if folder != given else f"{folder}"
        raise StudyError(f"{what} is no folder of results, as it has no {NAME} and study.yaml; give the folder (results/NAME), or begin with psflip run")
    return folder


def row(found: Progress) -> tuple[str, ...]:
    """`left`: of one core or GPU; `time left`: with as many jobs side by side as run now."""
    left = duration(found.seconds_left) if found.missing else "-"
    at_this_pace = duration(found.seconds_left / found.running) if found.missing and found.running else "-"
    counts = (found.L, found.needed, found.needed - found.missing, found.running, found.waiting, len(found.failed))
    return (*map(str, counts), left, at_this_pace)


def as_text(rows: list[Progress]) -> list[str]:
    lines = [HEAD, *map(row, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
    return text + [f"failed: {file}: {message}" for found in rows for file, message in found.failed]


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip status")
    parser.add_argument("results", type=Path, help="folder of the study's results, or the study file")
    folder = folder_of(parser.parse_args(words).results)
    campaign = campaign_of(folder / "study.yaml", folder)
    on_gpu = Rates(campaign, True)
    rates = on_gpu if on_gpu.measured else Rates(campaign, False)  # as the jobs so far
    estimate = Estimate(campaign, rates)
    rows = [*progress(campaign, estimate), progress_of_all(campaign, estimate)]
    print(printable("\n".join(as_text(rows))))
    if not any(found.missing for found in rows):
        print(printable(f"all is done; report: {folder / 'report.html'}"))
    return 0
