#include "statistics/thermal/shared_noise.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

namespace {

/// Returns the covariance of the means of the series of two observables, from blocks of `level`.
double covariance_of(const BlockReader& blocks, int level, const BlockSeries& first,
                     const BlockSeries& second) {
    if (first.empty()) return nan_value;
    double covariance = 0.0;
    for (std::size_t k = 0; k < first.size(); ++k)
        covariance += block_covariance(blocks.count(level), merge_blocks(first[k], level),
                                       merge_blocks(second[k], level));
    const double n = static_cast<double>(first.size());
    return covariance / (n * n);
}

/// Returns n_p^2 V(mean) minus the sum of V of the realizations begin to end - 1, at one temperature. n_p^2
/// V(mean) is V(sum).
double excess_of(const BlockReader& reader, int temperature, const Pack& pack, Observable first,
                 Observable second) {
    BlockSeries sum, sum2;
    double separate = 0.0;
    for (std::int64_t r = pack.begin; r < pack.end; ++r) {
        const std::int64_t i = temperature * reader.run().realizations + r;
        const BlockSeries one = reader.independent(first, i);
        const BlockSeries other = first == second ? one : reader.independent(second, i);
        separate += covariance_of(reader, pack.level[temperature], one, other);
        add_series(sum, one);
        add_series(sum2, other);
    }
    return covariance_of(reader, pack.level[temperature], sum, sum2) - separate;
}

/// Returns the scatter of the mean of independent series in some bins.
Scatter scatter_of_mean(std::span<const std::int64_t> bin_edges, const BlockDivision& blocks,
                        const BlockSeries& series, bool about_line) {
    Scatter all;
    const double n = static_cast<double>(series.size());
    for (const std::vector<double>& sums : series) {
        const Scatter one = scatter_in_bins(bin_edges, blocks, sums, about_line);
        all.squares += one.dof > 0 ? one.squares / one.dof / (n * n) : 0.0;
        all.dof += one.dof;
    }
    return all;
}

}  // namespace

std::vector<Pack> packs_of(const BlockReader& reader, int share, ThreadPool& pool) {
    const RunSums& run = reader.run();
    std::vector<Pack> packs;
    if (share == 1) return packs;
    for (std::int64_t r = 0; r < run.realizations;) {
        Pack pack{r, r, std::vector<int>(run.temperatures)};
        const std::int64_t number = (run.first_realization + r) / share;
        while (pack.end < run.realizations && (run.first_realization + pack.end) / share == number)
            ++pack.end;
        r = pack.end;
        packs.push_back(std::move(pack));
    }
    share_out(pool, std::ssize(packs) * run.temperatures, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            Pack& pack = packs[i / run.temperatures];
            const int t = static_cast<int>(i % run.temperatures);
            pack.level[t] = reader.block_length(t, pack.begin, pack.end).level;
        }
    });
    return packs;
}

std::vector<double> shared_covariance(const BlockReader& reader, const std::vector<Pack>& packs,
                                      Observable first, Observable second, ThreadPool& pool) {
    const std::int64_t n = std::ssize(packs);
    std::vector<double> excess(n * reader.run().temperatures);
    share_out(pool, std::ssize(excess), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            excess[i] = excess_of(reader, static_cast<int>(i / n), packs[i % n], first, second);
    });
    return excess;
}

PackNoise pack_noise(const RunSums& run, const std::vector<std::int64_t>& edges,
                     const std::vector<Pack>& packs, Observable observable, ThreadPool& pool) {
    const std::span<const std::int64_t> bins = std::span(edges).last(std::min<std::size_t>(edges.size(), 4));
    const BlockReader reader(
        run, merge_bins(run.blocks, edges_from(run.blocks.edges, bins.front()), {sum_of(observable)}, pool));
    const auto scatter = [&](const BlockSeries& series, bool about_line) {
        return scatter_of_mean(bins, reader.division(), series, about_line);
    };
    const BlockSeries example = reader.independent(observable, 0);
    const bool about_line = scatter(example, true).dof >= min_dof_line;
    PackNoise result;
    result.dof = scatter(example, about_line).dof;
    if (result.dof < min_dof_mean) result.dof = 0;
    const std::int64_t n = std::ssize(packs);
    result.noise = result.excess = std::vector<double>(n * run.temperatures, nan_value);
    if (result.dof == 0) return result;
    share_out(pool, std::ssize(result.noise), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Pack& pack = packs[i % n];
            BlockSeries sum;
            double alone = 0.0;
            for (std::int64_t r = pack.begin; r < pack.end; ++r) {
                const BlockSeries series = reader.independent(observable, i / n * run.realizations + r);
                alone += scatter(series, about_line).squares;
                add_series(sum, series);
            }
            result.noise[i] = scatter(sum, about_line).squares;
            result.excess[i] = result.noise[i] - alone;
        }
    });
    return result;
}

}  // namespace psflip
