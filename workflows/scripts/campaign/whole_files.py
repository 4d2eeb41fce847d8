"""Files that are there as a whole or not at all: Snakemake keeps what it finds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The name to write to; the file gets its own name at the end, and does not appear where an error ended the block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".part{os.getpid()}-{path.name}")
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with whole(path) as part:
        part.write_text(text, encoding="utf-8")


def write_json(path: Path, data: object) -> None:
    write_text(path, json.dumps(data, indent=1) + "\n")
