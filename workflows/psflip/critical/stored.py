"""critical.json and critical.csv: the analysis of a study as its report, plots and readers take it."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from psflip.campaign.errors import reading
from psflip.campaign.json_files import check_form, read_json
from psflip.campaign.whole_files import whole, write_json
from psflip.results.crossing_curves import CROSSING_CURVES

KIND = "critical point"
CURVES = frozenset(CROSSING_CURVES)
ERRORS = dict.fromkeys(("value", "error", "range_error", "omega_error"), float)
ACCEPTABLE = {**ERRORS, "acceptable": (bool, int)}
FIT = {"L_min": int, "chi2": float, "dof": int, "p": float, "weight": float}
QUOTIENT = dict.fromkeys((name + ending for name in ("T", "value", "nu", "eta") for ending in ("", "_err")), float)
FORM = {  # of critical.json, with NaN for null
    "groups": int, "missing": str, "omega": {"value": float, "error": float, "source": str}, "band": [[float]],
    "results": {CURVES | {"T_c", "nu", "eta"}: {**ACCEPTABLE, "p": float, "L_min": int, "published?": [float]}},
    "quotients": [{"quantity": CURVES, "L1": int, "L2": int, **QUOTIENT, "p": float, "slopes_measured": bool, "note": str}],
    "fits": [{"number": CURVES | {"T_c", "inverse_nu", "two_minus_eta"}, "pairs": int, "constant": float, "error": float, "amplitudes": {str: [float]}, **FIT}],
}  # fmt: skip
COLUMNS = (
    "table", "name", "quantity", "L1", "L2", "L_min", "value", "error", "range_error", "omega_error", "chi2", "dof", "p", "weight", "published", "published_error", "note",
)  # fmt: skip


def without_nan(value):
    """JSON has no NaN: null stands for it."""
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_nan(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def with_nan(value):
    if isinstance(value, dict):
        return {key: with_nan(part) for key, part in value.items()}
    if isinstance(value, list):
        return [with_nan(part) for part in value]
    return math.nan if value is None else value


def write_critical(file: Path, found: dict) -> None:
    write_json(file, {"kind": KIND, **without_nan(found)}, KIND)


def read_critical(file: Path) -> dict:
    """StudyError where it is no critical.json."""
    what = "a critical point as critical.analysis writes it (remove it, and it is made again)"
    found = with_nan(read_json(file, what, {"kind": {KIND}}))
    with reading(file, what):
        check_form(found, FORM)
    return found


def rows_of(found: dict) -> Iterator[dict]:
    """Of the table: results, quotients, fits by L_min, T_c against omega."""
    for name, result in found["results"].items():
        value, error = result.get("published", ("", ""))
        yield {"table": "result", "name": name, **result, "published": value, "published_error": error}
    for q in found["quotients"]:
        for name in ("T", "value", "nu", "eta"):
            told = {"table": "quotient", "name": name, "quantity": q["quantity"], "L1": q["L1"], "L2": q["L2"]}
            yield told | {"value": q[name], "error": q[f"{name}_err"], "p": q["p"], "note": q["note"]}
    for fit in found["fits"]:
        told = {key: fit[key] for key in ("L_min", "error", "chi2", "dof", "p", "weight")}
        yield {"table": "fit", "name": fit["number"], "value": fit["constant"], **told}
    for omega, T_c, error in found["band"]:
        yield {"table": "band", "name": "T_c", "value": T_c, "error": error, "note": f"omega = {omega:.6g}"}


def text(value) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def write_table(file: Path, found: dict) -> None:
    with whole(file, "table of critical points") as part, part.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows_of(found):
            writer.writerow([text(row.get(column, "")) for column in COLUMNS])
