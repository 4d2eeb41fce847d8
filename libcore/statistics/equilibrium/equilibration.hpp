#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/choices.hpp"
#include "measure/sums.hpp"
#include "statistics/analysis_warning.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

/// Number of comparisons of the log2 test: the last bin against the one and against the two before it.
inline constexpr int log2_comparisons = 2;

/// One series (one replica, or the mean of all replica pairs) of an observable x at one temperature.
struct BinnedSeries {
    std::vector<double> bin_sum, bin_square;  ///< (bin) sums of x and x^2 over its measurements
    std::vector<double> block_sum;            ///< (block)
};

struct Log2Deviation {
    /// Signed, in sigma of a normal variable; NaN if there is no bin or no error.
    double sigma[log2_comparisons];
    int dof;     ///< degrees of freedom of the error
    double tau;  ///< V / (2 variance of single measurements): autocorrelation time in measurements
};

/// Has the mean of x stopped drifting? The last bin, (n/2, n], is compared with (n/4, n/2] and (n/8, n/4]:
///     t_k = (m_1 - m_k) / sqrt(V (1/c_1 + 1/c_k)),
/// with mean m_k and measurements c_k of bin k. V / c is the variance of a mean over c measurements, with
/// autocorrelation. V comes from the means m_b of the blocks inside these three bins, in each bin about a
/// straight line fitted to them. So a drift, from bin to bin or within bins, cannot hide in its own error:
///     V = sum_k sum_(b in k) count_b (m_b - line_k(b))^2 / dof,   dof = sum_k (blocks in k - 2).
/// If that leaves less than 4 degrees of freedom (fewer than 12 blocks), V is about the mean of each bin, dof
/// = sum_k (blocks in k - 1), if at least 3; else it is from all blocks of the run about their mean. V is at
/// least the variance of a single measurement over the three bins, because a mean cannot be more certain than
/// one of independent measurements. This bound keeps a nearly frozen series from false alarms. A difference
/// below 1e-10 of the means counts as zero. Independent series (replicas) are averaged and their V and dof
/// added. t becomes the sigma of a normal variable of equal two-sided probability in Student's t with dof
/// degrees of freedom, so that thresholds do not depend on dof.
Log2Deviation log2_deviation(const BlockDivision& bins, const BlockDivision& blocks,
                             const std::vector<BinnedSeries>& independent);

/// The verdict on one realization.
struct Verdict {
    bool equilibrated;
    double max_deviation;   ///< largest |sigma|, NaN if nothing could be tested
    int worst_temperature;  ///< slot; -1 if nothing could be tested
};

/// `sigma` are the deviations of one realization, at sigma[t * stride_t + test * stride_test] for all
/// temperatures t and tests (comparisons of all observables). equilibrated: at least one deviation exists and
/// none exceeds `threshold`. For an equilibrated realization P(false alarm) <= temperatures * tests *
/// P(|normal| > threshold) by Bonferroni: at threshold 4.5, 64 temperatures and 4 tests below 0.2%; at 4.0,
/// 24 temperatures below 0.7%.
Verdict judge(const double* sigma, int temperatures, std::int64_t stride_t, int tests,
              std::int64_t stride_test, double threshold);

/// Returns what "equilibrated" rests on, for files and people; `test` is equilibration.test:
///   "log2 test, temperature walk and hottest temperature",
///   "log2 test and temperature walk, not the hottest temperature (in a field its spins are never
///   forgotten)",
///   "log2 test and temperature walk, not the hottest temperature (runs of vector spins do not tell of it)",
///   "log2 test and memory of the start" with one temperature, whose memory hottest_slot.hpp compares from
///   both sides, "not tested (one temperature has the log2 test alone)", "log2 test alone
///   (equilibration.min_walk_times is 0)", "nothing (equilibration.test is none)".
std::string verdict_basis(EquilibrationRule test, double min_walk_times, int temperatures,
                          const Measured& measured = {});

/// Returns whether a test with power is behind the verdicts, or all realizations are trusted by
/// configuration. With one temperature in a field, of vector spins, or with min_walk_times 0 there is no such
/// test: the log2 test calls runs equilibrated whose averages are many errors off.
bool is_tested(const std::string& basis);

/// Returns a warning about the errors that tests with this basis miss. It is empty for the basis of all
/// tests, of one temperature with memory of the start, and for fields and vector spins, which have no other
/// test. The log2 test alone has little power: of L = 8 runs in which most realizations were off by more than
/// their error, it passed 99%.
AnalysisWarning basis_warning(const std::string& basis);

}  // namespace psflip
