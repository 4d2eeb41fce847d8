#pragma once

#include "sweep/cuda/exchange_args_cuda.cuh"

namespace psflip {

/// Decides the exchanges of one parity, permutes energies and walkers, counts, and writes the mask by which
/// the spins follow.
void decide_exchange(const ExchangeArgs& args, std::uint64_t completed, std::uint32_t parity,
                     cudaStream_t stream);

/// Likewise by the rule of all models instead of tables; magnetisations are permuted, too.
void decide_exchange_by_rule(const RuleExchangeArgs& args, std::uint64_t completed, std::uint32_t parity,
                             cudaStream_t stream);

}  // namespace psflip
