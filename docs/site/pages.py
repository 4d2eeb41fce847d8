"""Copies the Markdown files of the repository and the files that they link to."""

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
    """Returns the paths of links and pictures of a page, without addresses on other machines."""
    found = LINK.findall(page.read_text())
    return [unquote(link.split("#")[0]) for link in found if not link.startswith(ELSEWHERE)]


def copy_linked(root: Path, folder: Path) -> None:
    """Copies the pictures, data and sources of the repository that pages link to."""
    for page in sorted(folder.rglob("*.md")):
        for link in links(page):
            target = (page.parent / link).resolve()
            if target.exists() or not target.is_relative_to(folder.resolve()):
                continue
            source = root / target.relative_to(folder.resolve())
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)


def search_last(page: Path) -> None:
    """Puts a page behind other pages in the results of a search."""
    text = page.read_text()
    if not text.startswith("---"):
        page.write_text(f"---\nsearch: {{boost: 0.1}}\n---\n\n{text}")


def title_of(page: Path) -> str:
    """Returns the first heading of a page, up to a colon."""
    line = next(line for line in page.read_text().splitlines() if line.startswith("# "))
    return line[2:].split(":")[0].replace("`", "").strip()


def begin_with(page: Path, sentence: str) -> None:
    """Adds a sentence below the first heading, if it is not there yet."""
    head, heading, rest = re.split(r"^(# .*\n)", page.read_text(), maxsplit=1, flags=re.MULTILINE)
    if not rest.startswith(f"\n{sentence}"):
        page.write_text(f"{head}{heading}\n{sentence}\n{rest}")


def insert_before(page: Path, heading: str, text: str) -> None:
    """Adds a text before a heading of a page."""
    before, after = page.read_text().split(f"{heading}\n", 1)
    page.write_text(f"{before}{text}\n{heading}\n{after}")
