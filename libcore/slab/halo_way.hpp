#pragma once

#include <functional>
#include <string>

#include "slab/ranks.hpp"

namespace psflip {

/// Returns how halos of slabs on GPUs travel, the same on all ranks: peer, mpi or host (see Halo). wanted:
/// one of these, or auto for the first that works; then the log says why it is not an earlier one.
/// peer_hindrance: why it cannot be peer, the same on all ranks, or empty; collective, and called only if
/// that matters. Throws on all ranks: InputError for other texts, EnvironmentError if the wanted way does not
/// work. Collective.
std::string halo_way(Ranks& ranks, const std::string& wanted,
                     const std::function<std::string()>& peer_hindrance);

}  // namespace psflip
