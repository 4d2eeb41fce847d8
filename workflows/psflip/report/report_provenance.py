"""The report's sections on what made the results, and on making them again."""

from __future__ import annotations

import re
import shlex
from html import escape
from pathlib import Path

from psflip.campaign.study import EQUILIBRIUM, OPTIONS, Study
from psflip.installation import install_lines
from psflip.places import CONFIGS, INSTALLED
from psflip.report import page
from psflip.report.page import DASH
from psflip.results.provenance import by_program
from psflip.results.reduced import Reduced

HIDDEN = ("config", "input_hashes", "command_line")  # shown elsewhere, or too long


def couplings_by_hand(data: Reduced) -> str:
    """A line on the sizes whose couplings were not all drawn by gen-disorder; nothing where there are none."""
    found = "; ".join(f"L = {size.L}, {size.couplings_origin}" for size in data.sizes if size.couplings_origin)
    return f"<p>Couplings that gen-disorder did not draw: {escape(found)}.</p>" if found else ""


def section(data: Reduced, files: list[dict[str, str]]) -> str:
    """`files`: the rows of provenance.csv."""
    head = ["program", "files", "version", "commit", "backend", "device", "host", "from", "to"]
    keys = ["program", "files", "version", "git_commit", "backend", "device", "host", "from", "to"]
    rows = [[escape(row.get(key) or DASH) for key in keys] for row in by_program(files)]
    parts = [page.table(head, rows, words=len(head)) if rows else ""]
    facts = {key: value for key, value in data.provenance.items() if value and key not in HIDDEN}
    rows = [[escape(key.replace("_", " ")), f'<span class="wrap">{escape(value)}</span>'] for key, value in sorted(facts.items())]
    if rows:
        parts.append(page.folded("All that reduced.h5 says of itself", page.table(["item", "value"], rows, words=2)))
    hashes = data.provenance.get("input_hashes", "").strip()
    if hashes:
        lines = hashes.splitlines()
        shown = "\n".join(lines[:500]) + (f"\n... {len(lines) - 500} more: /provenance in reduced.h5" if len(lines) > 500 else "")
        parts.append(page.folded(f"Hashes (XXH64) of the {len(lines)} files that were averaged", f"<pre>{escape(shown)}</pre>"))
    return "\n".join(part for part in parts if part)


def study_path(study: Path, folder: Path) -> str:
    """Where to find the study file when making the study again: in the repository, or as a file of one's own with that text."""
    name = f"{folder.resolve().name}.yaml"
    known = CONFIGS / name
    return f"configs/{name}" if not INSTALLED and known.is_file() and known.read_bytes() == study.read_bytes() else name


def remake(data: Reduced, study: Path, folder: Path, kind: str = EQUILIBRIUM) -> str:
    """Returns the commands and the study file. Of `data` only the provenance is read. `kind`: of study, which the command names if the file describes both kinds."""
    commit = data.provenance.get("git_commit", "").removesuffix("-dirty")
    path, described = study_path(study, folder), Study.read(study)
    lines = install_lines(commit if re.fullmatch(r"[0-9a-f]{7,40}", commit) else "")
    couplings = " --couplings FOLDER" if described.data.get("disorder", {}).get("source") == "files" else ""
    chosen = f" {OPTIONS[kind]}" if described.has_both else ""
    lines.append(f"psflip run {shlex.quote(path)} --out {shlex.quote(f'results/{folder.resolve().name}')}{couplings}{chosen}")
    return page.render(
        "remake",
        commands="\n".join(lines),
        dirty=data.provenance.get("git_commit", "").endswith("-dirty"),
        path=path,
        text=study.read_text(encoding="utf-8").strip(),
        config=data.provenance.get("config", "").strip(),
    )
