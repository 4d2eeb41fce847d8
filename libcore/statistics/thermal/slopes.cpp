#include "statistics/thermal/slopes.hpp"

#include <cmath>

#include "statistics/block_errors.hpp"

namespace psflip {

namespace {

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

}  // namespace

SlopeEnergies slope_energies(const BlockReader& reader, Per per, std::int64_t i, int level) {
    const int replicas = reader.run().replicas;
    SlopeEnergies result{per, {}, per == Per::replica || replicas == 2};
    if (per == Per::replica) {
        for (int a = 0; a < replicas; ++a) result.sums.push_back(energies(reader, {a}, 1.0, i, level));
        return result;
    }
    for (const auto& [first, second] : replica_pairs(replicas)) {
        if (result.own) {
            result.sums.push_back(energies(reader, {first, second}, 1.0, i, level));
            continue;
        }
        std::vector<int> others;
        for (int a = 0; a < replicas; ++a)
            if (a != first && a != second) others.push_back(a);
        result.sums.push_back(energies(reader, others, 2.0 / static_cast<double>(others.size()), i, level));
    }
    return result;
}

Estimate slope_of(const BlockReader& reader, const Formula& formula, const SlopeEnergies& energies,
                  std::int64_t i, int level) {
    const std::vector<double>& count = reader.count(level);
    const int components = reader.run().components(formula.sum);
    std::vector<double> deviations(count.size(), 0.0);
    Estimate estimate{0.0, 0.0};
    for (int c = 0; c < components; ++c) {
        const std::vector<double> product = merge_blocks(reader.sums(formula.other, c, i), level),
                                  moment = merge_blocks(reader.sums(formula.sum, c, i), level);
        const std::vector<double>& energy = energies.sums[c];
        const double O = block_mean(count, moment).mean, E = block_mean(count, energy).mean;
        const double bias = energies.own && count.size() > 1 ? long_covariance(count, moment, energy) : 0.0;
        estimate.value -= (block_mean(count, product).mean - O * E + bias) / components;
        for (std::size_t b = 0; b < count.size(); ++b)
            deviations[b] += (product[b] - moment[b] * E - O * energy[b]) / components;
    }
    estimate.error = std::sqrt(block_mean(count, deviations).variance);
    return estimate;
}

}  // namespace psflip
