#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

namespace psflip {

/// Where a number does not exist: an error of one sample, a mean of none.
inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// The value with so many significant digits, so that it does not depend on the last bit of a mathematical
/// library.
inline double rounded(double value, int digits) {
    return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

}  // namespace psflip
