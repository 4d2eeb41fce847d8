"""Slurm jobs of a folder of results that outlived the Snakemake that submitted them. The next Snakemake waits for their end before it looks which files are missing,
because it would make the files again that these jobs are about to finish."""

from __future__ import annotations

import time
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.jobs import events, slurm

SHORTEST, LONGEST = 1.0, 30.0  # seconds between two looks at the queue


def names_file(out: str | Path) -> Path:
    return Path(out) / ".slurm_runs"


def names_in(out: str | Path) -> list[str]:
    """Returns the names under which jobs of the folder were submitted; none if there are none."""
    try:
        return names_file(out).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return []


def left(out: str | Path) -> list[str]:
    """Returns the numbers of the jobs that wait or run. Errors: StudyError if Slurm gives no answer."""
    try:
        return slurm.jobs_named(names) if (names := names_in(out)) else []
    except slurm.NoAnswer as reason:
        raise StudyError(
            f"{out}: jobs of an earlier Snakemake may still be running, but squeue does not report them ({reason}); try again on a machine with squeue, or, "
            f"if no job is left, remove {names_file(out)}"
        ) from None


def pending(out: str | Path) -> list[tuple[str, ...]] | None:
    """Returns the jobs of a folder that wait in the queue of Slurm: rule, then size, batch and end as far as the rule has them. None if no job was submitted from
    the folder, or if Slurm gives no answer."""
    try:
        return [words_of(line) for line in slurm.pending_comments(names)] if (names := names_in(out)) else None
    except (OSError, slurm.NoAnswer):
        return None


def words_of(comment: str) -> tuple[str, ...]:
    """Returns the words of the comment that Snakemake gives a job: `rule_run_wildcards_8_0000000-0000127_8192`."""
    rule, _, wildcards = comment.strip().removeprefix("rule_").partition("_wildcards_")
    return (rule, *(wildcards.split("_") if wildcards else ()))


def wait(out: str | Path) -> None:
    """Returns when no job of an earlier Snakemake is left."""
    told: list[str] = []
    pause = SHORTEST
    while jobs := left(out):
        if jobs != told:
            shown = ", ".join(jobs[:20]) + (" ..." if len(jobs) > 20 else "")
            events.say(
                f"{out}: waiting for {len(jobs)} Slurm job{'s' if len(jobs) > 1 else ''} of an earlier Snakemake: {shown}. Running jobs finish their files. To end them "
                f"now, with checkpoints from which new jobs continue: scancel --name={','.join(names_in(out))}"
            )
            told, pause = jobs, SHORTEST
        time.sleep(pause)
        pause = min(1.5 * pause, LONGEST)


def begin(out: str | Path, run: str | None) -> None:
    """Notes the name under which this Snakemake submits its jobs; None if it submits none to Slurm. Errors: StudyError if jobs of an earlier Snakemake are left."""
    if jobs := left(out):
        raise StudyError(
            f"{out}: Slurm jobs of an earlier Snakemake still run: {', '.join(jobs)}. Wait for their end, or end them with scancel (they save "
            "checkpoints); then run the same command again."
        )
    if run is None:
        names_file(out).unlink(missing_ok=True)
    else:
        names_file(out).write_text(f"{run}\n", encoding="utf-8")
