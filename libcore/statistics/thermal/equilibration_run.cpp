// Makes the log2 test for all realizations of a batch (thermal_means.hpp).
#include <cmath>
#include <numeric>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/thermal/thermal_means.hpp"

namespace psflip {

namespace {

/// Returns the sums of one observable at one (temperature, realization): of component `c`, or if c < 0 the
/// mean of all components.
std::vector<double> gather(const RunSums& run, const BinnedSums& sums, Sum series, int c, std::int64_t i) {
    const int components = run.components(series);
    std::vector<double> result(sums.bins(), 0.0);
    for (int b = 0; b < sums.bins(); ++b)
        for (int k = c < 0 ? 0 : c; k < (c < 0 ? components : c + 1); ++k)
            result[b] += sums[series][(std::int64_t{b} * components + k) * run.row() + i];
    if (c < 0)
        for (double& sum : result) sum /= components;
    return result;
}

/// Makes the log2 test of x, whose squares are x2, at one (temperature, realization). `parts` are divisions
/// of the whole run into ever longer parts. The first with parts long compared with the autocorrelation time
/// decides, or else the last. If `independent`, each component is an independent series; otherwise their mean
/// is one series.
Log2Deviation deviation_of(const RunSums& run, const BinnedSums& bins, const std::vector<BinnedSums>& parts,
                           Sum x, Sum x2, bool independent, std::int64_t i) {
    Log2Deviation deviation{{nan_value, nan_value}, 0, nan_value};
    if (run.components(x) == 0) return deviation;
    for (const BinnedSums& blocks : parts) {
        std::vector<BinnedSeries> series;
        for (int k = 0; k < (independent ? run.components(x) : 1); ++k) {
            const int c = independent ? k : -1;
            series.push_back(
                {gather(run, bins, x, c, i), gather(run, bins, x2, c, i), gather(run, blocks, x, c, i)});
        }
        deviation = log2_deviation(bins, blocks, series);
        const auto total = std::accumulate(blocks.count.begin(), blocks.count.end(), std::int64_t{0});
        if (long_blocks(static_cast<double>(total) / blocks.bins(), deviation.tau)) break;
    }
    return deviation;
}

}  // namespace

EquilibrationTest test_equilibration(const RunSums& run, int blocks, double threshold, ThreadPool& pool) {
    constexpr int min_parts = 16;
    const OrderParameter order = order_parameter(run.measured);
    const std::vector<Sum> tested = {Sum::energy, Sum::energy2, order.square, order.fourth};
    const BinnedSums bins = merge_bins(run.blocks, halving_edges(run.blocks.edges), tested, pool);
    std::vector<BinnedSums> parts = {
        merge_bins(run.blocks, equal_edges(run.blocks.edges, blocks), tested, pool)};
    for (int number = blocks; number % 2 == 0 && number / 2 >= min_parts; number /= 2)
        parts.push_back(merge_bins(run.blocks, equal_edges(run.blocks.edges, number / 2), tested, pool));
    EquilibrationTest test;
    test.edges = bins.edges;
    const std::int64_t row = run.row();
    // Axes (observable, comparison, temperature, realization).
    std::vector<double> sigma(2 * log2_comparisons * row, nan_value);
    test.dof_energy.assign(row, 0);
    test.dof_order.assign(row, 0);
    share_out(pool, row, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Log2Deviation energy =
                deviation_of(run, bins, parts, Sum::energy, Sum::energy2, !run.correlated_replicas, i);
            const Log2Deviation square = deviation_of(run, bins, parts, order.square, order.fourth,
                                                      !run.measured.overlaps && !run.correlated_replicas, i);
            test.dof_energy[i] = energy.dof;
            test.dof_order[i] = square.dof;
            for (int k = 0; k < log2_comparisons; ++k) {
                sigma[k * row + i] = energy.sigma[k];
                sigma[(log2_comparisons + k) * row + i] = square.sigma[k];
            }
        }
    });
    for (std::int64_t r = 0; r < run.realizations; ++r)
        test.verdict.push_back(judge(sigma.data() + r, run.temperatures, run.realizations,
                                     2 * log2_comparisons, row, threshold));
    test.sigma_energy.assign(sigma.begin(), sigma.begin() + log2_comparisons * row);
    test.sigma_order.assign(sigma.begin() + log2_comparisons * row, sigma.end());
    return test;
}

std::vector<std::uint8_t> moved(const RunSums& run, ThreadPool& pool) {
    std::vector<std::uint8_t> result(run.realizations, 0);
    const std::int64_t row = run.row(), swaps = run.replicas * (run.temperatures - 1);
    double count = 0.0;
    for (std::int64_t n : run.blocks.count) count += static_cast<double>(n);
    const auto varies = [&](std::int64_t i) {
        double sum = 0.0, square = 0.0;
        for (int b = 0; b < run.blocks.bins(); ++b) {
            sum += run.blocks[Sum::energy][b * run.replicas * row + i];
            square += run.blocks[Sum::energy2][b * run.replicas * row + i];
        }
        return single_variance(sum / count, square / count, 0.0) > 0.0;
    };
    share_out(pool, run.realizations, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r)
            for (std::int64_t i = r; i < row * run.replicas && !result[r]; i += run.realizations)
                result[r] = varies(i);
    });
    for (std::size_t i = 0; i < run.accepted.size(); ++i)
        if (run.accepted[i] > 0) result[i / swaps] = 1;
    return result;
}

std::vector<double> bin_means(const RunSums& run, const BinnedSums& bins, Sum series, ThreadPool& pool) {
    const int components = run.components(series);
    const std::int64_t row = run.row();
    std::vector<double> means(bins.bins() * row, nan_value);
    if (components == 0) return means;
    for (int b = 0; b < bins.bins(); ++b) {
        if (bins.count[b] == 0) continue;
        share_out(pool, row, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                double sum = 0.0;
                for (int c = 0; c < components; ++c)
                    sum += bins[series][(std::int64_t{b} * components + c) * row + i];
                const double divisor = run.divisor(series, i % run.realizations) * components;
                means[b * row + i] = sum / (divisor * static_cast<double>(bins.count[b]));
            }
        });
    }
    return means;
}

}  // namespace psflip
