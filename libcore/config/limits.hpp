#pragma once

#include <cstdint>

namespace psflip::limits {

/// What the random counter has room for (random/purposes.hpp, which is a later room; a test holds the two
/// equal).
inline constexpr std::int64_t sweeps = std::int64_t{1} << 48;
inline constexpr std::int64_t realizations = std::int64_t{1} << 24;
inline constexpr int temperatures = 64;
inline constexpr int replicas = 8;

/// Linear sizes: random numbers have room for 2^30 sites.
inline constexpr int largest_L = 1024;
/// Of lattices with absent bonds in three dimensions: numbers of bonds, and energies, have room in 32 bits.
/// Where every bond is there they are even, and their halves have room.
inline constexpr int largest_diluted_L = 894;

}  // namespace psflip::limits
