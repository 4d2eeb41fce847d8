#pragma once

#include "lattice/layout.hpp"
#include "sweep/replicas/replica_block_cuda.cuh"

namespace psflip {

/// Which lanes exchange with the next one: bit by bit, one word after the other. By all threads of the block,
/// before a barrier.
__device__ __forceinline__ void accepted_lanes(const ReplicaSweepArgs& a, std::int64_t realization,
                                               std::uint32_t* accepted) {
    const ReplicaLayout& layout = a.view.layout;
    const int T = layout.temperatures, steps = (T + a.parity + 1) / 2;
    for (int lane = static_cast<int>(threadIdx.x); lane < 32 * layout.words(); lane += replica_threads) {
        const int replica = lane / T, slot = lane % T;
        std::uint32_t bit = 0;
        if (lane < layout.lanes() && (slot + a.parity) % 2 == 0 && slot + 1 < T) {
            const std::int64_t stack = realization / column_bits * layout.replicas + replica;
            bit = __ldcg(a.mask + (stack * steps + (slot + a.parity) / 2) * 4 +
                         realization % column_bits / 32) >>
                      realization % 32 &
                  1u;
        }
        const std::uint32_t word = __ballot_sync(~0u, bit != 0);
        if (lane % 32 == 0) accepted[lane / 32] = word;
    }
}

/// Exchanges spins of the block's rows, of both colours: a thread has all words of a site. By all threads of
/// the block.
__device__ __forceinline__ void exchange_rows(const ReplicaSweepArgs& a, const ReplicaShare& share,
                                              std::int64_t realization) {
    __shared__ std::uint32_t accepted[ReplicaLayout::most_words];
    const ReplicaLayout& layout = a.view.layout;
    accepted_lanes(a, realization, accepted);
    __syncthreads();
    const auto words = static_cast<std::uint32_t>(layout.words()),
               row_sites = static_cast<std::uint32_t>(layout.L / 2),
               sites = (share.end - share.begin) * row_sites;
    for (int colour = 0; colour < 2; ++colour)
        for (std::uint32_t i = threadIdx.x; i < sites; i += replica_threads) {
            std::uint32_t* const x = a.view.spins + realization * layout.lattice_words() +
                                     layout.row(colour, static_cast<int>(share.begin + i / row_sites)) +
                                     i % row_sites * words;
            std::uint32_t own = x[0], from_below = 0;
            for (std::uint32_t word = 0; word < words; ++word) {
                const std::uint32_t next = word + 1 < words ? x[word + 1] : 0;
                const std::uint32_t change = (own ^ (own >> 1 | next << 31)) & accepted[word];
                x[word] = own ^ change ^ (change << 1 | from_below);
                from_below = change >> 31;
                own = next;
            }
        }
    __syncthreads();
}

}  // namespace psflip
