"""Makes the sections on the origin of the results, and on how to reproduce them."""

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

MAX_HASHES = 500  # shown
HIDDEN = ("config", "input_hashes", "command_line")  # shown elsewhere, or too long


def couplings_by_hand(data: Reduced) -> str:
    """Returns a line on the sizes with couplings that gen-disorder did not draw. It is empty if there are no such sizes."""
    found = "; ".join(f"L = {size.L}, {size.couplings_origin}" for size in data.sizes if size.couplings_origin)
    return f"<p>gen-disorder did not draw these couplings: {escape(found)}.</p>" if found else ""


def program_table(files: list[dict[str, str]]) -> str:
    """Returns a row per program. `files`: the rows of provenance.csv."""
    keys = ["program", "files", "version", "git_commit", "backend", "device", "host", "from", "to"]
    rows = [[escape(row.get(key) or DASH) for key in keys] for row in by_program(files)]
    return page.table([key.removeprefix("git_") for key in keys], rows, words=len(keys))


def section(data: Reduced, files: list[dict[str, str]]) -> str:
    """Returns the section. `files`: the rows of provenance.csv."""
    facts = {key: value for key, value in data.provenance.items() if value and key not in HIDDEN}
    rows = [[escape(key.replace("_", " ")), f'<span class="wrap">{escape(value)}</span>'] for key, value in sorted(facts.items())]
    of_itself = page.folded("Attributes of reduced.h5", page.table(["item", "value"], rows, words=2)) if rows else ""
    lines = data.provenance.get("input_hashes", "").strip().splitlines()
    shown = "\n".join(lines[:MAX_HASHES]) + (f"\n... {len(lines) - MAX_HASHES} more: /provenance in reduced.h5" if len(lines) > MAX_HASHES else "")
    hashes = page.folded(f"Hashes (XXH64) of the {len(lines)} files that were averaged", f"<pre>{escape(shown)}</pre>") if lines else ""
    return page.joined(program_table(files), of_itself, hashes)


def study_path(study: Path, folder: Path) -> str:
    """Returns the path of the study file for reproducing the study: in the repository, or a new file with the text of the page."""
    name = f"{folder.resolve().name}.yaml"
    known = CONFIGS / name
    return f"configs/{name}" if not INSTALLED and known.is_file() and known.read_bytes() == study.read_bytes() else name


def remake(data: Reduced, study: Path, folder: Path, kind: str = EQUILIBRIUM) -> str:
    """Returns the commands and the study file. Of `data` only the provenance is read. `kind`: the kind of the study. The command names it only if the file describes both kinds."""
    commit = data.provenance.get("git_commit", "").removesuffix("-dirty")
    path, described = study_path(study, folder), Study.read(study)
    lines = install_lines(commit if re.fullmatch(r"[0-9a-f]{7,40}", commit) else "")
    couplings = " --couplings FOLDER" if described.data.get("disorder", {}).get("source") == "files" else ""
    chosen = f" {OPTIONS[kind]}" if described.has_both else ""
    lines.append(f"psflip run {shlex.quote(path)} --out {shlex.quote(f'results/{folder.resolve().name}')}{couplings}{chosen}")
    dirty = "<p>The programs were built from sources with changes that this commit does not have.</p>" if data.provenance.get("git_commit", "").endswith("-dirty") else ""
    text = f"<p>The study file, <code>{escape(path)}</code>:</p><pre>{escape(study.read_text(encoding='utf-8').strip())}</pre>"
    config = data.provenance.get("config", "").strip()
    whole = page.folded("The whole configuration, with all defaults", f"<pre>{escape(config)}</pre>") if config else ""
    return page.joined(f"<pre>{escape(chr(10).join(lines))}</pre>", dirty, text, whole)
