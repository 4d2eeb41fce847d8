"""Decides after each round of runs which batches go on, and at the end which observables files count; writes the files of rounds/
(campaign/campaign.py tells their names).

    python workflows/scripts campaign.rounds criteria --study study.yaml --results OUT
    python workflows/scripts campaign.rounds round --study study.yaml --results OUT --L 8 --sweeps 4096
    python workflows/scripts campaign.rounds final --study study.yaml --results OUT --L 8
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import h5py

from campaign.campaign import Batch, Campaign
from campaign.errors import StudyError
from campaign.manifest import campaign_of
from campaign.whole_files import write_json


def check_criteria(file: Path, opened: h5py.File, campaign: Campaign) -> None:
    """StudyError where an observables file was judged by other criteria (which a clock that went back can hide from Snakemake)."""
    judged = opened["equilibration"].attrs
    for key, wanted in campaign.criteria().items():
        if key in judged and judged[key] != wanted:
            raise StudyError(
                f"{file}: judged with equilibration.{key} = {judged[key]}, but the study asks for {wanted}; remove this file and give the same command again"
            )


def unequilibrated(file: Path, batch: Batch, campaign: Campaign) -> list[int]:
    """The numbers of the realizations of the study that are not equilibrated, from the observables file of a batch."""
    with h5py.File(file) as opened:
        check_criteria(file, opened, campaign)
        good = opened["equilibration/equilibrated"][:]
    return [batch.first + i for i, fine in enumerate(good) if not fine and batch.first + i < campaign.realizations]


def decide_round(campaign: Campaign, L: int, end: int) -> dict:
    go_on, number, batches = [], 0, campaign.in_round(L, end)
    for batch in batches:
        found = unequilibrated(campaign.observables(batch, end), batch, campaign)
        number += len(found)
        if found:
            go_on.append(batch.name)
    return {"L": L, "sweeps": end, "batches": len(batches), "unequilibrated": number, "go_on": go_on}


def final_files(campaign: Campaign, L: int) -> dict:
    files = [campaign.observables(batch, end) for batch, end in campaign.final(L)]
    for file in files:
        with h5py.File(file) as opened:
            check_criteria(file, opened, campaign)
    return {"L": L, "realizations": campaign.realizations, "observables": [str(file.relative_to(campaign.out)) for file in files]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("criteria", "round", "final"))
    parser.add_argument("--study", required=True, type=Path)
    parser.add_argument("--results", required=True, type=Path, help="folder of the study's results")
    parser.add_argument("--L", type=int)
    parser.add_argument("--sweeps", type=int, help="the end of the round")
    given = parser.parse_args()
    campaign = campaign_of(given.study, given.results)
    if given.what == "criteria":
        write_json(campaign.criteria_file(), campaign.criteria())
    elif given.what == "final":
        write_json(campaign.final_file(given.L), final_files(campaign, given.L))
    else:
        data = decide_round(campaign, given.L, given.sweeps)
        print(f"L = {given.L}: {data['unequilibrated']} realizations not equilibrated after {given.sweeps} sweeps, {len(data['go_on'])} batches go on")
        write_json(campaign.round_file(given.L, given.sweeps), data)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StudyError as error:
        sys.exit(str(error))
