#pragma once

#include "evolution/sampler_state.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {

/// Converts the cones of vector spins (VectorBatch::cones) to and from the group "moves" of a sampler's
/// state.
StateGroup group_of(ConeState cones, const Shape& shape);
ConeState cones_of(const SamplerState& state);

}  // namespace psflip
