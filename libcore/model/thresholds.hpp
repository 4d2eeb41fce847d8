#pragma once

#include <cmath>
#include <cstdint>

namespace psflip {

/// Metropolis acceptance thresholds round(2^32 exp(-beta dE)) for dE = 4, 8, 12: accept where the 32-bit
/// random number is below.
struct Thresholds {
    std::uint32_t c4 = 0, c8 = 0, c12 = 0;
};

/// round(2^32 exp(-x)) for x > 0, at most 2^32 - 1.
inline std::uint32_t acceptance_threshold(double x) {
    const double scaled = std::round(4294967296.0 * std::exp(-x));
    return scaled >= 4294967295.0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(scaled);
}

inline Thresholds metropolis_thresholds(double beta) {
    return {acceptance_threshold(4 * beta), acceptance_threshold(8 * beta), acceptance_threshold(12 * beta)};
}

}  // namespace psflip
