"""Writes report.html: one file with all plots inside, which opens from disk without a network.

    python workflows/psflip report.report --results results/quickstart --study configs/quickstart.yaml --out report.html
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign import manifest
from psflip.campaign.campaign import Campaign
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import printable
from psflip.campaign.study import Study
from psflip.campaign.whole_files import write_text
from psflip.critical.stored import read_critical
from psflip.report import page, report_audit, report_campaign, report_critical, report_equilibration, report_ladder, report_provenance, report_realizations, report_results
from psflip.results import provenance
from psflip.results.cautions import cautions
from psflip.results.reduced import Reduced, read_reduced
from psflip.results.used import total, used_by

HERE = Path(__file__).parent
FOLDED = ("Campaign", "Provenance", "To make it again")  # sections that few readers need: only their titles are shown at first
SCRIPTS = ("zoom.js", "folds.js")


def campaign_of(study: Path, folder: Path) -> Campaign | None:
    """Nothing where study.json is gone."""
    return manifest.campaign_of(study, folder) if (folder / manifest.NAME).is_file() else None


def critical_of(averages: Path) -> dict | None:
    """Nothing where it was not made."""
    file = averages / "critical.json"
    return read_critical(file) if file.is_file() else None


def sections(data: Reduced, critical: dict | None, study: Path, folder: Path, averages: Path) -> list[tuple[str, str]]:
    """Titles and HTML, in order; empty ones are left out of the page."""
    plots = averages / "plots"
    files = provenance.read(averages / "provenance.csv")
    campaign = campaign_of(study, folder)
    return [
        ("Crossings", report_results.crossings(data, plots)),
        ("Critical point", report_critical.section(data, critical, plots)),
        ("Energy", report_results.section_figures(data, "Energy", plots)),
        ("Magnetisation", report_results.section_figures(data, "Magnetisation", plots)),
        ("Spins", report_results.section_figures(data, "Spins", plots)),
        ("Overlap", report_results.section_figures(data, "Overlap", plots)),
        ("Realizations", report_realizations.section(data, plots)),
        ("Equilibration", report_equilibration.section(data, plots, folder)),
        ("Ladder", report_ladder.section(folder, campaign.study if campaign else None)),
        ("Campaign", report_campaign.section(campaign, files, folder)),
        ("Audit", report_audit.section(folder, total(used_by(files, folder)).flips)),
        ("Provenance", report_provenance.section(data, files)),
        ("To make it again", report_provenance.remake(data, study, folder)),
    ]


def document(data: Reduced, study: Path, folder: Path, averages: Path) -> str:
    """`averages`: where plots and provenance.csv of `data` lie; another folder than the study's for a part of a campaign."""
    critical = critical_of(averages)
    name, model = folder.resolve().name, data.model.label
    title = f"psflip study: {', '.join(part for part in (name, model) if part)}" + ("" if averages == folder else ", so far")
    found = sections(data, critical, study, folder, averages)
    files = provenance.read(averages / "provenance.csv")
    boxes = report_critical.facts(data, critical) + report_results.crossing_facts(data) + report_equilibration.facts(data) + report_campaign.facts(files, folder)
    return page.render(
        "page",
        title=title,
        style=(HERE / "report.css").read_text(encoding="utf-8"),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
        lead=report_results.lead(data),
        warnings=cautions(data),
        doubt=report_results.doubt(data),
        facts=page.facts(boxes),
        table=report_results.study_table(data) + report_provenance.couplings_by_hand(data),
        sections=[{"name": name, "anchor": name.lower().replace(" ", "-"), "html": html, "folded": name in FOLDED} for name, html in found if html],
    ) + "\n"


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_input("--averages", folder=True, help="folder of reduced.h5, plots and provenance.csv (default: the same)")
    parser.add_input("--study", required=True, help="the study file")
    parser.add_output("--out", "report", required=True)
    given = parser.parse_args()
    averages = given.averages or given.results
    Study.read(given.study)  # tells what is none
    data = read_reduced(averages / "reduced.h5")
    write_text(given.out, printable(document(data, given.study, given.results, averages)), "report")


if __name__ == "__main__":
    main()
