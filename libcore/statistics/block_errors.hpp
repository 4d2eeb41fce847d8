#pragma once

#include <span>

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

/// Variance of a single measurement, from <x^2> - <x>^2, which is too small by the variance of the mean: that
/// is added. 0 where it is below rounding errors (a frozen series).
double single_variance(double mean, double mean_square, double variance_of_mean);

/// Integrated autocorrelation time in units of the measurement interval, tau = n variance_of_mean / (2
/// single_variance) (from variance_of_mean = 2 tau single_variance / n): 1/2 for independent measurements.
/// With B blocks its relative statistical error is sqrt(2 / (B - 1)). It is good while tau is below about a
/// tenth of a block; beyond, it is biased low and levels off at half a block. NaN where single_variance is 0
/// or there are fewer than two blocks.
double integrated_time(double variance_of_mean, double single_variance, double n);

}  // namespace psflip
