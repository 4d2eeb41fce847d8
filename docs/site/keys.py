"""Writes the page of the keys of the study file, with a table for each section, an anchor for each key, and formulas."""

from __future__ import annotations

from pathlib import Path

from markup import cell, code, entries, prose_cell

from psflip.commands.keys import Key, read_keys

SECTIONS = {  # section -> first sentence
    "": "These keys belong to no section.",
    "model": "This section says what is simulated.",
    "lattice": "This section has the sizes of the lattices.",
    "disorder": "This section says how many realizations there are and where their couplings come from.",
    "temperatures": "This section has the temperatures of parallel tempering.",
    "multispin": "This section says how realizations share words and random numbers.",
    "dynamics": "This section says how spins are updated.",
    "thermalize": "This section has the sweeps before the first measurement.",
    "run": "This section has the measured sweeps and what psflip records.",
    "equilibration": "This section says when a realization counts as equilibrated.",
    "relax": "This section describes studies off equilibrium: quenches, cooling and hysteresis loops.",
    "checkpoint": "This section says how often a program saves its state.",
}
SHOWN = {  # section -> displayed formulas, each with its condition
    "model": [
        (r"H = -\sum_{\langle ij\rangle} J_{ij}\, s_i s_j - h \sum_i s_i", "Ising spins (`edwards-anderson`, `ferromagnet`)"),
        (r"H = -\sum_{\langle ij\rangle} \left[J_{ij}\, S_i \cdot S_j + D_{ij} \cdot (S_i \times S_j)\right] - \sum_i K_i (S_i^x)^2 - h \sum_i m_i S_i^z", "vector spins (`heisenberg`)"),
    ],
    "temperatures": [(r"T_k = T_{\min} \left(T_{\max} / T_{\min}\right)^{k/(n-1)}, \quad k = 0, \ldots, n-1", "`spacing: geometric` with $n$ = `count`")],
}
FORMULAS = {  # key -> formula after its description
    "model.field": r"h",
    "model.p_ferro": r"P(J_{ij} = +1 \mid J_{ij} \neq 0)",
    "model.p_absent": r"P(J_{ij} = 0)",
    "model.couplings": r"P(J_{ij}) = e^{-J_{ij}^2/2} / \sqrt{2\pi}",
    "model.dm_pattern": r"D_{ij} = D\,n \quad\text{or}\quad D_{ij} = (-1)^{x+y+z} D\,n",
    "temperatures.spacing": r"T_k - T_{k-1}, \quad T_k / T_{k-1} \quad\text{or}\quad 1/T_{k-1} - 1/T_k",
    "dynamics.sweeps_per_swap": r"P = \min\left(1, e^{(\beta_t - \beta_{t+1})(E_t - E_{t+1})}\right)",
    "dynamics.update": r"P = \min(1, e^{-\Delta E/T}) \quad\text{or}\quad P = 1 / (1 + e^{\Delta E/T})",
    "equilibration.threshold_sigma": r"\vert \bar O_{\text{last}} - \bar O_k \vert \le x\,\sigma",
    "equilibration.min_walk_times": r"t_{\text{run}} \ge x\,\tau",
    "equilibration.max_doublings": r"t_{\text{run}} \le 2^n\, t_{\text{sweeps}}",
    "relax.per_decade": r"t_k = t_{\text{first}}\, 10^{k/n}",
    "relax.factors": r"T(t) = f_k\, T",
    "relax.fields": r"h(t) = f_k\, h",
}


def meaning(key: Key) -> str:
    """Joins the lines of a key into one text, with examples between backticks."""
    return " ".join(f"`{line.strip()}`" if line.startswith(" ") else line for line in key.lines)


def by_section(keys: list[Key]) -> dict[str, list[Key]]:
    sections = {key.path.split(".")[0] for key in keys if "." in key.path}
    grouped: dict[str, list[Key]] = {}
    for key in keys:
        name = key.path.split(".")[0]
        grouped.setdefault(name if name in sections else "", []).append(key)
    return grouped


def entry(key: Key) -> tuple[str, str]:
    """Returns the row of a key. The key links to itself, so a reader can copy its address. A key that is a section uses the anchor of the heading."""
    formula = f" <br>${FORMULAS[key.path]}$" if key.path in FORMULAS else ""
    name = f'<span id="{key.path}"></span>' * (key.path not in SECTIONS) + f"[{code(key.path)}](#{key.path})"
    return f"{name}<br>{f'default {code(key.default)}' if key.default else ''}", f"{prose_cell(meaning(key))}{formula} <br>*{cell(key.allowed)}*"


def section(name: str, keys: list[Key]) -> str:
    shown = "".join(f"\n{about[0].upper() + about[1:] if not about.startswith('`') else about}:\n\n$${formula}$$\n" for formula, about in SHOWN.get(name, []))
    return f"## {name or 'Without a section'}\n\n{SECTIONS[name]}\n{shown}\n" + entries(("key", "meaning, *unit and range*"), [entry(key) for key in keys])


def page(root: Path) -> str:
    grouped = by_section(list(read_keys((root / "configs/reference.yaml").read_text())))
    listed = " · ".join(f"[{name or 'without a section'}](#{name or 'without-a-section'})" for name in grouped)
    return (
        "# Keys of the study file\n\nA study file is YAML. An absent key has its default. `--set key=value` changes a key for one call of a program. "
        "Before any work psflip refuses unknown keys, wrong types and values out of range. The message names file, line and remedy. "
        "`psflip keys` and `configs/reference.yaml` have the same texts.\n\n"
        f"{listed}\n\n" + "\n".join(section(name, keys) for name, keys in grouped.items())
    )
