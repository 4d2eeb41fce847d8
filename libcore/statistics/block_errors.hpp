// Computes errors and autocorrelation times of one series, from blocks of consecutive measurements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace psflip {

/// Holds the mean of a correlated series and its variance from blocks.
struct BlockMean {
    double mean;
    double variance;  ///< variance of the mean; NaN with fewer than two blocks
    int dof;          ///< degrees of freedom: blocks - 1
};

/// Returns the mean and its variance. sum[b] is the sum over the count[b] measurements of block b. With n =
/// sum_b count[b] and m_b = sum[b] / count[b], mean = sum_b sum[b] / n and variance = sum_b count[b] (m_b -
/// mean)^2 / (n (B - 1)). With equal blocks the variance is sum_b (m_b - mean)^2 / (B (B - 1)). Blocks
/// without measurements are left out. The variance is valid if blocks are long compared with the
/// autocorrelation time; otherwise it is too small.
BlockMean block_mean(std::span<const double> count, std::span<const double> sum);

/// Returns the covariance of the means of two series over the same blocks: sum_b count[b] (x_b - x) (y_b - y)
/// / (n (B - 1)). For twice the same series it is block_mean(...).variance.
double block_covariance(std::span<const double> count, std::span<const double> first,
                        std::span<const double> second);

/// Returns the covariance of the means of two series with a long memory: 2 C_2 - C_4, where C_k is
/// block_covariance of k parts, made of neighbouring blocks. From k parts of n measurements and a memory of
/// tau, C_k is too small by the fraction k tau / n, to first order. The error of 2 C_2 - C_4 is of second
/// order. With fewer than four blocks it is block_covariance. The variance of the result is 6 times the
/// square of the variance of the mean (2/7 times with eight blocks). So it serves for corrections that are
/// averaged over many realizations.
double long_covariance(std::span<const double> count, std::span<const double> first,
                       std::span<const double> second);

/// Says where consecutive blocks (or bins) begin and end in sweeps, and how many measurements they have.
struct BlockDivision {
    std::vector<std::int64_t> edges;  ///< blocks + 1, in sweeps since the end of thermalization
    std::vector<std::int64_t> count;  ///< (block): number of measurements
};

/// Holds sum_b count_b (mean_b - fit_b)^2 of the means of the blocks inside of each bin, and its degrees of
/// freedom. In each bin the fit is the mean of the blocks or a straight line. squares / dof is the variance
/// of a mean times its measurements, without the drift that the fit takes up. A bin with no more blocks than
/// parameters of the fit adds nothing. Blocks across an edge of bins and blocks without measurements do not
/// count.
struct Scatter {
    double squares = 0.0;
    int dof = 0;
};
/// Returns the scatter of the means of blocks. bin_edges: ascending, in sweeps. sums: (block). about_line:
/// fits a line in each bin, otherwise the mean.
Scatter scatter_in_bins(std::span<const std::int64_t> bin_edges, const BlockDivision& blocks,
                        std::span<const double> sums, bool about_line);
/// Degrees of freedom that a scatter about lines, or about means, should have.
inline constexpr int min_dof_line = 4, min_dof_mean = 3;

/// Returns the variance of a single measurement. <x^2> - <x>^2 is too small by the variance of the mean,
/// which is added. Returns 0 if the variance is below rounding errors (a frozen series).
double single_variance(double mean, double mean_square, double variance_of_mean);

/// Returns the integrated autocorrelation time in units of the measurement interval, tau = n variance_of_mean
/// / (2 single_variance). It is 1/2 for independent measurements. With B blocks its relative statistical
/// error is sqrt(2 / (B - 1)). It is good while tau is below about a tenth of a block; beyond, it is too
/// small and levels off at half a block. Returns NaN if single_variance is 0 or if there are fewer than two
/// blocks.
double integrated_time(double variance_of_mean, double single_variance, double n);

/// Returns sums over 2^level neighbouring blocks. The blocks left over at the end belong to the last group.
std::vector<double> merge_blocks(std::span<const double> sums, int level);

/// Block sums of several independent series: (series, block).
using BlockSeries = std::vector<std::vector<double>>;
/// Adds `part` to `total` block by block. An empty total takes the values of `part`.
void add_series(BlockSeries& total, const BlockSeries& part);

/// Returns whether blocks of `measurements` measurements are long compared with an integrated autocorrelation
/// time tau (in measurements): at least 10 (tau - 1 / (4 tau)). Errors from blocks of an exponentially
/// correlated series are too small by the fraction (tau - 1 / (4 tau)) / length in the variance, so by less
/// than 10%. Independent measurements (tau = 1/2) may have blocks of one. Returns true if tau is NaN.
bool long_blocks(double measurements, double tau);

}  // namespace psflip
