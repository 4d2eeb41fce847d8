"""Writes files as a whole or not at all, because Snakemake keeps what it finds. Never replaces what psflip did not make."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psflip.campaign.errors import StudyError

# What is written -> how it begins, and a mark near its begin or end where others' files begin alike.
KINDS = {
    "table of crossings": rb"observable,L1,L2,T,",
    "table of columns": rb"table,column,unit,meaning",
    "table of critical points": rb"table,name,quantity,L1,",
    "critical point": rb'\{\n "kind": "critical point",',
    "table of paired differences": rb"L,T,observable,bin_from,",
    "table of provenance": rb"file,kind,L,program,",
    "relaxation": rb'\{\n "kind": "relaxation",',
    "table of relaxations": rb"L,T,t,factor,",
    "table of two times": rb"L,T,t_w,t,",
    "table of protocols": rb"L,x,T,h,samples,",
    "table of transitions": rb"L,x,samples,T_neel,",
    "picture": rb"\x89PNG.*Software\0psflip|<\?xml.*<dc:title>psflip</dc:title>|%PDF.*/Creator \(psflip\)",
    "report": rb"<!DOCTYPE html>.*<title>psflip study: ",
    "archive of a study": rb"PK\x03\x04.*/SHA256SUMS.*/check\.py",
    "plan": rb'\{\n "made": "',
    "rows of measurements": rb'\[\n *\{"(series|L)": ',
    "page on papers": rb"# [^\n]*\n.*psflip papers",
    "list of observables": rb"[^\n]*observables-\d+\.h5\n",
    "note on averages": rb'\{\n "files": \{',
    "result of audits": rb'\{\n "runs": \d|\d+ runs audited, all equal\n$',
}
ENDS = 1 << 16  # bytes


def visible(folder: Path, pattern: str) -> list[Path]:
    """The regular files in a folder that match, in order. Hidden ones, whose names begin with a dot, are no inputs: a killed writer or another file system may have left them."""
    return sorted(file for file in folder.glob(pattern) if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts))


def ends_of(path: Path) -> bytes:
    """The first and the last bytes."""
    with path.open("rb") as file:
        begin = file.read(ENDS)
        file.seek(max(len(begin), os.fstat(file.fileno()).st_size - ENDS))
        return begin + file.read(ENDS)


def check_output(path: Path, kind: str | None = None, option: str = "") -> None:
    """StudyError where something is there that is not to be replaced: no regular file or, where `kind` is given, a file of another kind or
    of others. An empty file may be replaced."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    named = f"{option} {path}".strip()
    if not stat.S_ISREG(mode):
        raise StudyError(f"{named}: this is not a regular file; give the name of a file")
    found = ends_of(path) if kind else b""
    if found and not re.match(KINDS[kind], found, re.DOTALL):
        raise StudyError(f"{named}: the existing file of that name is no {kind} of psflip and is never replaced; remove the file first, or give another name")


@contextmanager
def whole(path: Path, kind: str | None = None) -> Iterator[Path]:
    """The name to write to; the file gets its own name at the end, and does not appear where an error ended the block. `kind`: of KINDS,
    for outputs whose names people choose."""
    check_output(path, kind)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part{os.getpid()}-{path.name}")
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str, kind: str | None = None) -> None:
    with whole(path, kind) as part:
        part.write_text(text, encoding="utf-8")


def write_json(path: Path, data: object, kind: str | None = None) -> None:
    write_text(path, json.dumps(data, indent=1) + "\n", kind)
