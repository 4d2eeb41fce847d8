#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statistics/crossing.hpp"
#include "statistics/jackknife.hpp"
#include "statistics/observables.hpp"

namespace psflip {

/// The thermal averages of all realizations of one lattice size.
struct DisorderSample {
    int L = 0;
    std::vector<double> temperature;  ///< ascending
    std::int64_t realizations = 0;
    std::vector<double> values[n_observables];  ///< (realization, temperature); thermal means
    /// (temperature) sums of shared_variance over the packs, of shared_observables; empty: none shared
    std::vector<double> shared[n_observables] = {};

    int temperatures() const { return static_cast<int>(temperature.size()); }
    const std::vector<double>& operator[](Observable o) const { return values[static_cast<int>(o)]; }
};

/// Disorder averages [...] with errors, one per temperature. Names and order are those of
/// results.csv.
enum class Average { energy, specific_heat, q_abs, q2, q4, binder, chi_sg, xi_over_L, q_link };
inline constexpr int n_averages = 9;
const char* average_name(Average average);

using AverageCurve = std::vector<Estimate>;  ///< (temperature)

/// binder = (3 - [q4] / [q2]^2) / 2; chi_sg = N [q2];
/// xi_over_L = sqrt([q2] / [kmin] - 1) / (2 L sin(pi / L)), NaN where [q2] < [kmin]; specific_heat is the
/// average of that of the realizations, beta^2 N ([e^2] - [<e>_a <e>_b]).
double binder_of(double q2, double q4);
double xi_over_L_of(double q2, double kmin, int L);
/// Errors are those of the jackknife over realizations, with shared_error added in squares.
AverageCurve disorder_average(const DisorderSample& sample, Average average);

/// The part of the error that comes from shared random numbers, per temperature: sqrt(max(0, S)) / R (times N
/// for chi_sg) with S of `shared`; NaN where S is NaN, 0 where `shared` is empty. Empty for binder and
/// xi_over_L, whose errors are those of the jackknife.
std::vector<double> shared_error(const DisorderSample& sample, Average average);

/// A crossing with its errors; NaN where there is none.
struct CrossingEstimate {
    int L1, L2;  ///< L1 < L2
    Estimate temperature, value;
};

/// The crossing of binder or xi_over_L of two sizes. Sizes have independent realizations: the realizations of
/// each size are left out one at a time with the other size kept, and the two jackknife variances added.
CrossingEstimate crossing(const DisorderSample& small, const DisorderSample& large, Average average);

/// For all pairs L1 < L2 of samples (ascending L), in the order (L1, L2).
std::vector<CrossingEstimate> crossings(const std::vector<DisorderSample>& samples, Average average);

}  // namespace psflip
