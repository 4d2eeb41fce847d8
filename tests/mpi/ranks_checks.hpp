#pragma once

#include <string>

#include "slab/ranks.hpp"

namespace psflip {

/// Calls everything that ranks do together, with arrays of unequal sizes, empty ones, and messages of `bytes`
/// bytes; collective. What went wrong here first; empty: nothing.
std::string wrong_of(Ranks& ranks, std::size_t bytes);

}  // namespace psflip
