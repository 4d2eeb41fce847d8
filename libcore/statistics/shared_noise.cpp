#include "statistics/shared_noise.hpp"

#include <algorithm>
#include <functional>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/block_reader.hpp"

namespace psflip {

namespace {

using BlockSeries = std::vector<std::vector<double>>;  ///< (independent series, block)

/// Variance of the mean of the series.
double variance_of(const BlockReader& blocks, const BlockSeries& series) {
    if (series.empty()) return nan_value;
    double variance = 0.0;
    for (const std::vector<double>& sums : series) variance += block_mean(blocks.count(), sums).variance;
    const double n = static_cast<double>(series.size());
    return variance / (n * n);
}

void add_to(BlockSeries& total, const BlockSeries& part) {
    if (total.empty())
        total = part;
    else
        for (std::size_t k = 0; k < total.size(); ++k)
            std::transform(total[k].begin(), total[k].end(), part[k].begin(), total[k].begin(),
                           std::plus<double>());
}

}  // namespace

std::vector<double> shared_variance(const RunSums& run, int blocks, int share, Observable observable) {
    std::vector<double> excess;
    if (share == 1) return excess;
    const BlockReader reader(run, blocks);
    for (int t = 0; t < run.temperatures; ++t) {
        for (std::int64_t r = 0; r < run.realizations;) {
            BlockSeries pack;
            double separate = 0.0;
            const std::int64_t number = (run.first_realization + r) / share;
            for (; r < run.realizations && (run.first_realization + r) / share == number; ++r) {
                const BlockSeries one = reader.independent(observable, t * run.realizations + r);
                separate += variance_of(reader, one);
                add_to(pack, one);
            }
            excess.push_back(variance_of(reader, pack) - separate);  // n_p^2 V(mean) = V(sum)
        }
    }
    return excess;
}

}  // namespace psflip
