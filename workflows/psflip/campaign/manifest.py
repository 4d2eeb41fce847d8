"""OUT/study.json: what the files of a campaign were made with. A study file or programs that contradict finished files are refused
before anything runs; nothing is made again behind one's back."""

from __future__ import annotations

import os
import re
from pathlib import Path

from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.errors import StudyError
from psflip.campaign.json_files import read_json
from psflip.campaign.study import RELAXATION, SECTIONS, Study, default_of
from psflip.campaign.whole_files import visible, write_json

FORMAT = 1
STAGES = frozenset(("disorder", "thermalize", "run", "relax"))
FORM = {"physics_version": int, "analysis_version?": int, "kind?": set(SECTIONS), "sizes": {re.compile(r"[1-9]\d{0,8}"): {STAGES: {str: object}}}}  # size -> stage -> key -> value
NAME = "study.json"
WHAT = "a study.json of psflip (it says what the files next to it were made with; restore it)"
MADE = ("study.yaml", "plan.json", "couplings.json", "observables.txt", "reduced.h5", "critical.json", "report.html", "study.zip", "relaxation.html", "relaxation.json", "relaxation.zip")
TABLES = ("results.csv", "crossings.csv", "critical.csv", "equilibration.csv", "provenance.csv", "columns.csv")
MADE_IN_FOLDERS = ("plots/*.*", "ladder/L*.*", "audit/*.*")
REMEDY = "Restore the value, or give another folder of results (--out FOLDER; snakemake: --config out=FOLDER)."


def stages_on_disk(campaign: Campaign, L: int) -> list[str]:
    """Of disorder, thermalize, run, relax: those that have files, finished or with a checkpoint."""
    found = set()
    for batch in campaign.on_disk(L):
        names = campaign.names(batch)
        found |= {"disorder"} if "disorder.h5" in names else set()
        found |= {"thermalize"} if any(name.startswith("state-0.h5") for name in names) else set()
        found |= {"run", "thermalize"} if campaign.ends(batch) else set()
        found |= {"relax"} if campaign.relaxed(batch, with_checkpoints=True) else set()
    return [stage for stage in ("disorder", "thermalize", "run", "relax") if stage in found]


def stages_of(study: Study, L: int) -> dict[str, dict[str, object]]:
    """Stage -> key -> value of all files of a size, also of relaxations."""
    return study.parameters(L) | {"relax": study.relaxation_parameters(L)}


def sizes_on_disk(campaign: Campaign) -> list[int]:
    folders = [path.name for path in campaign.out.glob("L*")] if campaign.out.is_dir() else []
    return sorted(int(name[1:]) for name in folders if name[1:].isdigit())


def read(out: Path) -> dict:
    """Returns the manifest, or {} without one."""
    file = out / NAME
    if not file.exists():
        return {}
    found = read_json(file, WHAT, {"format": object})["format"]
    if found != FORMAT:
        raise StudyError(f"{file}: format {found}, but this workflow reads format {FORMAT}")
    return read_json(file, WHAT, FORM)


def campaign_of(study: Path, out: Path) -> Campaign:
    """The campaign in a folder where Snakemake has begun: its versions stand in the manifest."""
    data = read(out)
    if not data:
        raise StudyError(f"{out / NAME} is missing. It says what the files next to it were made with; restore it")
    return Campaign(Study.read(study), out, data["physics_version"], data.get("analysis_version", 1))


def shown(value: object) -> str:
    if isinstance(value, list) and len(value) > 6:
        return f"{value[0]} to {value[-1]} ({len(value)} values)"
    return str(value)


def difference(key: str, old: object, new: object) -> str:
    text = f"{key}: finished files have {shown(old)}, but the study file has {shown(new)}"
    if isinstance(old, list) and isinstance(new, list) and shown(old) == shown(new):
        first = next(i for i, (a, b) in enumerate(zip(old, new)) if a != b)
        text += f"; value {first + 1} is {old[first]} there and {new[first]} here"
    return text


def base(end: int, shortest: int) -> int:
    """`end` halved while it is even and the half is a possible run."""
    while end % 2 == 0 and end // 2 >= shortest:
        end //= 2
    return end


def refused_end(campaign: Campaign, batch: Batch) -> str | None:
    """Why a batch cannot get to run.sweeps and its doublings from what it has."""
    ends, wanted = campaign.ends(batch), campaign.sweeps(batch.L)
    if not ends:
        return None
    where = f"{batch.folder} has runs to {', '.join(map(str, ends))}"
    run = campaign.study.data["run"]
    shortest = run["blocks"] * run["measure_every"]
    if base(wanted, shortest) != base(ends[0], shortest):
        allowed = [*ends, ends[-1] * 2]
        return f"run.sweeps of L = {batch.L}: {where} sweeps, but the study file has {wanted}, which is not a doubling of these; use {', '.join(map(str, allowed))}"
    missing = [end for end in campaign.chain(batch, ends[-1]) if end not in ends]
    if ends[-1] > wanted and wanted not in ends:
        missing = [wanted]
    if missing:
        return f"run.sweeps of L = {batch.L}: {where} sweeps, but the study file has {wanted}; runs cannot get shorter, so raise run.sweeps"
    return None


def contradictions(campaign: Campaign, manifest: dict) -> list[str]:
    """Every key whose value in the study file is not the one that the files of the campaign have."""
    found: list[str] = []
    stages = {L: stages_on_disk(campaign, L) for L in sizes_on_disk(campaign)}
    if not any(stages.values()):
        return found
    if not manifest:
        return [f"{campaign.out / NAME} is missing, but there are files of a campaign. It says what they were made with; restore it"]
    if manifest["physics_version"] != campaign.physics_version:
        found.append(f"physics version: finished files have {manifest['physics_version']}, but the programs have {campaign.physics_version}")
    for L in campaign.study.sizes:
        if not stages.get(L):
            continue
        new = stages_of(campaign.study, L)
        if str(L) not in manifest["sizes"]:
            found.append(f"L = {L}: there are files, but {NAME} does not say what they were made with")
            continue
        for stage in stages[L]:
            if stage == "relax" and stage not in manifest["sizes"][str(L)]:
                continue  # files of a psflip that did not record them
            made_with = manifest["sizes"][str(L)].get(stage, {})
            for key in made_with | new[stage]:
                value = made_with[key] if key in made_with else default_of(key)  # files of a psflip that did not have the key yet
                wanted = new[stage][key] if key in new[stage] else default_of(key)
                if key == "relax.waiting":  # later waiting times may be added with a later end
                    end = max(end for batch in campaign.on_disk(L) for end in campaign.relaxed(batch, with_checkpoints=True) or [0])
                    value, wanted = ([time for time in times if time < end] for times in (value, wanted))
                if wanted != value and (text := difference(key, value, wanted)) not in found:
                    found.append(text)
        ends = [text for batch in campaign.on_disk(L) if (text := refused_end(campaign, batch))]
        found += ends[:1]
    return found


def check(campaign: Campaign) -> None:
    """StudyError where the study file contradicts files of the campaign."""
    found = contradictions(campaign, read(campaign.out))
    if found:
        lines = "\n".join(f"  {text}" for text in found)
        tuned = any(text.startswith("temperatures: ") for text in found) and (campaign.out / "ladder").is_dir()
        ladder = " A campaign that began with tuned temperatures needs its ladder=... each time." if tuned else ""
        raise StudyError(f"{campaign.study.path} does not fit what is in {campaign.out}:\n{lines}\n{REMEDY}{ladder}")


def check_folder(campaign: Campaign, given: Path) -> None:
    """StudyError where the workflow would replace files that it did not make: the study file that is given, by a text with other temperatures,
    or files in a folder without study.json, which is the first that it writes there."""
    out, copy = campaign.out, campaign.out / "study.yaml"
    same = copy.is_file() and os.path.samefile(copy, given)
    if same and copy.read_text(encoding="utf-8", errors="replace") != campaign.study.text:
        raise StudyError(f"{copy} is the given study file, whose temperatures would be replaced; give a copy of it elsewhere, or another folder of results")
    if read(out):
        return
    found = [file.relative_to(out).as_posix() for pattern in (*MADE, *TABLES, *MADE_IN_FOLDERS) for file in visible(out, pattern) if not (same and file == copy)]
    if found:
        shown = ", ".join(found[:5]) + (" ..." if len(found) > 5 else "")
        raise StudyError(f"{out}: the workflow would replace {shown}, which it did not make, because there is no {NAME}; give the results their own folder (--config out=FOLDER)")


def of_size(study: Study, L: int, old: dict) -> dict:
    relax = study.relaxation_parameters(L) if study.kind == RELAXATION else old.get("relax")
    return study.parameters(L) | ({"relax": relax} if relax else {})


def write(campaign: Campaign) -> None:
    """Writes the manifest for the study. Sizes that the study no longer has keep their entry, and so do relaxations if the study is in equilibrium."""
    old = read(campaign.out)
    kept = {str(L): old["sizes"][str(L)] for L in sizes_on_disk(campaign) if str(L) in old.get("sizes", {})}
    sizes = kept | {str(L): of_size(campaign.study, L, old.get("sizes", {}).get(str(L), {})) for L in campaign.study.sizes}
    data = {"format": FORMAT, "physics_version": campaign.physics_version, "analysis_version": campaign.analysis_version, "sizes": dict(sorted(sizes.items(), key=lambda item: int(item[0])))}
    if campaign.study.has_both:
        data["kind"] = campaign.study.kind
    if data != old:
        write_json(campaign.out / NAME, data)
