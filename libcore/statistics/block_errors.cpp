#include "statistics/block_errors.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace psflip {

BlockMean block_mean(std::span<const double> count, std::span<const double> sum) {
    double total = 0.0, total_count = 0.0;
    int blocks = 0;
    for (std::size_t b = 0; b < count.size(); ++b) {
        if (count[b] == 0.0) continue;
        total += sum[b];
        total_count += count[b];
        ++blocks;
    }
    if (blocks == 0) return {nan_value, nan_value, 0};
    const double mean = total / total_count;
    if (blocks == 1) return {mean, nan_value, 0};
    double squares = 0.0;
    for (std::size_t b = 0; b < count.size(); ++b) {
        if (count[b] == 0.0) continue;
        const double deviation = sum[b] / count[b] - mean;
        squares += count[b] * deviation * deviation;
    }
    return {mean, squares / (total_count * (blocks - 1)), blocks - 1};
}

double single_variance(double mean, double mean_square, double variance_of_mean) {
    const double variance = mean_square - mean * mean;
    if (variance <= 1e-12 * mean_square) return 0.0;
    return variance + (std::isnan(variance_of_mean) ? 0.0 : variance_of_mean);
}

double integrated_time(double variance_of_mean, double single_variance, double n) {
    if (!(single_variance > 0.0)) return nan_value;
    return 0.5 * n * variance_of_mean / single_variance;
}

}  // namespace psflip
