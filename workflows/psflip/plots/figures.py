"""The figures of a study: their names (files plots/<name>.<format>), in the order of the report, with captions and what to say to
those who cannot see them. Which of them a study has, follows from its model. Kept free of plotting code: the workflow reads it for the list of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psflip.results.crossing_curves import CROSSING_CURVES
from psflip.results.literature import Model

FORMATS = ("png", "svg", "pdf")
SOURCES = ("averages", "critical", "all")


def any_model(model: Model) -> bool:
    return True


def overlaps(model: Model) -> bool:
    return model.overlaps


def overlaps_without_field(model: Model) -> bool:
    return model.overlaps and not model.field


def glasses_in_field(model: Model) -> bool:
    return model.overlaps and bool(model.field)


def magnetisations(model: Model) -> bool:
    return model.magnetisations


def ferromagnets(model: Model) -> bool:
    return not model.overlaps


def antiferromagnets(model: Model) -> bool:
    return model.staggered


def gaussian_glasses(model: Model) -> bool:
    return model.gaussian and not model.field


def vectors(model: Model) -> bool:
    return model.vectors


def mixtures(model: Model) -> bool:
    return model.vectors and not model.pure


def with_crossings(model: Model) -> bool:
    return bool(model.crossings)


@dataclass(frozen=True)
class Figure:
    """`drawing` and `label`: the function of plots.DRAWINGS that draws it, and the vertical axis, where that has none of its own. `needs`: what a
    size must have for the figure to show something; it is also the quantity that curves show. `missing`: what is said where no size has it."""

    name: str
    section: str
    drawing: str
    label: str
    needs: str
    caption: str
    of: Callable[[Model], bool] = any_model  # the studies that have it
    compared: str = ""  # said besides where the literature knows the model; with the fields of results.literature.Known
    missing: str = "needs two replicas"
    level: float | None = None  # a line to compare with, and its name
    level_name: str = ""
    wide: bool = False  # two columns of a journal

    @property
    def source(self) -> str:
        """The file that it is drawn from: `averages` (reduced.h5) or, besides, `critical` (critical.json)."""
        return "critical" if self.section == "Critical point" else "averages"

    def text(self, model: Model, compared: bool = True) -> str:
        """Caption. `compared`: whether the figure shows what the literature knows of the model."""
        guides = f" {GUIDES}" if self.drawing in JOINED else ""
        caption = self.caption.replace("{crossings}", CROSSINGS if model.crossings else "").replace("{symmetry}", "" if model.field else SYMMETRY) + guides
        return f"{caption} {self.compared.format(known=model.known)}".strip() if model.known and compared else caption


GUIDES = "Lines between points are guides to the eye."
JOINED = ("crossing", "curve", "spread", "equilibration", "swap")  # drawings with such lines
CROSSINGS = (
    ", with the crossings of pairs of sizes. Crossings come from fits to several temperatures, not from the straight lines that join the points: "
    "where temperatures lie far apart, these may meet elsewhere. A panel below enlarges the range between the dotted lines; the lowest has a row for each pair of sizes"
)
SYMMETRY = ", and the same at q and −q"
BAND = "The grey {known.mark} is T<sub>c</sub> = {known.T_c_text} of the infinite system ({known.source}), which crossings of finite sizes approach."
XI = r"$\xi_L / L$"
DRIFT = (
    "At the lowest temperature: the last half of the runs minus earlier parts of them (1/2: the quarter before it, 1/4: the eighth before that, ...), the "
    "mean over realizations with its own error, in units of the error of the disorder average (shaded: one of these). In equilibrium the points are zero "
    "within their errors."
)
NOT_MEASURED = "not measured"
NO_PAIRS = "needs more pairs of sizes that cross"
FOUR_REPLICAS = "needs four replicas"
SPREAD_NEEDS = "needs two replicas, and 512 realizations for its error"

FIGURES = (
    Figure(
        "binder", "Crossings", "crossing", CROSSING_CURVES["binder"].label, "binder",
        "Binder ratio g = (3 − [⟨q⁴⟩]/[⟨q²⟩]²)/2 against temperature{crossings}.",
        overlaps_without_field, BAND,
    ),
    Figure(
        "xi_over_L", "Crossings", "crossing", XI, "xi_over_L",
        "Correlation length over lattice size, ξ<sub>L</sub>/L{crossings}.",
        overlaps_without_field, BAND,
    ),
    Figure(
        "binder_m", "Crossings", "crossing", CROSSING_CURVES["binder_m"].label, "binder_m",
        "Binder ratio of the magnetisation, g<sub>m</sub> = (3 − [⟨m⁴⟩]/[⟨m²⟩]²)/2, of vectors (5 − 3 [⟨m⁴⟩]/[⟨m²⟩]²)/2, against temperature{crossings}.",
        ferromagnets, BAND, NOT_MEASURED,
    ),
    Figure(
        "binder_ms", "Crossings", "crossing", CROSSING_CURVES["binder_ms"].label, "binder_ms",
        "Binder ratio of the staggered magnetisation, g<sub>s</sub> = (5 − 3 [⟨m<sub>s</sub>⁴⟩]/[⟨m<sub>s</sub>²⟩]²)/2, against temperature{crossings}.",
        antiferromagnets, BAND, NOT_MEASURED,
    ),
    Figure(
        "xi_ms_over_L", "Crossings", "crossing", XI, "xi_ms_over_L",
        "Correlation length of the staggered magnetisation over lattice size, ξ<sub>L</sub>/L{crossings}.",
        antiferromagnets, BAND, NOT_MEASURED,
    ),
    Figure(
        "xi_m_over_L", "Crossings", "crossing", XI, "xi_m_over_L",
        "Correlation length of the magnetisation over lattice size, ξ<sub>L</sub>/L{crossings}.",
        ferromagnets, BAND, NOT_MEASURED,
    ),
    Figure(
        "xi_replicon_over_L", "Crossings", "crossing", XI, "xi_replicon_over_L",
        "Correlation length of the replicon over lattice size, ξ<sub>L</sub>/L from χ<sub>R</sub>(0) and χ<sub>R</sub> at the smallest wave vectors{crossings}.",
        glasses_in_field, missing=FOUR_REPLICAS,
    ),
    Figure(
        "r12", "Crossings", "crossing", CROSSING_CURVES["r12"].label, "r12",
        "R<sub>12</sub> = χ<sub>R</sub>(k<sub>1</sub>)/χ<sub>R</sub>(k<sub>2</sub>) with k<sub>1</sub> = (2π/L)(1, 0, 0) and k<sub>2</sub> = (2π/L)(1, 1, 0): "
        "it does without χ<sub>R</sub>(0), to which few realizations with rare overlaps contribute most (Baños et al., arXiv:1202.5593){crossings}.",
        glasses_in_field, missing=FOUR_REPLICAS,
    ),
    Figure(
        "crossing_temperatures", "Crossings", "crossing_temperatures", "", "",
        "Crossing temperatures of L and 2L (of neighbouring sizes where no size has its double) against a power of the smaller size, whose labels "
        "are those of the upper axis.",
        with_crossings, "{known.scaling}", NO_PAIRS,
    ),
    Figure(
        "effective_exponents", "Critical point", "exponents", "", "",
        "Exponents of pairs of sizes, from the quotients of slopes (1/ν) and of susceptibilities (η) where their curves cross, against the leading correction to "
        "scaling. Pairs of L and 3L/2 (open) are put where pairs of L and 2L (full) have as large a correction. Lines: the fit that is quoted; the "
        "symbols at 0 are the extrapolated values with their whole errors.",
        with_crossings, missing=NO_PAIRS,
    ),
    Figure(
        "crossing_extrapolation", "Critical point", "extrapolation", "", "",
        "Crossing temperatures against the leading correction to scaling with the exponents of this study, with the joint fit of both quantities to one T<sub>c</sub>. "
        "Pairs of L and 3L/2 (open) are put where pairs of L and 2L (full) have as large a correction.",
        with_crossings, missing=NO_PAIRS,
    ),
    Figure(
        "critical_band", "Critical point", "critical_band", "", "",
        "T<sub>c</sub> against the exponent ω of the corrections that the extrapolation assumes; the band is the statistical error. Sizes of a study "
        "do not determine ω: the shaded range of ω is that of the literature, or a guess where there is none.",
        with_crossings, missing=NO_PAIRS,
    ),
    Figure(
        "collapse", "Critical point", "collapse", "", "",
        "Scaling collapse: all sizes against x = (T − T<sub>c</sub>) L<sup>1/ν</sup>/T<sub>c</sub> with the extrapolated T<sub>c</sub> and ν. What is left between the sizes are corrections to scaling.",
        with_crossings, missing=NO_PAIRS, wide=True,
    ),
    Figure("energy", "Energy", "curve", "energy per spin $E / (N J)$", "energy", "Energy per spin.", missing=NOT_MEASURED),
    Figure(
        "specific_heat", "Energy", "curve", "specific heat per spin $C / (N k_B)$", "specific_heat",
        "Specific heat per spin, from the fluctuations of the energy with products of distinct replicas where there are two. From one replica it is "
        "too low where the blocks of the run are short against the autocorrelation time.",
        missing=NOT_MEASURED,
    ),
    Figure(
        "m_abs", "Magnetisation", "curve", r"magnetisation $[\langle|m|\rangle]$", "m_abs",
        "Magnetisation per spin without its sign, [⟨|m|⟩], averaged over the realizations.",
        magnetisations, missing=NOT_MEASURED,
    ),
    Figure(
        "ms_abs", "Magnetisation", "curve", r"staggered magnetisation $[\langle|m_s|\rangle]$", "ms_abs",
        "Staggered magnetisation per spin, [⟨|m<sub>s</sub>|⟩], averaged over the realizations.",
        antiferromagnets, missing=NOT_MEASURED,
    ),
    Figure(
        "chi_m", "Magnetisation", "curve", r"susceptibility $\chi_m$ ($1 / J$)", "chi_m",
        "Magnetic susceptibility χ<sub>m</sub> = N ([⟨m²⟩] − [⟨|m|⟩]²)/T.",
        magnetisations, missing=NOT_MEASURED,
    ),
    Figure(
        "chi_replicon", "Overlap", "curve", r"replicon susceptibility $\chi_R$", "chi_replicon",
        "Replicon susceptibility χ<sub>R</sub> = (1/N) Σ<sub>ij</sub> [(⟨s<sub>i</sub>s<sub>j</sub>⟩ − ⟨s<sub>i</sub>⟩⟨s<sub>j</sub>⟩)²], from four replicas or more.",
        glasses_in_field, missing=FOUR_REPLICAS,
    ),
    Figure(
        "overlap_cold", "Overlap", "overlap", "", "q2",
        "Distribution P(q) of the overlap, averaged over the disorder, at the lowest temperature. The density is per value that q can take, "
        "so that the discreteness of q at small L does not show{symmetry}.",
        overlaps,
    ),
    Figure(
        "overlap_middle", "Overlap", "overlap", "", "q2",
        "P(q) near the crossing; in the middle of the temperatures where there is none and no T<sub>c</sub> is known.",
        overlaps,
    ),
    Figure("overlap_hot", "Overlap", "overlap", "", "q2", "P(q) at the highest temperature.", overlaps),
    Figure(
        "link_cold", "Overlap", "link", "", "histogram_link_density",
        "Distribution of the link overlap at the lowest temperature, averaged over the disorder.",
        overlaps, missing="not known",
    ),
    Figure(
        "q_link_variance", "Overlap", "spread", r"$[\langle q_{\mathrm{link}}^2\rangle-\langle q_{\mathrm{link}}\rangle^2]$", "q_link_variance",
        "Thermal variance of the link overlap, averaged over the disorder. Where it goes to zero with L, the link overlap of a realization has one value.",
        overlaps, missing=SPREAD_NEEDS,
    ),
    Figure(
        "q2_link_correlation", "Overlap", "spread", r"correlation of $q^2$ and $q_{\mathrm{link}}$", "q2_link_correlation",
        "Correlation coefficient of q² and the link overlap, from disorder averages of their covariance and variances: 1 where one is a function of the other.",
        overlaps, missing=SPREAD_NEEDS,
    ),
    Figure(
        "realizations", "Realizations", "realizations", "", "coldest_overlap_counts",
        "P<sub>J</sub>(|q|) of the largest size at the lowest temperature: the average over the disorder, and realizations from the least weight near "
        "zero to the most (quantiles 0, 25, 50, 75 and 100%).",
        overlaps_without_field, wide=True,
    ),
    Figure(
        "weight_near_zero", "Realizations", "weight", "", "coldest_overlap_counts",
        "The fraction of the realizations that have at least this weight near q = 0, at the lowest temperature.",
        overlaps_without_field,
    ),
    Figure(
        "q2_spread", "Realizations", "spread", r"$[\langle q^2\rangle^2]/[\langle q^2\rangle]^2-1$", "q2_spread",
        "Relative variance of ⟨q²⟩ over the realizations, A = [⟨q²⟩²]/[⟨q²⟩]² − 1: zero where ⟨q²⟩ averages itself. Its curves of different sizes cross "
        "at the transition, too. Shown from where it is clear of its error.",
        overlaps, missing=SPREAD_NEEDS,
    ),
    Figure(
        "guerra", "Realizations", "spread", "$G$", "guerra",
        "G = ([⟨q²⟩²] − [⟨q²⟩]²)/([⟨q⁴⟩] − [⟨q²⟩]²). By Guerra’s relation it is 1/3 (line) where ⟨q²⟩ does not average itself, and 0 where it does.",
        overlaps, missing=SPREAD_NEEDS, level=1 / 3, level_name="$1/3$",
    ),
    Figure(
        "spins_arrows", "Spins", "spins", "", "energy",
        "The spins of one lattice of the largest size at the lowest temperature, at the end of its run; of a lattice with more than six sites along a side, a corner. Colours are "
        "those of the component along z, of magnets that order with two sublattices of the staggered component along x.",
        vectors,
    ),
    Figure(
        "spins_slice", "Spins", "spins", "", "energy",
        "A plane of that lattice, with the components of the spins in it as arrows and the same colours; at most 32 sites along a side.",
        vectors,
    ),
    Figure("spins_species", "Spins", "spins", "", "energy", "The same spins, coloured by the species of the atoms.", mixtures),
    Figure(
        "equilibration_q2", "Equilibration", "equilibration", r"$q^2$", "q2",
        "Does the squared overlap still drift? " + DRIFT,
        overlaps,
    ),
    Figure(
        "equilibration_m2", "Equilibration", "equilibration", r"$m^2$", "m2",
        "Does the squared magnetisation still drift? " + DRIFT,
        ferromagnets, missing="no bins",
    ),
    Figure("equilibration_energy", "Equilibration", "equilibration", "energy", "energy", "The same for the energy per spin.", missing="no bins"),
    Figure(
        "equilibration_links", "Equilibration", "links", "", "log2_q_link",
        "Energy per spin e (full symbols) and −βd(1 − q<sub>link</sub>) (open) against the sweeps, at the lowest temperature. With Gaussian couplings both are equal in "
        "equilibrium, as averages over the disorder; before it the first falls and the second rises (Katzgraber, Palassini, Young, Phys. Rev. B 63, 184422). Each point is "
        "an average over the sweeps from half its own number to it. Below: their difference, with errors as if both were independent.",
        gaussian_glasses,
    ),
    Figure(
        "swap_rate", "Equilibration", "swap", "", "swap_rate",
        "Accepted fraction of the exchanges between neighbouring temperatures, at the middle of each pair.",
        missing="no exchanges",
    ),
    Figure(
        "walk_times", "Equilibration", "walk", "", "tau_walk",
        "Autocorrelation time τ of the random walk of the replicas in temperature: the fraction of the realizations that have at least this τ. A few "
        "realizations are much slower than most; the runs must be many times longer than the largest τ.",
        missing="not known",
    ),
)  # fmt: skip


def figures_of(model: Model) -> tuple[Figure, ...]:
    """The figures of a study of this model, also those that will show nothing, as with one replica: files are named before anything is measured."""
    return tuple(figure for figure in FIGURES if figure.of(model))


def names_of(model: Model, source: str = "all") -> tuple[str, ...]:
    return tuple(figure.name for figure in figures_of(model) if source in ("all", figure.source))
