"""The page on the keys of the study file: a table for each section, an anchor for each key, and formulas next to the words."""

from __future__ import annotations

import re
from pathlib import Path

from markup import cell, code, entries, prose_cell

SECTIONS = {  # section -> what it says
    "": "These keys belong to no section.",
    "model": "This section says what is simulated.",
    "lattice": "This section has the sizes of the lattices.",
    "disorder": "This section says how many realizations there are and where their couplings come from.",
    "temperatures": "This section has the temperatures that exchange their configurations.",
    "multispin": "This section says how spins share words and random numbers.",
    "dynamics": "This section says how spins are updated.",
    "thermalize": "This section has the sweeps before the first measurement.",
    "run": "This section has the measured sweeps and what is recorded of them.",
    "equilibration": "This section says when a realization counts as equilibrated.",
    "relax": "This section describes studies off equilibrium, such as quenches, cooling and loops of hysteresis.",
    "checkpoint": "This section says how often a program saves its state.",
}
SHOWN = {  # section -> formulas with a line of their own, each with what it belongs to
    "model": [
        (r"H = -\sum_{\langle ij\rangle} J_{ij}\, s_i s_j - h \sum_i s_i", "Ising spins (`edwards-anderson`, `ferromagnet`)"),
        (r"H = -\sum_{\langle ij\rangle} \left[J_{ij}\, S_i \cdot S_j + D_{ij} \cdot (S_i \times S_j)\right] - \sum_i K_i (S_i^x)^2 - h \sum_i m_i S_i^z", "vector spins (`heisenberg`)"),
    ],
    "temperatures": [(r"T_k = T_{\min} \left(T_{\max} / T_{\min}\right)^{k/(n-1)}, \quad k = 0, \ldots, n-1", "`spacing: geometric` with $n$ = `count`")],
}
FORMULAS = {  # key -> formula behind its meaning
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


def keys_of(text: str) -> list[tuple[str, str, str, str]]:
    """Of configs/reference.yaml: path of the key, default, unit and range, meaning; sections are left out unless something is said of them."""
    found, comment, section = [], [], ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            example = stripped.startswith("#   ")
            comment.append(f"`{stripped[1:].strip()}`" if example else stripped[1:].strip())
        elif match := re.fullmatch(r"( *)(\w+):\s*(.*)", line):
            section = "" if not match[1] else section
            if comment and comment[-1].startswith("["):
                found.append((section + match[2], match[3], comment[-1].strip("[]"), " ".join(comment[:-1])))
            section = section or f"{match[2]}." if not match[3] else section
            comment = []
        elif not stripped:
            comment = []
    return found


def by_section(found: list[tuple[str, str, str, str]]) -> dict[str, list[tuple[str, str, str, str]]]:
    sections = {key.split(".")[0] for key, *_ in found if "." in key}
    grouped: dict[str, list[tuple[str, str, str, str]]] = {}
    for row in found:
        name = row[0].split(".")[0]
        grouped.setdefault(name if name in sections else "", []).append(row)
    return grouped


def entry(key: str, default: str, allowed: str, doc: str) -> tuple[str, str]:
    """A row: the key leads to itself, so that its address can be copied. A section that is a key has the anchor of its heading."""
    formula = f" <br>${FORMULAS[key]}$" if key in FORMULAS else ""
    name = f'<span id="{key}"></span>' * (key not in SECTIONS) + f"[{code(key)}](#{key})"
    return f"{name}<br>{f'default {code(default)}' if default else ''}", f"{prose_cell(doc)}{formula} <br>*{cell(allowed)}*"


def section(name: str, rows: list[tuple[str, str, str, str]]) -> str:
    shown = "".join(f"\n{about[0].upper() + about[1:] if not about.startswith('`') else about}:\n\n$${formula}$$\n" for formula, about in SHOWN.get(name, []))
    return f"## {name or 'Without a section'}\n\n{SECTIONS[name]}\n{shown}\n" + entries(("key", "meaning, *unit and range*"), [entry(*row) for row in rows])


def page(root: Path) -> str:
    grouped = by_section(keys_of((root / "configs/reference.yaml").read_text()))
    listed = " · ".join(f"[{name or 'without a section'}](#{name or 'without-a-section'})" for name in grouped)
    return (
        "# Keys of the study file\n\nA study file is YAML, and a key that is left out has its default. `--set key=value` changes one for a call of a program. "
        "An unknown key, a value out of range or of another type is refused before any work. The message names file, line and remedy. "
        "The programs and `configs/reference.yaml` have these texts, too.\n\n"
        f"{listed}\n\n" + "\n".join(section(name, rows) for name, rows in grouped.items())
    )
