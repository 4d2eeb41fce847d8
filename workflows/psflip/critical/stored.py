"""Reads and writes critical.json, and writes critical.csv."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

from psflip.campaign.errors import reading
from psflip.campaign.json_files import check_form, read_json
from psflip.campaign.whole_files import write_json
from psflip.results.columns import columns_in, write_rows
from psflip.results.crossing_curves import CROSSING_CURVES

KIND = "critical point"
CURVES = frozenset(CROSSING_CURVES)
PARTS = ("error", "range_error", "omega_error")  # of the error: statistics, sizes, omega
ACCEPTABLE = {**dict.fromkeys(("value", *PARTS), float), "acceptable": (bool, int)}
FIT = {"L_min": int, "chi2": float, "dof": int, "p": float, "weight": float}
QUOTIENT = dict.fromkeys((name + ending for name in ("T", "value", "nu", "eta") for ending in ("", "_err")), float)
LEVEL = dict.fromkeys((name + ending for name in ("T1", "T2", "theta", "nu", "change") for ending in ("", "_err")), float)
FORM = {  # of critical.json, with NaN for null
    "groups": int, "missing": str, "omega": {"value": float, "error": float, "source": str}, "band": [[float]],
    "results": {CURVES | {"T_c", "nu", "eta"}: {**ACCEPTABLE, "p": float, "L_min": int, "published?": [float]}},
    "quotients": [{"quantity": CURVES, "L1": int, "L2": int, **QUOTIENT, "p": float, "slopes_measured": bool, "note": str}],
    "fits": [{"number": CURVES | {"T_c", "inverse_nu", "two_minus_eta"}, "pairs": int, "constant": float, "error": float, "amplitudes": {str: [float]}, **FIT}],
    "levels?": [{"quantity": CURVES, "level": float, "L1": int, "L2": int, **LEVEL, "quoted": bool, "note": str}],  # of models that order at T = 0 only
}  # fmt: skip


def replaced(value, is_replaced: Callable[[object], bool], new: float | None):
    """Returns nested dictionaries and lists with all values for which `is_replaced` is true replaced."""
    if isinstance(value, dict):
        return {key: replaced(part, is_replaced, new) for key, part in value.items()}
    if isinstance(value, list):
        return [replaced(part, is_replaced, new) for part in value]
    return new if is_replaced(value) else value


def write_critical(file: Path, found: dict) -> None:
    """Writes critical.json. JSON has no NaN, and null stands for it."""
    write_json(file, {"kind": KIND, **replaced(found, lambda value: isinstance(value, float) and not math.isfinite(value), None)}, KIND)


def read_critical(file: Path) -> dict:
    """Returns critical.json with NaN for null. StudyError if the file is not a critical point."""
    what = "a critical point as critical.analysis writes it (remove it, and it is made again)"
    found = replaced(read_json(file, what, {"kind": {KIND}}), lambda value: value is None, math.nan)
    with reading(file, what):
        check_form(found, FORM)
    return found


def whole_error(result: dict) -> float:
    """Returns the error of a result with all its parts. A part that is not known counts as 0."""
    return math.hypot(*(0.0 if math.isnan(result[part]) else result[part] for part in PARTS))


def rows_of(found: dict) -> Iterator[dict]:
    """Yields the rows of critical.csv: results, quotients, fits by L_min, T_c against omega, exponents at fixed levels."""
    for name, result in found["results"].items():
        value, error = result.get("published", ("", ""))
        yield {"table": "result", "name": name, **result, "published": value, "published_error": error}
    for q in found["quotients"]:
        for name in ("T", "value", "nu", "eta"):
            pair = {"table": "quotient", "name": name, "quantity": q["quantity"], "L1": q["L1"], "L2": q["L2"]}
            yield pair | {"value": q[name], "error": q[f"{name}_err"], "p": q["p"], "note": q["note"]}
    for fit in found["fits"]:
        numbers = {key: fit[key] for key in ("L_min", "error", "chi2", "dof", "p", "weight")}
        yield {"table": "fit", "name": fit["number"], "value": fit["constant"], **numbers}
    for omega, T_c, error in found["band"]:
        yield {"table": "band", "name": "T_c", "value": T_c, "error": error, "note": f"omega = {omega:.6g}"}
    for of in found.get("levels", []):
        pair = {key: of[key] for key in ("quantity", "L1", "L2", "level")}
        for name in ("T1", "T2", "theta", "nu"):
            yield {"table": "level", "name": name, **pair, "value": of[name], "error": of[f"{name}_err"], "weight": float(of["quoted"]), "note": of["note"]}


def write_table(file: Path, found: dict) -> None:
    head = columns_in("critical.csv")
    cells = [[row.get(column, "") for column in head] for row in rows_of(found)]
    write_rows(file, [head, *([f"{cell:.10g}" if isinstance(cell, float) else cell for cell in row] for row in cells)], "table of critical points")
