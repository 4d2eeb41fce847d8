"""Prints how far a study is: a line per size, one for averages, plots, report and archive, and the total. It counts the jobs of psflip plan. `stopped` jobs have a checkpoint,
`pending` ones wait in the queue of Slurm. It reads names of files, locks, logs and that queue only, and may run at any time.
A study file is compared with the copy in the folder of results: what it asks for more counts as missing.

    psflip status my.yaml
    psflip status results/my
    psflip status my.yaml --watch      # prints again every ten seconds, until all is done
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from psflip.campaign import manifest
from psflip.campaign.campaign import Campaign
from psflip.campaign.colour import coloured, has_cursor
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import printable
from psflip.campaign.results_folder import check_folder, compared, study_for
from psflip.campaign.study import PAGES, add_kinds
from psflip.jobs import earlier_jobs, writer
from psflip.plan.estimate import Estimate
from psflip.plan.plan_text import duration
from psflip.plan.planning import cost, count_jobs
from psflip.plan.progress import Progress, add_pending, progress, progress_of_all, total_of
from psflip.plan.rates import Rates

HEAD = ("L", "jobs", "done", "running", "stopped", "failed", "left", "time left")
PENDING = "pending"  # a column if the jobs go to Slurm, before `left`


def row(found: Progress) -> tuple[str, ...]:
    """`left`: of one core or GPU; `time left`: with as many jobs side by side as run now."""
    left = duration(found.seconds_left) if found.missing else "-"
    at_this_pace = duration(found.seconds_left / found.running) if found.missing and found.running else "-"
    counts = (found.L, found.needed, found.needed - found.missing, found.running, found.waiting, len(found.failed), *(() if found.pending is None else (found.pending,)))
    return (*map(str, counts), left, at_this_pace)


def doublings(campaign: Campaign, estimate: Estimate, rows: list[Progress]) -> list[str]:
    """Says what batches add that do not equilibrate."""
    known, most = total_of(rows), count_jobs(campaign, most=True)
    jobs = most[0].total() - known.needed
    seconds = sum(number * cost(estimate, key).seconds for key, number in most[1].items()) - known.seconds_left
    if jobs <= 0 or not known.missing:
        return []
    return [f"runs that do not equilibrate add up to {jobs} jobs and {duration(seconds)} of work"]


def look_of(found: Progress) -> str:
    return "bad" if found.failed else "" if found.missing else "good"


def as_text(rows: list[Progress]) -> list[str]:
    """Returns the table and the failures, with colours on a terminal."""
    total = [total_of(rows)] if len(rows) > 1 else []
    head = HEAD if rows[0].pending is None else (*HEAD[:-2], PENDING, *HEAD[-2:])
    lines = [head, *map(row, [*rows, *total])]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    text = [printable("  ".join(cell.rjust(width) for cell, width in zip(line, widths))) for line in lines]
    looks = ["head", *map(look_of, [*rows, *total])]
    failures = [printable(f"failed: {file}: {message}") for found in rows for file, message in found.failed]
    return [coloured(line, look, sys.stdout) for line, look in zip(text, looks, strict=True)] + [coloured(line, "bad", sys.stdout) for line in failures]


def look_at(given: argparse.Namespace) -> tuple[list[str], bool]:
    """Returns the lines to print, and whether nothing is left to do."""
    folder = check_folder(given.out or given.results)
    made_with = manifest.read(folder)
    study = study_for(given.results, folder, given.kind)
    campaign = Campaign(study, folder, made_with["physics_version"], made_with.get("analysis_version", 1))
    on_gpu = Rates(campaign, True)
    rates = on_gpu if on_gpu.measured else Rates(campaign, False)  # as the jobs so far
    estimate = Estimate(campaign, rates)
    rows = [*progress(campaign, estimate), progress_of_all(campaign, estimate)]
    changed, refused = compared(given.results, campaign)
    add_pending(rows, campaign, earlier_jobs.pending(folder))
    lines = [*doublings(campaign, estimate, rows), *changed, *refused]
    done = False
    if refused:
        lines.append(manifest.REMEDY)
    elif process := writer.holder(folder):
        lines.append(f"psflip run works on it now ({process}); jobs that just begin do not count as running")
    elif not any(found.missing for found in rows):
        done = True
    elif not given.results.is_dir() and not any(found.running for found in rows):
        lines.append(f"psflip run {given.results} does what is missing")
    end = [coloured(printable(f"all is done; report: {folder / PAGES[study.kind]}"), "good", sys.stdout)] if done else []
    return [*as_text(rows), *map(printable, lines), *end], done


def watch(given: argparse.Namespace) -> None:
    """Prints the progress again and again until all is done. A terminal shows the latest progress only."""
    on_terminal = has_cursor(sys.stdout)
    while True:
        lines, done = look_at(given)
        lines = [f"{time.strftime('%H:%M:%S')}  {printable(given.results)}", *lines]
        text = "".join(f"{line}\x1b[K\n" for line in lines) if on_terminal else "\n".join([*lines, "", ""])
        sys.stdout.write(f"\x1b[H{text}\x1b[J" if on_terminal else text)
        sys.stdout.flush()
        if done:
            return
        time.sleep(given.every)


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip status")
    parser.add_argument("results", type=Path, help="the study file, or the folder of its results")
    parser.add_argument("--out", type=Path, help="folder of the results of a study file (default: results/<name of the study file>)")
    parser.add_argument("--watch", action="store_true", help="print the progress again and again, until all is done")
    parser.add_argument("--every", type=parser.whole(1, 86400), default=10, metavar="SECONDS", help="with --watch: seconds between two looks (default: 10)")
    add_kinds(parser)
    given = parser.parse_args(words)
    if given.watch:
        watch(given)
    else:
        print("\n".join(look_at(given)[0]))
    return 0
