"""Writes the pages on papers: `docs/papers/index.md`, and a page per paper with a section for each figure and table."""

from __future__ import annotations

import re
from posixpath import normpath

from psflip.papers.stored import Data, Paper, Row, numbers
from psflip.papers.tables import markdown, table_of

MADE = "`psflip papers` writes this page and its pictures from the stored data."
NOT_YET = "not measured yet"


def filled(text: str, found: dict) -> str:
    return " ".join(text.format(**found).split())


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def provenance(row: Row, data: Data) -> str:
    """Returns device, commits and dates of the measurements, and how much repeated timings vary: (largest - smallest) / median."""
    if row.measured:
        return row.measured
    rows = [one for name in row.data for one in data.rows(name, row.where)]
    devices = sorted({device_of(one["device"]) for one in rows if one.get("device")})
    commits = sorted({re.sub("^(.{7})[^-]*", r"\1", one["commit"]).replace("-dirty", " with local changes") for one in rows if one.get("commit")})
    dates = sorted({one["date"][:10] for one in rows if one.get("date")})
    commit = f"commit{'s' * (len(commits) > 1)} {listed(commits)}" if commits else "commit not recorded"
    if commits and not all(one.get("commit") for one in rows):
        commit += " (not recorded for all)"
    spread = max((100 * one["spread"] for one in rows if row.timed and one.get("spread") is not None), default=None)
    varied = [] if spread is None else [f"repeats vary by at most {spread:.1f}%" if spread >= 0.1 else "repeats vary by less than 0.1%"]
    return ", ".join([listed(devices), commit, listed(dates if len(dates) < 3 else [f"{dates[0]} to {dates[-1]}"]), *varied])


def device_of(text: str) -> str:
    """ "NVIDIA H200", "AMD EPYC (avx512, 1 thread)"."""
    if text.startswith("cpu"):
        *parts, name = text.removeprefix("cpu").strip(" ,").split(", ")
        if "thread" in name:
            parts, name = [*parts, name], "CPU"
        parts = [re.sub("^1 threads$", "1 thread", part) for part in parts]
        return f"{name} ({', '.join(parts)})" if parts else name
    return text.removeprefix("cuda ").split(",")[0]


def section(row: Row, data: Data) -> str:
    """Returns the section of a figure or table."""
    is_measured = row.is_measured(data)
    found = numbers(row.numbers, data) if is_measured else {}
    about = [f"**Published**: {filled(row.published, {})}"]
    if is_measured:
        about.append(f"**psflip**: {filled(row.psflip, found)}")
        if row.data or row.measured:
            about.append(f"**Measured**: {provenance(row, data)}")
        if row.data:
            about.append("**Data**: " + ", ".join(f"[{name.rpartition('/')[2]}]({normpath(f'../data/{name}')})" for name in row.data))
    elif row.commands:
        about.append(f"**psflip**: {NOT_YET}, about {row.minutes:g} minute{'s' * (row.minutes != 1)} on {row.machine}")
    parts = [f"## {row.name}: {row.what}", "\n".join(f"- {line}" for line in about)]
    if row.commands:
        parts.append("\n".join(f"    {command}" for command in row.commands))
    if is_measured:
        if row.text:
            parts.append("\n".join(filled(line, found) for line in row.text.strip().splitlines()))
        if row.picture:
            parts.append(f"![{row.what[0].upper()}{row.what[1:]}]({row.id}.png)")
        parts += [table_of(table, data) for table in row.tables]
    if row.missing:
        parts.append(filled(row.missing, {}))
    return "\n\n".join(parts)


def anchor(row: Row) -> str:
    """Returns the anchor of the heading of a section."""
    return re.sub(r"[^\w\- ]", "", f"{row.name}: {row.what}".lower()).strip().replace(" ", "-")


def page(paper: Paper, data: Data) -> str:
    lines = []
    for row in paper.rows:
        mine = filled(row.psflip, numbers(row.numbers, data)) if row.is_measured(data) else NOT_YET if row.commands else "not measured"
        lines.append([f"[{row.name}](#{anchor(row)})", row.what, mine])
    about = f"This page compares psflip with {paper.reference}."
    parts = [f"# {paper.title}", about, paper.text.strip(), MADE, markdown(["", "what", "psflip"], lines), *(section(row, data) for row in paper.rows)]
    return "\n\n".join(parts) + "\n"


def index(papers: list[Paper], data: Data) -> str:
    lines = []
    for paper in papers:
        done = sum(row.is_measured(data) for row in paper.rows)
        lines.append([f"[{paper.title}]({paper.name}.md)", paper.reference, f"{done} of {len(paper.rows)}"])
    about = "Each page has the figures and tables of one paper: what the paper gives, what psflip measures, the command, the data and a picture."
    more = "\n".join(
        [
            "    psflip papers                       # writes all pages and pictures from stored data, without a GPU",
            "    psflip papers lulli-9 --out folder  # draws one figure",
            "    psflip papers --plan                # lists measurements to make, with minutes on a GPU",
            "    psflip papers --measure --visit 1   # measures these on a GPU; data of each command are kept",
        ]
    )
    notes = "Published numbers are numbers that a text, caption or table of the paper states. If a figure shows only a curve, its row says so. 'From published times' marks ratios of such numbers.\nA command that writes another file than the stored data, or none, made a part of them: its rows were merged into the stored file.\n[Cite psflip](../papers.md) lists the papers of all methods."
    return "\n\n".join(["# The papers behind psflip", about, markdown(["paper", "reference", "rows measured"], lines), more, notes]) + "\n"
