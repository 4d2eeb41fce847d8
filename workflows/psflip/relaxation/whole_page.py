"""Makes the page of a relaxation of Ising or vector spins. It has results and, as the report of a study in equilibrium, the cost of jobs, provenance, and the commands
that reproduce the study."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from psflip.campaign.campaign import Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.manifest import campaign_of
from psflip.campaign.study import RELAXATION
from psflip.plan.planning import plan_file
from psflip.report import page, report_campaign, report_provenance
from psflip.results import provenance
from psflip.results.cautions import Caution
from psflip.results.literature import model_of
from psflip.results.reduced import read_provenance
from psflip.results.temperature_scale import without_physics

PROGRAMS = ("gen-disorder", "relax")


def parser_of(doc: str, name: str, state: str) -> Parser:
    """Returns the options of a program that makes numbers, pictures and the page of relaxation files. `name`: the default of --name; `state`: the help of --state."""
    parser = Parser(doc)
    parser.add_input("--relaxations", required=True, nargs="+", help="relaxation files of one study, of all sizes, batches and parts")
    parser.add_input("--state", help=state)
    parser.add_input("--study", help="the study file, for provenance and how to reproduce the study")
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_input("--results", folder=True, help="folder of the study's results, if the numbers go elsewhere (default: --out)")
    parser.add_argument("--name", default=name, help="of the study, in the page")
    return parser


@dataclass
class Made:
    """What made a relaxation. `folder`: of the results. `provenance`: of the last relaxation file. `files`: the rows of provenance.csv."""

    study: Path
    folder: Path
    campaign: Campaign
    is_partial: bool = False  # numbers of what has finished so far
    provenance: dict[str, str] = field(default_factory=dict)
    files: list[dict[str, str]] = field(default_factory=list)

    @property
    def config(self) -> dict:
        return self.campaign.study.data

    @classmethod
    def of(cls, given: argparse.Namespace) -> "Made | None":
        """Writes provenance.csv into the folder of the numbers, too. `given`: options of `parser_of`; None without a study file."""
        if not given.study:
            return None
        folder = given.results or given.out
        rows = provenance.write(folder, given.out / "provenance.csv")
        campaign = campaign_of(given.study, folder)
        campaign.study.kind = RELAXATION
        with hdf5_file(given.relaxations[-1], "a relaxation file") as file:
            is_partial, files = given.out.resolve() != folder.resolve(), [row for row in rows if row["program"] in PROGRAMS]
            return cls(given.study, folder, campaign, is_partial, read_provenance(file), files)

    def lead(self) -> str:
        data = self.config
        sizes = ", ".join(map(str, self.campaign.study.sizes))
        return f'<p class="lead">{escape(model_of(data).full_name)}; relaxation of L = {sizes} at times up to {data["relax"]["last"]} sweeps; {self.campaign.realizations} realizations of each size.</p>'

    def cautions(self) -> list[Caution]:
        """Returns the warnings of the study, in the form that a study in equilibrium has."""
        study = self.campaign.study
        text = without_physics(study.data, [T for L in study.sizes for T in study.temperatures(L)], RELAXATION)
        return [Caution(tuple(study.sizes), text)] if text else []

    def sections(self) -> list[tuple[str, str]]:
        return [
            ("Jobs and cost", report_campaign.section(None, self.files, self.folder, plan_file(self.campaign.study))),
            ("Provenance", report_provenance.program_table(self.files)),
            ("Reproduce this study", report_provenance.remake(self, self.study, self.folder, RELAXATION)),
        ]


def document(title: str, made: Made | None, boxes: list[str], table: str, sections: list[tuple[str, str]]) -> str:
    """`sections`: titles and HTML in order; empty ones are left out. Without `made` the page has the results alone."""
    if not made:
        return page.document(title, "", boxes, table, sections)
    title, boxes = title + (", so far" if made.is_partial else ""), boxes + report_campaign.facts(made.files, made.folder)
    return page.document(title, made.lead(), boxes, table, sections + made.sections(), made.cautions())
