#pragma once

// Sweeps lanes that are (replica, slot) pairs of one realization. A launch does all sweeps between two
// exchanges. Some blocks share the rows of a realization and meet after every colour, through device memory.
//
// A group of blocks takes its realizations by turns, colour by colour, so it seldom waits. It draws the first
// numbers of a colour before it waits.

#include "base/cuda_check.cuh"
#include "sweep/replicas/replica_energies_cuda.cuh"
#include "sweep/replicas/replica_exchange_cuda.cuh"
#include "sweep/replicas/replica_sweep_cuda.cuh"

namespace psflip {

template <class Rule, int Words>
__global__ void __launch_bounds__(replica_threads, 2)
    replica_sweeps(const __grid_constant__ ReplicaSweepArgs a) {
    extern __shared__ uint4 planes[];
    __shared__ typename ReplicaLeftovers<Rule>::Entries entries;
    if (threadIdx.x < 2) entries.count[threadIdx.x] = 0;
    const ReplicaThresholds<Rule> thresholds(planes, a.view);
    __syncthreads();
    const ReplicaLeftovers<Rule> leftovers{entries};
    const ReplicaShare share(a.view.layout, a.cut, Words);
    const ReplicaColumn column(a.view.layout, share.has_column(0) ? share.column * Words : 0u);
    const auto blocks = static_cast<std::uint32_t>(a.cut.blocks);
    const auto each = [&](auto run) {
        for (std::int64_t r = blockIdx.x / blocks; r < a.realizations; r += a.cut.groups) run(r);
    };
    std::uint32_t arrived = a.arrived, turn = 0;
    if (a.mask) {
        each([&](std::int64_t r) {
            exchange_rows(a, share, r);
            ReplicaMeeting::arrive(a.arrivals + r);
        });
        arrived += blocks;
    }
    for (int half = 0; half < 2 * a.sweeps; ++half) {
        each([&](std::int64_t r) {
            const ReplicaSweeper<Rule, Words> sweeper{
                a, share, thresholds, leftovers, r, static_cast<std::uint64_t>(a.first + half / 2), half % 2};
            sweeper.run(column, turn, [&] { ReplicaMeeting::wait(a.arrivals + r, arrived); });
            ReplicaMeeting::arrive(a.arrivals + r);
        });
        arrived += blocks;
    }
    if (!a.count.energies) return;
    const ReplicaShare words(a.view.layout, a.cut, 1);
    each([&](std::int64_t r) {
        ReplicaMeeting::wait(a.arrivals + r, arrived);
        count_energies<Rule>(a, words, r);
    });
}

using ReplicaKernel = void (*)(ReplicaSweepArgs);

/// Returns the kernel of the class rule, with one word at a time.
ReplicaKernel class_replica_kernel(const SweepRule& rule);

}  // namespace psflip
