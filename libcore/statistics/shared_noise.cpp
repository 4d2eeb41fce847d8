#include "statistics/shared_noise.hpp"

#include <algorithm>
#include <functional>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"
#include "statistics/block_reader.hpp"

namespace psflip {

namespace {

using BlockSeries = std::vector<std::vector<double>>;  ///< (independent series, block)

/// Covariance of the means of the series of two observables.
double covariance_of(const BlockReader& blocks, const BlockSeries& first, const BlockSeries& second) {
    if (first.empty()) return nan_value;
    double covariance = 0.0;
    for (std::size_t k = 0; k < first.size(); ++k)
        covariance += block_covariance(blocks.count(), first[k], second[k]);
    const double n = static_cast<double>(first.size());
    return covariance / (n * n);
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

std::vector<double> shared_covariance(const RunSums& run, int blocks, int share, Observable first,
                                      Observable second) {
    std::vector<double> excess;
    if (share == 1) return excess;
    const BlockReader reader(run, blocks);
    for (int t = 0; t < run.temperatures; ++t) {
        for (std::int64_t r = 0; r < run.realizations;) {
            BlockSeries pack, pack2;
            double separate = 0.0;
            const std::int64_t number = (run.first_realization + r) / share;
            for (; r < run.realizations && (run.first_realization + r) / share == number; ++r) {
                const BlockSeries one = reader.independent(first, t * run.realizations + r);
                const BlockSeries other =
                    first == second ? one : reader.independent(second, t * run.realizations + r);
                separate += covariance_of(reader, one, other);
                add_to(pack, one);
                add_to(pack2, other);
            }
            excess.push_back(covariance_of(reader, pack, pack2) - separate);  // n_p^2 V(mean) = V(sum)
        }
    }
    return excess;
}

std::vector<double> shared_variance(const RunSums& run, int blocks, int share, Observable observable) {
    return shared_covariance(run, blocks, share, observable, observable);
}

}  // namespace psflip
