#pragma once

#include <cstdint>
#include <vector>

#include "statistics/average/averages.hpp"
#include "statistics/jackknife.hpp"

namespace psflip {

/// Holds the thermal averages of all realizations of one lattice size.
struct DisorderSample {
    int L = 0;
    std::vector<double> temperature;  ///< ascending
    std::int64_t realizations = 0;
    std::vector<double> values[n_observables];  ///< (realization, temperature): thermal means
    /// (temperature): sums of shared_covariance over the packs, for observables with SharedNoise::known;
    /// empty if no random numbers are shared.
    std::vector<double> shared[n_observables] = {};
    /// (temperature): sums of shared_covariance over the packs, for shared_pairs; empty if not known.
    std::vector<double> shared_pair[n_shared_pairs] = {};
    std::vector<std::int64_t> number = {};  ///< numbers of the realizations in the campaign; empty: 0, 1, ...
    int share = 1;                          ///< consecutive realizations that share random numbers
    /// (temperature): the thermal errors of means, and the covariances of shared_pairs, if there is one
    /// realization; empty if files do not have them.
    std::vector<double> thermal_error[n_observables] = {};
    std::vector<double> thermal_covariance[n_shared_pairs] = {};
    Measured measured = {};  ///< what all files of the size have

    int temperatures() const { return static_cast<int>(temperature.size()); }
    const std::vector<double>& operator[](Observable o) const { return values[o]; }
    std::int64_t number_of(std::int64_t r) const { return number.empty() ? r : number[r]; }
    LatticeAt at(std::size_t t) const { return {L, measured.dimension, measured.components, temperature[t]}; }
};

using AverageCurve = std::vector<Estimate>;      ///< (temperature)
using AverageTable = std::vector<AverageCurve>;  ///< in the order of average_table; NaN if the study does not
                                                 ///< have the average

/// Returns an average with its error: the jackknife over realizations, with shared_error added in squares.
/// If realizations share random numbers and shared_error is not known, the error depends on the number of
/// packs. With 10 packs or more it is the larger one of the jackknife over realizations and the jackknife
/// over packs. With fewer it is the jackknife over realizations. It is NaN if sharing adds more than a tenth
/// to the errors of related averages (`noisy_like`) at some temperature.
/// The errors of q2_spread and guerra are NaN below min_realizations_of_spread. Their distribution is skewed,
/// and jackknife errors of 256 realizations are 1.14 times too small. The error of one realization is
/// thermal, from blocks of its run, and NaN for functions of more than two averages.
/// References: q2_spread is A, and guerra is G, of Marinari et al., arXiv:cond-mat/9802309;
/// q2_link_correlation is in Contucci et al., arXiv:cond-mat/0510663.
AverageCurve disorder_average(const DisorderSample& sample, Average average);
inline constexpr std::int64_t min_realizations_of_spread = 512;
AverageTable disorder_averages(const DisorderSample& sample);

/// Returns the averages that have values without errors at some temperature, because the noise that
/// realizations share is not known.
std::vector<Average> withheld_errors(const DisorderSample& sample, const AverageTable& averages);

/// Returns the part of the error that comes from shared random numbers, (temperature): sqrt(max(0, S)) / R,
/// with S of `shared` times the square of the factor of the mean. For functions f of two averages S = grad
/// f^T S grad f with the 2 x 2 matrix S of `shared` and `shared_pair`. It is NaN if S is NaN, and 0 if
/// `shared` is empty.
/// The result is empty if the noise is not known. This holds for functions of more averages, and for
/// observables without SharedNoise::known. It also holds for functions of two averages if `shared_pair` is
/// empty, and for chi_kmin if `shared` of kmin is empty.
std::vector<double> shared_error(const DisorderSample& sample, Average average);

/// Returns the jackknife groups that any sample has, ascending. Realization r is in group r mod
/// jackknife_groups. A group is left out of all sizes at once, because realizations of one number have
/// couplings in common at different sizes.
std::vector<int> groups_of(const std::vector<DisorderSample>& samples);
inline constexpr int jackknife_groups = 200;

/// Returns an average without the realizations of each group: (group, temperature). Realizations of a pack
/// are in different groups, because a pack has fewer realizations than there are groups. So these samples do
/// not contain the noise that realizations share. The covariance of two numbers f and h made of averages, of
/// any sizes and temperatures, is (G-1)/G sum_g (f_g - mean f) (h_g - mean h) over the G groups. shared_error
/// in squares is added to the variances.
std::vector<double> jackknife_samples(const DisorderSample& sample, Average average,
                                      const std::vector<int>& groups);

}  // namespace psflip
