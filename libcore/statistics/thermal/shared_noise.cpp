#include "statistics/thermal/shared_noise.hpp"

#include <utility>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

namespace {

/// Covariance of the means of the series of two observables, from blocks of that level.
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

/// n_p^2 V(mean) - sum of V of the realizations begin to end - 1 at one temperature; n_p^2 V(mean) = V(sum).
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

std::vector<double> shared_variance(const BlockReader& reader, const std::vector<Pack>& packs,
                                    Observable observable, ThreadPool& pool) {
    return shared_covariance(reader, packs, observable, observable, pool);
}

}  // namespace psflip
