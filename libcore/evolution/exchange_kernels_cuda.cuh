#pragma once

#include "sweep/cuda/exchange_args_cuda.cuh"
#include "sweep/stream_part.hpp"

namespace psflip {

/// Decides the exchanges of the pairs of slots (t, t + 1) with t % 2 = parity, for a batch slice. Permutes
/// energies, magnetisations and walkers, updates the counts, and writes the mask by which the spins follow.
/// All arrays are in device memory. The work is queued into the stream of the batch slice. completed:
/// completed sweeps.
void decide_exchange(const ExchangeArgs& args, const StreamPart& part, std::uint64_t completed,
                     std::uint32_t parity);

}  // namespace psflip
