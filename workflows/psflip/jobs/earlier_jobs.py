"""Slurm jobs of a folder of results that outlived the Snakemake that submitted them. The next one waits for their end before it
looks which files are missing: it would make those again that they are about to finish."""

from __future__ import annotations

import time
from pathlib import Path

from psflip.campaign.errors import StudyError
from psflip.jobs import events, slurm

SHORTEST, LONGEST = 1.0, 30.0  # seconds between two looks at the queue


def _file(out: str | Path) -> Path:
    return Path(out) / ".slurm_runs"


def left(out: str | Path) -> list[str]:
    """The numbers of the jobs that are waiting or running; StudyError where Slurm does not tell."""
    try:
        names = _file(out).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return []
    try:
        return slurm.jobs_named(names)
    except slurm.NoAnswer as reason:
        raise StudyError(_unknown(out, reason)) from None


def pending(out: str | Path) -> list[tuple[str, ...]] | None:
    """Returns the jobs of a folder that wait in the queue of Slurm: rule, then size, batch and end as far as the rule has them. None if no job was submitted from
    the folder, or if Slurm gives no answer."""
    try:
        names = _file(out).read_text(encoding="utf-8").split()
    except OSError:
        return None
    try:
        comments = slurm.pending_comments(names)
    except slurm.NoAnswer:
        return None
    return [words_of(line) for line in comments]


def words_of(comment: str) -> tuple[str, ...]:
    """The words of the comment that Snakemake gives a job: `rule_run_wildcards_8_0000000-0000127_8192`."""
    rule, _, wildcards = comment.strip().removeprefix("rule_").partition("_wildcards_")
    return (rule, *(wildcards.split("_") if wildcards else ()))


def _unknown(out: str | Path, reason: object) -> str:
    return (
        f"{out}: jobs of an earlier Snakemake may still be running, and squeue does not tell ({reason}). Try again where squeue works; "
        f"if they are surely gone, remove {_file(out)}."
    )


def wait(out: str | Path) -> None:
    """Returns when no job of an earlier Snakemake is left."""
    told: list[str] = []
    pause = SHORTEST
    while jobs := left(out):
        if jobs != told:
            shown = ", ".join(jobs[:20]) + (" ..." if len(jobs) > 20 else "")
            name = _file(out).read_text(encoding="utf-8").strip()
            events.say(
                f"{out}: waiting for {len(jobs)} Slurm job{'s' if len(jobs) > 1 else ''} of an earlier Snakemake: {shown}. Running jobs finish their files. To end them "
                f"now, with checkpoints from which new jobs continue: scancel --name={name}"
            )
            told, pause = jobs, SHORTEST
        time.sleep(pause)
        pause = min(1.5 * pause, LONGEST)


def begin(out: str | Path, run: str | None) -> None:
    """Writes down the name under which this Snakemake submits its jobs, None where it submits none to Slurm. StudyError where jobs of
    an earlier one are left: what they are about to finish would be made twice."""
    if jobs := left(out):
        raise StudyError(
            f"{out}: Slurm jobs of an earlier Snakemake are left: {', '.join(jobs)}. Wait for their end or end them (scancel, they save "
            "checkpoints); then give the same command again."
        )
    if run is None:
        _file(out).unlink(missing_ok=True)
    else:
        _file(out).write_text(f"{run}\n", encoding="utf-8")
