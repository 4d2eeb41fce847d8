#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace psflip {

/// Highest energy of a demon in units of 4J. A flip costs at most 4J times 3 in three dimensions, so that a
/// demon of this energy can pay for any flip.
inline constexpr int max_demon = 3;

/// Highest energy of a demon in units of 2J, for models with absent bonds. A flip costs at most 6 units.
inline constexpr int max_bond_demon = 7;

/// Highest energy of a demon of the field, in units of 2|h|.
inline constexpr int max_field_demon = 3;

/// Returns the thresholds that draw the energy of a demon. The energy is the number of thresholds that are
/// above the random number R. Energy d = 0, ..., Highest has the weight exp(-cost d), so threshold k - 1 is
/// round(2^32 P(d >= k)), at most 2^32 - 1. cost: beta times the unit of energy, at least 0.
template <int Highest>
std::array<std::uint32_t, Highest> demon_thresholds(double cost) {
    std::array<double, Highest + 1> weight{};
    double all = 0.0;
    for (int d = Highest; d >= 0; --d) all += weight[d] = std::exp(-cost * d);
    std::array<std::uint32_t, Highest> thresholds{};
    double above = 0.0;
    for (int d = Highest; d > 0; --d) {
        above += weight[d];
        thresholds[d - 1] =
            static_cast<std::uint32_t>(std::min(std::round(4294967296.0 * above / all), 4294967295.0));
    }
    return thresholds;
}

}  // namespace psflip
