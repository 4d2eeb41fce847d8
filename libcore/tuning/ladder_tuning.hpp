#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// Chooses temperatures: computes the next ladder from the measurement of a ladder. A ladder is n ascending
/// temperatures. Pair i is the slots i and i+1, so arrays over pairs have n-1 elements.

/// Returns the acceptance A = erfc(d/2) of exchanges between two temperatures at the thermodynamic distance d
/// = int sigma_E dbeta. A is the mean of min(1, exp(dbeta dE)) for energies with normal distributions of
/// equal width (D. Kofke, J. Chem. Phys. 121, 1167 (2004)).
double acceptance_of_distance(double distance);

/// Returns the distance that gives an acceptance, by bisection of acceptance_of_distance. Errors:
/// std::invalid_argument unless the acceptance is in (0, 1].
double distance_of_acceptance(double acceptance);

/// Returns the distances of all pairs from their acceptances. `attempts` counts all realizations and
/// replicas. With n attempts the acceptance is limited to 1/(2n) to 1 - 1/(2n), so that a pair that never
/// exchanged gets a finite distance.
std::vector<double> pair_distances(std::span<const double> acceptance, std::span<const double> attempts);

/// Returns the number of temperatures for about the acceptance `target` (0 to 1, exclusive), if all pairs
/// have equal shares of `length`, the sum of all distances. The result is length / distance(target), rounded
/// up to a multiple of 4, because the CPU works on four temperatures at once. n temperatures have n - 1
/// pairs, so the acceptance is a little below the target if nothing is rounded. To keep noise from changing
/// the result, `present` stays if it is a multiple of 4 and would be the result for a quotient that differs
/// by at most 0.5. The result is at least 4 and may exceed 64.
int count_for_acceptance(double length, double target, int present);

/// Returns a new ladder of `count` (>= 2) temperatures with the ends of `temperatures`. `weights` has one
/// positive number for each pair of the old ladder. All pairs of the new ladder have equal parts of the sum
/// of the weights. log T is interpolated as a monotone cubic function of the accumulated weights (F. Fritsch
/// and R. Carlson, SIAM J. Numer. Anal. 17, 238 (1980)). Inner values are rounded to 5 significant digits, so
/// that the ladder does not depend on the last bit that a mathematical library computes. Errors: InputError
/// if two temperatures become equal.
std::vector<double> ladder_of_equal_weights(std::span<const double> temperatures,
                                            std::span<const double> weights, int count);

/// Returns weights of pairs that optimise the flow of walkers between the ends of the ladder:
///     weight_i = sqrt(f_i - f_{i+1}),   f_0 = 1,   f_{n-1} = 0.
/// The input f_i is the fraction of the walkers at slot i that were last at the cold end. The weights are
/// scaled so that their sum is 1.
/// - This is the density of temperatures sqrt(1/DeltaT df/dT) of H. Katzgraber, S. Trebst, D. Huse and M.
///   Troyer, J. Stat. Mech. P03018 (2006), cond-mat/0602085, constant within each pair. At its fixed point, f
///   falls linearly with the slot.
/// - f is first made monotone by pooling adjacent violators.
/// - No pair has less than a tenth of the mean fall, so that noise does not remove all temperatures from one
///   range.
std::vector<double> feedback_weights(std::span<const double> cold_fraction);

/// Returns the local diffusivity of the walk in temperature for each pair, in (J/k_B)^2 per unit of time:
///     D_i = j DeltaT_i^2 / (f_i - f_{i+1}).
/// This follows from the flow j = eta D |df/dT| of labelled walkers, with the density of walkers eta =
/// 1/DeltaT (cond-mat/0602085, with its constants). The flow j is `round_trips`, the number of round trips of
/// all walkers per unit of time. The result is NaN if f does not fall.
std::vector<double> diffusivity(std::span<const double> temperatures, std::span<const double> cold_fraction,
                                double round_trips);

/// Returns the round trips of all walkers per exchange event if successive exchanges are independent:
///     1 / (2 + 2 sum_i (1-A_i)/A_i),
/// for events that try even and odd pairs in turn (S. Syed, A. Bouchard-Cote, G. Deligiannidis and A. Doucet,
/// J. R. Stat. Soc. B 84, 321 (2022), arXiv:1905.02939). Real walks are slower, because energies are
/// correlated over more than one interval.
double independent_round_trips(std::span<const double> acceptance);

/// Holds the prediction for a ladder of `count` temperatures over the present range with equal distances.
struct LadderChoice {
    int count = 0;
    double acceptance = 0.0;
    double round_trips = 0.0;  ///< of all walkers, per exchange event, for independent exchanges
};

/// Returns the predictions for 4, 8, ..., 64 temperatures with an acceptance from 0.05 to 0.8, ascending.
std::vector<LadderChoice> ladder_choices(double length);

}  // namespace psflip
