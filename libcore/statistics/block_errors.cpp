#include "statistics/block_errors.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/numbers.hpp"

namespace psflip {

double block_covariance(std::span<const double> count, std::span<const double> first,
                        std::span<const double> second) {
    double total1 = 0.0, total2 = 0.0, total_count = 0.0;
    int blocks = 0;
    for (std::size_t b = 0; b < count.size(); ++b) {
        if (count[b] == 0.0) continue;
        total1 += first[b];
        total2 += second[b];
        total_count += count[b];
        ++blocks;
    }
    if (blocks < 2) return nan_value;
    const double mean1 = total1 / total_count, mean2 = total2 / total_count;
    double squares = 0.0;
    for (std::size_t b = 0; b < count.size(); ++b) {
        if (count[b] == 0.0) continue;
        squares += count[b] * (first[b] / count[b] - mean1) * (second[b] / count[b] - mean2);
    }
    return squares / (total_count * (blocks - 1));
}

namespace {

/// Returns the sums over `parts` groups of neighbouring blocks.
std::vector<double> in_parts(std::span<const double> blocks, std::size_t parts) {
    std::vector<double> sums(parts, 0.0);
    for (std::size_t b = 0; b < blocks.size(); ++b) sums[b * parts / blocks.size()] += blocks[b];
    return sums;
}

}  // namespace

double long_covariance(std::span<const double> count, std::span<const double> first,
                       std::span<const double> second) {
    if (count.size() < 4) return block_covariance(count, first, second);
    const auto of_parts = [&](std::size_t parts) {
        return block_covariance(in_parts(count, parts), in_parts(first, parts), in_parts(second, parts));
    };
    return 2.0 * of_parts(2) - of_parts(4);
}

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
    return {total / total_count, block_covariance(count, sum, sum), blocks - 1};
}

namespace {

/// Returns the scatter of block means about their mean or about a straight line. With too few blocks, dof is
/// 0.
Scatter scatter_of(const std::vector<double>& centre, const std::vector<double>& count,
                   const std::vector<double>& mean, bool about_line) {
    const int n = static_cast<int>(mean.size());
    const int parameters = about_line ? 2 : 1;
    if (n <= parameters) return {};
    double weight = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    for (int b = 0; b < n; ++b) {
        weight += count[b];
        x += count[b] * centre[b];
        y += count[b] * mean[b];
    }
    for (int b = 0; b < n; ++b) {
        const double dx = centre[b] - x / weight, dy = mean[b] - y / weight;
        xx += count[b] * dx * dx;
        xy += count[b] * dx * dy;
        yy += count[b] * dy * dy;
    }
    return {about_line ? std::max(0.0, yy - xy * xy / xx) : yy, n - parameters};
}

}  // namespace

Scatter scatter_in_bins(std::span<const std::int64_t> bin_edges, const BlockDivision& blocks,
                        std::span<const double> sums, bool about_line) {
    Scatter all;
    for (std::size_t k = 0; k + 1 < bin_edges.size(); ++k) {
        std::vector<double> centre, count, mean;
        for (std::size_t b = 0; b < blocks.count.size(); ++b) {
            const std::int64_t begin = blocks.edges[b], end = blocks.edges[b + 1];
            if (begin < bin_edges[k] || end > bin_edges[k + 1] || blocks.count[b] == 0) continue;
            centre.push_back(0.5 * static_cast<double>(begin + end));
            count.push_back(static_cast<double>(blocks.count[b]));
            mean.push_back(sums[b] / count.back());
        }
        const Scatter one = scatter_of(centre, count, mean, about_line);
        all.squares += one.squares;
        all.dof += one.dof;
    }
    return all;
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

std::vector<double> merge_blocks(std::span<const double> sums, int level) {
    const std::size_t groups = std::max<std::size_t>(1, sums.size() >> level);
    std::vector<double> merged(groups, 0.0);
    for (std::size_t b = 0; b < sums.size(); ++b) merged[std::min(b >> level, groups - 1)] += sums[b];
    return merged;
}

void add_series(BlockSeries& total, const BlockSeries& part) {
    if (total.empty()) {
        total = part;
        return;
    }
    for (std::size_t k = 0; k < total.size(); ++k)
        std::transform(total[k].begin(), total[k].end(), part[k].begin(), total[k].begin(), std::plus<>());
}

bool long_blocks(double measurements, double tau) {
    return !(10.0 * (tau - 0.25 / tau) > measurements);
}

}  // namespace psflip
