"""The report's section on audits: which pieces of the campaign were run again elsewhere, and whether the bits agreed."""

from __future__ import annotations

from html import escape
from pathlib import Path

from psflip.campaign.audit_sample import read_audit
from psflip.campaign.json_files import read_json
from psflip.campaign.whole_files import visible
from psflip.report import page


def read(folder: Path) -> list[dict]:
    """The results in `folder`/audit, in the order of their names."""
    found = []
    for file in visible(folder, "audit/*.json"):
        if "format" in read_json(file, "a result of audit or a sample of runs (remove it)", {}):  # not in a sample
            found.append(read_audit(file))
    return found


def grouped(audits: list[dict]) -> dict[tuple, list[dict]]:
    """By size and the backends that were compared."""
    found: dict[tuple, list[dict]] = {}
    for audit in audits:
        found.setdefault((audit["L"], audit["original"].get("backend", ""), audit["rerun"].get("backend", "")), []).append(audit)
    return found


def difference(audit: dict) -> dict:
    """What the report tells of a piece that differs."""
    first = audit["first_difference"] or {}
    where = f"realization {first['realization']}, " if first.get("realization") is not None else ""
    index = ", ".join(str(i) for i in first.get("index", []))
    text = f"{first.get('file', '')}: {first.get('dataset', '')} [{index}], {where}is {first.get('in_file')}, but {first.get('in_rerun')} when run again"
    return {**audit, "where": text}


def section(folder: Path, flips: float) -> str:
    """`flips`: of the whole campaign; 0 where that is not known."""
    audits = read(folder)
    if not audits:
        return ""
    failed = [audit for audit in audits if not audit["equal"]]
    rows = []
    for (L, original, rerun), group in sorted(grouped(audits).items()):
        bad = sum(not audit["equal"] for audit in group)
        realizations = sum(audit["realizations"] for audit in group)
        work = page.quantity(sum(audit["flips"] for audit in group))
        rows.append([str(L), escape(original), escape(rerun), str(len(group)), str(realizations), work, str(len(group) - bad), str(bad)])
    head = ["L", "made on", "run again on", "pieces", "realizations", "flips", "equal in all bits", "different"]
    part = sum(audit["flips"] for audit in audits) / flips if flips else 0
    table = page.table(head, rows, words=3)
    return page.render("audit", number=len(audits), part=f"{100 * part:.2g}" if part else "", failed=[difference(audit) for audit in failed], table=table)
