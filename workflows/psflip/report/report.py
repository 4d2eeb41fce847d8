"""Writes report.html: one file with all plots inside, which opens from disk without a network.

    python workflows/psflip report.report --results results/quickstart --study configs/quickstart.yaml --out report.html
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign import manifest
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import printable
from psflip.campaign.study import Study
from psflip.campaign.whole_files import write_text
from psflip.critical.stored import read_critical
from psflip.report import page, report_audit, report_campaign, report_critical, report_equilibration, report_ladder, report_provenance, report_realizations, report_results, report_zero
from psflip.results import provenance
from psflip.results.cautions import cautions
from psflip.results.reduced import Reduced, read_reduced
from psflip.results.used import total, used_by


def document(data: Reduced, study: Path, folder: Path, averages: Path) -> str:
    """Returns the page. `averages`: the folder with the plots and provenance.csv of `data`. For a part of a study, it is not the folder of the study."""
    critical = read_critical(file) if (file := averages / "critical.json").is_file() else None
    campaign = manifest.campaign_of(study, folder) if (folder / manifest.NAME).is_file() else None
    plots, files = averages / "plots", provenance.read(averages / "provenance.csv")
    title = ", ".join(part for part in (folder.resolve().name, data.model.label) if part)
    boxes = report_critical.facts(data, critical) + report_results.crossing_facts(data) + report_equilibration.facts(data) + report_campaign.facts(files, folder)
    sections = [
        ("Crossings", report_results.crossings(data, plots)),
        ("Critical point", report_critical.section(data, critical, plots)),
        ("Zero temperature", report_zero.section(data, critical, plots)),
        *((name, report_results.section_figures(data, name, plots)) for name in ("Energy", "Magnetisation", "Spins", "Overlap")),
        ("Realizations", report_realizations.section(data, plots)),
        ("Equilibration", report_equilibration.section(data, plots, folder)),
        ("Ladder", report_ladder.section(folder, campaign.study if campaign else None)),
        ("Jobs and cost", report_campaign.section(campaign, files, folder)),
        ("Audit", report_audit.section(folder, total(used_by(files, folder)).flips)),
        ("Provenance", report_provenance.section(data, files)),
        ("Reproduce this study", report_provenance.remake(data, study, folder)),
    ]
    return page.document(
        f"psflip study: {title}" + ("" if averages == folder else ", so far"),
        report_results.lead(data) + report_critical.lead(data, critical) + report_zero.lead(data, critical),
        boxes,
        report_results.study_table(data) + report_provenance.couplings_by_hand(data),
        sections,
        cautions(data),
        report_results.doubt(data),
    )


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--results", folder=True, required=True, help="folder of the study's results")
    parser.add_input("--averages", folder=True, help="folder of reduced.h5, plots and provenance.csv (default: the folder of --results)")
    parser.add_input("--study", required=True, help="the study file")
    parser.add_output("--out", "report", required=True)
    given = parser.parse_args()
    averages = given.averages or given.results
    Study.read(given.study)  # StudyError if the file is not a study file
    data = read_reduced(averages / "reduced.h5")
    write_text(given.out, printable(document(data, given.study, given.results, averages)), "report")


if __name__ == "__main__":
    main()
