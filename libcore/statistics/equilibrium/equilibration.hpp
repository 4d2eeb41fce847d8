// Tests with log2 bins whether a realization is in equilibrium, and gives the verdict "equilibrated".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/choices.hpp"
#include "measure/sums.hpp"
#include "statistics/analysis_warning.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

/// Number of comparisons of the log2 test: the last bin is compared with each of the two bins before it.
inline constexpr int log2_comparisons = 2;

/// Holds one series (one replica, or the mean of all replica pairs) of an observable x at one temperature.
struct BinnedSeries {
    std::vector<double> bin_sum, bin_square;  ///< (bin): sums of x and x^2 over its measurements
    std::vector<double> block_sum;            ///< (block): sums of x
};

/// Holds the result of log2_deviation.
struct Log2Deviation {
    /// Signed, in sigma of a normal variable; NaN if a bin or an error does not exist.
    double sigma[log2_comparisons];
    int dof;     ///< degrees of freedom of the error
    double tau;  ///< V / (2 variance of single measurements): autocorrelation time in measurements
};

/// Tests whether the mean of x has stopped drifting. The last bin, (n/2, n], is compared with (n/4, n/2] and
/// (n/8, n/4]:
///     t_k = (m_1 - m_k) / sqrt(V (1/c_1 + 1/c_k)),
/// with mean m_k and measurements c_k of bin k. V / c is the variance of a mean over c measurements, with
/// autocorrelation. V comes from the means m_b of the blocks inside these three bins, in each bin about a
/// straight line fitted to them. So a drift, from bin to bin or within bins, cannot hide in its own error:
///     V = sum_k sum_(b in k) count_b (m_b - line_k(b))^2 / dof,   dof = sum_k (blocks in k - 2).
/// If less than 4 degrees of freedom remain (fewer than 12 blocks), V is about the mean of each bin, with dof
/// = sum_k (blocks in k - 1), if this is at least 3. Otherwise V is from all blocks of the run about their
/// mean. V is at least the variance of a single measurement over the three bins, because a mean cannot be
/// more certain than a mean of independent measurements. This bound prevents false alarms of a nearly frozen
/// series. A difference below 1e-10 of the means counts as zero.
/// Independent series (replicas) are averaged, and their V and dof are added. t becomes the sigma of a normal
/// variable with equal two-sided probability, so thresholds do not depend on dof.
Log2Deviation log2_deviation(const BlockDivision& bins, const BlockDivision& blocks,
                             const std::vector<BinnedSeries>& independent);

/// Holds the verdict on one realization.
struct Verdict {
    bool equilibrated;
    double max_deviation;   ///< largest |sigma|; NaN if nothing could be tested
    int worst_temperature;  ///< slot; -1 if nothing could be tested
};

/// Returns the verdict on one realization. Its deviations are sigma[t * stride_t + test * stride_test], for
/// all temperatures t and tests (comparisons of all observables). It is equilibrated if at least one
/// deviation exists and none exceeds `threshold`.
/// For an equilibrated realization P(false alarm) <= temperatures * tests * P(|normal| > threshold) by
/// Bonferroni. This is below 0.2% at threshold 4.5 with 64 temperatures and 4 tests, and below 0.7% at 4.0
/// with 24 temperatures.
Verdict judge(const double* sigma, int temperatures, std::int64_t stride_t, int tests,
              std::int64_t stride_test, double threshold);

/// Returns what "equilibrated" rests on, for files and people. test: equilibration.test. The texts are:
///   "log2 test, temperature walk and hottest temperature",
///   "log2 test and temperature walk, not the hottest temperature (in a field its spins are never
///   forgotten)",
///   "log2 test and temperature walk, not the hottest temperature (runs of vector spins do not tell of it)",
///   "log2 test and memory of the start" with one temperature, whose memory hottest_slot.hpp compares from
///   both sides, "not tested (one temperature has the log2 test alone)", "log2 test alone
///   (equilibration.min_walk_times is 0)", "nothing (equilibration.test is none)".
std::string verdict_basis(EquilibrationRule test, double min_walk_times, int temperatures,
                          const Measured& measured = {});

/// Returns whether a test with power is behind the verdicts, or whether the configuration trusts all
/// realizations. One temperature in a field, one temperature of vector spins, and min_walk_times = 0 have no
/// such test. The log2 test alone calls runs equilibrated whose averages are many errors off.
bool is_tested(const std::string& basis);

/// Returns a warning about the errors that tests with this basis miss. It is empty for the basis of all
/// tests, and of one temperature with memory of the start. It is also empty for fields and vector spins,
/// which have no other test. The log2 test alone has little power: it passed 99% of L = 8 runs in which most
/// realizations were off by more than their error.
AnalysisWarning basis_warning(const std::string& basis);

}  // namespace psflip
