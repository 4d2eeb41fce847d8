"""The files of a relaxation as one: parts in time of a batch of realizations, and batches of a lattice size."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from psflip.campaign.errors import StudyError


@dataclass
class Part:
    """What one file has. `about` has L, begin and end in time, physics, and what else its reader needs. `along`: name -> values at each time, with `times`.
    `values`: name -> array whose first axis is time, with the realizations `numbers` along `axis`."""

    about: dict
    along: dict[str, np.ndarray]
    values: dict[str, np.ndarray] = field(repr=False)
    numbers: np.ndarray
    axis: int


def one_after_the_other(parts: list[Part]) -> Part:
    """Returns the parts of one batch as one. StudyError if they are not one relaxation from its start."""
    parts = sorted(parts, key=lambda part: part.about["begin"])
    first = parts[0]
    if first.about["begin"] != 0 or any(one.about["end"] != following.about["begin"] for one, following in pairwise(parts)):
        raise StudyError(f"the files of realizations from {first.numbers[0]} on do not make one relaxation from its start")
    along, values = ({name: np.concatenate([getattr(part, kind)[name] for part in parts]) for name in getattr(first, kind)} for kind in ("along", "values"))
    return Part(first.about, along, values, first.numbers, first.axis)


def by_size(parts: list[Part]) -> list[Part]:
    """Returns one part for each lattice size, ascending, up to the last time that all batches have. StudyError if batches are of different studies."""
    found = []
    for L in sorted({part.about["L"] for part in parts}):
        of = [part for part in parts if part.about["L"] == L]
        batches = [one_after_the_other([part for part in of if part.numbers[0] == first]) for first in sorted({part.numbers[0] for part in of})]
        about, axis = batches[0].about, batches[0].axis
        if any(batch.about["physics"] != about["physics"] for batch in batches):
            raise StudyError(f"the relaxations of L = {L} belong to different studies; give files of one study")
        along = min((batch.along for batch in batches), key=lambda along: len(along["times"]))
        n = len(along["times"])
        if any(not np.array_equal(batch.along["times"][:n], along["times"]) for batch in batches):
            raise StudyError(f"the relaxations of L = {L} have different times")
        values = {name: np.concatenate([batch.values[name][:n] for batch in batches], axis=axis) for name in batches[0].values}
        found.append(Part(about, along, values, np.concatenate([batch.numbers for batch in batches]), axis))
    return found
