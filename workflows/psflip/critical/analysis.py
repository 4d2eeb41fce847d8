"""Computes the critical point of a study from its curves: quotients of pairs of sizes, extrapolations by L_min, and the quoted numbers. If the model orders at
T = 0 only, the analysis computes theta and nu of pairs of sizes instead.

    python workflows/psflip critical.analysis --reduced reduced.h5 --json critical.json --csv critical.csv
"""

from __future__ import annotations

import numpy as np
from psflip.campaign.command_line import Parser
from psflip.results.literature import Known, Model
from psflip.results.reduced import Reduced, read_reduced

from psflip.critical import zero_temperature
from psflip.critical.extrapolation import ORDERS, Extrapolated, Omega, critical_point, transformed
from psflip.critical.jackknife import error, group_count
from psflip.critical.least_squares import MIN_P
from psflip.critical.quotients import RATIOS, Quotient, errors, quotients
from psflip.critical.stored import write_critical, write_table

MIN_GROUPS = 20
UNKNOWN_OMEGA = Omega(1.0, 0.5, "not known for this model: a guess")
IN_FORM = {  # name of a result -> the extrapolated number, and the result as a function of this number
    "T_c": ("T_c", lambda x: x),
    "nu": ("inverse_nu", lambda x: 1 / x),
    "eta": ("two_minus_eta", lambda x: 2 - x),
}


def omega_of(known: Known | None) -> Omega:
    return Omega(*known.omega, known.sources or known.source) if known else UNKNOWN_OMEGA


def published(known: Known | None, name: str) -> dict[str, list[float]]:
    """Returns the published value and its error, or an empty map without a published value."""
    found = {"T_c": known.T_c, "nu": known.nu, "eta": known.eta, **known.values} if known else {}
    return {"published": list(found[name])} if name in found else {}


def of_quotient(q: Quotient) -> dict:
    e = errors(q)
    with np.errstate(all="ignore"):
        nu, eta = float(1 / q.inverse_nu[0]), float(2 - q.two_minus_eta[0])
        nu_err = e["inverse_nu"] * nu**2
    return {
        "quantity": q.quantity, "L1": q.L1, "L2": q.L2, "T": float(q.T[0]), "T_err": e["T"], "value": float(q.value[0]), "value_err": e["value"],
        "nu": nu, "nu_err": nu_err, "eta": eta, "eta_err": e["two_minus_eta"], "p": q.p, "slopes_measured": q.slopes_measured, "note": q.note,
    }  # fmt: skip


def of_fits(number: Extrapolated) -> list[dict]:
    """Returns all fits of a number. Parameters are as in extrapolation.py: the constant, then the amplitudes of each R by their order."""
    rows = []
    for i, (found, choice) in enumerate(zip(number.fits, number.choices)):
        amplitudes = found.parameters[0, 1:].reshape(ORDERS, -1).T
        rows.append(
            {"number": number.name, "L_min": choice.L_min, "pairs": len(choice.pairs), "constant": float(found.parameters[0, 0]),
             "error": float(np.hypot(error(found.parameters[:, 0]), found.prior_errors[0])), "amplitudes": {name: a.tolist() for name, a in zip(choice.quantities, amplitudes)},
             "chi2": float(found.chi2[0]), "dof": found.dof, "p": found.p, "weight": float(i == number.used)}
        )  # fmt: skip
    return rows


def of_result(name: str, number: Extrapolated, form, known: Known | None) -> dict:
    p, L_min = number.fit.p, number.choices[number.used].L_min
    return {**transformed(number, form), "p": p, "L_min": L_min, "acceptable": bool(p >= MIN_P), **published(known, name)}


def results_of(found: dict[str, Extrapolated], known: Known | None) -> dict[str, dict]:
    """Returns T_c, nu, eta and, by the name of R, R*."""
    forms = IN_FORM | {name: (name, lambda x: x) for name in found if name not in ("T_c", "inverse_nu", "two_minus_eta")}
    return {name: of_result(name, found[of], form, known) for name, (of, form) in forms.items() if of in found}


def no_transition(model: Model) -> str:
    """Returns why a model has no transition that the analysis could find, as plain text. It is empty if there may be one."""
    return model.no_crossings or (model.warning.rstrip(".") if model.field and not model.overlaps else "")


def why_not(data: Reduced, groups: int, pairs: list[Quotient], found: dict[str, Extrapolated], levels: list[dict]) -> str:
    """Returns what is missing for a critical point, or for exponents of a transition at T = 0, as plain text. It is empty if nothing is missing."""
    if not data.model.orders_at_zero and (said := no_transition(data.model)):
        return said
    if groups < MIN_GROUPS:
        return f"The file has {groups} jackknife groups, but covariances need {MIN_GROUPS} or more"
    if data.model.orders_at_zero:
        return "" if any(level["quoted"] for level in levels) else zero_temperature.NO_LEVEL
    if not pairs:
        return f"Exponents need two sizes with the ratio {' or '.join(f'{s:g}' for s in RATIOS)}"
    if not any(q.usable for q in pairs):
        return "No pair of sizes has a crossing with an error"
    firsts = [{q.L1 for q in pairs if q.usable and q.quantity == name} for name in data.model.crossings]
    if "T_c" not in found and max(map(len, firsts)) > 1:
        return "The errors are too large, or the pairs too few, to extrapolate ν to infinite size"
    if "T_c" not in found:
        return "An extrapolation needs crossings of two or more pairs with different smaller sizes, such as (4, 8) and (8, 16)"
    return ""


def analyse(data: Reduced) -> dict:
    """Returns the whole analysis, in the form of critical.json."""
    groups, known = group_count(data), data.model.known
    omega = omega_of(known)
    enough = groups >= MIN_GROUPS and not no_transition(data.model)
    pairs = quotients(data, groups) if enough else []
    found = critical_point(pairs, omega)
    levels = zero_temperature.of_study(data) if data.model.orders_at_zero and groups >= MIN_GROUPS else []
    return {
        "groups": groups,
        "omega": {"value": omega.value, "error": omega.error, "source": omega.source},
        "missing": why_not(data, groups, pairs, found, levels),
        "results": results_of(found, known),
        "quotients": [of_quotient(q) for q in pairs],
        "fits": [row for number in found.values() for row in of_fits(number)],
        "band": [list(point) for point in found["T_c"].band] if "T_c" in found else [],
        "levels": levels,
    }


def main() -> None:
    parser = Parser(__doc__)
    parser.add_input("--reduced", required=True)
    parser.add_output("--json", "critical point", required=True)
    parser.add_output("--csv", "table of critical points", required=True)
    given = parser.parse_args()
    found = analyse(read_reduced(given.reduced))
    write_critical(given.json, found)
    write_table(given.csv, found)


if __name__ == "__main__":
    main()
