#pragma once

#include <cstdint>

namespace psflip::limits {

/// What the random counter has room for (random/purposes.hpp, which is a later room; a test holds the two
/// equal).
inline constexpr std::int64_t sweeps = std::int64_t{1} << 48;
inline constexpr std::int64_t realizations = std::int64_t{1} << 24;
inline constexpr int temperatures = 64;
inline constexpr int replicas = 8;

}  // namespace psflip::limits
