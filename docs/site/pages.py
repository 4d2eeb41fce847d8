"""The Markdown files of the repository as pages of the site, and the files that they lead to."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import unquote

TREES = ("*.md", "docs/**/*.md", "libcore/**/*.md", "tools/**/*.md", "workflows/**/*.md", "tests/**/*.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = ("http://", "https://", "mailto:", "#")


def copy(root: Path, folder: Path) -> None:
    for pattern in TREES:
        for file in sorted(root.glob(pattern)):
            target = folder / file.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)


def links(page: Path) -> list[str]:
    """Paths that a page links to or shows, without what is on other machines."""
    found = LINK.findall(page.read_text())
    return [unquote(link.split("#")[0]) for link in found if not link.startswith(ELSEWHERE)]


def copy_linked(root: Path, folder: Path) -> None:
    """Pictures, data and sources that pages lead to, where they are files of the repository."""
    for page in sorted(folder.rglob("*.md")):
        for link in links(page):
            target = (page.parent / link).resolve()
            if target.exists() or not target.is_relative_to(folder.resolve()):
                continue
            source = root / target.relative_to(folder.resolve())
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)


def title_of(page: Path) -> str:
    """The first heading, up to a colon."""
    line = next(line for line in page.read_text().splitlines() if line.startswith("# "))
    return line[2:].split(":")[0].replace("`", "").strip()


def begin_with(page: Path, sentence: str) -> None:
    """Puts a sentence below the first heading, once."""
    head, heading, rest = re.split(r"^(# .*\n)", page.read_text(), maxsplit=1, flags=re.MULTILINE)
    if not rest.startswith(f"\n{sentence}"):
        page.write_text(f"{head}{heading}\n{sentence}\n{rest}")
