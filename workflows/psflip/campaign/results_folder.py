"""Finds the folder of results of what a command is given, a folder or a study file, and compares a study file with the copy in that folder."""

from __future__ import annotations

import copy
from pathlib import Path

from psflip.campaign import manifest
from psflip.campaign.campaign import Campaign
from psflip.campaign.errors import StudyError
from psflip.campaign.study import Study, canonical

COPY = "study.yaml"
ENDINGS = (".yaml", ".yml")
LONGEST = 60  # letters of a value


def folder_of(given: str | Path) -> Path:
    """Returns a folder as it is; of a study file, or of its bare name, `results/<name>` in the working directory, where `psflip run` puts the results. StudyError if there
    is neither the file nor the folder."""
    given = Path(given)
    is_name = given.suffix in ENDINGS or given.parent == Path(".")
    folder = Path("results") / given.stem if is_name and not given.is_dir() else given
    if given.suffix in ENDINGS and not given.exists() and not folder.is_dir():
        raise StudyError(f"{given}: no such file")
    return folder


def check_folder(given: Path) -> Path:
    """Returns the folder of results; StudyError if no study has begun in it."""
    folder = folder_of(given)
    missing = [name for name in (COPY, manifest.NAME) if not (folder / name).is_file()]
    if missing:
        what = f"{given}: its results would lie in {folder}, which" if folder != given else f"{folder}"
        raise StudyError(f"{what} is not a folder of results, because it has no {' and no '.join(missing)}; give the folder (results/NAME), or begin with psflip run")
    return folder


def study_for(given: Path, folder: Path, kind: str) -> Study:
    """Returns the study of a file, if `given` is one, else the study of the copy in the folder. Tuned temperatures come from the copy. If the file has sections of both
    kinds, the last run decides."""
    copied = Study.read(folder / COPY)
    study = Study.read(given) if given.suffix in ENDINGS and not given.is_dir() else copied
    study.choose(manifest.read(folder).get("kind", "auto") if kind == "auto" and study.has_both else kind)
    if study is not copied and (folder / "ladder").is_dir() and "# tuned, see ladder/" in copied.text:
        study.data = {**study.data, "temperatures": copied.data["temperatures"]}
    return study


def flat(data: dict, before: str = "") -> dict[str, object]:
    """Key -> value; sections by dots, maps by size as they are."""
    found: dict[str, object] = {}
    for key, value in data.items():
        is_section = isinstance(value, dict) and not before and key != "temperatures"
        found |= flat(value, f"{key}.") if is_section else {f"{before}{key}": canonical(value)}
    return found


def shown(value: object) -> str:
    text = str(value).replace("'", "")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def changes(old: Study, new: Study) -> list[str]:
    """Returns what a study file says otherwise than the copy: `disorder.realizations: 512 -> 1024`."""
    before, after = flat(copy.deepcopy(old.data)), flat(copy.deepcopy(new.data))
    return [f"{key}: {shown(before.get(key))} -> {shown(after.get(key))}" for key in sorted({*before, *after}) if before.get(key) != after.get(key)]


def compared(given: Path, campaign: Campaign) -> tuple[list[str], list[str]]:
    """Says how the given study file differs from the study file of the last run, and why psflip run would refuse it. Says nothing for a folder, or if both files are equal."""
    if given.is_dir() or given.suffix not in ENDINGS:
        return [], []
    found = changes(Study.read(campaign.out / COPY), campaign.study)
    refused = manifest.contradictions(campaign, manifest.read(campaign.out)) if found else []
    lines = [f"{given} was changed since the last psflip run: {'; '.join(found)}"] if found else []
    return lines, [f"psflip run would refuse it: {text}" for text in refused]
