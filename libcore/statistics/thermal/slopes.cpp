#include "statistics/thermal/slopes.hpp"

#include <cmath>

#include "statistics/block_errors.hpp"

namespace psflip {

namespace {

/// Sums over blocks of O E, of O, and of an energy whose mean is that of E; `same` where it is E itself.
struct Series {
    std::vector<double> product, moment, energy;
    bool same = true;
};

/// factor times the energies of some replicas, of all sites.
std::vector<double> energies(const BlockReader& reader, const std::vector<int>& replicas, double factor,
                             std::int64_t i, int level) {
    std::vector<double> all(reader.count(level).size(), 0.0);
    for (int replica : replicas) {
        const std::vector<double> one = merge_blocks(reader.sums(Sum::energy, replica, i), level);
        for (std::size_t b = 0; b < all.size(); ++b) all[b] += factor * reader.run().sites() * one[b];
    }
    return all;
}

Series series_of(const BlockReader& reader, const Slope& slope, int component, std::int64_t i, int level) {
    Series series{merge_blocks(reader.sums(slope.product, component, i), level),
                  merge_blocks(reader.sums(slope.moment, component, i), level),
                  {}};
    if (info(slope.moment).per == Per::replica) {
        series.energy = energies(reader, {component}, 1.0, i, level);
        return series;
    }
    const int replicas = reader.run().replicas;
    const auto [first, second] = replica_pairs(replicas)[component];
    series.same = replicas == 2;
    if (series.same) {
        series.energy = energies(reader, {first, second}, 1.0, i, level);
        return series;
    }
    std::vector<int> others;
    for (int a = 0; a < replicas; ++a)
        if (a != first && a != second) others.push_back(a);
    series.energy = energies(reader, others, 2.0 / static_cast<double>(others.size()), i, level);
    return series;
}

}  // namespace

Estimate slope_of(const BlockReader& reader, const Slope& slope, std::int64_t i, int level) {
    const std::vector<double>& count = reader.count(level);
    const int components = reader.run().components(slope.moment);
    std::vector<double> deviations(count.size(), 0.0);
    Estimate estimate{0.0, 0.0};
    for (int c = 0; c < components; ++c) {
        const Series series = series_of(reader, slope, c, i, level);
        const double O = block_mean(count, series.moment).mean, E = block_mean(count, series.energy).mean;
        const double bias =
            series.same && count.size() > 1 ? block_covariance(count, series.moment, series.energy) : 0.0;
        estimate.value -= (block_mean(count, series.product).mean - O * E + bias) / components;
        for (std::size_t b = 0; b < count.size(); ++b)
            deviations[b] += (series.product[b] - series.moment[b] * E - O * series.energy[b]) / components;
    }
    estimate.error = std::sqrt(block_mean(count, deviations).variance);
    return estimate;
}

}  // namespace psflip
