#pragma once

#include <functional>
#include <string>

#include "slab/ranks.hpp"

namespace psflip {

/// How halos of slabs on GPUs travel, the same on all ranks: peer, mpi or host (see Halo). wanted: one of
/// these, or auto, which takes the first that works, with a line in the log why it is not an earlier one.
/// peer_hindrance: why it is not peer, the same on all ranks, empty where it can be; collective, and asked
/// where that matters. Throws InputError for other texts, EnvironmentError where what is wanted does not
/// work, each on all ranks. Collective.
std::string halo_way(Ranks& ranks, const std::string& wanted,
                     const std::function<std::string()>& peer_hindrance);

}  // namespace psflip
