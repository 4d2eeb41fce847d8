"""Reads what a relaxation found, of Ising or of vector spins: relaxation.json and the tables, as lines for a terminal."""

from __future__ import annotations

from pathlib import Path

from psflip.campaign.errors import reading
from psflip.campaign.json_files import read_json
from psflip.results.cautions import Caution
from psflip.results.notation import with_error

NAME = "relaxation.json"
WHAT = "the numbers of a relaxation (remove it and run the study again)"
FORM = {"kind": {"relaxation"}, "sizes": [{"L": int}], "cautions?": [str]}
FILES = (("report", "relaxation.html"), ("numbers", NAME), ("table", "relaxation.csv"), ("times", "two_time.csv"), ("archive", "relaxation.zip"))
# Of a protocol of vector spins: the rows of each list, and what a value in them is called.
OF_PROTOCOLS = {"temperature": {"T_order": "T of order", "T_compensation": "T of compensation"}, "field": {"coercive_field": "coercive field", "remanence": "remanence"}, "loops": {"area": "area of the loop"}}


def read(folder: Path) -> dict:
    return read_json(folder / NAME, WHAT, FORM)


def cautions_of(found: list[Caution]) -> dict[str, list[str]]:
    """Returns what relaxation.json has of warnings: their lines for a terminal."""
    return {"cautions": [caution.sentence() for caution in found]} if found else {}


def number(row: dict, name: str) -> str:
    error = row.get(f"{name}_err")
    return with_error(row[name], error) if error is not None else f"{row[name]:.4g}"


def last_fits(rows: list[dict]) -> list[dict]:
    """Returns, of each size and temperature, the fit whose window begins at the largest length."""
    return list({(row["L"], row["T"]): row for row in sorted(rows, key=lambda row: (row["L"], row["T"], row["xi_from"]))}.values())


def growth(found: dict) -> list[dict]:
    return last_fits(found.get("growth", []))


def summary(folder: Path) -> list[str]:
    """What was found, and where the files lie."""
    with reading(folder / NAME, WHAT):
        found = read(folder)
        lines = results(found)
    files = [(title, folder / name) for title, name in FILES if (folder / name).is_file()]
    return [*lines, *found.get("cautions", []), *(f"{title + ':':9}{file}" for title, file in files)]


def results(found: dict) -> list[str]:
    sizes = ", ".join(str(L) for L in sorted({size["L"] for size in found["sizes"]}))
    lines = [f"Relaxation of L = {sizes}", *found.get("refused", [])]
    lines += [f"Growth of L = {row['L']}, T = {row['T']:g}: xi_12 = A t^(1/z), z = {number(row, 'z')}, from xi_12 = {row['xi_from']:g} on" for row in growth(found)]
    lines += [f"Decay of L = {row['L']}, T = {row['T']:g}: C(0, t) = A t^(-lambda/z), lambda/z = {with_error(-row['power'], row['power_err'])}" for row in found.get("decay", [])]
    if fit := found.get("collapse"):
        lines.append(f"Collapse of the Binder ratio: T_c = {number(fit, 'T_c')}, nu = {number(fit, 'nu')}")
    for name, titles in OF_PROTOCOLS.items():
        for row in found.get(name, []):
            values = [f"{title} = {number(row, key)}" for key, title in titles.items() if row.get(key) is not None]
            T = row["T"] if isinstance(row["T"], str) else format(row["T"], ".4g")
            lines += [f"L = {row['L']}, T = {T}: {', '.join(values)}"] if values else []
    nothing = "No exponent and no T_c were found, because the times, temperatures, sizes or groups of realizations are too few"
    return lines if len(lines) > 1 else [*lines, nothing]
