"""Makes the section on single realizations: how much they differ, their overlaps and lowest energies, and whether energy and specific heat are consistent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from psflip.report import page
from psflip.report.page import DASH
from psflip.report.report_results import section_figures
from psflip.results.notation import with_error
from psflip.results.overlaps import HIGH, NEAR, Overlaps, peaks, weight_near_zero, width
from psflip.results.averages import Size
from psflip.results.reduced import Reduced
from psflip.results.thermodynamics import energy_integral

T = "T (J/k<sub>B</sub>)"
MEANING = f"""<p>The table is for the coldest temperature of each size. The weight near zero is the probability of |q| ≤ {NEAR}, averaged over the realizations. For L → ∞ it vanishes
if there is one pair of states (droplets), but not if there are many (replica symmetry breaking). The width is the standard deviation of |q| in one realization. Peaks are maxima of
P<sub>J</sub>(|q|) that are at least {HIGH} times as high as a flat density and stand out by half of their height. Peaks are not counted if a realization has too few measurements.
This table uses the whole run, including the first part, which averages discard.</p>"""
INTEGRAL = """<p>In equilibrium, the energy of every realization rises from the coldest to the hottest temperature by the integral of its specific heat. z is the integral minus the energy
difference, divided by its error. This error includes the interpolation between temperatures.</p>"""
LOWEST = """<p>The table is for the coldest temperature. A run that reaches the ground states finds the lowest energy of every realization many times.
If the last half of a run found a lower energy than its first half, a doubled run may find an even lower energy.</p>"""


def overlap_cells(size: Size) -> list[str]:
    overlaps = Overlaps.of(size)
    if not overlaps:
        return [DASH] * 6
    weight, found = weight_near_zero(overlaps), peaks(overlaps)
    error = weight.std(ddof=1) / np.sqrt(len(weight)) if len(weight) > 1 else np.nan
    fractions = [DASH] * 3 if found is None else [f"{100 * x.mean():.1f} %" for x in (found <= 1, found == 2, found > 2)]
    return [with_error(weight.mean(), error), f"{100 * (weight == 0).mean():.1f} %", f"{np.median(width(overlaps)):.3f}", *fractions]


def overlap_table(data: Reduced) -> str:
    head = ["L", T, "weight near zero", "realizations with weight 0", "median width of |q|", "realizations with at most one peak", "with two peaks", "with more peaks"]
    rows = [[str(size.L), f"{size.temperatures[0]:.4g}", *overlap_cells(size)] for size in data.sizes]
    return page.table(head, rows, 2, MEANING) if any(row[2] != DASH for row in rows) else ""


def integral_table(data: Reduced) -> str:
    rows = []
    for size in data.sizes:
        if found := energy_integral(size):
            ends = f"{size.temperatures[0]:.4g} to {size.temperatures[-1]:.4g}"
            rows.append([str(size.L), ends, f"{found.energy:.5f}", with_error(found.integral, found.error), f"{found.z:+.1f}"])
    return page.table(["L", T, "energy difference (J)", "integral of C dT (J)", "z"], rows, 2, INTEGRAL)


def lowest_table(data: Reduced) -> str:
    rows = []
    for size in data.sizes:
        energy, count, half = (size.get(f"lowest_{name}") for name in ("energy", "count", "first_half"))
        if len(energy):
            mean = with_error(energy.mean() / size.sites, energy.std(ddof=1) / np.sqrt(len(energy)) / size.sites)
            rows.append([str(size.L), f"{size.temperatures[0]:.4g}", mean, str(int((energy < half).sum())), str(int((count == 1).sum())), f"{np.median(count):.0f}"])
    return page.table(["L", T, "lowest energy per spin (J)", "realizations with a lower energy in the last half", "realizations that saw the lowest energy once", "median number of times seen"], rows, 2, LOWEST)


def section(data: Reduced, plots: Path) -> str:
    return page.joined(section_figures(data, "Realizations", plots), "" if data.model.field else overlap_table(data), lowest_table(data), integral_table(data))
