"""The figures of a study: their names (files plots/<name>.<format>), in the order of the report, with captions and what to say to
those who cannot see them. Kept free of plotting code: the workflow reads it for the list of files."""

from __future__ import annotations

from dataclasses import dataclass

FORMATS = ("png", "svg", "pdf")


@dataclass(frozen=True)
class Figure:
    name: str
    section: str
    caption: str
    needs: str  # what a size must have for the figure to show something
    compared: str = ""  # said besides where the literature knows the model; with the fields of results.literature.Known

    def text(self, known) -> str:
        """Caption, with what is compared where `known` has it."""
        return f"{self.caption} {self.compared.format(known=known)}".strip() if known else self.caption


LOWER_PANEL = "The lower panel enlarges the range between the dotted lines."
FITS = (
    "The crossings are those of cubic fits to several temperatures, not of the straight lines that join the points: where temperatures lie far apart, "
    "these may meet elsewhere. "
)
BAND = "The grey band is T<sub>c</sub> = {known.T_c_text} of the infinite system ({known.source}), which crossings of finite sizes approach."

FIGURES = (
    Figure(
        "binder",
        "Crossings",
        "Binder ratio g = (3 − [⟨q⁴⟩]/[⟨q²⟩]²)/2 against temperature, with the crossings of pairs of sizes. " + FITS + LOWER_PANEL,
        "binder",
        BAND,
    ),
    Figure(
        "xi_over_L",
        "Crossings",
        "Correlation length over lattice size, ξ<sub>L</sub>/L, with the crossings of pairs of sizes. " + FITS + LOWER_PANEL,
        "xi_over_L",
        BAND,
    ),
    Figure(
        "crossing_temperatures",
        "Crossings",
        "Crossing temperatures of L and 2L (of neighbouring sizes where no size has its double) against a power of the smaller size, whose labels "
        "are those of the upper axis.",
        "xi_over_L",
        "The power −(ω+1/ν) is the leading correction to scaling, with ω = {known.omega:.3g} and ν = {known.nu:.3g}. Where it dominates, the points lie on "
        "straight lines to T<sub>c</sub>; at 0 the value of the literature ({known.source}).",
    ),
    Figure("energy", "Energy", "Energy per spin.", "energy"),
    Figure(
        "specific_heat",
        "Energy",
        "Specific heat per spin, from the fluctuations of the energy with products of distinct replicas where there are two. From one replica it is "
        "too low where the blocks of the run are short against the autocorrelation time.",
        "specific_heat",
    ),
    Figure(
        "overlap_cold",
        "Overlap",
        "Distribution P(q) of the overlap, averaged over the disorder, at the lowest temperature. The density is per value that q can take, "
        "so that the discreteness of q at small L does not show, and the same at q and −q.",
        "q2",
    ),
    Figure("overlap_middle", "Overlap", "P(q) near the crossing; in the middle of the temperatures where there is none and no T<sub>c</sub> is known.", "q2"),
    Figure("overlap_hot", "Overlap", "P(q) at the highest temperature.", "q2"),
    Figure("link_cold", "Overlap", "Distribution of the link overlap at the lowest temperature, averaged over the disorder.", "histogram_link_density"),
    Figure(
        "q_link_variance",
        "Overlap",
        "Thermal variance of the link overlap, averaged over the disorder. Where it goes to zero with L, the link overlap of a realization has one value.",
        "q_link_variance",
    ),
    Figure(
        "q2_link_correlation",
        "Overlap",
        "Correlation coefficient of q² and the link overlap, from disorder averages of their covariance and variances: 1 where one is a function of the other.",
        "q2_link_correlation",
    ),
    Figure(
        "realizations",
        "Realizations",
        "P<sub>J</sub>(|q|) of the largest size at the lowest temperature: the average over the disorder, and realizations from the least weight near "
        "zero to the most (quantiles 0, 25, 50, 75 and 100%).",
        "coldest_overlap_counts",
    ),
    Figure("weight_near_zero", "Realizations", "The fraction of the realizations that have at least this weight near q = 0, at the lowest temperature.", "coldest_overlap_counts"),
    Figure(
        "q2_spread",
        "Realizations",
        "Relative variance of ⟨q²⟩ over the realizations, A = [⟨q²⟩²]/[⟨q²⟩]² − 1: zero where ⟨q²⟩ averages itself. Its curves of different sizes cross "
        "at the transition, too. Shown from where it is clear of its error.",
        "q2_spread",
    ),
    Figure(
        "guerra",
        "Realizations",
        "G = ([⟨q²⟩²] − [⟨q²⟩]²)/([⟨q⁴⟩] − [⟨q²⟩]²). By Guerra’s relation it is 1/3 (line) where ⟨q²⟩ does not average itself, and 0 where it does.",
        "guerra",
    ),
    Figure(
        "equilibration_q2",
        "Equilibration",
        "Does the squared overlap still drift? At the lowest temperature: the last half of the runs minus earlier parts of them (1/2: the quarter "
        "before it, 1/4: the eighth before that, ...), the mean over realizations with its own error, in units of the error of the disorder "
        "average (shaded: one of these). In equilibrium the points are zero within their errors.",
        "q2",
    ),
    Figure("equilibration_energy", "Equilibration", "The same for the energy per spin.", "energy"),
    Figure(
        "swap_rate",
        "Equilibration",
        "Accepted fraction of the exchanges between neighbouring temperatures, at the middle of each pair.",
        "swap_rate",
    ),
    Figure(
        "walk_times",
        "Equilibration",
        "Autocorrelation time τ of the random walk of the replicas in temperature: the fraction of the realizations that have at least this τ. A few "
        "realizations are much slower than most; the runs must be many times longer than the largest τ.",
        "tau_walk",
    ),
)

NAMES = tuple(figure.name for figure in FIGURES)
