#include <cmath>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/thermal_means.hpp"

namespace psflip {

namespace {

/// The series of one observable at one (temperature, realization): component `c`, or for c < 0 the mean of
/// all.
BinnedSeries binned_series(const RunSums& run, const BinnedSums& bins, const BinnedSums& blocks, Series x,
                           Series x2, int c, std::int64_t i) {
    const int components = run.components(x);
    const auto gather = [&](const BinnedSums& sums, Series series) {
        std::vector<double> result(sums.bins(), 0.0);
        for (int b = 0; b < sums.bins(); ++b)
            for (int k = c < 0 ? 0 : c; k < (c < 0 ? components : c + 1); ++k)
                result[b] += sums[series][(std::int64_t{b} * components + k) * run.row() + i];
        if (c < 0)
            for (double& sum : result) sum /= components;
        return result;
    };
    return {gather(bins, x), gather(bins, x2), gather(blocks, x)};
}

}  // namespace

EquilibrationTest test_equilibration(const RunSums& run, int blocks, double threshold) {
    EquilibrationTest test;
    const BinnedSums bins = merge_bins(run.blocks, halving_edges(run.blocks.edges));
    const BinnedSums parts = merge_bins(run.blocks, equal_edges(run.blocks.edges, blocks));
    const RunDivision division{bins.edges,
                               parts.edges,
                               {bins.count.begin(), bins.count.end()},
                               {parts.count.begin(), parts.count.end()}};
    test.edges = bins.edges;
    const std::int64_t row = run.row();
    // (observable, comparison, temperature, realization)
    std::vector<double> sigma(2 * log2_comparisons * row, nan_value);
    test.dof_energy.assign(row, 0);
    test.dof_q2.assign(row, 0);
    for (std::int64_t i = 0; i < row; ++i) {
        std::vector<BinnedSeries> replicas;
        for (int a = 0; a < run.replicas; ++a)
            replicas.push_back(binned_series(run, bins, parts, Series::energy, Series::energy2, a, i));
        const Log2Deviation energy = log2_deviation(division, replicas);
        Log2Deviation q2{{NAN, NAN}, 0};
        if (run.pairs() > 0)
            q2 = log2_deviation(division,
                                {binned_series(run, bins, parts, Series::overlap2, Series::overlap4, -1, i)});
        test.dof_energy[i] = energy.dof;
        test.dof_q2[i] = q2.dof;
        for (int k = 0; k < log2_comparisons; ++k) {
            sigma[k * row + i] = energy.sigma[k];
            sigma[(log2_comparisons + k) * row + i] = q2.sigma[k];
        }
    }
    for (std::int64_t r = 0; r < run.realizations; ++r)
        test.verdict.push_back(judge(sigma.data() + r, run.temperatures, run.realizations,
                                     2 * log2_comparisons, row, threshold));
    test.sigma_energy.assign(sigma.begin(), sigma.begin() + log2_comparisons * row);
    test.sigma_q2.assign(sigma.begin() + log2_comparisons * row, sigma.end());
    return test;
}

std::vector<std::uint8_t> moved(const RunSums& run) {
    std::vector<std::uint8_t> result(run.realizations, 0);
    const std::int64_t row = run.row(), swaps = run.replicas * (run.temperatures - 1);
    double count = 0.0;
    for (std::int64_t n : run.blocks.count) count += static_cast<double>(n);
    for (std::int64_t i = 0; i < row * run.replicas; ++i) {
        double sum = 0.0, square = 0.0;
        for (int b = 0; b < run.blocks.bins(); ++b) {
            sum += run.blocks[Series::energy][b * run.replicas * row + i];
            square += run.blocks[Series::energy2][b * run.replicas * row + i];
        }
        if (single_variance(sum / count, square / count, 0.0) > 0.0) result[i % run.realizations] = 1;
    }
    for (std::size_t i = 0; i < run.accepted.size(); ++i)
        if (run.accepted[i] > 0) result[i / swaps] = 1;
    return result;
}

std::vector<double> bin_means(const RunSums& run, const BinnedSums& bins, Series series) {
    const int components = run.components(series);
    const std::int64_t row = run.row();
    const double norm = series == Series::energy ? std::pow(run.L, 3) : 1.0;
    std::vector<double> means(bins.bins() * row, nan_value);
    if (components == 0) return means;
    for (int b = 0; b < bins.bins(); ++b) {
        if (bins.count[b] == 0) continue;
        for (std::int64_t i = 0; i < row; ++i) {
            double sum = 0.0;
            for (int c = 0; c < components; ++c)
                sum += bins[series][(std::int64_t{b} * components + c) * row + i];
            means[b * row + i] = sum / (norm * components * static_cast<double>(bins.count[b]));
        }
    }
    return means;
}

}  // namespace psflip
