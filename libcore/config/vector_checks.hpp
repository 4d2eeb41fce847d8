#pragma once

#include "config/config.hpp"
#include "config/document.hpp"

namespace psflip {

/// Rules of the keys of vector spins and of Gaussian couplings: how many values they have, which of them go
/// together, and that they are those of model.kind = heisenberg alone, which has none of the keys of Ising
/// spins. `root` (with defaults filled in) gives the places for the errors.
void check_vectors(const Config& config, const Node& root);

}  // namespace psflip
