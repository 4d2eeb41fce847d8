"""Writes a folder with a profile for a cluster: what psflip run asks of its scheduler. Change the file if the cluster needs something else.

    psflip profile slurm cluster --partition gpu --account mygroup
    psflip run my.yaml --profile cluster
"""

from __future__ import annotations

import re
from pathlib import Path

from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable
from psflip.campaign.whole_files import write_text
from psflip.places import WORKFLOWS

SOURCES = {"slurm": WORKFLOWS / "profiles" / "slurm" / "profile.yaml"}
NAME = re.compile(r"[\w.,+@-]+")
OPTIONS = {"partition": "slurm_partition", "account": "slurm_account"}  # option -> key of default-resources
HEAD = """\
# A Slurm cluster: each job of the workflow becomes a Slurm job. Written by psflip profile.
#     psflip run my.yaml --profile {folder}       on a login node, for example inside tmux
# psflip run --help lists the options max-runtime, group-minutes and node-gpus that this file speaks of.
"""


def text_of(source: str, folder: Path, given: dict[str, str | None]) -> str:
    """Returns the packaged profile with another head. Each given option replaces the comment that shows it."""
    lines = source.splitlines(keepends=True)
    while lines and lines[0].startswith("#"):
        del lines[0]
    text = HEAD.format(folder=folder) + "".join(lines)
    for option, value in given.items():
        if value is None:
            continue
        line = f"""  {OPTIONS[option]}: "'{value}'"\n"""  # Snakemake evaluates a value as Python unless it is quoted twice
        text, count = re.subn(rf"^  # {OPTIONS[option]}: .*\n", line, text, count=1, flags=re.MULTILINE)
        if not count:
            raise RuntimeError(f"the packaged profile has no line for {option}")
    return text


def main(words: list[str]) -> int:
    parser = Parser(__doc__ or "", "psflip profile")
    parser.add_argument("scheduler", choices=tuple(SOURCES), help="the scheduler of the cluster")
    parser.add_argument("folder", type=Path, help="the folder to write")
    parser.add_argument("--partition", help="partition of all jobs (default: the default partition of the cluster)")
    parser.add_argument("--account", help="account of all jobs (default: yours)")
    given = parser.parse_args(words)
    values = {option: getattr(given, option) for option in OPTIONS}
    for option, value in values.items():
        if value is not None and not NAME.fullmatch(value):
            raise StudyError(f"--{option} {value} is not possible; use letters, digits and the signs .,+@_-")
    file = given.folder / "profile.yaml"
    if file.exists():
        raise StudyError(f"{file} exists already; give another folder, or remove the file first")
    write_text(file, text_of(SOURCES[given.scheduler].read_text(encoding="utf-8"), given.folder, values))
    missing = [f"--{option}" for option, value in values.items() if value is None]
    note = f" Without {' and '.join(missing)} Slurm takes its defaults." if missing else ""
    print(printable(f"{file}: written.{note} Next: psflip run my.yaml --profile {given.folder}"))
    return 0
