#pragma once

#include <functional>
#include <string>

#include "lattice/site_order.hpp"
#include "slab/ranks.hpp"

namespace psflip {

/// Returns how halos of slabs on GPUs travel, equal on all ranks: peer, mpi or host (slab/halo_cuda.cuh).
/// wanted: one of these, or auto for the first that works. With auto, the log says why an earlier way does
/// not work.
/// peer_hindrance: returns why peer does not work, equal on all ranks, or an empty text. It is collective,
/// and is called only if the choice depends on it.
/// Collective. Errors, on all ranks: InputError for other texts; EnvironmentError if the wanted way does not
/// work.
std::string halo_way(Ranks& ranks, const std::string& wanted,
                     const std::function<std::string()>& peer_hindrance);

/// Returns the site order of slabs that --halo-order asks for: standard, sliced or auto. The standard order
/// sends a message to both neighbours after each colour, and the sliced order to one. auto is the standard
/// order, because the sliced order was between 1.6% faster and 6% slower on two H200.
/// Errors: InputError for other texts.
SiteOrder halo_order(const std::string& wanted);

}  // namespace psflip
