"""Writes the pages on the papers behind psflip, and their pictures, from stored data. A GPU is not needed.

    psflip papers                          all pages and pictures of docs/papers
    psflip papers lulli-9 --out FOLDER     one figure: prints its section and draws its picture
    psflip papers --list                   names of all figures and tables, and which are measured
    psflip papers --plan                   what is not measured yet, by visit of a GPU machine
    psflip papers --measure --visit 1      measures it: runs the commands and keeps the data of each in docs/data
    psflip papers --measure --gpus 4       measures on four GPUs, with a command on each

For your own measurements, give --data FOLDER: the commands in a figure's section write its files, whose names the section lists.
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, nearest, printable
from psflip.campaign.whole_files import write_text
from psflip.papers import measure, page
from psflip.papers.pictures import picture_of
from psflip.papers.stored import Data, Paper, Row, read_papers
from psflip.places import BIN, DOCS
from psflip.plots.plot_style import save, take_names

PAGE = "page on papers"


def chosen(papers: list[Paper], names: list[str]) -> list[tuple[Paper, Row]]:
    known = {row.id: (paper, row) for paper in papers for row in paper.rows}
    for name in names:
        if name not in known:
            asked = nearest(name, known)
            raise StudyError(f"there is no figure {name}; {f'{asked} ' if asked else ''}`psflip papers --list` prints all names")
    return [known[name] for name in names]


def draw(rows: list[Row], data: Data, out: Path, formats: list[str]) -> None:
    drawn = [row for row in rows if row.picture and row.is_measured(data)]
    take_names(out, [row.id for row in drawn], formats)
    for row in drawn:
        save(picture_of(row, data), out, row.id, formats)


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip papers")
    parser.add_argument("figure", nargs="*", help="figures and tables by their names; without one, all pages")
    parser.add_argument("--out", type=Path, default=DOCS / "papers", help="folder of pages and pictures")
    parser.add_argument("--tables", type=Path, default=DOCS / "papers", help="folder of the tables of the papers")
    parser.add_argument("--data", type=Path, default=DOCS / "data", help="folder of the stored data")
    parser.add_argument("--bin", type=Path, default=BIN, help="folder of the programs, for --measure")
    parser.add_argument("--formats", nargs="+", default=["png"], choices=["png", "svg", "pdf"])
    parser.add_argument("--list", action="store_true", help="prints the names of all figures and tables")
    parser.add_argument("--plan", action="store_true", help="prints what is not measured yet")
    parser.add_argument("--measure", action="store_true", help="runs the commands of what is not measured yet")
    parser.add_argument("--visit", type=int, help="only figures of this visit")
    parser.add_argument("--gpus", type=int, default=1, help="number of GPUs, each of which runs one command at a time")
    parser.add_argument("--minutes", type=float, default=30.0, help="starts no command that would take longer than what is left of these minutes")
    given = parser.parse_args(words)
    papers, data = read_papers(given.tables), Data(given.data)
    some = [row for _, row in chosen(papers, given.figure)]
    rows = some or [row for paper in papers for row in paper.rows]
    if given.list:
        print(printable("\n".join(f"{row.id:16} {'measured' if row.is_measured(data) else '-':10} {row.name}: {row.what}" for row in rows)))
    elif given.plan or given.measure:
        jobs = measure.jobs_of(rows, data, given.visit)
        print(printable("\n".join(measure.plan(jobs))))
        return measure.run(jobs, given.data, given.bin, given.minutes, given.gpus) if given.measure else 0
    else:
        draw(rows, data, given.out, given.formats)
        if some:
            print(printable("\n\n".join(page.section(row, data) for row in some)))
            return 0
        for paper in papers:
            write_text(given.out / f"{paper.name}.md", page.page(paper, data), PAGE)
        write_text(given.out / "index.md", page.index(papers, data), PAGE)
        print(printable(f"{given.out / 'index.md'}"))
    return 0
