#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// The mean of a correlated series and its variance from blocks of it.
struct BlockMean {
    double mean;
    double variance;  ///< of the mean; NaN with fewer than two blocks
    int dof;          ///< blocks - 1
};

/// `sum[b]` is the sum over the count[b] measurements of block b. mean = sum_b sum[b] / n, n = sum_b
/// count[b]; variance = sum_b count[b] (m_b - mean)^2 / (n (B - 1)), m_b = sum[b] / count[b]; with equal
/// blocks sum_b (m_b - mean)^2 / (B (B - 1)). Blocks without measurements are left out. Valid where blocks
/// are long against the autocorrelation time; otherwise too small.
BlockMean block_mean(std::span<const double> count, std::span<const double> sum);

/// Covariance of the means of two series over the same blocks: sum_b count[b] (x_b - x) (y_b - y) / (n (B -
/// 1)), which for twice the same series is block_mean(...).variance.
double block_covariance(std::span<const double> count, std::span<const double> first,
                        std::span<const double> second);

/// Covariance of the means of two series with a long memory: 2 C_2 - C_4, where C_k is block_covariance of k
/// parts, made of neighbouring blocks. From k parts of n measurements and a memory of tau, C_k is too small
/// by k tau / n of itself, to first order; the error of 2 C_2 - C_4 is of second order. With fewer than four
/// blocks block_covariance. The variance of the result is 6 times the square of the variance of the mean (2/7
/// times with eight blocks): it serves for corrections that are averaged over many realizations.
double long_covariance(std::span<const double> count, std::span<const double> first,
                       std::span<const double> second);

/// Where consecutive blocks (or bins) begin and end in sweeps, and their measurements.
struct BlockDivision {
    std::vector<std::int64_t> edges;  ///< blocks + 1, since the end of thermalization
    std::vector<std::int64_t> count;  ///< (block) measurements
};

/// sum_b count_b (mean_b - fit_b)^2 of the means of the blocks inside of each bin, and its degrees of
/// freedom. In each bin the fit is the mean of the blocks or a straight line. A bin with no more blocks than
/// parameters of the fit adds nothing. squares / dof is the variance of a mean times its measurements,
/// without the drift that the fit takes up. Blocks across an edge of bins and blocks without measurements do
/// not count.
struct Scatter {
    double squares = 0.0;
    int dof = 0;
};
Scatter scatter_in_bins(std::span<const std::int64_t> bin_edges, const BlockDivision& blocks,
                        std::span<const double> sums, bool about_line);
/// Degrees of freedom that a scatter about lines, or else about means, should have.
inline constexpr int min_dof_line = 4, min_dof_mean = 3;

/// Returns the variance of a single measurement. <x^2> - <x>^2 is too small by the variance of the mean,
/// which is added. Returns 0 if the variance is below rounding errors (a frozen series).
double single_variance(double mean, double mean_square, double variance_of_mean);

/// Integrated autocorrelation time in units of the measurement interval, tau = n variance_of_mean / (2
/// single_variance) (from variance_of_mean = 2 tau single_variance / n): 1/2 for independent measurements.
/// With B blocks its relative statistical error is sqrt(2 / (B - 1)). It is good while tau is below about a
/// tenth of a block; beyond, it is biased low and levels off at half a block. NaN where single_variance is 0
/// or there are fewer than two blocks.
double integrated_time(double variance_of_mean, double single_variance, double n);

/// Sums over 2^level neighbouring blocks; the blocks left over at the end belong to the last group.
std::vector<double> merge_blocks(std::span<const double> sums, int level);

/// Block sums of several independent series: (series, block).
using BlockSeries = std::vector<std::vector<double>>;
/// Adds them block by block; to an empty total, takes them.
void add_series(BlockSeries& total, const BlockSeries& part);

/// Whether blocks of that many measurements each are long against an integrated autocorrelation time tau (in
/// measurements): at least 10 (tau - 1 / (4 tau)). Errors from blocks of an exponentially correlated series
/// are too small by the fraction (tau - 1 / (4 tau)) / length in the variance, so by less than 10%;
/// independent measurements (tau 1/2) may have blocks of one. True for a tau that is NaN: nothing to be long
/// against.
bool long_blocks(double measurements, double tau);

}  // namespace psflip
