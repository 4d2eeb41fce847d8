#include "statistics/thermal/block_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/numbers.hpp"
#include "statistics/block_errors.hpp"

namespace psflip {

namespace {

/// Returns the bins after `from` in nearly equal parts. The whole run would have `parts` of them.
BinnedSums blocks_after(const BinnedSums& sums, int parts, std::int64_t from, ThreadPool& pool) {
    const std::vector<std::int64_t> edges = edges_from(sums.edges, from);
    const double share = static_cast<double>(edges.back() - from) / static_cast<double>(edges.back());
    const int kept = std::max(1, static_cast<int>(std::lround(share * parts)));
    return merge_bins(sums, equal_edges(edges, kept), {}, pool);
}

}  // namespace

Sum sum_of(Observable observable) {
    const Formula& formula = observable->formula;
    if (formula.how == How::mean || formula.how == How::signed_mean) return formula.sum;
    throw std::invalid_argument(std::string(observable->name) + " is not one series");
}

BlockReader::BlockReader(const RunSums& run, int blocks, double discard, ThreadPool& pool)
    : BlockReader(run, blocks_after(run.blocks, blocks, averaged_from(run.blocks.edges, discard), pool)) {}

BlockReader::BlockReader(const RunSums& run, BinnedSums blocks)
    : run_(run), blocks_(std::move(blocks)), count_{{blocks_.count.begin(), blocks_.count.end()}} {
    for (double c : count_.front()) total_ += c;
    for (int level = 1; (count_.front().size() >> level) >= min_blocks; ++level)
        count_.push_back(merge_blocks(count_.front(), level));
}

double BlockReader::tau(Sum x, Sum x2, int temperature, std::int64_t first, std::int64_t last, int level,
                        int part) const {
    double variance = 0.0, single = 0.0;
    for (std::int64_t r = first; r < last; ++r)
        for (int c = part; c < run_.components(x); c += parts_of(info(x).per)) {
            const std::int64_t i = temperature * run_.realizations + r;
            const BlockMean mean = block_mean(count_[level], merge_blocks(sums(x, c, i), level));
            const double square = block_mean(count_.front(), sums(x2, c, i)).mean;
            const double found = single_variance(mean.mean, square, mean.variance);
            single += found;
            if (found > 0.0) variance += mean.variance;
        }
    return integrated_time(variance, single, total_);
}

/// Returns the shortest blocks with is_long(level, measurements in a block), or else the longest.
template <class IsLong>
BlockLength BlockReader::shortest(const IsLong& is_long) const {
    BlockLength length{-1, false};
    while (!length.long_enough && length.level < longest()) {
        ++length.level;
        length.long_enough = is_long(length.level, total_ / static_cast<double>(count_[length.level].size()));
    }
    return length;
}

BlockLength BlockReader::block_length(int temperature, std::int64_t first, std::int64_t last) const {
    const OrderParameter order = order_parameter(run_.measured);
    return shortest([&](int level, double measurements) {
        return long_blocks(measurements, tau(Sum::energy, Sum::energy2, temperature, first, last, level)) &&
               long_blocks(measurements, tau(order.square, order.fourth, temperature, first, last, level));
    });
}

BlockLength BlockReader::signed_length(Sum x, Sum x2, int part, std::int64_t i) const {
    const int temperature = static_cast<int>(i / run_.realizations);
    const std::int64_t r = i % run_.realizations;
    return shortest([&](int level, double measurements) {
        return long_blocks(measurements, tau(x, x2, temperature, r, r + 1, level, part));
    });
}

std::vector<double> BlockReader::divided(Sum series, int component, std::int64_t i, double norm) const {
    const std::int64_t stride = run_.components(series) * run_.row();
    std::vector<double> result(count_.front().size(), nan_value);
    if (blocks_[series].empty()) return result;
    for (std::size_t b = 0; b < result.size(); ++b)
        result[b] = blocks_[series][b * stride + component * run_.row() + i] / norm;
    return result;
}

std::vector<double> BlockReader::sums(Sum series, int component, std::int64_t i) const {
    return divided(series, component, i, run_.divisor(series, i % run_.realizations));
}

std::vector<double> BlockReader::average(Sum series, std::int64_t i) const {
    std::vector<double> result(count_.front().size(), 0.0);
    const int components = run_.components(series);
    for (int c = 0; c < components; ++c) {
        const std::vector<double> part =
            divided(series, c, i, run_.divisor(series, i % run_.realizations) * components);
        for (std::size_t b = 0; b < result.size(); ++b) result[b] += part[b];
    }
    return result;
}

std::vector<std::vector<double>> BlockReader::heat(std::int64_t i) const {
    const double temperature = run_.temperature[i / run_.realizations];
    const double factor = run_.sites() / (temperature * temperature);
    std::vector<std::vector<double>> series = of_replicas("energy", i);
    std::vector<double> mean;
    double all = 0.0;
    for (const std::vector<double>& e : series) {
        mean.push_back(std::accumulate(e.begin(), e.end(), 0.0) / total_);
        all += mean.back();
    }
    for (int a = 0; a < run_.replicas; ++a) {
        const double others = run_.replicas > 1 ? (all - mean[a]) / (run_.replicas - 1) : all;
        const std::vector<double> e2 = sums(Sum::energy2, a, i);
        for (std::size_t b = 0; b < e2.size(); ++b)
            series[a][b] = factor * (e2[b] - 2.0 * others * series[a][b]);
    }
    return series;
}

std::vector<std::vector<double>> BlockReader::bond_energies(std::int64_t i) const {
    const double sites = run_.sites(), bonds = run_.bonds_of(i % run_.realizations), h = run_.model.field;
    std::vector<std::vector<double>> series = of_replicas("energy", i);
    for (int a = 0; a < run_.replicas; ++a) {
        const std::vector<double> m =
            h == 0.0 ? std::vector<double>(series[a].size(), 0.0) : sums(Sum::magnetisation, a, i);
        for (std::size_t b = 0; b < m.size(); ++b)  // E + h M is an integer
            series[a][b] = std::round((series[a][b] + h * m[b]) * sites) / bonds;
    }
    return series;
}

std::vector<std::vector<double>> BlockReader::of_replicas(Observable observable, std::int64_t i) const {
    if (observable == "specific_heat") return heat(i);
    if (observable == "energy_bond") return bond_energies(i);
    const Sum series = sum_of(observable);
    const int parts = parts_of(info(series).per), part = observable->formula.part;
    std::vector<std::vector<double>> replicas;
    for (int a = 0; a < run_.replicas; ++a) replicas.push_back(sums(series, a * parts + part, i));
    return replicas;
}

std::vector<std::vector<double>> BlockReader::independent(Observable observable, std::int64_t i) const {
    const bool is_special = observable == "specific_heat" || observable == "energy_bond";
    if (!is_special) {
        const Sum series = sum_of(observable);
        if (info(series).per == Per::pair || info(series).per == Per::realization) {
            if (run_.components(series) == 0) return {};
            return {average(series, i)};
        }
    }
    std::vector<std::vector<double>> replicas = of_replicas(observable, i);
    if (!run_.correlated_replicas) return replicas;
    std::vector<double> mean(count_.front().size(), 0.0);
    for (const std::vector<double>& one : replicas)
        for (std::size_t b = 0; b < mean.size(); ++b)
            mean[b] += one[b] / static_cast<double>(replicas.size());
    return {mean};
}

}  // namespace psflip
