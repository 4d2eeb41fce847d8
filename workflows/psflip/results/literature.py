"""Names the model of a study and its published critical parameters. A model without published values is compared with nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from psflip.results.notation import with_error

# dimension -> p_ferro above which the ordered phase next to the paramagnet is a ferromagnet. The values are the multicritical Nishimori points (T = 1.669
# in three dimensions, 0.953 in two) of Hasenbusch, Parisen Toldin, Pelissetto, Vicari, Phys. Rev. B 76, 184202 (2007) and Phys. Rev. E 77, 051115 (2008).
# Flipping the spins of one sublattice turns p_ferro into 1 - p_ferro and does not change the overlap.
MULTICRITICAL = {2: 0.8908, 3: 0.7682}


@dataclass(frozen=True)
class Known:
    """Holds published values of the infinite system. Pairs are value and standard error. The error is 0 if the value is exact, or if all given digits are exact."""

    T_c: tuple[float, float]
    nu: tuple[float, float]
    eta: tuple[float, float]  # of the order parameter of the crossings
    omega: tuple[float, float]  # exponent of the leading correction to scaling; extrapolations vary omega by the error
    source: str
    note: str  # HTML: sentences that follow the sentence on T_c and its source
    values: dict[str, tuple[float, float]] = field(default_factory=dict)  # averages at T_c whose curves cross
    sources: str = ""  # sources of exponents and values, if they differ from `source`

    @property
    def T_c_text(self) -> str:
        return with_error(*self.T_c) if self.T_c[1] else f"{self.T_c[0]:.6f}"

    def near(self, temperatures: list[float]) -> bool:
        """Returns whether T_c lies between these temperatures, or so close that an axis may reach T_c."""
        low, high = min(temperatures), max(temperatures)
        return low - 0.2 * (high - low) <= self.T_c[0] <= high + 0.2 * (high - low)

    @property
    def mark(self) -> str:
        """Returns how a plot shows T_c: as a band if its error is visible, else as a line."""
        return "band" if self.T_c[1] > 1e-3 else "line"

    @property
    def power(self) -> float:
        """Returns the power of 1/L against which crossing temperatures are drawn."""
        return self.omega[0] + 1 / self.nu[0]

    @property
    def scaling(self) -> str:
        """Returns the HTML text below the plot of crossing temperatures against `power`."""
        return (
            f"The power −(ω+1/ν) is the leading correction to scaling, with ω = {self.omega[0]:.3g} and ν = {self.nu[0]:.3g}. If this correction dominates, the points "
            f"lie on straight lines to T<sub>c</sub>. The point at 0 is the published value ({self.source})."
        )


SPIN_GLASS = Known(
    (1.1019, 0.0029), (2.562, 0.042), (-0.3900, 0.0036), (1.12, 0.10), "Baity-Jesi et al., arXiv:1310.2910",
    "At T<sub>c</sub>, ξ<sub>L</sub>/L = 0.6516(32) and g = 0.7551(14). Curves of small sizes cross at higher temperatures: ξ<sub>L</sub>/L of L = 4 and 8 at T = 1.204(17).",
    {"xi_over_L": (0.6516, 0.0032), "binder": (0.7551, 0.0014)},
)  # fmt: skip
GAUSSIAN_GLASS = replace(
    SPIN_GLASS,
    T_c=(0.951, 0.009),
    source="Katzgraber, Körner, Young, Phys. Rev. B 73, 224432 (2006)",
    note="It is for Gaussian couplings. Published exponents and ratios come from the ±J model, because they are universal.",
    sources="exponents and ratios of arXiv:1310.2910",
)
# nu and eta come from the conformal bootstrap (Kos, Poland, Simmons-Duffin, Vichi, arXiv:1603.04436), omega from Simmons-Duffin, arXiv:1612.08471, and
# the ratios from Hasenbusch, arXiv:1004.4486: xi_L/L = 0.6431(1), <m^4>/<m^2>^2 = 1.6036(1).
FERROMAGNET = Known(
    (1 / 0.221654626, 1.0e-7), (0.629971, 0.000004), (0.036298, 0.000002), (0.8297, 0.002), "1/K<sub>c</sub> of Ferrenberg, Xu, Landau, arXiv:1806.03558",
    "It is for the ferromagnet.", {"xi_m_over_L": (0.6431, 0.0001), "binder_m": (0.6982, 0.00005)},
    "exponents of arXiv:1603.04436 and arXiv:1612.08471, ratios of arXiv:1004.4486",
)  # fmt: skip
# The ratios come from Salas and Sokal, cond-mat/9904038: xi_L/L = 0.90505, <m^4>/<m^2>^2 = 1.16792. Corrections of the second moment begin with L^-7/4,
# from its analytic part, and L^-2.
SQUARE_FERROMAGNET = Known(
    (2 / math.log(1 + math.sqrt(2)), 0.0), (1.0, 0.0), (0.25, 0.0), (1.75, 0.25), "2/ln(1 + √2), Onsager 1944, exact", "It is for the ferromagnet, which has ν = 1 and η = 1/4.",
    {"xi_m_over_L": (0.90505, 0.0), "binder_m": (0.91604, 0.0)}, "ratios of cond-mat/9904038",
)  # fmt: skip

# The exponents and omega of the cubic Heisenberg ferromagnet come from Hasenbusch, arXiv:2005.04448.
HEISENBERG = Known(
    (1 / 0.693, 2e-4), (0.71164, 0.00010), (0.03784, 0.00005), (0.759, 0.002), "1/K<sub>c</sub>, K<sub>c</sub> = 0.6930(1), Holm, Janke, Phys. Rev. B 48, 936 (1993)",
    "It is for the Heisenberg ferromagnet.", {}, "exponents of arXiv:2005.04448",
)  # fmt: skip


# theta of the square lattice with Gaussian couplings comes from exact ground states (Khoshbakht, Weigel, Phys. Rev. B 97, 064410 (2018)).
SQUARE_GAUSSIAN_THETA, SQUARE_GAUSSIAN_SOURCE = (-0.2793, 0.0003), "Khoshbakht, Weigel, arXiv:1710.01670"

# The overlap of two replicas of a ferromagnet is a product of two magnetisations. Then [q^2] = [m^2]^2, and eta of the overlap is d - 2 + 2 eta.
FERROMAGNET_BY_OVERLAPS = replace(
    FERROMAGNET,
    eta=(1 + 2 * FERROMAGNET.eta[0], 2 * FERROMAGNET.eta[1]),
    values={},
    note="It is for the ferromagnet. Binder ratio and ξ<sub>L</sub>/L are computed from the overlap, so their values at T<sub>c</sub> differ from values of the magnetisation.",
)


@dataclass(frozen=True)
class Model:
    name: str
    p_ferro: float = 0.5
    dimension: int = 3
    field: float = 0.0
    overlaps: bool = True  # whether the model measures overlaps, as glasses do
    magnetisations: bool = False
    pure: bool = False  # whether all realizations have the same couplings
    unlike: str = ""  # symbols of deviations from p_ferro = 1/2, no absent bonds and periodic boundaries
    known: Known | None = None
    theta: tuple[float, float] | None = None  # published stiffness exponent of a glass that orders at T = 0 only, and its error
    gaussian: bool = False  # whether the couplings of a glass are Gaussian
    vectors: bool = False
    staggered: bool = False  # whether the staggered magnetisation of vectors orders
    clusters: bool = False  # whether sums over clusters of Swendsen-Wang sweeps are measured
    houdayer: bool = False  # whether replicas exchange clusters
    ferromagnetic: bool = False  # whether the ordered phase of a glass just below the transition is a ferromagnet (or, p_ferro < 1/2, an antiferromagnet)

    @property
    def full_name(self) -> str:
        return f"{self.name}, {self.unlike}" if self.unlike else self.name

    @property
    def label(self) -> str:
        """Returns the name that titles add. It is empty for the three-dimensional ±J spin glass with p_ferro = 1/2 and without field."""
        return self.unlike if self.overlaps and self.dimension == 3 and not self.field and not self.gaussian else self.full_name

    @property
    def crossings(self) -> tuple[str, ...]:
        """Returns the averages whose curves for two sizes cross at a transition."""
        if self.staggered:
            return "binder_ms", "xi_ms_over_L"
        if not self.overlaps:
            return "binder_m", "xi_m_over_L"
        if self.dimension == 2:
            return ()
        return ("xi_replicon_over_L", "r12") if self.field else ("binder", "xi_over_L")

    @property
    def no_crossings(self) -> str:
        """Returns why a study has no crossings, as plain text; empty if it has crossings."""
        if self.crossings:
            return ""
        if self.ferromagnetic:
            return f"At this p_ferro, the system orders as {self.order} at T > 0. psflip does not search for crossings of overlaps in two dimensions"
        discrete = ". Energies of the ±J glass are discrete, so finite lattices freeze, and their curves are no functions of L^(1/ν) T (arXiv:1005.4491)"
        return "The two-dimensional spin glass orders at T = 0 only, so its curves have no crossings" + ("" if self.gaussian else discrete)

    @property
    def orders_at_zero(self) -> bool:
        """Returns whether the model orders at T = 0 only, with power laws of temperature and size."""
        return self.gaussian and self.dimension == 2 and not self.field

    @property
    def order(self) -> str:
        return "a ferromagnet" if self.p_ferro > 0.5 else "an antiferromagnet"

    @property
    def warning(self) -> str:
        """Returns a warning, as plain text, if crossings may not show a transition of a spin glass or a ferromagnet."""
        if self.field and self.overlaps and self.dimension == 3:
            return "Whether a spin glass in a field has a transition in three dimensions is debated (arXiv:2601.19192 and references there)."
        if self.field and not self.overlaps:
            return "A ferromagnet in a field has no transition, so crossings of its curves are not critical temperatures."
        if not self.ferromagnetic or not self.crossings:
            return ""
        limit, kind = MULTICRITICAL[self.dimension], self.order.split()[1]
        side = f"above {limit:.3f}" if self.p_ferro > 0.5 else f"below {1 - limit:.3f}"
        return f"At this p_ferro ({side}), the system orders as {self.order}. Its crossings of q show the transition of the {kind}, not of a spin glass."


KEYS = {"kind": "edwards-anderson", "dimension": 3, "field": 0, "p_ferro": 0.5, "p_absent": 0, "boundary": "periodic", "couplings": "discrete"}
DIMENSIONS = {2: "Two-dimensional", 3: "Three-dimensional"}


def known_of(ferromagnet: bool, dimension: int, p: float) -> Known | None:
    """Returns the published values of an Ising model with all bonds, periodic boundaries and no field."""
    if ferromagnet:
        return {2: SQUARE_FERROMAGNET, 3: FERROMAGNET}[dimension]
    return {0: FERROMAGNET_BY_OVERLAPS, 1: FERROMAGNET_BY_OVERLAPS, 0.5: SPIN_GLASS}.get(p) if dimension == 3 else None


VECTOR_KEYS = {"kind": "heisenberg", "dimension": 3, "field": 0, "boundary": "periodic", "exchange": [1, 1, 1], "dm_pattern": "none", "dm": [0, 0, 0],
               "dm_axis": [0, 1, 0], "anisotropy": [0, 0], "moments": [1, 1], "concentration": 0}  # fmt: skip
VECTOR_SYMBOLS = {"field": "h = {}", "boundary": "{} boundaries", "exchange": "J = {}", "dm_pattern": "{} D", "dm": "D = {}", "dm_axis": "D along {}",
                  "anisotropy": "K = {}", "moments": "m = {}", "concentration": "x = {}"}  # fmt: skip


def symbol_value(value: object) -> str:
    """Returns a value of a key as titles show it: `0.5`, `(1, -1)`."""
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(symbol_value, value))})"
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)


def vector_model_of(given: dict) -> Model:
    """Returns the model of vector spins. Absent keys of `given` have their defaults."""
    given = VECTOR_KEYS | given
    dimension, b, J = int(given["dimension"]), float(given["concentration"]), [float(x) for x in given["exchange"]]
    is_plain = all(given[key] == VECTOR_KEYS[key] for key in ("field", "boundary", "dm_pattern", "anisotropy", "concentration"))
    unlike = [text.format(symbol_value(given[key])) for key, text in VECTOR_SYMBOLS.items() if given[key] != VECTOR_KEYS[key]]
    known = HEISENBERG if is_plain and dimension == 3 and J[0] == 1 else None
    staggered = (1 - b) ** 2 * J[0] + 2 * b * (1 - b) * J[1] + b**2 * J[2] < 0
    return Model(f"{DIMENSIONS[dimension]} Heisenberg model", dimension=dimension, field=float(given["field"]), overlaps=False, magnetisations=True, pure=b == 0,
                 unlike=", ".join(unlike), known=known, vectors=True, staggered=staggered)  # fmt: skip


def model_of(config: dict) -> Model:
    """Returns the model of a configuration. Absent keys have the defaults of configs/reference.yaml."""
    given = KEYS | (config.get("model") or {})
    if given["kind"] == "heisenberg":
        return vector_model_of({key: value for key, value in given.items() if key in VECTOR_KEYS})
    given = {key: value for key, value in given.items() if key in KEYS or VECTOR_KEYS.get(key) != value}  # keys that only vectors have are ignored
    p, field, absent, dimension = float(given["p_ferro"]), float(given["field"]), float(given["p_absent"]), int(given["dimension"])
    if set(given) - set(KEYS) or given["kind"] not in ("edwards-anderson", "ferromagnet") or given["couplings"] not in ("discrete", "gaussian") or dimension not in DIMENSIONS:
        return Model(f"{dimension}-dimensional {given['kind']} model", p, dimension)  # this model has keys or values that KEYS does not know
    ferromagnet, gaussian = given["kind"] == "ferromagnet", given["couplings"] == "gaussian"
    kind = "Ising ferromagnet" if ferromagnet or p == 1 else "Ising antiferromagnet" if p == 0 else f"{'Gaussian' if gaussian else '±J'} Edwards–Anderson model"
    unlike = [] if ferromagnet or p == 0.5 else [f"P(J = +1{' | J ≠ 0' if absent else ''}) = {p:g}"]
    unlike += [f"P(J = 0) = {absent:g}"] * bool(absent) + ["open boundaries"] * (given["boundary"] == "open")
    is_plain = not field and not absent and given["boundary"] == "periodic"
    known = None if not is_plain else (GAUSSIAN_GLASS if dimension == 3 else None) if gaussian else known_of(ferromagnet, dimension, p)
    theta = SQUARE_GAUSSIAN_THETA if gaussian and dimension == 2 and is_plain else None
    ordered = not ferromagnet and (p in (0, 1) or (max(p, 1 - p) > MULTICRITICAL[dimension] and not absent))
    return Model(
        f"{DIMENSIONS[dimension]} {kind}" + (f" in a field h = {field:g}" if field else ""), p, dimension, field,
        overlaps=not ferromagnet, magnetisations=ferromagnet or bool(field) or (config.get("run") or {}).get("magnetisation") == "always",
        pure=ferromagnet and not absent, unlike=", ".join(unlike), known=known, theta=theta, gaussian=gaussian and not ferromagnet, ferromagnetic=ordered,
        clusters=(config.get("dynamics") or {}).get("update") == "swendsen-wang", houdayer=bool((config.get("dynamics") or {}).get("houdayer_every")),
    )  # fmt: skip
