// Replica exchange between neighbouring temperatures, decided per realization.
//
// decide: one thread per (column, replica, lane, step); step j stands for the slots (parity + 2j - 2 parity,
// + 1), so that the slots that have no partner at either end are covered too. A thread owns both its slots:
// it exchanges their energies and walkers, counts, and notes walkers at the ends of the ladder; the warp's
// ballot is the mask of accepted lanes. 8 B of energies and 2 B of walkers read, as many written where
// accepted, one Philox call.
//
// The spins follow by that mask: see sweep/cuda/spin_exchange_cuda.cu.

#include "base/cuda_check.cuh"
#include "evolution/exchange_kernels_cuda.cuh"
#include "model/bond_energy.hpp"
#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

namespace {

constexpr int decide_threads = 128;

/// Exchanges what belongs to the two slots beside the spins.
__device__ __forceinline__ void swap_labels(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t lane,
                                            std::uint32_t cold, std::int32_t cold_energy,
                                            std::int32_t hot_energy) {
    const std::size_t at = (static_cast<std::size_t>(stack) * a.temperatures + cold) * 128 + lane;
    a.energy[at] = hot_energy;
    a.energy[at + 128] = cold_energy;
    const std::uint8_t walker = a.walker[at];
    a.walker[at] = a.walker[at + 128];
    a.walker[at + 128] = walker;
    ++a.accepted[(static_cast<std::size_t>(stack) * (a.temperatures - 1) + cold) * 128 + lane];
}

/// Notes the walker now at slot 0 or at the hottest slot. A round trip ends when a walker last at the hot end
/// arrives at the cold end.
__device__ __forceinline__ void note_end(const ExchangeArgs& a, std::uint32_t stack, std::uint32_t lane,
                                         std::uint32_t slot) {
    const std::size_t base = static_cast<std::size_t>(stack) * a.temperatures * 128 + lane;
    std::uint8_t& end = a.last_end[base + std::size_t{a.walker[base + slot * 128]} * 128];
    if (slot == 0) {
        if (end == 2) ++a.round_trips[static_cast<std::size_t>(stack) * 128 + lane];
        end = 1;
    } else if (end == 1) {  // a walker that has not been cold yet is on no round trip
        end = 2;
    }
}

/// The slots of step y are 2y - parity and the next one. decide(stack, lane, cold, energies of the colder and
/// the hotter lattice) accepts, and exchanges what it decides by beside energies.
template <class Decide>
__device__ __forceinline__ void decide_step(const ExchangeArgs& a, const std::int32_t parity,
                                            const Decide& decide) {
    const std::uint32_t stack = a.first_stack + blockIdx.x, lane = threadIdx.x;
    const std::int32_t cold = static_cast<std::int32_t>(2 * blockIdx.y) - parity;
    const std::int32_t last = static_cast<std::int32_t>(a.temperatures) - 1;
    if (cold >= 0 && cold < last) {
        const std::size_t at = (static_cast<std::size_t>(stack) * a.temperatures + cold) * 128 + lane;
        const std::int32_t cold_energy = a.energy[at], hot_energy = a.energy[at + 128];
        const bool accepted = decide(stack, lane, static_cast<std::uint32_t>(cold), cold_energy, hot_energy);
        if (accepted) swap_labels(a, stack, lane, static_cast<std::uint32_t>(cold), cold_energy, hot_energy);
        const std::uint32_t mask = __ballot_sync(~0u, accepted);
        if (lane % 32 == 0)
            a.mask[(static_cast<std::size_t>(stack) * gridDim.y + blockIdx.y) * 4 + lane / 32] = mask;
    }
    if (cold <= 0) note_end(a, stack, lane, 0);
    if (cold == last || cold + 1 == last) note_end(a, stack, lane, static_cast<std::uint32_t>(last));
}

/// Grid: x = stack - first_stack, y = step; a block is the 128 lanes. By tables.
__global__ void __launch_bounds__(decide_threads)
    decide_kernel(const __grid_constant__ ExchangeArgs a, const std::uint64_t completed,
                  const std::int32_t parity) {
    decide_step(a, parity,
                [&](std::uint32_t stack, std::uint32_t lane, std::uint32_t cold, std::int32_t cold_energy,
                    std::int32_t hot_energy) {
                    const std::int32_t steps = energy_steps(cold_energy, hot_energy, a.energy_unit);
                    return accepts(a, stack, lane, cold, steps, completed);
                });
}

/// Likewise by the rule; magnetisations go with the energies.
__global__ void __launch_bounds__(decide_threads)
    decide_by_rule_kernel(const __grid_constant__ RuleExchangeArgs a, const std::uint64_t completed,
                          const std::int32_t parity) {
    decide_step(a.common, parity,
                [&](std::uint32_t stack, std::uint32_t lane, std::uint32_t cold, std::int32_t cold_energy,
                    std::int32_t hot_energy) {
                    const std::int64_t dE = energy_rise(cold_energy, hot_energy, a.common.energy_unit);
                    if (!a.magnetisation) return accepts(a, stack, lane, cold, dE, 0, completed);
                    std::int32_t* const m =
                        a.magnetisation +
                        ((static_cast<std::size_t>(stack) * a.common.temperatures + cold) * 128 + lane);
                    const std::int32_t cold_m = m[0], hot_m = m[128];
                    const bool accepted =
                        accepts(a, stack, lane, cold, dE, energy_rise(cold_m, hot_m, 1), completed);
                    if (accepted) m[0] = hot_m, m[128] = cold_m;
                    return accepted;
                });
}

ExchangeArgs of_part(ExchangeArgs args, const StreamPart& part) {
    args.first_stack = static_cast<std::uint32_t>(part.first_stack());
    args.stacks = static_cast<std::uint32_t>(part.stacks());
    return args;
}

template <class Kernel, class Args>
void launch_decide(Kernel kernel, const Args& args, const ExchangeArgs& common, const StreamPart& part,
                   std::uint64_t completed, std::uint32_t parity) {
    launch(kernel, dim3(common.stacks, exchange_steps(common.temperatures)), dim3(decide_threads), 0,
           part.stream, args, completed, static_cast<std::int32_t>(parity));
}

}  // namespace

void decide_exchange(const ExchangeArgs& args, const StreamPart& part, std::uint64_t completed,
                     std::uint32_t parity) {
    const ExchangeArgs own = of_part(args, part);
    launch_decide(decide_kernel, own, own, part, completed, parity);
}

void decide_exchange_by_rule(const RuleExchangeArgs& args, const StreamPart& part, std::uint64_t completed,
                             std::uint32_t parity) {
    RuleExchangeArgs own = args;
    own.common = of_part(args.common, part);
    launch_decide(decide_by_rule_kernel, own, own.common, part, completed, parity);
}

}  // namespace psflip
