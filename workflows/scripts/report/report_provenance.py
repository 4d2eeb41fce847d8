"""The report's sections on what made the results, and on making them again."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from report import page
from report.page import DASH
from results.provenance import by_program
from results.reduced import Reduced

HIDDEN = ("config", "input_hashes", "command_line", "text_checksums")  # shown elsewhere, or too long


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
    known = Path(__file__).resolve().parents[3] / "configs" / name
    return f"configs/{name}" if known.is_file() and known.read_bytes() == study.read_bytes() else name


def remake(data: Reduced, study: Path, folder: Path) -> str:
    commit = data.provenance.get("git_commit", "").removesuffix("-dirty")
    path = study_path(study, folder)
    lines = [f"git checkout {commit}"] if re.fullmatch(r"[0-9a-f]{7,40}", commit) else []
    lines += [
        "envs/quickstart   # installs and builds; also runs configs/quickstart.yaml",
        ".psflip/venv/bin/snakemake --snakefile workflows/Snakefile \\",
        f"    --config study={path} out=results/{folder.resolve().name}",
    ]
    parts = [f"<pre>{escape(chr(10).join(lines))}</pre>"]
    if data.provenance.get("git_commit", "").endswith("-dirty"):
        parts.append("<p>The programs were built from sources with changes that this commit does not have.</p>")
    parts.append(f"<p>The study file, <code>{escape(path)}</code>:</p><pre>{escape(study.read_text().strip())}</pre>")
    config = data.provenance.get("config", "").strip()
    if config:
        parts.append(page.folded("The whole configuration, with all defaults", f"<pre>{escape(config)}</pre>"))
    return "\n".join(parts)
