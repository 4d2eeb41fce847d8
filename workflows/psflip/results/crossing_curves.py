"""Lists the averages whose curves for two sizes cross at a transition, and their names in plots, in the report and in a terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CrossingCurve:
    label: str  # of an axis, in LaTeX
    html: str
    text: str
    susceptibility: str  # the average whose quotients give eta


CROSSING_CURVES = {
    "binder": CrossingCurve("Binder ratio $g$", "Binder ratio g", "Binder ratio", "q2"),
    "xi_over_L": CrossingCurve(r"$\xi_L/L$", "ξ<sub>L</sub>/L", "xi_L/L", "q2"),
    "binder_m": CrossingCurve("Binder ratio $g_m$", "Binder ratio g<sub>m</sub>", "Binder ratio of m", "m2"),
    "xi_m_over_L": CrossingCurve(r"$\xi_L/L$", "ξ<sub>L</sub>/L of the magnetisation", "xi_L/L of m", "m2"),
    "xi_replicon_over_L": CrossingCurve(r"$\xi_L/L$", "ξ<sub>L</sub>/L of the replicon", "xi_L/L of the replicon", "chi_replicon"),
    "r12": CrossingCurve("$R_{12}$", "R<sub>12</sub>", "R12", "chi_replicon"),
    "binder_ms": CrossingCurve("Binder ratio $g_s$", "Binder ratio of the staggered magnetisation", "Binder ratio of m_s", "ms2"),
    "xi_ms_over_L": CrossingCurve(r"$\xi_L/L$", "ξ<sub>L</sub>/L of the staggered magnetisation", "xi_L/L of m_s", "ms2"),
}
