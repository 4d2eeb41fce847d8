#pragma once

#include "config/config.hpp"
#include "config/document.hpp"

namespace psflip {

/// Refuses every key of `root` that the table does not have, and sections that are not maps.
void check_known(const Node& root);

/// Rules that join several keys: share and p_ferro, batch and share, measure_every and sweeps_per_swap,
/// number of blocks, run length, blocks and snapshots, and the limits of the random counter. `root` (with
/// defaults filled in) gives the places for the errors.
void check_together(const Config& config, const Node& root);

/// What lanes that are sites of one lattice, and tiles, ask of the other keys (site_checks.cpp).
void check_site_lanes(const Config& config, const Node& root);

}  // namespace psflip
