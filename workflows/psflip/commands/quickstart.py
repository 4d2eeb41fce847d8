"""Writes the study file quickstart.yaml into the current folder and runs it: a small spin glass, some minutes on two cores.

    psflip quickstart
    psflip quickstart --cores 2 --backend cpu        # options of psflip run
"""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.errors import StudyError, printable
from psflip.campaign.whole_files import write_text
from psflip.commands import run
from psflip.places import CONFIGS

NAME = "quickstart.yaml"


def study_here(folder: Path) -> Path:
    """Returns the study file in a folder, which is written if it is absent. StudyError if another file has its name."""
    text = (CONFIGS / NAME).read_text(encoding="utf-8")
    file = folder / NAME
    if not file.exists():
        write_text(file, text)
        print(printable(f"{file}: the study of psflip quickstart"), flush=True)
    elif not file.is_file() or file.read_bytes() != text.encode():
        raise StudyError(f"{file} exists already and is another study; run that study with psflip run {NAME}, or change to an empty folder")
    return file


def main(words: list[str]) -> int:
    if any(word in ("-h", "--help") for word in words):
        print(f"{__doc__}\npsflip run --help lists the options.")
        return 0
    run.parse([str(CONFIGS / NAME), *words], __doc__ or "", "psflip quickstart")  # wrong options end before a file is written
    study_here(Path.cwd())
    return run.main([NAME, *words])
