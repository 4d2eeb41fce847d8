"""Numbers with their errors as physicists write them."""

from __future__ import annotations

import math


def with_error(value: float, error: float) -> str:
    """`1.20(6)`: the error in units of the last digit; two digits of it where it starts with 1 or 2 (`1.204(17)`).
    A value without a finite error is written with three decimals, a missing one as a dash."""
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
