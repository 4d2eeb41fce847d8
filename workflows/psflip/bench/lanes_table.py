"""Compares both codings of lanes, from a file of `bench-flip --sweep-lanes --json`: time per flip by lattice size and number of
realizations, and the number of realizations from which lanes = realizations takes less time.

    python workflows/psflip bench.lanes_table FILE.json
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from psflip.bench.bench_data import Timing, read_timings
from psflip.campaign.campaign import WHOLE
from psflip.campaign.command_line import Parser
from psflip.campaign.errors import StudyError, printable

REALIZATIONS = (1, 4, 16, 64, 128, 256)


def seconds(timings: list[Timing], lanes: str) -> dict[int, float]:
    """Picoseconds per flip of one realization times their number, by this."""
    return {t.realizations: t.ps_per_flip * t.realizations for t in timings if t.lanes == lanes}


def between(points: dict[int, float], count: int) -> float:
    """Of a number of realizations, from the measured ones: on straight lines between logarithms, beyond the last one in proportion."""
    numbers = sorted(points)
    if count >= numbers[-1]:
        return points[numbers[-1]] * count / numbers[-1]
    low = max(n for n in numbers if n <= count)
    high = min(n for n in numbers if n > count)
    part = math.log(count / low) / math.log(high / low)
    return math.exp((1 - part) * math.log(points[low]) + part * math.log(points[high]))


def of_realizations(points: dict[int, float], count: int) -> float:
    """Whole words of 128 realizations."""
    whole = math.ceil(count / WHOLE) * WHOLE
    return between(points, max(whole, min(points)))


def crossing(replicas: dict[int, float], realizations: dict[int, float]) -> int | None:
    """The least number of realizations, up to 256, at which lanes = realizations takes less time."""
    return next((n for n in range(1, 257) if of_realizations(realizations, n) < between(replicas, n)), None)


def rows(timings: list[Timing], temperatures: int) -> list[str]:
    lines = [f"| {temperatures} temperatures, L | " + " | ".join(map(str, REALIZATIONS)) + " | change at |", "|---" * (len(REALIZATIONS) + 2) + "|"]
    for L in sorted({t.L for t in timings}):
        here = [t for t in timings if (t.L, t.temperatures) == (L, temperatures)]
        replicas, realizations = seconds(here, "replicas"), seconds(here, "realizations")
        if not replicas or not realizations:
            continue
        cells = [f"{between(replicas, n) / n:.3g} : {of_realizations(realizations, n) / n:.3g}" for n in REALIZATIONS]
        lines.append(f"| {L} | " + " | ".join(cells) + f" | {crossing(replicas, realizations) or 'above 256'} |")
    return lines


def main() -> int:
    parser = Parser(__doc__, "bench.lanes_table")
    parser.add_input("file", help="JSON of bench-flip --sweep-lanes")
    timings = [t for t in read_timings(Path(parser.parse_args().file)) if t.series == "lanes"]
    if not timings:
        raise StudyError("the file has no timings of bench-flip --sweep-lanes")
    print(printable("\n\n".join("\n".join(rows(timings, T)) for T in sorted({t.temperatures for t in timings}))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
