// Exchanges the spins of neighbouring temperatures: d = (a ^ b) & mask, a ^= d, b ^= d on 16-byte words.
//
// A site and pair takes 32 B read and 32 B written, i.e. 0.25 bytes per spin and exchange. With an exchange
// every 10 sweeps this is 0.025 bytes per flip, or 0.006 ps at 4 TB/s. The resident kernel exchanges spins
// while it loads its lattices, so that only pairs of different blocks remain for this kernel.

#include "sweep/cuda/spin_exchange_cuda.cuh"

#include "base/cuda_check.cuh"

namespace psflip {

namespace {

constexpr int threads = 256, words_per_thread = 4;

/// Grid: x = (stack - first_stack) * chunks + chunk, y = step.
__global__ void __launch_bounds__(threads)
    exchange_kernel(const __grid_constant__ SweepArgs a, const __grid_constant__ PendingExchange exchange,
                    const std::uint32_t first_stack, const std::uint32_t chunks, const SlotGroups groups,
                    const bool across) {
    const std::uint32_t launched = blockIdx.x / chunks, chunk = blockIdx.x - launched * chunks,
                        stack = first_stack + launched;
    const std::int32_t cold = static_cast<std::int32_t>(2 * blockIdx.y) - exchange.parity;
    if (cold < 0 || cold + 1 >= static_cast<std::int32_t>(a.temperatures)) return;
    if (((cold + 1) % (stack < groups.other_stack ? groups.slots : groups.other_slots) == 0) != across)
        return;
    const uint4 mask = exchange.mask[static_cast<std::size_t>(stack) * exchange.steps + blockIdx.y];
    if ((mask.x | mask.y | mask.z | mask.w) == 0) return;
    const std::uint32_t sites = a.geometry.sites;
    uint4* const cold_spins = a.spins + (static_cast<std::size_t>(stack) * a.temperatures + cold) * sites;
    uint4* const hot_spins = cold_spins + sites;
    const std::uint32_t begin = chunk * threads * words_per_thread;
    uint4 p[words_per_thread], q[words_per_thread];
#pragma unroll
    for (int k = 0; k < words_per_thread; ++k) {
        const std::uint32_t i = begin + k * threads + threadIdx.x;
        if (i < sites) p[k] = cold_spins[i], q[k] = hot_spins[i];
    }
#pragma unroll
    for (int k = 0; k < words_per_thread; ++k) {
        const std::uint32_t i = begin + k * threads + threadIdx.x;
        if (i >= sites) continue;
        exchange_words(p[k], q[k], mask);
        cold_spins[i] = p[k];
        hot_spins[i] = q[k];
    }
}

}  // namespace

void exchange_spins(const SweepArgs& args, const PendingExchange& exchange, const StreamPart& part,
                    const SlotGroups& groups, Pairs pairs) {
    const bool across = pairs == Pairs::across;
    // Pairs across groups of n slots start at n - 1, 2n - 1, ...
    const auto has_across = [&](int n) {
        return n < static_cast<int>(args.temperatures) && (n % 2 == 1 || exchange.parity == 1);
    };
    const bool others = groups.other_stack < part.end_stack();
    if (across && !has_across(groups.slots) && !(others && has_across(groups.other_slots))) return;
    const unsigned chunks = blocks_for(args.geometry.sites, threads * words_per_thread);
    launch(exchange_kernel, dim3(static_cast<unsigned>(part.stacks()) * chunks, exchange.steps),
           dim3(threads), 0, part.stream, args, exchange, static_cast<std::uint32_t>(part.first_stack()),
           chunks, groups, across);
}

}  // namespace psflip
