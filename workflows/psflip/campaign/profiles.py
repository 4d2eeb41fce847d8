"""Profiles of Snakemake: where they lie, and which executor they name."""

from __future__ import annotations

import argparse
from pathlib import Path

import yaml

from psflip.campaign.errors import StudyError, nearest
from psflip.places import WORKFLOWS

NAMES = tuple(f"{stem}.yaml" for stem in ("profile", "config", "profile.v9+", "config.v8+"))
OPTIONS = ("--workflow-profile", "--profile")


def folder_of(name: str | None) -> Path:
    """Returns the folder of one of psflip's profiles (None: the profile of one machine), or a folder with a profile.yaml; StudyError if there is none."""
    name = name or "default"
    known = sorted(folder.name for folder in (WORKFLOWS / "profiles").iterdir() if folder.is_dir())
    folder = WORKFLOWS / "profiles" / name if name in known else Path(name)
    if not any((folder / file).is_file() for file in NAMES):
        raise StudyError(f"--profile {name}: this is neither a profile of psflip ({', '.join(known)}) nor a folder with a profile.yaml; {nearest(name, known) or 'give one of them'}")
    return folder


def settings_in(folder: Path) -> dict:
    """Returns the settings of a profile; none if it cannot be read, which Snakemake reports."""
    for name in NAMES:
        try:
            found = yaml.safe_load((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError, yaml.YAMLError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def executor_in(folder: Path) -> str:
    """Returns the executor that a profile names; empty if it names none."""
    return str(settings_in(folder).get("executor", ""))


def is_cluster(folder: Path) -> bool:
    """Whether the jobs of a profile go to a scheduler."""
    return executor_in(folder) not in ("", "local")


def seconds_of_stage(folder: Path) -> float:
    """Returns how long a stage of short jobs waits on a cluster, for an empty queue: until the second question for the states of jobs. Slurm is asked after an interval that
    grows by 10 s at each answer without a finished job, other schedulers at equal intervals."""
    settings = settings_in(folder)
    slurm = settings.get("executor") == "slurm"
    interval = settings.get("slurm-init-seconds-before-status-checks", 40) if slurm else settings.get("seconds-between-status-checks", 10)
    return 2 * float(interval) + (10 if slurm else 0) if isinstance(interval, (int, float)) else 0.0


def executor_of(words: list[str]) -> str:
    """Returns the executor of a command line of Snakemake; empty for this machine."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--executor", "-e", default="")
    for name in OPTIONS:
        parser.add_argument(name)
    given, _ = parser.parse_known_args(words)
    named = (executor_in(Path(folder)) for folder in (given.workflow_profile, given.profile) if folder)
    return given.executor or next(filter(None, named), "")
