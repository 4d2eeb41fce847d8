"""Legs of a protocol: stages in which the temperature, or the field, goes one way while the other stays. Peaks and changes of sign on them, and loops of
the moment along the field."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from psflip.vectors.protocols import NONE, Protocol, jackknife

@dataclass(frozen=True)
class Leg:
    """Stages from first to last, both with it; `along` is T or h, `up` whether it grows."""

    along: str
    up: bool
    first: int
    last: int

    @property
    def stages(self) -> slice:
        return slice(self.first, self.last + 1)


def legs_of(protocol: Protocol) -> list[Leg]:
    """In the order of time. A turn belongs to both of its legs; where both change at once a leg ends, and the next one begins after that."""
    steps = list(zip(np.sign(np.diff(protocol.T)), np.sign(np.diff(protocol.h))))
    found, first = [], 0
    for i, step in enumerate(steps):
        if i + 1 < len(steps) and steps[i + 1] == step:
            continue
        if (step[0] == 0) != (step[1] == 0):
            found.append(Leg("T" if step[0] else "h", bool(sum(step) > 0), first, i + 1))
        first = i + 1
    return found


def peak(x: np.ndarray, chi: np.ndarray) -> float:
    """Where the parabola through the largest value and its neighbours has its top; NaN where the largest is at an end."""
    i = int(np.argmax(chi))
    if not 0 < i < len(x) - 1:
        return float("nan")
    a, b, _ = np.polyfit(x[i - 1 : i + 2] - x[i], chi[i - 1 : i + 2], 2)
    return float(x[i] - b / (2 * a)) if a < 0 else float("nan")


def changes_of_sign(x: np.ndarray, moment: np.ndarray, error: np.ndarray, below: float = np.inf) -> list[int]:
    """Returns the numbers i for which the moment is 0 between x[i] and x[i + 1], x below a limit. On either side of the change it is more than three errors from 0
    at some point."""
    sure = [i for i in range(len(x)) if x[i] < below and abs(moment[i]) > 3 * error[i]]
    found = []
    for i, j in zip(sure[:-1], sure[1:]):
        if moment[i] * moment[j] < 0:
            found.append(next(k for k in range(i, j) if moment[k] * moment[k + 1] <= 0))
    return found


def zero_between(x: np.ndarray, moment: np.ndarray, i: int) -> float:
    """Where the line from point i to the next is 0, also outside."""
    return float(x[i] - moment[i] * (x[i + 1] - x[i]) / (moment[i + 1] - moment[i]))


def first_zero(protocol: Protocol, leg: Leg, below: float = np.inf) -> tuple[float, float]:
    """Where the moment along the field first changes its sign on a leg, with its error by the jackknife over samples; NaN where it does not."""
    x = getattr(protocol, leg.along)[leg.stages]
    signs = changes_of_sign(x, protocol.mean("moment_z")[leg.stages], protocol.error("moment_z")[leg.stages], below)
    if not signs:
        return NONE
    return jackknife([zero_between(x, m[leg.stages], signs[0]) for m in protocol.left_out("moment_z")])


def of_temperature(protocol: Protocol, leg: Leg) -> dict[str, tuple[float, float]]:
    """T_order, the peak of the typical susceptibility of what orders, and T_compensation, where the moment along the field changes its sign below that."""
    x, name = protocol.T[leg.stages], "chi_ms" if protocol.staggered else "chi_m"
    order = jackknife([peak(x, chi[leg.stages]) for chi in protocol.left_out_typical(name)])
    return {"T_order": order, "T_compensation": first_zero(protocol, leg, order[0] if np.isfinite(order[0]) else np.inf)}


def of_field(protocol: Protocol, leg: Leg) -> dict[str, tuple[float, float]]:
    """coercive_field, where the moment along the field changes its sign, and remanence, the moment at h = 0 between its neighbours."""
    h, order = protocol.h[leg.stages], slice(None, None, 1 if leg.up else -1)
    remanence = NONE
    if h.min() <= 0 <= h.max():
        rows = [np.interp(0.0, h[order], m[leg.stages][order]) for m in protocol.left_out("moment_z")]
        remanence = jackknife(rows)
    return {"coercive_field": first_zero(protocol, leg), "remanence": remanence}


def loop_area(protocol: Protocol) -> tuple[float, float]:
    """|closed integral of the moment over h|, the energy per site that a loop turns into heat, of two legs of the field one after the other with the same
    two ends; NaN without them."""
    legs = legs_of(protocol)
    for a, b in zip(legs[:-1], legs[1:]):
        if (a.along, b.along) == ("h", "h") and a.last == b.first and protocol.h[a.first] == protocol.h[b.last]:
            stages = slice(a.first, b.last + 1)
            steps = np.diff(protocol.h[stages])
            rows = [abs(0.5 * ((m[stages][1:] + m[stages][:-1]) * steps).sum()) for m in protocol.left_out("moment_z")]
            return jackknife(rows)
    return NONE
