"""Reads the JSON and CSV files of the benchmark programs."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from psflip.campaign.errors import printable, reading
from psflip.campaign.json_files import check_form

# Three-input logic operations on 32-bit words that one NVIDIA H200 does per second, measured. The site rule takes 17 of
# them for 32 spins when bonds are counted first and compared after, 15 as in libcore/sweep/site_rule.hpp.
LOGIC_PER_SECOND = 16.3e12
SPIN_GLASS = "ea3d"  # the model of files that name none


def floor(operations: int) -> float:
    """Picoseconds per flip at which an H200 does nothing but this number of operations per 32 spins."""
    return operations / 32 / LOGIC_PER_SECOND * 1e12


@dataclass(frozen=True)
class Timing:
    series: str
    backend: str
    L: int
    share: int
    replicas: int
    temperatures: int
    columns: int
    threads: int
    production: bool
    kernel: str
    ps_per_flip: float
    spread: float
    commit: str
    date: str
    device: str
    model: str = SPIN_GLASS
    lanes: str = "realizations"
    realizations: int = 0  # 0: whole columns
    site_order: str = "standard"

    @property
    def asked(self) -> str:
        """The kernel and the site order that were asked for."""
        return self.kernel if self.site_order == "standard" else f"{self.kernel}, {self.site_order} order"

    @property
    def per_core(self) -> float:
        """Picoseconds per flip on one CPU core, or on the GPU."""
        return self.ps_per_flip * max(1, self.threads)

    @property
    def hardware(self) -> str:
        """ "NVIDIA H200", "AMD EPYC, AVX-512, 2 threads"."""
        if self.backend == "cuda":
            return re.sub("^cuda ", "", self.device.split(",")[0])
        level, threads, name = re.match(r"cpu (\w+), (\d+ threads?)(?:, (.*))?$", self.device).groups()
        level = {"avx2": "AVX2", "avx512": "AVX-512"}.get(level, level)
        return f"{name or 'CPU'}, {level}, {threads}"

    @property
    def streaming(self) -> bool:
        return "streaming" in self.device or "tiled" in self.device


def finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not finite")
    return value


def read_rows(path: Path, program: str, forms: dict[str, dict]) -> list[dict]:
    """Returns the rows of the JSON file of a program, with texts that are fit for a terminal. `forms`: the fields of a row, by its series. Errors: StudyError if the file is
    no list of such rows, or if a number is not finite."""
    with reading(path, f"a file of {program} --json"):
        rows = json.loads(
            path.read_text(encoding="utf-8"),
            parse_float=finite,
            parse_constant=finite,
            object_hook=lambda row: {printable(key): printable(value) if isinstance(value, str) else value for key, value in row.items()},
        )
        check_form(rows, [{"series?": str}])
        for row in rows:
            if row.get("series", "") not in forms:
                raise ValueError(f"rows of {row.get('series', 'no series')}, not of {' or '.join(filter(None, forms))}")
            check_form(row, forms[row.get("series", "")])
    return rows


def read_timings(path: Path) -> list[Timing]:
    """Returns the timings of a file of bench-flip. Errors: StudyError if it is another file."""
    with reading(Path(path), "a file of bench-flip --json or --csv"):
        text = Path(path).read_text(encoding="utf-8")
        return [timing_of(row) for row in (json.loads(text) if text.lstrip().startswith("[") else rows_of(text))]


def rows_of(text: str) -> list[dict]:
    table = csv.DictReader(text.splitlines())
    if "series" not in (table.fieldnames or ()):
        raise KeyError("series")
    return list(table)


def timing_of(row: dict) -> Timing:
    convert = {"int": int, "float": float, "str": str, "bool": lambda value: str(value).lower() == "true"}
    return Timing(**{field.name: convert[field.type](row[field.name]) for field in fields(Timing) if field.name in row or field.default is MISSING})
