#pragma once

#include "lattice/layout.hpp"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/replicas/replica_block_cuda.cuh"

namespace psflip {

/// Sets the bits of `accepted`, (word), for lanes that are exchanged with the next lane. All threads of the
/// block must call it. A barrier must follow.
__device__ __forceinline__ void accepted_lanes(const ReplicaSweepArgs& a, std::int64_t realization,
                                               std::uint32_t* accepted) {
    const ReplicaLayout& layout = a.view.layout;
    const int T = layout.temperatures,
              steps = static_cast<int>(exchange_steps(static_cast<std::uint32_t>(T)));
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

/// Exchanges the accepted lanes of a site with `words` words (at most Most).
template <int Most>
__device__ __forceinline__ void exchange_site(std::uint32_t (&x)[Most], const std::uint32_t* accepted,
                                              int words) {
    std::uint32_t from_below = 0;
#pragma unroll
    for (int word = 0; word < Most; ++word) {
        if (word >= words) break;
        const std::uint32_t next = word + 1 < words ? x[word + 1 < Most ? word + 1 : word] : 0;
        const std::uint32_t change = (x[word] ^ (x[word] >> 1 | next << 31)) & accepted[word];
        x[word] ^= change ^ (change << 1 | from_below);
        from_below = change >> 31;
    }
}

/// Exchanges spins of both colours in the block's rows. At a time, a thread has all words of some sites. A
/// site has at most Most words.
template <int Most>
__device__ __forceinline__ void exchange_sites(const ReplicaSweepArgs& a, const ReplicaShare& share,
                                               std::int64_t realization, const std::uint32_t* accepted) {
    constexpr int together = Most <= 4 ? 4 : 1;
    const ReplicaLayout& layout = a.view.layout;
    const int words = layout.words();
    const auto row_sites = static_cast<std::uint32_t>(layout.L / 2),
               sites = (share.end - share.begin) * row_sites;
    std::uint32_t* const lattice = a.view.spins + realization * layout.lattice_words();
    for (std::uint32_t first = threadIdx.x; first < 2 * sites; first += together * replica_threads) {
        std::uint32_t* place[together];
        std::uint32_t x[together][Most];
#pragma unroll
        for (int k = 0; k < together; ++k) {
            const std::uint32_t i = min(first + k * replica_threads, 2 * sites - 1), site = i % sites;
            place[k] = lattice +
                       layout.row(i < sites ? 0 : 1, static_cast<int>(share.begin + site / row_sites)) +
                       site % row_sites * words;
#pragma unroll
            for (int word = 0; word < Most; ++word) x[k][word] = word < words ? place[k][word] : 0;
        }
#pragma unroll
        for (int k = 0; k < together; ++k) {
            if (first + k * replica_threads >= 2 * sites) break;
            exchange_site(x[k], accepted, words);
#pragma unroll
            for (int word = 0; word < Most; ++word)
                if (word < words) place[k][word] = x[k][word];
        }
    }
}

/// Carries out an exchange in the block's rows. All threads of the block must call it.
__device__ __forceinline__ void exchange_rows(const ReplicaSweepArgs& a, const ReplicaShare& share,
                                              std::int64_t realization) {
    __shared__ std::uint32_t accepted[ReplicaLayout::max_words];
    accepted_lanes(a, realization, accepted);
    __syncthreads();
    if (a.view.layout.words() <= 4)
        exchange_sites<4>(a, share, realization, accepted);
    else
        exchange_sites<ReplicaLayout::max_words>(a, share, realization, accepted);
    __syncthreads();
}

}  // namespace psflip
