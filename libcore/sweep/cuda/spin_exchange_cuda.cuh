#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/stream_part.hpp"

namespace psflip {

/// Carries out an exchange on the spins of a batch slice in device memory, for pairs of slots inside a slot
/// group or across two slot groups. Queues the work into the stream of the slice.
enum class Pairs { inside, across };
void exchange_spins(const SweepArgs& args, const PendingExchange& exchange, const StreamPart& part,
                    const SlotGroups& groups, Pairs pairs);

}  // namespace psflip
