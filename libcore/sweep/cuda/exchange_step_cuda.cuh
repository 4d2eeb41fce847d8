#pragma once

#include "model/bond_energy.hpp"
#include "sweep/cuda/exchange_args_cuda.cuh"
#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

// Decides exchanges of neighbouring temperatures in kernels.

/// Exchanges the energies and walkers of two slots, and counts.
__device__ __forceinline__ void swap_labels(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t lane,
                                            std::uint32_t cold, std::int32_t cold_energy,
                                            std::int32_t hot_energy) {
    const std::size_t at = (static_cast<std::size_t>(stack) * a.temperatures + cold) * 128 + lane;
    a.energy[at] = hot_energy;
    a.energy[at + 128] = cold_energy;
    const std::uint8_t walker = __ldcg(a.walker + at);
    a.walker[at] = __ldcg(a.walker + at + 128);
    a.walker[at + 128] = walker;
    ++a.accepted[(static_cast<std::size_t>(stack) * (a.temperatures - 1) + cold) * 128 + lane];
}

/// Notes the walker at slot 0 or at the hottest slot. A round trip ends when a walker last at the hot end
/// arrives at the cold end.
__device__ __forceinline__ void note_end(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t lane,
                                         std::uint32_t slot) {
    const std::size_t base = static_cast<std::size_t>(stack) * a.temperatures * 128 + lane;
    std::uint8_t& end = a.last_end[base + std::size_t{__ldcg(a.walker + base + slot * 128)} * 128];
    if (slot == 0) {
        if (end == 2) ++a.round_trips[static_cast<std::size_t>(stack) * 128 + lane];
        end = 1;
    } else if (end == 1) {  // a walker that has not been cold yet is on no round trip
        end = 2;
    }
}

/// Returns whether a pair accepts by the rule, and exchanges its magnetisations if it does.
__device__ __forceinline__ bool decide_by_rule(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t lane,
                                               std::uint32_t cold, std::int32_t cold_energy,
                                               std::int32_t hot_energy, std::uint64_t completed) {
    const std::int64_t dE = energy_rise(cold_energy, hot_energy, a.energy_unit);
    if (!a.magnetisation) return accepts_by_rule(a, stack, lane, cold, dE, 0, completed);
    std::int32_t* const m =
        a.magnetisation + ((static_cast<std::size_t>(stack) * a.temperatures + cold) * 128 + lane);
    const std::int32_t cold_m = m[0], hot_m = m[128];
    const bool accepted = accepts_by_rule(a, stack, lane, cold, dE, energy_rise(cold_m, hot_m, 1), completed);
    if (accepted) m[0] = hot_m, m[128] = cold_m;
    return accepted;
}

/// Decides the slots 2 step - parity and 2 step - parity + 1 of a lane, and notes walkers at the ends of the
/// ladder. Other multiprocessors may have written energies and walkers before a barrier, so they are read
/// from L2. All threads of a warp must call it, with 32 neighbouring lanes of one step.
template <bool ByTable>
__device__ __forceinline__ void decide_step(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t step,
                                            std::uint32_t lane, std::uint64_t completed,
                                            std::int32_t parity) {
    const std::int32_t cold = static_cast<std::int32_t>(2 * step) - parity;
    const std::int32_t last = static_cast<std::int32_t>(a.temperatures) - 1;
    if (cold >= 0 && cold < last) {
        const auto pair = static_cast<std::uint32_t>(cold);
        const std::size_t at = (static_cast<std::size_t>(stack) * a.temperatures + cold) * 128 + lane;
        const std::int32_t cold_energy = __ldcg(a.energy + at), hot_energy = __ldcg(a.energy + at + 128);
        const bool accepted = ByTable
                                  ? accepts(a, stack, lane, pair,
                                            energy_steps(cold_energy, hot_energy, a.energy_unit), completed)
                                  : decide_by_rule(a, stack, lane, pair, cold_energy, hot_energy, completed);
        if (accepted) swap_labels(a, stack, lane, pair, cold_energy, hot_energy);
        const std::uint32_t mask = __ballot_sync(~0u, accepted);
        if (lane % 32 == 0)
            a.mask[(static_cast<std::size_t>(stack) * exchange_steps(a.temperatures) + step) * 4 +
                   lane / 32] = mask;
    }
    if (cold <= 0) note_end(a, stack, lane, 0);
    if (cold == last || cold + 1 == last) note_end(a, stack, lane, static_cast<std::uint32_t>(last));
}

}  // namespace psflip
