"""Assembles the page of a relaxation, of Ising or of vector spins, from the parts of the report of a study in equilibrium: summary, cards, what the jobs cost,
provenance, how to make it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from psflip.campaign.campaign import Campaign
from psflip.campaign.hdf5 import hdf5_file
from psflip.campaign.manifest import campaign_of
from psflip.campaign.study import RELAXATION
from psflip.plan.planning import plan_file, read_plan
from psflip.report import page, report_campaign, report_provenance
from psflip.report.report import FOLDED, SCRIPTS
from psflip.results import provenance
from psflip.results.cautions import Caution
from psflip.results.literature import model_of
from psflip.results.reduced import read_provenance
from psflip.results.temperature_scale import without_physics
from psflip.results.used import used_by

HERE = Path(__file__).resolve().parent.parent / "report"
PROGRAMS = ("gen-disorder", "relax")


@dataclass
class Made:
    """What made a relaxation. `folder`: of the results; `provenance`: of its last file, as that of reduced.h5 in a study in equilibrium; `files`: the rows of provenance.csv."""

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
    def of(cls, study: Path, folder: Path, out: Path, last: Path) -> "Made":
        """Writes provenance.csv into the folder `out` of the numbers, too. `last`: the last relaxation file."""
        rows = provenance.write(folder, out / "provenance.csv")
        campaign = campaign_of(study, folder)
        campaign.study.kind = RELAXATION
        with hdf5_file(last, "a relaxation file") as file:
            return cls(study, folder, campaign, out.resolve() != folder.resolve(), read_provenance(file), [row for row in rows if row["program"] in PROGRAMS])

    def lead(self) -> str:
        data = self.config
        sizes = ", ".join(map(str, self.campaign.study.sizes))
        return f'<p class="lead">{escape(model_of(data).full_name)}; relaxation of L = {sizes} at times up to {data["relax"]["last"]} sweeps; {self.campaign.realizations} realizations of each size.</p>'

    def cautions(self) -> list[Caution]:
        """Returns the warnings of the study, in the form that a study in equilibrium has."""
        study = self.campaign.study
        text = without_physics(study.data, [T for L in study.sizes for T in study.temperatures(L)], RELAXATION)
        return [Caution(tuple(study.sizes), text)] if text else []

    def facts(self) -> list[str]:
        return report_campaign.facts(self.files, self.folder)

    def sections(self) -> list[tuple[str, str]]:
        used, planned = used_by(self.files, self.folder), self.folder / plan_file(self.campaign.study)
        parts = [report_campaign.failures(self.folder), report_campaign.usage_table(used)]
        parts += [report_campaign.plan_table(read_plan(planned), used)] if planned.is_file() and used else []
        return [
            ("Campaign", "\n".join(part for part in parts if part)),
            ("Provenance", report_provenance.section(Made(self.study, self.folder, self.campaign), self.files)),  # its table alone
            ("To make it again", report_provenance.remake(self, self.study, self.folder, RELAXATION)),
        ]


def document(title: str, made: Made | None, boxes: list[str], table: str, sections: list[tuple[str, str]]) -> str:
    """`sections`: titles and HTML in order; empty ones are left out. Without `made` the page has the results alone."""
    found = [*sections, *(made.sections() if made else [])]
    return page.render(
        "page",
        title=title + (", so far" if made and made.is_partial else ""),
        style=(HERE / "report.css").read_text(encoding="utf-8"),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
        lead=made.lead() if made else "",
        warnings=made.cautions() if made else [],
        facts=page.facts([*boxes, *(made.facts() if made else [])]),
        table=table,
        sections=[{"name": name, "anchor": name.lower().replace(" ", "-"), "html": html, "folded": name in FOLDED} for name, html in found if html],
    ) + "\n"
