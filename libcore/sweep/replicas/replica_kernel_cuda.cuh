#pragma once

// Sweeps lanes that are (replica, slot) pairs of one realization. A launch does all sweeps between two
// exchanges. A group of blocks shares the rows of a realization. Its blocks wait for each other after every
// colour (ReplicaMeeting).
//
// A group updates one colour of each of its realizations in turn, so it seldom waits. It draws the first
// random numbers of a colour before it waits.

#include "base/cuda_check.cuh"
#include "sweep/replicas/replica_energies_cuda.cuh"
#include "sweep/replicas/replica_exchange_cuda.cuh"
#include "sweep/replicas/replica_sweep_cuda.cuh"

namespace psflip {

/// Does the work of a launch: an exchange, sweeps and a count of energies. share: the rows of the block.
/// half_sweep(realization, sweep, colour, wait) updates the block's spins of a colour. It calls wait() before
/// it reads a spin. All threads of the block must call this function.
template <class Rule, class HalfSweep>
__device__ __forceinline__ void exchange_sweep_count(const ReplicaSweepArgs& a, const ReplicaShare& share,
                                                     const HalfSweep& half_sweep) {
    const auto blocks = static_cast<std::uint32_t>(a.cut.blocks);
    const auto each = [&](auto run) {
        for (std::int64_t r = blockIdx.x / blocks; r < a.realizations; r += a.cut.groups) run(r);
    };
    std::uint32_t arrived = a.arrived;
    if (a.mask) {
        each([&](std::int64_t r) {
            exchange_rows(a, share, r);
            ReplicaMeeting::arrive(a.arrivals + r);
        });
        arrived += blocks;
    }
    for (int half = 0; half < 2 * a.sweeps; ++half) {
        each([&](std::int64_t r) {
            half_sweep(r, static_cast<std::uint64_t>(a.first + half / 2), half % 2,
                       [&] { ReplicaMeeting::wait(a.arrivals + r, arrived); });
            ReplicaMeeting::arrive(a.arrivals + r);
        });
        arrived += blocks;
    }
    if (!a.count.energies) return;
    const ReplicaShare words(a.view.layout, a.cut, 1, a.view.layout.rows());
    each([&](std::int64_t r) {
        ReplicaMeeting::wait(a.arrivals + r, arrived);
        count_energies<Rule>(a, words, r);
    });
}

template <class Rule, int Words>
__global__ void __launch_bounds__(replica_threads, 2)
    replica_sweeps(const __grid_constant__ ReplicaSweepArgs a) {
    extern __shared__ uint4 planes[];
    __shared__ typename ReplicaLeftovers<Rule>::Entries entries;
    if (threadIdx.x < 2) entries.count[threadIdx.x] = 0;
    const ReplicaThresholds<Rule> thresholds(planes, a.view);
    __syncthreads();
    const ReplicaLeftovers<Rule> leftovers{entries};
    const ReplicaShare share(a.view.layout, a.cut, Words, a.view.layout.rows());
    const ReplicaColumn column(a.view.layout, share.has_column(0) ? share.column * Words : 0u);
    std::uint32_t turn = 0;
    exchange_sweep_count<Rule>(a, share,
                               [&](std::int64_t realization, std::uint64_t sweep, int colour, auto wait) {
                                   const ReplicaSweeper<Rule, Words> sweeper{
                                       a, share, thresholds, leftovers, realization, sweep, colour};
                                   sweeper.run(column, turn, wait);
                               });
}

using ReplicaKernel = void (*)(ReplicaSweepArgs);

/// Returns the kernel of the class rule, with one word at a time.
ReplicaKernel class_replica_kernel(const SweepRule& rule);
/// Returns the kernel of demons, with one word at a time.
ReplicaKernel demon_replica_kernel(const SweepRule& rule);

}  // namespace psflip
