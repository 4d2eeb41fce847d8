"""Makes the section on audits: which parts of runs were repeated on another backend, and whether the bits agreed."""

from __future__ import annotations

from html import escape
from pathlib import Path

from psflip.campaign.audit_sample import read_audit
from psflip.campaign.json_files import read_json
from psflip.campaign.whole_files import visible
from psflip.report import page


def read(folder: Path) -> list[dict]:
    """Returns the results in `folder`/audit, in the order of their names."""
    found = []
    for file in visible(folder, "audit/*.json"):
        if "format" in read_json(file, "a result of audit or a sample of runs (remove it)", {}):  # not in a sample
            found.append(read_audit(file))
    return found


def difference(audit: dict) -> str:
    """Returns what the report says about a part of a run that differs."""
    first = audit["first_difference"] or {}
    where = f"realization {first['realization']}, " if first.get("realization") is not None else ""
    index = ", ".join(str(i) for i in first.get("index", []))
    text = f"{first.get('file', '')}: {first.get('dataset', '')} [{index}], {where}is {first.get('in_file')}, but {first.get('in_rerun')} when repeated"
    return f"L = {audit['L']}: {audit['differences']} of {audit['values']} values differ. The first is <code>{escape(text)}</code>"


def section(folder: Path, flips: float) -> str:
    """Returns the section. `flips`: the flips of the whole study, 0 if not known."""
    audits = read(folder)
    if not audits:
        return ""
    groups: dict[tuple, list[dict]] = {}
    for audit in audits:
        groups.setdefault((audit["L"], audit["original"].get("backend", ""), audit["rerun"].get("backend", "")), []).append(audit)
    rows = []
    for (L, original, rerun), group in sorted(groups.items()):
        equal = sum(bool(audit["equal"]) for audit in group)
        realizations, work = sum(audit["realizations"] for audit in group), page.quantity(sum(audit["flips"] for audit in group))
        rows.append([str(L), escape(original), escape(rerun), str(len(group)), str(realizations), work, str(equal), str(len(group) - equal)])
    head = ["L", "made on", "repeated on", "parts of runs", "realizations", "flips", "equal in all bits", "different"]
    failed = [difference(audit) for audit in audits if not audit["equal"]]
    part = f" ({100 * sum(audit['flips'] for audit in audits) / flips:.2g} % of all flips)" if flips else ""
    verdict = f'<strong class="bad">{len(failed)} of {len(audits)} differ.</strong>' if failed else '<strong class="good">All bits are equal.</strong>'
    repeated = f"{len(audits)} parts of runs{part} were" if len(audits) > 1 else f"One part of a run{part} was"
    text = f"<p>{repeated} repeated from the same initial state on another backend. {verdict}</p>"
    return text + page.table(head, rows, words=3) + page.notes(failed)
