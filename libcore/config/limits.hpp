// Holds the largest sizes and numbers that programs accept, if they do not follow from the range of a key
// alone.
#pragma once

#include <cstdint>

namespace psflip::limits {

/// Numbers of sweeps, realizations, slots and replicas for which the counter of the random number generator
/// has room (random/purposes.hpp, in a later room; a test compares both).
inline constexpr std::int64_t sweeps = std::int64_t{1} << 48;
inline constexpr std::int64_t realizations = std::int64_t{1} << 24;
inline constexpr int temperatures = 64;
inline constexpr int replicas = 8;

/// Maximum number of times at which one relaxation measures. Each time has its own sums in memory.
inline constexpr std::int64_t relaxation_times = std::int64_t{1} << 20;

/// Largest linear size: random numbers exist for 2^30 sites.
inline constexpr int max_L = 1024;
/// Largest square with `lanes: sites`: its random numbers exist for 2^32 sites.
inline constexpr int max_square_L = 65536;
/// Largest square with `lanes: sites` and several temperatures: exchanges use 32-bit energies in units of 2.
inline constexpr int max_exchanging_square_L = 46336;
/// Largest three-dimensional lattice with absent bonds: numbers of bonds and energies must fit into signed
/// 32-bit integers. Without absent bonds these numbers are even, and only their halves must fit.
inline constexpr int max_diluted_L = 894;
/// Maximum number of sites of one lattice in the memory of a rank with share 1, unless `lanes: sites`:
/// numbers of words, 16 for each site, must fit into 32 bits.
inline constexpr std::int64_t max_held_sites = std::int64_t{1} << 28;
/// Largest three-dimensional lattice that one rank can hold with share 1, unless `lanes: sites`.
inline constexpr int max_whole_L = 644;
static_assert(std::int64_t{max_whole_L} * max_whole_L * max_whole_L <= max_held_sites);
static_assert((max_whole_L + std::int64_t{2}) * (max_whole_L + 2) * (max_whole_L + 2) > max_held_sites);

/// Number of subdomains along an axis. A lattice with `lanes: sites` has 128 subdomains: 8 x 16 in two
/// dimensions (along x, y), 4 x 4 x 8 in three. Their edges, in sites, are even. The edges of tiles are
/// powers of two that divide the edges of subdomains.
inline constexpr int boxes_along(int dimension, int axis) {
    return dimension == 3 ? (axis < 2 ? 4 : 8) : axis == 0 ? 8 : axis == 1 ? 16 : 1;
}
inline constexpr int max_site_L(int dimension) {
    return dimension == 3 ? max_L : max_square_L;
}
/// With `lanes: sites`, L is a multiple of this number, so that edges of subdomains are even and rows fill
/// registers.
inline constexpr int site_lanes_multiple(int dimension) {
    return dimension == 3 ? 32 : 64;
}
inline constexpr int max_tile(int dimension) {
    return dimension == 3 ? 8 : 64;
}
/// Smallest tile of vector spins: half a row of it fills 16 bytes, which one instruction reads.
inline constexpr int min_vector_tile = 8;

/// Maximum number of sites that a demon serves. A kernel counts the bonds of the chain of these sites in bit
/// planes.
inline constexpr int max_demon_sites = 256;

/// Maximum number of clusters of one Wolff sweep. The random counter then has room for 2^36 sweeps.
inline constexpr int max_wolff_clusters = 4096;

/// Above this fraction of absent bonds, present bonds do not percolate. Realizations that share random
/// numbers then become copies of each other, cluster by cluster.
inline constexpr double max_absent_with_share(int dimension) {
    return dimension == 2 ? 0.5 : 0.75;
}

}  // namespace psflip::limits
