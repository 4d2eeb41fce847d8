#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/stream_part.hpp"

namespace psflip {

/// Carries an exchange out on the spins of a part in device memory, for pairs within a group of slots
/// (inside) or for the others (across).
enum class Pairs { inside, across };
void exchange_spins(const SweepArgs& args, const PendingExchange& exchange, const StreamPart& part,
                    const SlotGroups& groups, Pairs pairs);

}  // namespace psflip
