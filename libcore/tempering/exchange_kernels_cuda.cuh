#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "random/purposes.hpp"

namespace psflip {

/// What the exchange kernels need. "Unit" is column * replicas + replica; lanes are the 128 realizations of a
/// column.
struct ExchangeArgs {
    std::int32_t* energy;       ///< (unit, slot, lane)
    std::uint8_t* walker;       ///< (unit, slot, lane)
    std::uint8_t* last_end;     ///< (unit, walker, lane)
    std::int64_t* accepted;     ///< (unit, pair, lane)
    std::int64_t* round_trips;  ///< (unit, lane)
    std::uint32_t*
        mask;  ///< (unit, step, lane / 32): accepted lanes of the pairs that start at parity + 2 step
    const std::uint32_t* tables;                  ///< thresholds of all pairs, one after the other
    std::uint32_t table_start[max_temperatures];  ///< pair p has tables[start[p]] .. tables[start[p + 1] - 1]
    std::uint32_t replicas, temperatures, units, first_realization;
    std::uint64_t seed;
};

/// Decides the exchanges of one parity, permutes energies and walkers, counts, and writes the mask by which
/// the spins follow.
void decide_exchange(const ExchangeArgs& args, std::uint64_t completed, std::uint32_t parity,
                     cudaStream_t stream);

}  // namespace psflip
