#pragma once

// Makes the log2 test of equilibrium, and decides the verdict on a realization.

#include <cstdint>
#include <string>
#include <vector>

#include "config/choices.hpp"
#include "measure/sums.hpp"
#include "statistics/analysis_warning.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

/// The number of comparisons of the log2 test: the last bin with each of the two bins before it.
inline constexpr int log2_comparisons = 2;

/// Holds one series of an observable x at one temperature. x belongs to one replica, or is the mean over all
/// replicas or replica pairs.
struct BinnedSeries {
    std::vector<double> bin_sum, bin_square;  ///< (bin) sums of x and x^2 over the measurements of a bin
    std::vector<double> block_sum;            ///< (block) sums of x over the measurements of a block
};

/// Holds the result of the log2 test of one observable at one temperature.
struct Log2Deviation {
    /// Signed deviations in standard deviations of a normal variable; NaN if there is no bin or no error.
    double sigma[log2_comparisons];
    int dof;  ///< degrees of freedom of the error
    /// Autocorrelation time in measurements, V / (2 variance of single measurements). log2_deviation explains
    /// V. Here V has no lower bound.
    double tau;
};

/// Tests whether the mean of x has stopped drifting in a run of n sweeps. The test compares bin 0, the sweeps
/// (n/2, n], with bin k = 1, (n/4, n/2], and with bin k = 2, (n/8, n/4]:
///     t_k = (m_0 - m_k) / sqrt(V (1/c_0 + 1/c_k)),
/// with the mean m_k and the number of measurements c_k of bin k. V / c is the variance of a mean over c
/// correlated measurements. V comes from the blocks b inside these three bins, with count_b measurements and
/// mean m_b:
///     V = sum_k sum_(b in k) count_b (m_b - line_k(b))^2 / dof,   dof = sum_k (blocks in k - 2),
/// where a bin with fewer blocks adds 0.
/// line_k is the straight line fitted to the blocks of bin k, so that a drift cannot hide in its own error.
///
/// - If dof is below 4 (a run of fewer than 12 blocks), deviations are taken from the mean of each bin
///   instead of a line, with dof = sum_k (blocks in k - 1).
/// - If this dof is below 3, deviations of all blocks of the run are taken from their common mean.
/// - V is at least the variance of single measurements in the three bins. Measurements are usually correlated
///   positively, so their mean is not more certain than a mean of independent measurements. This bound keeps
///   a nearly frozen series from false alarms.
/// - A difference below 1e-10 of the means counts as zero.
/// - R independent series (replicas) are averaged. V of their average is the sum of their V, divided by R^2.
///   Their dof are added.
/// - Student's t with dof degrees of freedom gives the two-sided probability of t_k. The result is the number
///   of standard deviations at which a normal variable has this probability. So thresholds do not depend on
///   dof.
Log2Deviation log2_deviation(const BlockDivision& bins, const BlockDivision& blocks,
                             const std::vector<BinnedSeries>& independent);

/// Holds the verdict on one realization.
struct Verdict {
    bool equilibrated;
    double max_deviation;   ///< largest |sigma|, NaN if nothing could be tested
    int worst_temperature;  ///< slot; -1 if nothing could be tested
};

/// Returns the verdict on one realization. The deviation of test i (a comparison of an observable) at
/// temperature t is sigma[t * stride_t + i * stride_test]. The realization is equilibrated if at least one
/// deviation is not NaN and no absolute value exceeds `threshold`. By Bonferroni, the probability of a false
/// alarm is at most temperatures * tests * P(|normal| > threshold). Examples: below 0.2% for threshold 4.5,
/// 64 temperatures and 4 tests; below 0.7% for 4.0 and 24 temperatures.
Verdict judge(const double* sigma, int temperatures, std::int64_t stride_t, int tests,
              std::int64_t stride_test, double threshold);

/// Returns the text that says which tests the verdict "equilibrated" rests on, for files and people. `test`
/// is equilibration.test. houdayer: whether the run had Houdayer moves. If it had, texts that name the
/// temperature walk end with a note about them. The texts begin with:
///     "log2 test, temperature walk and hottest temperature",
///     "log2 test and temperature walk, not the hottest temperature" (in a field, or for vector spins),
///     "log2 test and memory of the start" (one temperature),
///     "log2 test alone" (min_walk_times is 0),
///     "not tested" (one temperature with the log2 test alone),
///     "nothing" (equilibration.test is none).
std::string verdict_basis(EquilibrationRule test, double min_walk_times, int temperatures,
                          const Measured& measured = {}, bool houdayer = false);

/// Returns false if the study asks for a test, but no test with enough power exists (basis "not tested").
/// This happens with a single temperature if there is a field, if the spins are vectors, or if min_walk_times
/// is 0. Only the log2 test is left then. This test passes runs whose averages are many errors off. With
/// equilibration.test: none, the study asks for no test, and the function returns true.
bool is_tested(const std::string& basis);

/// Returns a warning if the tests named in `basis` seldom detect a run that is too short:
/// - "untested" (is_tested is false) and "log2_alone". The log2 test alone has little power. At L = 8, it
///   passed 99% of the runs in which most realizations were off by more than their error.
/// - "test_none", if the study asks for no test.
/// - "mixed_walkers", with Houdayer moves, which exchange parts of configurations between walkers. Then a
///   temperature walk is still necessary, but it no longer shows that configurations decorrelate.
///
/// Otherwise the warning is empty.
AnalysisWarning basis_warning(const std::string& basis);

}  // namespace psflip
