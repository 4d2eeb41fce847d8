#!/usr/bin/env python3
"""Builds the documentation site: the Markdown files of the repository, the notebooks, and pages generated from tables, programs and files.

    python docs/site/build.py --bin build/bin --out build/site

The build needs the programs, because pages show their --help and describe files that they write. MkDocs checks every link; a warning ends with exit code 1.
Any browser shows `build/site/index.html` without a network.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "docs/gallery"), str(ROOT / "workflows")]

import yaml  # noqa: E402
from mkdocs.commands.build import build  # noqa: E402
from mkdocs.config import load_config  # noqa: E402
from mkdocs.exceptions import Abort  # noqa: E402

import datasets  # noqa: E402
import keys  # noqa: E402
import notebook  # noqa: E402
import pages  # noqa: E402
import reference  # noqa: E402
from make import front, pictures  # noqa: E402


def stage(folder: Path, bin: Path) -> None:
    """Writes all pages into a folder. Pages keep their paths in the repository, so links between them hold."""
    pages.copy(ROOT, folder)
    pages.insert_before(folder / "README.md", "## Install", front(pictures()))
    made = {"keys": keys.page(ROOT), "programs": reference.programs(bin), "command": reference.command(), "python": reference.python()}
    with tempfile.TemporaryDirectory() as work:
        made |= datasets.pages(bin, Path(work))
    (folder / "docs/reference/files").mkdir(parents=True)
    for name, text in made.items():
        (folder / f"docs/reference/{name}.md").write_text(text)
    for name in ("tutorial", "binder"):
        notebook.write_page(ROOT / f"docs/{name}.ipynb", folder / f"docs/{name}.md")
    pages.copy_linked(ROOT, folder)
    for name in ("psflip.css", "iframe-worker.js"):
        (folder / name).write_text((HERE / name).read_text())


def sources(folder: Path) -> list[dict]:
    """Returns the navigation of all pages that no tab names, with a group for rooms and a group for tests. These pages are for developers."""
    first = ["ARCHITECTURE.md", "CONTRIBUTING.md", "libcore/README.md", "tools/README.md", "workflows/psflip/README.md", "tests/README.md", "docs/releasing.md", "CHANGELOG.md"]
    known = yaml.safe_dump(yaml.safe_load((HERE / "mkdocs.yml").read_text())["nav"])
    others = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    rest = [path for path in others if path not in first and path not in known]
    for path in [*first, *rest]:
        pages.begin_with(folder / path, f"This page for developers is `{path}` of the sources.")
    for path in [*first, *rest, *(path for path in others if path.startswith("docs/notes/"))]:
        pages.search_last(folder / path)

    def entries(paths: list[str]) -> list[dict[str, str]]:
        return [{pages.title_of(folder / path): path} for path in paths]

    groups = {"Rooms of libcore": "libcore/", "Folders of tests": "tests/"}
    alone = [path for path in rest if not path.startswith(tuple(groups.values()))]
    return [*entries([*first, *alone]), *({name: entries([path for path in rest if path.startswith(start)])} for name, start in groups.items())]


class Warnings(logging.Handler):
    """Collects warnings in `found`."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())


def make(source: Path, out: Path) -> list[str]:
    """Builds the site from staged pages. Returns the warnings of MkDocs."""
    warnings = Warnings()
    logging.getLogger("mkdocs").addHandler(warnings)
    try:
        config = load_config(str(HERE / "mkdocs.yml"), docs_dir=str(source), site_dir=str(out.resolve()))
        config["nav"][-1]["Developers"][-1:] = sources(source)
        build(config)
        # Only a server shows this page, and its paths begin at the root of a server.
        (out / "404.html").unlink(missing_ok=True)
    except Abort as error:
        warnings.found.append(str(error))
    finally:
        logging.getLogger("mkdocs").removeHandler(warnings)
    return warnings.found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin", help="folder of the programs")
    parser.add_argument("--out", type=Path, default=ROOT / "build/site", help="folder of the site; the build replaces it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stage(Path(folder), given.bin.resolve())
        warnings = make(Path(folder), given.out)
    print("\n".join(warnings) or given.out / "index.html")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())
