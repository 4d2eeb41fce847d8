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


BAND = "The lower panel enlarges the range between the dotted lines. The grey band is T<sub>c</sub> = 1.1019(29) of the infinite system, which crossings of finite sizes approach from above."

FIGURES = (
    Figure(
        "binder",
        "Crossings",
        "Binder ratio g = (3 − [⟨q⁴⟩]/[⟨q²⟩]²)/2 against temperature, with the crossings of pairs of sizes. " + BAND,
        "binder",
    ),
    Figure(
        "xi_over_L",
        "Crossings",
        "Correlation length over lattice size, ξ<sub>L</sub>/L, with the crossings of pairs of sizes. " + BAND,
        "xi_over_L",
    ),
    Figure(
        "crossing_temperatures",
        "Crossings",
        "Crossing temperatures of L and 2L (of neighbouring sizes where no size has its double) against L<sup>−(ω+1/ν)</sup>, the leading correction to "
        "scaling, with ω = 1.12 and ν = 2.56 (arXiv:1310.2910). Where it dominates, the points lie on straight lines to T<sub>c</sub>; at 0 the value of the literature.",
        "xi_over_L",
    ),
    Figure("energy", "Energy", "Energy per spin.", "energy"),
    Figure("specific_heat", "Energy", "Specific heat per spin, from the fluctuations of the energy with products of distinct replicas where there are two.", "specific_heat"),
    Figure(
        "overlap_cold",
        "Overlap",
        "Distribution P(q) of the overlap, averaged over the disorder, at the lowest temperature. The density is per allowed value of q, "
        "so that the discreteness of q at small L does not show.",
        "q2",
    ),
    Figure("overlap_middle", "Overlap", "P(q) near the crossing.", "q2"),
    Figure("overlap_hot", "Overlap", "P(q) at the highest temperature.", "q2"),
    Figure(
        "equilibration_q2",
        "Equilibration",
        "Mean squared overlap at the lowest temperature, averaged over bins of sweeps that double in length; points at the "
        "upper end of each bin. In equilibrium the last bins agree.",
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
