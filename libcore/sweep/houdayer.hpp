// Declares Houdayer moves of two replicas: what a move needs, and the numbers that it draws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lattice/shape.hpp"
#include "random/philox.hpp"
#include "random/purposes.hpp"

namespace psflip {

// A Houdayer move (Houdayer, Eur. Phys. J. B 22, 479 (2001)) takes two replicas a and b of a realization at
// the same temperature, and a random site. If the spins of a and b differ there, it exchanges the spins of a
// and b on the cluster of this site: all sites that are connected to it by present bonds between sites at
// which a and b differ. Otherwise it does nothing.
//
// The sum of the energies of a and b does not change, also in a field. The sites at which a and b differ do
// not change either, so a second move from this site undoes the first. So the move keeps the joint weight of
// both replicas.

/// Says how often Houdayer moves are made, and at which temperatures.
struct HoudayerSetup {
    int every = 0;       ///< sweeps between two moves; 0: no moves
    double below = 0.0;  ///< highest temperature, in units of J / k_B

    /// Returns the number of slots whose temperature is at most `below`. They are the first slots. Compares
    /// with 1 / below, because (1 / T) * T can round to less than 1.
    int slots(std::span<const double> betas) const {
        return static_cast<int>(
            std::ranges::count_if(betas, [this](double beta) { return beta >= 1.0 / below; }));
    }
};

/// Describes one move of all lattices of a batch.
struct HoudayerMove {
    std::int64_t completed;                  ///< number of completed sweeps
    int slots;                               ///< the move acts on slots 0 to slots - 1
    std::vector<std::pair<int, int>> pairs;  ///< of replicas, first < second; no replica is in two pairs
};

/// Counts the clusters of Houdayer moves. Integers do not depend on the order of work.
struct HoudayerCounts {
    std::vector<std::int64_t> moves;     ///< (slot): moved pairs of replicas of each realization
    std::vector<std::int64_t> clusters;  ///< (realization, slot): pairs that differed at the first site
    std::vector<std::int64_t> sites;     ///< (realization, slot): sites of these clusters

    HoudayerCounts() = default;
    HoudayerCounts(std::int64_t realizations, std::int64_t slots)
        : moves(slots), clusters(realizations * slots), sites(clusters.size()) {}
    bool operator==(const HoudayerCounts&) const = default;
    /// Returns whether moves were counted at all.
    bool known() const { return !moves.empty(); }
    /// Adds the counts times `factor`. The shapes are equal.
    void add(const HoudayerCounts& more, std::int64_t factor = 1) {
        const auto add_to = [factor](auto& to, const auto& from) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from.at(i);
        };
        add_to(moves, more.moves);
        add_to(clusters, more.clusters);
        add_to(sites, more.sites);
    }
};

/// Returns the pairs of replicas of move number `move`. In n - 1 moves (n if n is odd) each of n replicas
/// meets every other replica once.
inline std::vector<std::pair<int, int>> houdayer_pairs(int replicas, std::int64_t move) {
    const int even = replicas + replicas % 2, rounds = even - 1;
    std::vector<std::pair<int, int>> pairs;
    const auto round = static_cast<int>(move % rounds);
    for (int i = 0; i < even / 2; ++i) {
        const int a = i == 0 ? rounds : (round + i) % rounds, b = (round - i + rounds) % rounds;
        if (a < replicas && b < replicas) pairs.emplace_back(a < b ? a : b, a < b ? b : a);
    }
    return pairs;
}

/// Returns the site x + L (y + L z) at which the move of a pair begins, for all realizations that share
/// random numbers. group: realization / share. first: the first replica of the pair.
PSFLIP_HD std::uint32_t houdayer_site(std::uint64_t key, std::int64_t completed, std::uint32_t group,
                                      std::uint32_t first, std::uint32_t slot, std::uint64_t sites) {
    const RandomBlock block = philox(
        make_counter(Purpose::houdayer, 0, static_cast<std::uint64_t>(completed), slot, first, 0, group),
        key);
    return static_cast<std::uint32_t>(block.word[0] * sites >> 32);
}

}  // namespace psflip
