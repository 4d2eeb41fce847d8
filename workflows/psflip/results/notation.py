"""Writes numbers with their errors as physicists do."""

from __future__ import annotations

import math


def with_error(value: float, error: float) -> str:
    """Returns a number such as `1.20(6)`, with the error in units of the last digit. An error that starts with 1 or 2 has two digits: `1.204(17)`.
    A value without a finite error has three decimals. A missing value is a dash."""
    if not math.isfinite(value):
        return "\u2013"
    if not math.isfinite(error) or error <= 0:
        return f"{value:.3f}"
    exponent = math.floor(math.log10(error))
    digits = -exponent + (1 if round(error / 10**exponent, 1) < 3 else 0)
    scaled = round(error * 10**digits)
    if digits <= 0:
        return f"{round(value, digits):.0f}({round(error, digits):.0f})"
    return f"{value:.{digits}f}({scaled})"
