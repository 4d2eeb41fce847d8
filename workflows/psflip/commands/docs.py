"""Lists the pages of the documentation, or prints one of them.

    psflip docs
    psflip docs reading | less
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, nearest, printable
from psflip.places import DOCS, ROOT, WORKFLOWS

SITE = ROOT / "build" / "site" / "index.html"  # of a checkout where docs/site/build.py has run
FOR_DEVELOPERS = ("releasing",)


def pages() -> dict[str, Path]:
    """Returns the pages by name; in a checkout the workflow has its page next to its files."""
    found = {file.stem: file for file in sorted(DOCS.glob("*.md")) if file.stem not in FOR_DEVELOPERS}
    workflow = WORKFLOWS / "README.md"
    return {**found, **({"workflow": workflow} if workflow.is_file() else {})}


def title(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return next(lines, "").strip().lstrip("# ")


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip docs")
    parser.add_argument("page", nargs="?", help="name of a page")
    given = parser.parse_args(words)
    found = pages()
    if given.page is None:
        width = max(map(len, found), default=0)
        print(printable("\n".join(f"{name:{width}}  {title(file)}" for name, file in found.items())))
        print(printable(f"\nThe pages are text files (Markdown) in {DOCS}" + (f"; as a site: {SITE}" if SITE.is_file() else "")))
        return 0
    if given.page not in found:
        asked = nearest(given.page, found)
        raise StudyError(f"there is no page {given.page}; {f'{asked} The' if asked else 'the'} pages are {', '.join(found)}")
    print(printable(found[given.page].read_text(encoding="utf-8").rstrip()))
    return 0
