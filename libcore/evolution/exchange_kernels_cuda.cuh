#pragma once

#include "sweep/cuda/exchange_args_cuda.cuh"
#include "sweep/stream_part.hpp"

namespace psflip {

/// Decides the exchanges of one parity for a part of the batch, in its stream, permutes energies and walkers,
/// counts, and writes the mask by which the spins follow.
void decide_exchange(const ExchangeArgs& args, const StreamPart& part, std::uint64_t completed,
                     std::uint32_t parity);

/// Likewise by the rule of all models instead of tables; magnetisations are permuted, too.
void decide_exchange_by_rule(const RuleExchangeArgs& args, const StreamPart& part, std::uint64_t completed,
                             std::uint32_t parity);

}  // namespace psflip
