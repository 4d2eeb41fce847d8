#pragma once

#include <string>

#include "slab/ranks.hpp"

namespace psflip {

/// Why kernels of the ranks cannot write into one another's memory, the same text on all; empty where they
/// can. After what the driver says, which may be wrong in containers and behind some bridges, a launch of
/// PeerHalo writes known words into the halos of small lattices, and every rank looks for those of its
/// neighbours. Collective.
std::string peer_hindrance(Ranks& ranks, int device);

}  // namespace psflip
