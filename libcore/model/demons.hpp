#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace psflip {

/// Highest energy of a demon in units of 4J. A flip costs at most 4J times 3 in three dimensions, so that a
/// demon of this energy can pay for any flip.
inline constexpr int max_demon = 3;

/// Returns the thresholds of the random number R by which a demon's energy is drawn: the energy is the number
/// of thresholds that R is below. Energy d = 0, ..., 3 in units of 4J has the weight exp(-4 beta d), so that
/// threshold k - 1 is round(2^32 P(d >= k)), at most 2^32 - 1. beta is at least 0.
inline std::array<std::uint32_t, max_demon> demon_thresholds(double beta) {
    std::array<double, max_demon + 1> weight{};
    double all = 0.0;
    for (int d = max_demon; d >= 0; --d) all += weight[d] = std::exp(-4.0 * beta * d);
    std::array<std::uint32_t, max_demon> thresholds{};
    double above = 0.0;
    for (int d = max_demon; d > 0; --d) {
        above += weight[d];
        thresholds[d - 1] =
            static_cast<std::uint32_t>(std::min(std::round(4294967296.0 * above / all), 4294967295.0));
    }
    return thresholds;
}

}  // namespace psflip
