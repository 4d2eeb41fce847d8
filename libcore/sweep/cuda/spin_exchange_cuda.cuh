#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

/// Carries an exchange out on the spins in device memory, for pairs within a group of slots
/// (inside) or for the others (across).
enum class Pairs { inside, across };
void exchange_spins(const SweepArgs& args, const PendingExchange& exchange, std::int64_t stacks,
                    const SlotGroups& groups, Pairs pairs, cudaStream_t stream);

}  // namespace psflip
