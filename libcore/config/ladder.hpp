#pragma once

#include <string>
#include <vector>

#include "config/choices.hpp"
#include "config/document.hpp"

namespace psflip {

/// Reads the temperatures of `{list: [...]}` or `{min, max, count, spacing}` in ascending order. Missing keys
/// of the second form have their defaults. `path` names the node in errors ("temperatures" or
/// "temperatures.8"). Errors: InputError for an unknown key, both forms at once, a value out of range, more
/// than 64 values, or a repeated value.
std::vector<double> read_ladder(const Node& node, const std::string& path);

/// Returns count >= 2 temperatures from min to max with equal steps of T (linear), log T (geometric) or 1/T
/// (inverse). The ends are exact. The other temperatures are rounded to 10 significant digits, so that the
/// ladder does not depend on the last bit that a mathematical library computes.
std::vector<double> make_ladder(double min, double max, int count, Spacing spacing);

}  // namespace psflip
