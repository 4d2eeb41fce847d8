"""Temperatures that `pt-run --tune-ladder` proposed, in OUT/ladder/L<size>.yaml, and a study that takes them."""

from __future__ import annotations

import copy
from pathlib import Path

import yaml

from psflip.campaign import options
from psflip.campaign.errors import StudyError, reading
from psflip.campaign.study import Study, canonical, digest
from psflip.campaign.yaml_text import load_yaml

FIRST = 2**24 - 128  # realizations that ladders are tuned on: the last numbers there are, so that no campaign has them
COUNT = 128


def content(study: Study, L: int, physics_version: int, options: str) -> str:
    """A short text that differs where the tuned ladder of a size would."""
    stages = study.parameters(L)
    keys = {key: value for stage in ("disorder", "thermalize") for key, value in stages[stage].items() if key != "thermalize.sweeps"}
    return digest(physics_version, options, canonical(keys))


def sites_of(attributes) -> int:
    """Returns the number of sites from the attributes of the file of a tuning. The dimension is three if the file does not say."""
    identity = load_yaml(str(attributes.get("physics", ""))) or {}
    return int(attributes["L"]) ** int(identity.get("model", {}).get("dimension", 3))


def trips_per_flips(round_trips, count, sites: int):
    """Round trips per 10^9 proposed flips, from those per sweep of `count` temperatures: what the files of `pt-run --tune-ladder` compare
    ladders by, since a sweep of more temperatures costs more."""
    return 1e9 * round_trips / (count * sites)


def ladder_file(out: str | Path, L: int) -> Path:
    return Path(out) / "ladder" / f"L{L}.yaml"


def tuned_ladder(out: str | Path, L: int) -> list[float]:
    file = ladder_file(out, L)
    if not file.exists():
        raise StudyError(f"there is no tuned ladder for L = {L}, because {file} is missing; make it first, with the target `ladder` and without ladder=...")
    with reading(file, "a ladder as pt-run --tune-ladder writes it (remove it and make it again)"):
        return [float(T) for T in load_yaml(file.read_text(encoding="utf-8"))["temperatures"]["list"]]


def with_ladder(study: Study, out: str | Path, choice: str) -> Study:
    """The study with its own temperatures (choice `study`), with the tuned ladder of each size (`tuned`), or with the tuned ladder of
    one size for all of them (`tuned:16`)."""
    if options.checked("ladder", choice) == "study":
        return study
    of_all = int(choice.partition(":")[2] or 0)
    if of_all and of_all not in study.sizes and not ladder_file(out, of_all).is_file():
        raise StudyError(f"ladder={choice}: L = {of_all} is not a size of this study ({', '.join(map(str, study.sizes))}), and {ladder_file(out, of_all)} is missing")
    data = copy.deepcopy(study.data)
    data["temperatures"] = {str(L): {"list": tuned_ladder(out, of_all or L)} for L in study.sizes}
    tuned = Study(data, study.path, sections=study.sections)
    tuned.text, tuned.kind = text_with_ladder(study.text, tuned), study.kind
    return tuned


def text_with_ladder(text: str, study: Study) -> str:
    """Replaces the temperatures in the text of a study file by the temperatures of `study`, a list for each size. All else stays."""
    section = ["temperatures:  # tuned, see ladder/\n"]
    section += [f"  {L}: {{list: [{', '.join(f'{T:.10g}' for T in study.temperatures(L))}]}}\n" for L in study.sizes]
    root, lines = yaml.compose(text), (text.rstrip("\n") + "\n").splitlines(keepends=True)
    if root.flow_style:
        return yaml.safe_dump(load_yaml(text) | load_yaml("".join(section)), sort_keys=False)
    starts = {key.value: key.start_mark.line for key, _ in root.value}
    begin = starts.get("temperatures", len(lines))
    end = min((line for line in starts.values() if line > begin), default=len(lines))
    while end > begin and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1  # comments before the next key are about that
    return "".join(lines[:begin] + section + lines[end:])
