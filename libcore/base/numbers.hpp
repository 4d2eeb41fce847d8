#pragma once

// Represents missing numbers, and rounds numbers to significant digits.

#include <fmt/format.h>

#include <cstdlib>
#include <limits>

namespace psflip {

/// Marks a number that does not exist, such as the error of one sample.
inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Returns the value rounded to `digits` significant digits. Rounding hides differences between mathematical
/// libraries in the last bit.
inline double rounded(double value, int digits) {
    return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

}  // namespace psflip
