"""Decides after each round of runs which batches continue, and at the end which observables files count; writes the files of rounds/
(campaign/campaign.py explains their names). A batch continues if one of its realizations is not equilibrated. All batches of a round continue
if the averages over its realizations still drift.

    python workflows/psflip campaign.rounds criteria --study study.yaml --results OUT
    python workflows/psflip campaign.rounds round --study study.yaml --results OUT --L 8 --sweeps 4096 --program BIN/reduce-disorder
    python workflows/psflip campaign.rounds final --study study.yaml --results OUT --L 8
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py

from psflip.campaign.campaign import Batch, Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.manifest import campaign_of
from psflip.campaign.reduce import files_from
from psflip.campaign.whole_files import write_json


def check_criteria(file: Path, opened: h5py.File, campaign: Campaign) -> None:
    """StudyError where an observables file was made by other criteria (which a clock that went back can hide from Snakemake)."""
    found = {f"equilibration.{key}": value for key, value in opened["equilibration"].attrs.items()} | dict(opened.attrs)
    for name, wanted in campaign.criteria().items():
        key = name if "." in name or name == "analysis_version" else f"equilibration.{name}"
        if key in found and found[key] != wanted:
            raise StudyError(f"{file}: this file was made with {key} = {found[key]}, but the study asks for {wanted}; remove this file and run the same command again")


def unequilibrated(file: Path, batch: Batch, campaign: Campaign) -> list[int]:
    """The numbers of the realizations of the study that are not equilibrated, from the observables file of a batch."""
    with hdf5_file(file, "observables as measure writes them") as opened:
        check_criteria(file, opened, campaign)
        good = opened["equilibration/equilibrated"][:]
    return [batch.first + i for i, fine in enumerate(good) if not fine and batch.first + i < campaign.realizations]


@dataclass(frozen=True)
class Drift:
    """Whether the averages of one size still drift: the largest sigma of their paired differences between the last log2 bins."""

    stationary: bool
    largest_paired_z: float


def drift(program: Path, campaign: Campaign, L: int, files: list[Path]) -> Drift:
    """As reduce-disorder finds it for these observables files."""
    with tempfile.TemporaryDirectory() as folder:
        out, names = Path(folder) / "reduced.h5", Path(folder) / "files.txt"
        chosen = ["--set", f"lattice.L={L}", "--set", "equilibration.unequilibrated=keep", "--log-level", "error"]
        done = subprocess.run([program, "--config", campaign.study.path, *chosen, *files_from(names, files), "--out", out, "--csv", Path(folder) / "results.csv"])
        if done.returncode:
            raise StudyError(f"reduce-disorder failed for the round of L = {L}; see its message above")
        with hdf5_file(out, "averages as reduce-disorder writes them") as opened:
            found = opened[f"L{L}"].attrs
            return Drift(bool(found["stationary"]), float(found["largest_paired_z"]))


def decide_round(campaign: Campaign, L: int, end: int, program: Path) -> dict:
    batches = campaign.in_round(L, end)
    files = {batch: campaign.observables(batch, end) for batch in batches}
    failed = {batch: unequilibrated(file, batch, campaign) for batch, file in files.items()}
    go_on = [batch.name for batch in batches if failed[batch]]
    data = {"L": L, "sweeps": end, "batches": len(batches), "unequilibrated": sum(map(len, failed.values())), "go_on": go_on}
    if len(go_on) < len(batches):
        found = drift(program, campaign, L, list(files.values()))
        data |= {"stationary": found.stationary, "largest_paired_z": None if math.isnan(found.largest_paired_z) else found.largest_paired_z}
        if not found.stationary:
            data["go_on"] = [batch.name for batch in batches]
    return data


def told(data: dict) -> str:
    text = f"L = {data['L']}: {data['unequilibrated']} realizations not equilibrated after {data['sweeps']} sweeps"
    if data.get("largest_paired_z") is not None:
        text += f", the averages {'agree' if data['stationary'] else 'drift'} (largest paired difference {data['largest_paired_z']:.1f} sigma)"
    return f"{text}, {len(data['go_on'])} batches continue"


def final_files(campaign: Campaign, L: int) -> dict:
    files = [campaign.observables(batch, end) for batch, end in campaign.final(L)]
    for file in files:
        with hdf5_file(file, "observables as measure writes them") as opened:
            check_criteria(file, opened, campaign)
    return {"L": L, "realizations": campaign.realizations, "observables": [str(file.relative_to(campaign.out)) for file in files]}


def main() -> int:
    parser = Parser(__doc__)
    parser.add_argument("what", choices=("criteria", "round", "final"))
    parser.add_input("--study", required=True)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_argument("--L", type=int)
    parser.add_argument("--sweeps", type=int, help="the end of the round")
    parser.add_argument("--program", type=Path, help="reduce-disorder")
    given = parser.parse_args()
    campaign = campaign_of(given.study, given.results)
    if given.what != "criteria" and given.L not in campaign.study.sizes:
        parser.error(f"--L {given.L}: the sizes of the study are {', '.join(map(str, campaign.study.sizes))}")
    if given.what == "round" and given.sweeps not in campaign.rounds(given.L):
        parser.error(f"--sweeps {given.sweeps}: the rounds of L = {given.L} end at {', '.join(map(str, campaign.rounds(given.L)))}")
    if given.what == "round" and given.program is None:
        parser.error("round needs --program")
    if given.what == "criteria":
        write_json(campaign.criteria_file(), campaign.criteria())
    elif given.what == "final":
        write_json(campaign.final_file(given.L), final_files(campaign, given.L))
    else:
        data = decide_round(campaign, given.L, given.sweeps, given.program)
        print(told(data))
        write_json(campaign.round_file(given.L, given.sweeps), data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
