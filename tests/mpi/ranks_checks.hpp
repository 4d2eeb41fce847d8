#pragma once

#include <string>

#include "slab/ranks.hpp"

namespace psflip {

/// Calls all collective functions of Ranks, with arrays of unequal sizes, empty arrays, and messages of
/// `bytes` bytes. Returns the name of the first function that gave a wrong result on this rank, or an empty
/// string. Collective.
std::string wrong_of(Ranks& ranks, std::size_t bytes);

}  // namespace psflip
