"""Lists the figures of a study in the order of the report: names (files plots/<name>.<format>), captions, and the models that have them. This file has no plotting
code, because the workflow reads it for the list of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.literature import Model

FORMATS = ("png", "svg", "pdf")
SOURCES = ("averages", "critical", "all")
NOT_MEASURED = "This quantity was not measured."
NO_PAIRS = "More pairs of sizes with crossings are needed."
TWO_REPLICAS, FOUR_REPLICAS = "Two replicas are needed.", "Four replicas are needed."

STUDIES: dict[str, Callable[[Model], bool]] = {  # which studies have a figure
    "all": lambda model: True,
    "overlaps": lambda model: model.overlaps,
    "overlaps without field": lambda model: model.overlaps and not model.field,
    "overlaps in a field": lambda model: model.overlaps and bool(model.field),
    "gaussian without field": lambda model: model.gaussian and not model.field,
    "magnetisations": lambda model: model.magnetisations,
    "ferromagnets": lambda model: not model.overlaps,
    "clusters": lambda model: model.clusters,
    "Houdayer moves": lambda model: model.houdayer,
    "antiferromagnets": lambda model: model.staggered,
    "vectors": lambda model: model.vectors,
    "mixtures of vectors": lambda model: model.vectors and not model.pure,
    "crossings": lambda model: bool(model.crossings),
    "ordered at zero": lambda model: model.orders_at_zero,
}


@dataclass(frozen=True)
class Figure:
    """Describes a figure. `drawing`: the function of plots.DRAWINGS that draws it. `label`: the vertical axis, if the drawing sets none. `needs`: the quantity that a
    size must have for the figure; curves show this quantity. `missing`: the text of the figure if no size has it."""

    name: str
    section: str
    drawing: str
    label: str
    needs: str
    caption: str
    studies: str = "all"  # of STUDIES
    compared: str = ""  # added if the model has published values; with the fields of results.literature.Known
    missing: str = TWO_REPLICAS
    level: float | None = None  # a line to compare with, and its name
    level_name: str = ""
    wide: bool = False  # two columns of a journal

    @property
    def source(self) -> str:
        """`critical` if the figure needs critical.json, else `averages`."""
        return "critical" if self.section == "Critical point" else "averages"

    def text(self, model: Model, compared: bool = True) -> str:
        """Returns the caption. `compared`: whether the figure shows published values."""
        guides = f" {GUIDES}" if self.drawing in JOINED else ""
        caption = self.caption.replace("{crossings}", CROSSINGS if model.crossings else "").replace("{symmetry}", "" if model.field else SYMMETRY) + guides
        return f"{caption} {self.compared.format(known=model.known)}".strip() if model.known and compared else caption


GUIDES = "Lines between points are guides to the eye."
JOINED = ("crossing", "curve", "spread", "equilibration", "swap", "houdayer")  # drawings with such lines
CROSSINGS = (
    ". Crossings of pairs of sizes come from fits to several temperatures. The straight lines between points may meet elsewhere. "
    "If crossings lie close together, a second panel enlarges the range between the dotted lines. The lowest panel has a row for each pair of sizes"
)
SYMMETRY = " The density is symmetric under q → −q."
BAND = "The grey {known.mark} is T<sub>c</sub> = {known.T_c_text} of the infinite system ({known.source}), which crossings of finite sizes approach."
DRIFT = (
    "A point is the average over the last half of the runs minus the average over an earlier part, at the lowest temperature. The axis has the end of this part. "
    "The part 1/2 is the part from 1/4 to 1/2 of the run, the part 1/4 is the part from 1/8 to 1/4, and so on. Points are means over the realizations with the errors of these differences. Their unit is the "
    "error of the disorder average (shaded). In equilibrium, all points are zero within their errors."
)
OPEN_SYMBOLS = "Full symbols are pairs of L and 2L. Open symbols are pairs of L and 3L/2, at the place where a pair of L and 2L has an equal correction."


def crossing(name: str, studies: str, caption: str, compared: str = BAND, missing: str = NOT_MEASURED) -> Figure:
    return Figure(name, "Crossings", "crossing", CROSSING_CURVES[name].label, name, caption + "{crossings}.", studies, compared, missing)


def critical(name: str, drawing: str, caption: str, wide: bool = False) -> Figure:
    return Figure(name, "Critical point", drawing, "", "", caption, "crossings", missing=NO_PAIRS, wide=wide)


def curve(name: str, section: str, label: str, caption: str, studies: str = "all", missing: str = NOT_MEASURED) -> Figure:
    return Figure(name, section, "curve", label, name, caption, studies, missing=missing)


def spread(name: str, section: str, label: str, caption: str, level: float | None = None, level_name: str = "") -> Figure:
    return Figure(name, section, "spread", label, name, caption, "overlaps", missing="Two replicas are needed. Errors need\n512 realizations and 10 share groups.", level=level, level_name=level_name)


def overlap(name: str, caption: str) -> Figure:
    return Figure(name, "Overlap", "overlap", "", "q2", caption, "overlaps")


def drift(name: str, label: str, needs: str, caption: str, studies: str = "all", missing: str = "The runs have no log2 bins.") -> Figure:
    return Figure(name, "Equilibration", "equilibration", label, needs, caption, studies, missing=missing)


FIGURES = (
    crossing("binder", "overlaps without field", "Binder ratio against temperature, g = (3 − [⟨q⁴⟩]/[⟨q²⟩]²)/2", missing=TWO_REPLICAS),
    crossing("xi_over_L", "overlaps without field", "Correlation length over lattice size, ξ<sub>L</sub>/L", missing=TWO_REPLICAS),
    crossing(
        "binder_m", "ferromagnets",
        "Binder ratio of the magnetisation against temperature, g<sub>m</sub> = (3 − [⟨m⁴⟩]/[⟨m²⟩]²)/2 of Ising spins or (5 − 3 [⟨m⁴⟩]/[⟨m²⟩]²)/2 of vectors",
    ),
    crossing(
        "binder_ms", "antiferromagnets",
        "Binder ratio of the staggered magnetisation against temperature, g<sub>s</sub> = (5 − 3 [⟨m<sub>s</sub>⁴⟩]/[⟨m<sub>s</sub>²⟩]²)/2",
    ),
    crossing("xi_ms_over_L", "antiferromagnets", "Correlation length of the staggered magnetisation over lattice size, ξ<sub>L</sub>/L"),
    crossing("xi_m_over_L", "ferromagnets", "Correlation length of the magnetisation over lattice size, ξ<sub>L</sub>/L"),
    crossing(
        "xi_replicon_over_L", "overlaps in a field",
        "Correlation length of the replicon over lattice size, ξ<sub>L</sub>/L from χ<sub>R</sub>(0) and χ<sub>R</sub> at the smallest wave vectors", "", FOUR_REPLICAS,
    ),
    crossing(
        "r12", "overlaps in a field",
        "R<sub>12</sub> = χ<sub>R</sub>(k<sub>1</sub>)/χ<sub>R</sub>(k<sub>2</sub>) with k<sub>1</sub> = (2π/L)(1, 0, 0) and k<sub>2</sub> = (2π/L)(1, 1, 0). "
        "It does not contain χ<sub>R</sub>(0), which a few realizations with rare overlaps dominate (Baños et al., arXiv:1202.5593). R<sub>12</sub> is shown against temperature", "", FOUR_REPLICAS,
    ),
    Figure(
        "crossing_temperatures", "Crossings", "crossing_temperatures", "", "",
        "Crossing temperatures of L and 2L against a power of the smaller size. If no size is twice another size, neighbouring sizes are shown. The upper axis has the two sizes.",
        "crossings", "{known.scaling}", NO_PAIRS,
    ),
    critical(
        "effective_exponents", "exponents",
        "Effective exponents of pairs of sizes against the leading correction to scaling. At the crossing of the curves of two sizes, 1/ν comes from the quotient of slopes and η from "
        "the quotient of susceptibilities. " + OPEN_SYMBOLS + " With an extrapolation, lines are the quoted fit, and the symbols at 0 are the extrapolated values with their whole errors.",
    ),
    critical(
        "crossing_extrapolation", "extrapolation",
        "Crossing temperatures against the leading correction to scaling, with ν of this study. Lines are the joint fit of both quantities to one T<sub>c</sub>. " + OPEN_SYMBOLS
        + " The symbol at 0 is the extrapolated value with its whole error.",
    ),
    critical(
        "critical_band", "critical_band",
        "Extrapolated T<sub>c</sub> against the assumed exponent ω of the corrections to scaling. The blue band is the statistical error. The sizes of a study "
        "do not determine ω. The grey range of ω comes from the literature. Without a published value it is a guess.",
    ),
    critical(
        "collapse", "collapse",
        "Scaling collapse: all sizes against x = (T − T<sub>c</sub>) L<sup>1/ν</sup>/T<sub>c</sub> with the extrapolated T<sub>c</sub> and ν. "
        "Differences that remain between the sizes are corrections to scaling.", wide=True,
    ),
    Figure(
        "zero_temperature", "Critical point", "zero_temperature", "", "",
        "Scaling collapse: all sizes against x = L<sup>1/ν</sup> T with the quoted ν. Dotted lines are levels at which pairs of sizes give θ and ν. "
        "Differences that remain between the sizes are corrections to scaling, and the error of ν.",
        "ordered at zero", missing="Two sizes must reach the same level.", wide=True,
    ),
    curve("energy", "Energy", "energy per spin $E / (N J)$", "Energy per spin."),
    curve(
        "specific_heat", "Energy", "specific heat per spin $C / (N k_B)$",
        "Specific heat per spin, from the fluctuations of the energy. With two or more replicas, ⟨E⟩² is the product of the energies of distinct replicas. With one replica, the "
        "specific heat is too low if the time blocks of the run are short compared with the autocorrelation time.",
    ),
    curve(
        "m_abs", "Magnetisation", r"magnetisation $[\langle|m|\rangle]$", "Magnetisation per spin without its sign, [⟨|m|⟩], averaged over the realizations.", "magnetisations",
    ),
    curve(
        "ms_abs", "Magnetisation", r"staggered magnetisation $[\langle|m_s|\rangle]$",
        "Staggered magnetisation per spin, [⟨|m<sub>s</sub>|⟩], averaged over the realizations.", "antiferromagnets",
    ),
    curve("chi_m", "Magnetisation", r"susceptibility $\chi_m$ ($1 / J$)", "Magnetic susceptibility χ<sub>m</sub> = N ([⟨m²⟩] − [⟨|m|⟩]²)/T.", "magnetisations"),
    curve(
        "chi_m_total_improved", "Magnetisation", r"susceptibility $N [\langle m^2\rangle]$",
        "Total susceptibility N [⟨m²⟩] from the clusters of Swendsen-Wang sweeps. Its errors are smaller than errors from the magnetisation.", "clusters",
    ),
    curve(
        "xi_m_over_L_improved", "Magnetisation", r"$\xi_L/L$",
        "Correlation length of the magnetisation over lattice size, ξ<sub>L</sub>/L, from the clusters of Swendsen-Wang sweeps. Crossings are computed from the magnetisation.", "clusters",
    ),
    curve(
        "chi_replicon", "Overlap", r"replicon susceptibility $\chi_R$",
        "Replicon susceptibility χ<sub>R</sub> = (1/N) Σ<sub>ij</sub> [(⟨s<sub>i</sub>s<sub>j</sub>⟩ − ⟨s<sub>i</sub>⟩⟨s<sub>j</sub>⟩)²], from four replicas or more.",
        "overlaps in a field", FOUR_REPLICAS,
    ),
    overlap(
        "overlap_cold",
        "Distribution P(q) of the overlap, averaged over the disorder, at the lowest temperature. The density is normalised with the number of possible values of q in a bin. "
        "So the discreteness of q at small L does not show.{symmetry}",
    ),
    overlap("overlap_middle", "P(q) near the crossing. Without a crossing, P(q) is shown near the published T<sub>c</sub> or, if there is none, in the middle of the temperatures."),
    overlap("overlap_hot", "P(q) at the highest temperature."),
    Figure(
        "link_cold", "Overlap", "link", "", "histogram_link_density",
        "Distribution of the link overlap at the lowest temperature, averaged over the disorder.", "overlaps", missing=NOT_MEASURED,
    ),
    spread(
        "q_link_variance", "Overlap", r"$[\langle q_{\mathrm{link}}^2\rangle-\langle q_{\mathrm{link}}\rangle^2]$",
        "Thermal variance of the link overlap, averaged over the disorder. If it vanishes for L → ∞, the link overlap of a realization has one value.",
    ),
    spread(
        "q2_link_correlation", "Overlap", r"correlation of $q^2$ and $q_{\mathrm{link}}$",
        "Correlation coefficient of q² and the link overlap, from disorder averages of their covariance and variances. It is 1 if one rises linearly with the other.",
    ),
    Figure(
        "realizations", "Realizations", "realizations", "", "coldest_overlap_counts",
        "P<sub>J</sub>(|q|) of the largest size at the lowest temperature. The first panel is the average over the disorder. The other panels are "
        "realizations at the quantiles 0, 25, 50, 75 and 100% of the weight near zero.",
        "overlaps without field", wide=True,
    ),
    Figure(
        "weight_near_zero", "Realizations", "weight", "", "coldest_overlap_counts",
        "The fraction of the realizations that have at least this weight near q = 0, at the lowest temperature.", "overlaps without field",
    ),
    spread(
        "q2_spread", "Realizations", r"$[\langle q^2\rangle^2]/[\langle q^2\rangle]^2-1$",
        "Relative variance of ⟨q²⟩ over the realizations, A = [⟨q²⟩²]/[⟨q²⟩]² − 1. It vanishes for L → ∞ if ⟨q²⟩ is self-averaging. Curves of A for different "
        "sizes also cross at the transition. Points are shown only if they exceed twice their errors.",
    ),
    spread(
        "guerra", "Realizations", "$G$",
        "G = ([⟨q²⟩²] − [⟨q²⟩]²)/([⟨q⁴⟩] − [⟨q²⟩]²) against temperature. By Guerra’s relation, G tends to 1/3 (line) for L → ∞ if ⟨q²⟩ is not self-averaging, and to 0 if it is.", 1 / 3, "$1/3$",
    ),
    Figure(
        "spins_arrows", "Spins", "spins", "", "energy",
        "The spins of one lattice of the largest size, at the lowest temperature and at the end of its run. If L exceeds 6, the figure shows a corner of the lattice. "
        "Colours show the component along z, or the staggered component along x if the magnet orders with two sublattices.", "vectors",
    ),
    Figure(
        "spins_slice", "Spins", "spins", "", "energy",
        "A plane of the lattice in the figure of spins. Arrows are the components of the spins in the plane, and colours have the meaning of the figure of spins. The plane has at most 32 "
        "sites along a side.", "vectors",
    ),
    Figure("spins_species", "Spins", "spins", "", "energy", "The spins of one lattice as arrows, coloured by the species of the atoms.", "mixtures of vectors"),
    drift("equilibration_q2", r"$q^2$", "q2", "Does the squared overlap still drift? " + DRIFT, "overlaps", TWO_REPLICAS),
    drift("equilibration_m2", r"$m^2$", "m2", "Does the squared magnetisation still drift? " + DRIFT, "ferromagnets"),
    drift("equilibration_energy", "energy", "energy", "Does the energy per spin still drift? " + DRIFT),
    Figure(
        "equilibration_links", "Equilibration", "links", "", "log2_q_link",
        "Energy per spin e (full symbols) and −βd(1 − q<sub>link</sub>) (open symbols) against the sweeps, at the lowest temperature. With Gaussian couplings, their averages over the "
        "disorder are equal in equilibrium. Before equilibrium, e falls and −βd(1 − q<sub>link</sub>) rises (Katzgraber, Palassini, Young, Phys. Rev. B 63, 184422). The point at sweep n is the "
        "average over the sweeps from n/2 to n. The lower panel shows the difference, with errors as if both averages were independent.", "gaussian without field",
    ),
    Figure(
        "swap_rate", "Equilibration", "swap", "", "swap_rate",
        "Accepted fraction of the exchanges between neighbouring temperatures. Each point lies in the middle of the two temperatures.", missing="The study has no exchanges.",
    ),
    Figure(
        "houdayer_moves", "Equilibration", "houdayer", "", "houdayer_cluster_size",
        "Houdayer moves: mean number of sites of the exchanged clusters, divided by N (filled symbols), and fraction of the moves that exchanged a cluster (open symbols). "
        "Without a field, this fraction is one half. If a cluster has all sites at which the replicas differ, a move only exchanges their names. The mean size is then N(1 + [⟨q²⟩])/2.", "Houdayer moves", missing=NOT_MEASURED,
    ),
    Figure(
        "walk_times", "Equilibration", "walk", "", "tau_walk",
        "The fraction of the realizations whose random walk of replicas in temperature has at least the autocorrelation time τ. A few "
        "realizations are much slower than most. The runs must be many times longer than the largest τ.", missing="The walk was not measured.",
    ),
)  # fmt: skip


def figures_of(model: Model) -> tuple[Figure, ...]:
    """Returns the figures of a study of this model. Some may turn out empty, because files get their names before anything is measured."""
    return tuple(figure for figure in FIGURES if STUDIES[figure.studies](model))


def names_of(model: Model, source: str = "all") -> tuple[str, ...]:
    return tuple(figure.name for figure in figures_of(model) if source in ("all", figure.source))
