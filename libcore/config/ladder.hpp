#pragma once

#include <string>
#include <vector>

#include "config/choices.hpp"
#include "config/document.hpp"

namespace psflip {

/// The temperatures of one `{list: [...]}` or `{min, max, count, spacing}`, ascending. Missing parts of the
/// second form take the defaults of the table. Throws InputError for an unknown key, both forms at once, a
/// value out of range, more than 64 values, or a repeated one. `path` names the node in errors
/// ("temperatures" or "temperatures.8").
std::vector<double> read_ladder(const Node& node, const std::string& path);

/// count >= 2 temperatures from min to max with equal steps of T (linear), log T (geometric) or 1/T
/// (inverse). The ends are exact; the others are rounded to 10 significant digits, so that the ladder does
/// not depend on the last bit of a mathematical library.
std::vector<double> make_ladder(double min, double max, int count, Spacing spacing);

}  // namespace psflip
