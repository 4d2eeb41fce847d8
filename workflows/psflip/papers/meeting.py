"""Finds where two curves of stored averages meet, without the samples that `psflip crossings` needs."""

from __future__ import annotations

import math
import random

Point = tuple[float, float, float]  # x, y, error


def meeting(small: tuple[Point, ...], large: tuple[Point, ...], draws: int = 4000) -> tuple[float, float, float]:
    """Returns the highest x at which the curve `large` falls below `small`, its error, and the percentage of draws without such an x; NaN without one. A curve has (x, y, error) and straight
    lines between points. A draw shifts all points of a curve by one normal deviate times their errors, because values of one run at neighbouring temperatures are correlated."""
    x = [of[0] for of in sorted(small)]
    gap = [b[1] - a[1] for a, b in zip(sorted(small), sorted(large), strict=True)]
    generator = random.Random(1)

    def place(shift: tuple[float, float]) -> float:
        D = [d + shift[1] * b[2] - shift[0] * a[2] for d, a, b in zip(gap, sorted(small), sorted(large))]
        found = [i for i in range(len(D) - 1) if D[i] > 0 >= D[i + 1]]
        return x[found[-1]] + (x[found[-1] + 1] - x[found[-1]]) * D[found[-1]] / (D[found[-1]] - D[found[-1] + 1]) if found else math.nan

    places = [place((generator.gauss(0, 1), generator.gauss(0, 1))) for _ in range(draws)]
    crossing = sorted(at for at in places if at == at)
    error = (crossing[int(0.84 * len(crossing))] - crossing[int(0.16 * len(crossing))]) / 2 if crossing else math.nan
    return place((0.0, 0.0)), error, 100 * (1 - len(crossing) / draws)
