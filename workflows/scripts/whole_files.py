"""Text files that are there as a whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part{os.getpid()}")
    with part.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def write_json(path: Path, data: object) -> None:
    write_text(path, json.dumps(data, indent=1) + "\n")
