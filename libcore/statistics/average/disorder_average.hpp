#pragma once

// Computes disorder averages with errors that include the noise of shared random numbers.

#include <cstdint>
#include <vector>

#include "statistics/average/averages.hpp"
#include "statistics/jackknife.hpp"

namespace psflip {

/// Holds the thermal averages of all realizations of one lattice size, as input for disorder averages.
struct DisorderSample {
    int L = 0;
    std::vector<double> temperature;  ///< ascending
    std::int64_t realizations = 0;
    std::vector<double> values[n_observables];  ///< (realization, temperature) thermal means
    /// Sums of shared_covariance over the share groups, (temperature), for observables with
    /// SharedNoise::known. Empty if no random numbers are shared.
    std::vector<double> shared[n_observables] = {};
    /// Sums of shared_covariance over the share groups, (temperature), for shared_pairs; empty if not known.
    std::vector<double> shared_pair[n_shared_pairs] = {};
    std::vector<std::int64_t> number = {};  ///< numbers in the study; empty: 0, 1, ...
    int share = 1;                          ///< consecutive realizations that share random numbers
    /// The thermal errors of means and the covariances of shared_pairs, (temperature), for a single
    /// realization. Empty if files do not have them.
    std::vector<double> thermal_error[n_observables] = {};
    std::vector<double> thermal_covariance[n_shared_pairs] = {};
    Measured measured = {};  ///< the quantities that all files of the size have

    int temperatures() const { return static_cast<int>(temperature.size()); }
    const std::vector<double>& operator[](Observable o) const { return values[o]; }
    std::int64_t number_of(std::int64_t r) const { return number.empty() ? r : number[r]; }
    LatticeAt at(std::size_t t) const { return {L, measured.dimension, measured.components, temperature[t]}; }
};

using AverageCurve = std::vector<Estimate>;      ///< (temperature)
using AverageTable = std::vector<AverageCurve>;  ///< in the order of average_table; NaN if the study lacks it

/// Returns an average with its error. The squared error is the sum of two squares: of the error from the
/// jackknife over realizations, and of shared_error.
/// - If realizations share random numbers and shared_error is not known, the number of share groups matters.
///   With 10 groups or more, the error is the larger of two: from the jackknife over realizations, and from
///   the jackknife over share groups. With fewer groups, the error is from the jackknife over realizations.
///   But it is NaN if sharing adds more than a tenth to the errors of related averages (`noisy_like`) at some
///   temperature.
/// - The errors of q2_spread and guerra are NaN below min_realizations_of_spread. Both have skewed
///   distributions, and jackknife errors of 256 realizations are too small by a factor of 1.14.
/// - For a single realization, the error is the thermal error, from blocks of the run. For functions of more
///   than two averages, this error is NaN.
///
/// References: q2_spread is A and guerra is G of Marinari et al., arXiv:cond-mat/9802309. q2_link_correlation
/// is from Contucci et al., arXiv:cond-mat/0510663.
AverageCurve disorder_average(const DisorderSample& sample, Average average);
inline constexpr std::int64_t min_realizations_of_spread = 512;
AverageTable disorder_averages(const DisorderSample& sample);

/// Returns the averages that have a value without an error at some temperature, because the shared noise is
/// not known.
std::vector<Average> withheld_errors(const DisorderSample& sample, const AverageTable& averages);

/// Returns the part of the error that comes from shared random numbers, (temperature): sqrt(max(0, S)) / R,
/// for R realizations. For c [x] with a constant c, S is c^2 times `shared` of x. For a
/// function f of two averages, S = grad f^T C grad f, with the 2 x 2 matrix C of `shared` and `shared_pair`.
/// The error is NaN if S is NaN, and 0 if `shared` is empty. The result is empty if the noise is not known:
/// - for functions of more than two averages,
/// - for observables without SharedNoise::known,
/// - for functions of two averages if `shared_pair` is empty,
/// - for chi_kmin if `shared` of kmin is empty.
std::vector<double> shared_error(const DisorderSample& sample, Average average);

/// Returns the jackknife groups with a realization in at least one sample, ascending. Realization r is in
/// group r mod jackknife_groups. The jackknife omits a group from all sizes at the same time, because
/// realization r of two sizes can have random numbers in common.
std::vector<int> groups_of(const std::vector<DisorderSample>& samples);
inline constexpr int jackknife_groups = 200;

/// Returns an average without the realizations of each group: (group, temperature). Let f and h be two
/// numbers made of averages of any sizes and temperatures. With G groups their covariance is
///     (G-1)/G sum_g (f_g - mean f) (h_g - mean h).
/// Add the square of shared_error to variances. The samples do not contain the noise that realizations share,
/// because all realizations of a share group are in different jackknife groups. (No share group is larger
/// than the number of jackknife groups.)
std::vector<double> jackknife_samples(const DisorderSample& sample, Average average,
                                      const std::vector<int>& groups);

}  // namespace psflip
