#pragma once

// Computes means, errors and autocorrelation times of correlated series from blocks.

#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// Holds the mean of a correlated series, and the variance of this mean from blocks.
struct BlockMean {
    double mean;
    double variance;  ///< of the mean; NaN with fewer than two blocks
    int dof;          ///< blocks - 1
};

/// Returns the mean of a series and its variance from blocks. sum[b] is the sum over the count[b]
/// measurements of block b. With n = sum_b count[b], m_b = sum[b] / count[b] and B blocks,
///     mean = sum_b sum[b] / n,   variance = sum_b count[b] (m_b - mean)^2 / (n (B - 1)).
/// For equal blocks the variance is sum_b (m_b - mean)^2 / (B (B - 1)). Blocks without measurements are left
/// out. If blocks are not long compared with the autocorrelation time, the variance is too small.
BlockMean block_mean(std::span<const double> count, std::span<const double> sum);

/// Returns the covariance of the means of two series over the same blocks,
///     sum_b count[b] (x_b - x) (y_b - y) / (n (B - 1)).
/// Here x_b = first[b] / count[b] and y_b = second[b] / count[b] are block means, and x and y the means of
/// the series. For two equal series the result is block_mean(...).variance.
double block_covariance(std::span<const double> count, std::span<const double> first,
                        std::span<const double> second);

/// Returns 2 C_2 - C_4, an estimate of the covariance of the means of two series with a long memory. C_k is
/// block_covariance after all blocks are merged into k blocks. With n measurements and the autocorrelation
/// time tau, C_k is too small by the fraction k tau / n, to first order. The error of 2 C_2 - C_4 is of
/// second order. 2 C_2 - C_4 is noisy: its variance is 6 times the square of the variance of the mean. With
/// eight blocks, the variance of block_covariance is only 2/7 of this square. Use the result only in
/// corrections that are averaged over many realizations. With fewer than four blocks, the result is
/// block_covariance.
double long_covariance(std::span<const double> count, std::span<const double> first,
                       std::span<const double> second);

/// Holds the edges of consecutive blocks (or bins) of sweeps, and the number of measurements in each block.
struct BlockDivision {
    std::vector<std::int64_t> edges;  ///< (blocks + 1) sweeps since the end of thermalization
    std::vector<std::int64_t> count;  ///< (block) numbers of measurements
};

/// Holds the scatter sum_b count_b (mean_b - fit_b)^2 of block means inside bins, and its degrees of freedom.
/// mean_b is the mean of block b over its count_b measurements.
/// In each bin the fit is the mean of the blocks or a straight line. The scatter does not contain a drift
/// that the fit follows. squares / dof estimates n times the variance of a mean over n measurements.
struct Scatter {
    double squares = 0.0;
    int dof = 0;
};
/// Returns the scatter of the blocks that lie inside a bin and have measurements. The fit is a straight line
/// if `about_line`, otherwise the mean. A bin with at most two blocks (line) or one block (mean) adds
/// nothing.
Scatter scatter_in_bins(std::span<const std::int64_t> bin_edges, const BlockDivision& blocks,
                        std::span<const double> sums, bool about_line);
/// The minimum degrees of freedom of a usable scatter about lines and about means.
inline constexpr int min_dof_line = 4, min_dof_mean = 3;

/// Returns the variance of a single measurement. The difference <x^2> - <x>^2 is too small by the variance of
/// the mean, so this variance is added. Returns 0 if the difference is below rounding errors (a frozen
/// series).
double single_variance(double mean, double mean_square, double variance_of_mean);

/// Returns the integrated autocorrelation time in units of the measurement interval,
///     tau = n variance_of_mean / (2 single_variance),
/// which is 1/2 for independent measurements. The relative statistical error for B blocks is sqrt(2 / (B -
/// 1)). tau is good below about a tenth of a block. Longer times are biased low and level off at half a
/// block. Returns NaN if single_variance is 0 or there are fewer than two blocks.
double integrated_time(double variance_of_mean, double single_variance, double n);

/// Returns sums over groups of 2^level neighbouring blocks. Blocks that are left over at the end are added
/// to the last full group. Fewer than 2^level blocks form one group.
std::vector<double> merge_blocks(std::span<const double> sums, int level);

/// Holds block sums of several independent series: (series, block).
using BlockSeries = std::vector<std::vector<double>>;
/// Adds `part` to `total` block by block. An empty total becomes `part`.
void add_series(BlockSeries& total, const BlockSeries& part);

/// Returns whether blocks of `measurements` measurements are long compared with tau, the integrated
/// autocorrelation time in measurements: at least 10 (tau - 1 / (4 tau)). For an exponentially correlated
/// series, blocks of n measurements give a variance that is too small by the fraction (tau - 1 / (4 tau)) /
/// n. For long blocks this is at most 10%. If measurements are independent (tau = 1/2), blocks of one
/// measurement are long. Returns true if tau is NaN.
bool long_blocks(double measurements, double tau);

}  // namespace psflip
