#pragma once

#include "sweep/fused/fused_exchange_cuda.cuh"
#include "sweep/fused/fused_sweep_cuda.cuh"

namespace psflip {

/// Carries out the bursts of a block with their exchanges. run(held, group, sweep) does the sweeps of a burst
/// from number `sweep` on.
template <class Block, class Run>
__device__ __forceinline__ void run_periods(const FusedArgs& a, const Run& run) {
    extern __shared__ __align__(16) char fused_memory[];
    const Block held(a, fused_memory);
    const ThreadGroup group(a, held);
    load_block(a, held);
    __syncthreads();
    std::uint64_t sweep = a.first;
#pragma unroll 1
    for (int burst = 0; burst < a.bursts; ++burst) {
        run(held, group, sweep);
        sweep += a.sweeps_per_swap;
        __syncthreads();
        const FusedExchange<Block> exchange(a, held, sweep, burst);
        exchange.energies();
        __syncthreads();
        exchange.receive();
        __syncthreads();
        exchange.decide();
        __syncthreads();
        exchange.finish(burst + 1 == a.bursts);
        __syncthreads();
    }
    store_block(a, held);
}

}  // namespace psflip
