"""What a study simulates, from the model of its configuration: its name, and what the literature knows of exactly this model. Where
nothing is known, nothing is compared with."""

from __future__ import annotations

from dataclasses import dataclass

from results.notation import with_error

# Where paramagnet, spin glass and ferromagnet meet on the cubic lattice: p_ferro = 0.7682 (T = 1.669), the multicritical Nishimori point of
# Hasenbusch, Parisen Toldin, Pelissetto, Vicari, Phys. Rev. B 76, 184202 (2007). Turning round the spins of one sublattice makes p_ferro
# 1 - p_ferro and leaves the overlap as it is.
MULTICRITICAL = 0.7682


@dataclass(frozen=True)
class Known:
    """Of the infinite system. Pairs are value and standard error."""

    T_c: tuple[float, float]
    nu: float
    omega: float
    source: str
    note: str  # HTML, after T_c and its source

    @property
    def T_c_text(self) -> str:
        return with_error(*self.T_c)


SPIN_GLASS = Known(
    (1.1019, 0.0029), 2.562, 1.12, "Baity-Jesi et al., arXiv:1310.2910",
    "with ξ<sub>L</sub>/L = 0.6516(32) and g = 0.7551(14) there. Finite sizes cross higher: ξ<sub>L</sub>/L of L = 4 and 8 at T = 1.204(17).",
)  # fmt: skip
FERROMAGNET = Known(
    (1 / 0.221654626, 1.0e-7), 0.6299, 0.832, "1/K<sub>c</sub> of Ferrenberg, Xu, Landau, arXiv:1806.03558",
    "of the ferromagnet. Binder ratio and ξ<sub>L</sub>/L are those of the overlap; their values there are not those of the magnetisation.",
)  # fmt: skip


@dataclass(frozen=True)
class Model:
    p_ferro: float
    name: str
    known: Known | None
    ferromagnetic: bool  # whether the ordered phase just below the transition is a ferromagnet (or, p_ferro < 1/2, an antiferromagnet)

    @property
    def label(self) -> str:
        """What titles say besides: nothing for the ±J spin glass of equally many bonds of both signs."""
        return "" if self.p_ferro == 0.5 else f"p_ferro = {self.p_ferro:g}"

    @property
    def warning(self) -> str:
        """What crossings of the overlap are where they are not those of a spin glass; plain text."""
        if not self.ferromagnetic:
            return ""
        kind = "ferromagnet" if self.p_ferro > 0.5 else "antiferromagnet"
        article = "a" if self.p_ferro > 0.5 else "an"
        side = f"above {MULTICRITICAL:.3f}" if self.p_ferro > 0.5 else f"below {1 - MULTICRITICAL:.3f}"
        return f"At this p_ferro ({side}) the system orders as {article} {kind}: crossings of q are those of the {kind}, not of a spin glass."


def model_of(config: dict) -> Model:
    """From the configuration with all defaults, or with fewer keys: those of configs/reference.yaml count."""
    given = {"kind": "edwards-anderson", "dimension": 3, "field": 0, "p_ferro": 0.5} | (config.get("model") or {})
    p, field = float(given["p_ferro"]), float(given["field"])
    # a model with keys that are not named here is another one
    ours = given["kind"] == "edwards-anderson" and given["dimension"] == 3 and not set(given) - {"kind", "dimension", "field", "p_ferro"}
    if not ours:
        return Model(p, f"{given['dimension']}-dimensional {given['kind']} model", None, False)
    if p in (0, 1):
        name, known = f"Three-dimensional Ising {'ferromagnet' if p else 'antiferromagnet'}", FERROMAGNET
    else:
        name, known = "Three-dimensional ±J Edwards–Anderson model", SPIN_GLASS if p == 0.5 else None
    in_field = f" in a field h = {field:g}" if field else ""
    return Model(p, name + in_field, None if field else known, max(p, 1 - p) > MULTICRITICAL)
