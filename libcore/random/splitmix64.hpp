#pragma once

#include <cstdint>

namespace psflip {

/// Maps each 64-bit number to a number that looks random (splitmix64: Steele, Lea, Flood, OOPSLA 14,
/// doi:10.1145/2714064.2660195).
constexpr std::uint64_t splitmix64(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

}  // namespace psflip
