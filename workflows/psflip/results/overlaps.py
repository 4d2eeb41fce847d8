"""Computes P_J(q) of single realizations at the coldest temperature from `coldest_overlap_counts` of a size, and its weight near zero, width and peaks.
Counts are spread evenly over the values of q in their bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from psflip.results.averages import Size

NEAR = 0.2  # |q| up to here is near zero (Katzgraber, Palassini and Young, Phys. Rev. B 63, 184422)
MIN_COUNTS, MIN_BINS = 30, 8  # of a bin of |q| at flat density, and of bins, to look for peaks
HIGH = 1.25  # of a peak, in units of the flat density


@dataclass(frozen=True)
class Overlaps:
    """Holds `fraction` (realization, bin) of the measurements, all values `q` of the overlap, and the `bin` of each value."""

    fraction: np.ndarray
    counts: float  # the fewest measurements of one realization
    q: np.ndarray
    bin: np.ndarray

    @classmethod
    def of(cls, size: Size) -> "Overlaps | None":
        """Returns None if the file has no overlaps, for example with one replica."""
        counts = size.get("coldest_overlap_counts")
        if counts.ndim != 2 or not counts.sum(axis=1).all():
            return None
        sites, bins = size.sites, counts.shape[1]
        value = np.arange(sites + 1)
        return cls(counts / counts.sum(axis=1, keepdims=True), counts.sum(axis=1).min(), 2 * value / sites - 1, np.minimum(value * bins // sites, bins - 1))

    def mean(self, function_of_q: np.ndarray) -> np.ndarray:
        """Returns <f(q)> (realization)."""
        values = np.bincount(self.bin, minlength=self.fraction.shape[1])
        return self.fraction @ (np.bincount(self.bin, function_of_q, self.fraction.shape[1]) / np.maximum(values, 1))

    def density(self, bins: int) -> tuple[np.ndarray, np.ndarray]:
        """Returns edges (bins + 1) and P_J(|q|) (realization, bins), which is 1 if all values are equally likely."""
        place = np.minimum((np.abs(self.q) * bins).astype(int), bins - 1)
        values = np.bincount(place, minlength=bins)
        columns = [self.mean((place == i).astype(float)) * len(self.q) / max(1, values[i]) for i in range(bins)]
        return np.linspace(0, 1, bins + 1), np.stack(columns, axis=1)


def weight_near_zero(overlaps: Overlaps) -> np.ndarray:
    """Returns the probability of |q| <= NEAR (realization)."""
    return overlaps.mean((np.abs(overlaps.q) <= NEAR * (1 + 1e-12)).astype(float))


def width(overlaps: Overlaps) -> np.ndarray:
    """Returns the standard deviation of |q| (realization)."""
    return np.sqrt(np.maximum(0, overlaps.mean(overlaps.q**2) - overlaps.mean(np.abs(overlaps.q)) ** 2))


def bins_for_peaks(overlaps: Overlaps) -> int:
    """Returns the largest number of bins of |q| for which there are enough counts and values of q; 0 if it is too small."""
    bins = int(min(overlaps.fraction.shape[1] // 2, (len(overlaps.q) - 1) // 4, overlaps.counts / MIN_COUNTS))
    return bins if bins >= MIN_BINS else 0


def peaks(overlaps: Overlaps) -> np.ndarray | None:
    """Returns the number of maxima of P_J(|q|) (realization) that are at least HIGH and stand out by half of their height. None with too few
    measurements."""
    from scipy.signal import find_peaks  # takes 0.3 s, which plots do not need

    bins = bins_for_peaks(overlaps)
    if not bins:
        return None
    half = overlaps.density(bins)[1]
    edge = np.zeros((len(half), 1))
    whole = np.concatenate([edge, half[:, ::-1], half[:, 1:], edge], axis=1)  # of q from -1 to 1; bin 0 once
    # all rows at once: the zeros between them are as low as a base can be
    place, properties = find_peaks(whole.ravel(), height=HIGH, prominence=0, plateau_size=1)
    row, column = np.divmod(place, whole.shape[1])
    high = (properties["prominences"] >= 0.5 * properties["peak_heights"]) & (column >= bins)
    return np.bincount(row[high], minlength=len(whole))
