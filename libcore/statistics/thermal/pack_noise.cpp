#include "statistics/thermal/pack_noise.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

namespace {

/// The places of the blocks of one log2 bin.
struct Bin {
    std::size_t begin, end;
};

std::vector<Bin> bins_of(const BlockReader& blocks, const std::vector<std::int64_t>& edges) {
    const std::vector<std::int64_t>& fine = blocks.edges();
    const auto place = [&](std::int64_t edge) {
        return static_cast<std::size_t>(std::lower_bound(fine.begin(), fine.end(), edge) - fine.begin());
    };
    std::vector<Bin> bins;
    for (std::size_t k = 0; k + 1 < edges.size(); ++k)
        if (edges[k] >= fine.front()) bins.push_back({place(edges[k]), place(edges[k + 1])});
    return bins;
}

/// Of one series over all bins.
Scatter scatter_in(const BlockReader& blocks, const std::vector<Bin>& bins, const std::vector<double>& sums,
                   bool about_line) {
    Scatter all;
    for (const Bin& bin : bins) {
        BlockMeans means;
        for (std::size_t b = bin.begin; b < bin.end; ++b) {
            if (blocks.count()[b] == 0.0) continue;
            means.centre.push_back(0.5 * static_cast<double>(blocks.edges()[b] + blocks.edges()[b + 1]));
            means.count.push_back(blocks.count()[b]);
            means.mean.push_back(sums[b] / blocks.count()[b]);
        }
        const Scatter one = scatter_of(means, about_line);
        all.squares += one.squares;
        all.dof += one.dof;
    }
    return all;
}

/// Squares and degrees of freedom of the mean of independent series.
Scatter scatter_of_mean(const BlockReader& blocks, const std::vector<Bin>& bins, const BlockSeries& series,
                        bool about_line) {
    Scatter all;
    const double n = static_cast<double>(series.size());
    for (const std::vector<double>& sums : series) {
        const Scatter one = scatter_in(blocks, bins, sums, about_line);
        all.squares += one.dof > 0 ? one.squares / one.dof / (n * n) : 0.0;
        all.dof += one.dof;
    }
    return all;
}

}  // namespace

PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable, ThreadPool& pool) {
    const std::size_t first = edges.size() > 4 ? edges.size() - 4 : 0;
    const BlockReader blocks(
        run, merge_bins(run.blocks, later_edges(run.blocks.edges, edges[first]), {sum_of(observable)}, pool));
    const std::vector<Bin> bins = bins_of(blocks, edges);
    PackNoise result;
    const auto series_of = [&](int t, std::int64_t r) {
        return blocks.independent(observable, t * run.realizations + r);
    };
    const auto example = series_of(0, 0);
    const bool about_line = scatter_of_mean(blocks, bins, example, true).dof >= least_dof_line;
    result.dof = scatter_of_mean(blocks, bins, example, about_line).dof;
    if (result.dof < least_dof_mean) result.dof = 0;
    const std::int64_t n = std::ssize(packs);
    result.noise.assign(n * run.temperatures, nan_value);
    result.excess = result.noise;
    if (result.dof == 0) return result;
    share_out(pool, std::ssize(result.noise), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Pack& pack = packs[i % n];
            BlockSeries sum;
            double alone = 0.0;
            for (std::int64_t r = pack.begin; r < pack.end; ++r) {
                const auto series = series_of(static_cast<int>(i / n), r);
                alone += scatter_of_mean(blocks, bins, series, about_line).squares;
                add_series(sum, series);
            }
            result.noise[i] = scatter_of_mean(blocks, bins, sum, about_line).squares;
            result.excess[i] = result.noise[i] - alone;
        }
    });
    return result;
}

}  // namespace psflip
