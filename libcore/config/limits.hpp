#pragma once

#include <cstdint>

namespace psflip::limits {

/// What the random counter has room for (random/purposes.hpp, which is a later room; a test holds the two
/// equal).
inline constexpr std::int64_t sweeps = std::int64_t{1} << 48;
inline constexpr std::int64_t realizations = std::int64_t{1} << 24;
inline constexpr int temperatures = 64;
inline constexpr int replicas = 8;

/// Linear sizes: in three dimensions energies have room in 32 bits up to L = 894, and larger lattices than
/// this were not tested.
constexpr int largest_L(int dimension) {
    return dimension == 2 ? 1024 : 512;
}

}  // namespace psflip::limits
