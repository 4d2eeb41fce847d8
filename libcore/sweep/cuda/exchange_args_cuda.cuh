#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "model/exchange_rule.hpp"
#include "random/philox.hpp"

namespace psflip {

/// Holds the arguments of the exchange kernels, for `stacks` temperature stacks (column * replicas + replica)
/// from `first_stack` on. Pointers refer to device memory, and the arrays hold all stacks. Lanes are the 128
/// realizations of a column.
struct ExchangeArgs {
    std::int32_t* energy;       ///< (stack, slot, lane), in units of Shape::energy_unit
    std::uint8_t* walker;       ///< (stack, slot, lane): number of the walker
    std::uint8_t* last_end;     ///< (stack, walker, lane), as TemperingState
    std::int64_t* accepted;     ///< (stack, pair, lane): number of accepted exchanges
    std::int64_t* round_trips;  ///< (stack, lane)
    std::uint32_t*
        mask;  ///< (stack, step, lane / 32): accepted lanes of the pair of slots from 2 step - parity on
    const std::uint32_t*
        tables;  ///< thresholds of all pairs, one after the other; null: by exchange_rule.hpp
    std::uint32_t table_start[max_temperatures];  ///< pair p has tables[table_start[p]] to
                                                  ///< tables[table_start[p + 1] - 1]
    std::uint32_t replicas, temperatures, stacks, first_realization;
    std::uint64_t seed;  ///< key of the random numbers, Ensemble::key
    std::int32_t energy_unit;
    std::uint32_t first_stack;
    std::int32_t* magnetisation;          ///< (stack, slot, lane); null: no field, or exchange by tables
    double field;                         ///< h
    double delta_beta[max_temperatures];  ///< of pair p: beta of slot p minus beta of slot p + 1
};

#ifdef __CUDACC__
/// Returns the random number of pair `pair` (slots pair and pair + 1) for realization `lane` of the column.
/// completed: completed sweeps.
__device__ __forceinline__ std::uint32_t exchange_number(const ExchangeArgs& a, std::uint32_t stack,
                                                         std::uint32_t lane, std::uint32_t pair,
                                                         std::uint64_t completed) {
    const std::uint32_t column = stack / a.replicas, replica = stack - column * a.replicas, j = pair / 2;
    const RandomBlock block = philox(make_counter(Purpose::exchange, 0, completed, j / 4, replica, 0,
                                                  a.first_realization + column * 128 + lane),
                                     a.seed);
    const std::uint32_t low = j & 1 ? block.word[1] : block.word[0],
                        high = j & 1 ? block.word[3] : block.word[2];
    return j & 2 ? high : low;
}

/// Returns whether pair `pair` of realization `lane` accepts an exchange by the table. The energy of the
/// hotter lattice minus the energy of the colder lattice is 4 `steps` J.
__device__ __forceinline__ bool accepts(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t lane,
                                        std::uint32_t pair, std::int32_t steps, std::uint64_t completed) {
    if (steps <= 0) return true;
    const std::uint32_t start = a.table_start[pair], size = a.table_start[pair + 1] - start;
    const auto step = static_cast<std::uint32_t>(steps);
    if (step >= size) return false;
    return exchange_number(a, stack, lane, pair, completed) < __ldg(a.tables + start + step);
}

/// Returns whether a pair accepts an exchange by exchange_rule.hpp. dE and dM are the differences of bond
/// energy and magnetisation, hotter lattice minus colder lattice.
__device__ __forceinline__ bool accepts_by_rule(const ExchangeArgs& a, std::uint32_t stack,
                                                std::uint32_t lane, std::uint32_t pair, std::int64_t dE,
                                                std::int64_t dM, std::uint64_t completed) {
    return exchange_accepted(exchange_number(a, stack, lane, pair, completed), dE, dM, a.delta_beta[pair],
                             a.field);
}

#endif

}  // namespace psflip
