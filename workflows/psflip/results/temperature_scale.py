"""Finds studies whose temperatures are too high or too low for any physics, in units of J. Far above all transitions averages are noise. Far below nothing moves.

No model here orders above the mean-field scale z J, where z = 2 d is the number of neighbours, and no glass above sqrt(z) J. The warning begins at 2 z J. With discrete couplings the smallest positive energy of a flip is 2 J if bonds are absent, else 4 J. At 0.1 J
a flip that costs energy has a probability below exp(-20). Real couplings and vectors have small energies at every temperature, so they have no lower
bound. Relaxations have none either, because they may be quenches to T = 0."""

from __future__ import annotations

from collections.abc import Iterable

from psflip.campaign.study import EQUILIBRIUM, by_lattices
from psflip.results.literature import KEYS, VECTOR_KEYS, model_of

TOO_HOT = 2.0  # times z J
TOO_COLD = 0.1  # times J
MAX_OF_FILES = 8.0  # of real couplings in your own files
KELVIN = "temperatures are in units of J/k_B, not kelvin"


def max_coupling(config: dict) -> float:
    """Returns J: 1 for Ising couplings, 8 for Gaussian couplings from files, or for vector spins the largest sum of |exchange| and |D| of a bond."""
    model = KEYS | VECTOR_KEYS | config.get("model", {})
    if config.get("model", {}).get("kind") == "heisenberg":
        x = model["concentration"]
        bonds = [0] if x == 0 else [2] if x == 1 else [0, 1, 2]  # a-a, a-b, b-b
        dm = [0.0, 0.0, 0.0] if model["dm_pattern"] == "none" else model["dm"]
        return max(abs(model["exchange"][bond]) + abs(dm[bond]) for bond in bonds)
    real_files = model["couplings"] == "gaussian" and config.get("disorder", {}).get("source") == "files"
    return MAX_OF_FILES if real_files else 1.0


def without_physics(config: dict, temperatures: Iterable[float], kind: str = EQUILIBRIUM) -> str:
    """Returns why all temperatures of a study are useless, as a sentence without its full stop. It is empty if one may be useful. `config`: with all defaults, or fewer keys."""
    T = list(temperatures)
    J, model = max_coupling(config), model_of(config)
    z = 2 * model.dimension
    factor = min([1.0, *config.get("relax", {}).get("factors", [])]) if kind != EQUILIBRIUM else 1.0
    here = f"temperatures: {min(T):g} to {max(T):g}"
    near = f"the transition of this model is at T = {model.known.T_c_text}" if model.known else f"transitions lie below {z * J:g}"
    if min(T) * factor > TOO_HOT * z * J:
        return f"{here} lie far above any transition ({TOO_HOT:g} z J = {TOO_HOT * z * J:g}, z = {z} neighbours), so averages are noise and curves cross by chance; {KELVIN}, and {near}"
    if max(T) < TOO_COLD * J and kind == EQUILIBRIUM and not by_lattices(config):
        return f"{here} are so low that nothing equilibrates, because below {TOO_COLD:g} J a flip that costs energy has a probability below exp(-20); {KELVIN}, and {near}"
    return ""
