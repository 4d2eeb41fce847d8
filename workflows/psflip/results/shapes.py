"""What the arrays of a size in reduced.h5 must be for all that reads them."""

from __future__ import annotations

import numpy as np


def wanted_shape(key: str, columns: dict[str, np.ndarray]) -> tuple[int, ...] | None:
    """By the name of a dataset: (temperature), (bin, temperature) or (temperature, bin of q), errors as what they belong to; None where
    any will do."""
    temperatures = len(columns["temperatures"])
    if key.endswith("_err") and key.removesuffix("_err") in columns:
        return np.shape(columns[key.removesuffix("_err")])
    if key.startswith("log2_") and f"{key}_err" in columns:
        return len(columns["log2_edges"]) - 1, temperatures
    if key.startswith("paired_") and f"{key}_err" in columns:
        return *np.shape(columns[key])[:1], temperatures
    if key.startswith("paired_") and key.endswith("_z"):
        return np.shape(columns[key.removesuffix("_z")])
    if key in ("histogram_density", "histogram_link_density"):
        return temperatures, len(columns["histogram_q_edges"]) - 1
    if key.startswith("lowest_"):
        return (len(columns["realization"]),)
    if key == "coldest_overlap_counts":
        return len(columns["realization"]), len(columns["histogram_q_edges"]) - 1
    if key == "swap_rate":
        return (temperatures - 1,)
    return (temperatures,) if key == "equilibrated_fraction" or f"{key}_err" in columns else None


def check_shapes(L: int, columns: dict[str, np.ndarray]) -> None:
    """ValueError names the dataset."""
    T = columns["temperatures"]
    if np.ndim(T) != 1 or not len(T) or not np.isfinite(T).all() or not (np.diff(T) > 0).all():
        raise ValueError(f"L{L}/temperatures are no ascending temperatures")
    for key, values in columns.items():
        shape = wanted_shape(key, columns)
        if shape is not None and (np.shape(values) != shape or np.asarray(values).dtype.kind not in "iuf"):
            raise ValueError(f"L{L}/{key} has the shape {np.shape(values)}, but {shape} and numbers are needed")


def check_samples(L: int, samples: dict[str, np.ndarray], columns: dict[str, np.ndarray]) -> None:
    """ValueError names the jackknife samples that are not (group, temperature)."""
    for key, values in samples.items():
        if np.ndim(values) != 2 or np.shape(values)[1] != len(columns["temperatures"]) or values.dtype.kind != "f":
            raise ValueError(f"L{L}/jackknife/{key} has the shape {np.shape(values)}, but one number per group and temperature is needed")
