#pragma once

#include <functional>

#include "slab/ranks.hpp"

namespace psflip {

/// Calls work once for every rank, in a thread each, and waits for all of them. Where one throws, the others
/// are stopped at their next collective call, and the exception of the lowest rank that threw by itself goes
/// on to the caller.
void with_local_ranks(int ranks, const std::function<void(Ranks&)>& work);

}  // namespace psflip
