#pragma once

#include <cstdint>

namespace psflip::limits {

/// What the random counter has room for (random/purposes.hpp, which is a later room; a test holds the two
/// equal).
inline constexpr std::int64_t sweeps = std::int64_t{1} << 48;
inline constexpr std::int64_t realizations = std::int64_t{1} << 24;
inline constexpr int temperatures = 64;
inline constexpr int replicas = 8;

/// Times at which one relaxation measures. Each has sums of its own in memory.
inline constexpr std::int64_t relaxation_times = std::int64_t{1} << 20;

/// Linear sizes: random numbers have room for 2^30 sites.
inline constexpr int largest_L = 1024;
/// Of squares whose sites are lanes: their random numbers have room for 2^32 sites.
inline constexpr int largest_square_L = 65536;
/// Of these with several temperatures: exchanges have energies in 32 bits, in units of 2.
inline constexpr int largest_exchanging_square_L = 46336;
/// Of these where spins are words of realizations, for relaxations.
inline constexpr int largest_column_square_L = 16384;
/// Of lattices with absent bonds in three dimensions: numbers of bonds, and energies, have room in 32 bits.
/// Where every bond is there they are even, and their halves have room.
inline constexpr int largest_diluted_L = 894;

/// One lattice whose sites are the lanes of words is cut into 128 boxes of even extents, 8 x 16 in two
/// dimensions and 4 x 4 x 8 in three. Tiles of a double checkerboard have an edge that is a power of two and
/// divides these extents.
inline constexpr int boxes_along(int dimension, int axis) {
    return dimension == 3 ? (axis < 2 ? 4 : 8) : axis == 0 ? 8 : axis == 1 ? 16 : 1;
}
inline constexpr int largest_site_L(int dimension) {
    return dimension == 3 ? largest_L : largest_square_L;
}
/// L is a multiple of it, so that extents are even and rows have whole registers.
inline constexpr int site_lanes_multiple(int dimension) {
    return dimension == 3 ? 32 : 64;
}
inline constexpr int largest_tile(int dimension) {
    return dimension == 3 ? 8 : 64;
}

/// The fraction of absent bonds beyond which the others do not percolate. Realizations that share random
/// numbers then become copies of each other, cluster by cluster.
inline constexpr double most_absent_with_share(int dimension) {
    return dimension == 2 ? 0.5 : 0.75;
}

}  // namespace psflip::limits
