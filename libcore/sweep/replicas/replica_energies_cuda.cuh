#pragma once

#include "lattice/layout.hpp"
#include "model/bond_energy.hpp"
#include "sweep/replicas/replica_block_cuda.cuh"
#include "word/bit_counter.hpp"

namespace psflip {

/// Counts for every lane, over the rows of a block: unsatisfied bonds of red sites (kind 0), or spins +1 of
/// both colours (kind 1).
template <class Rule>
struct ReplicaSums {
    static constexpr int degree = Rule::degree;
    static constexpr int sites_together = 5, sites_of_counter = 10;  ///< at most six bits each: below 64
    using Counter = BitCounter<DeviceWord, 6>;
    using WarpCounter = BitCounter<DeviceWord, 11>;  ///< sums of 32 threads

    const ReplicaSweepArgs& a;
    const ReplicaShare& share;
    std::int64_t realization;
    std::uint32_t* sums;  ///< (lane) in shared memory

    /// Adds the counts of the block. All threads of the block must call it, between barriers.
    template <bool Up>
    __device__ __forceinline__ void add() const {
        for (std::uint32_t first = 0; first < share.columns; first += replica_threads) {
            const bool inside = share.has_column(first);
            const ReplicaColumn column(a.view.layout, inside ? first + share.column : 0u);
            Counter counter;
            counter.clear();
            int counted = 0;
            for (std::uint32_t rows = share.begin + share.row; rows - share.row < share.end;
                 rows += sites_together * share.rows_at_once) {
#pragma unroll
                for (int k = 0; k < sites_together; ++k) {
                    const std::uint32_t row = rows + k * share.rows_at_once;
                    const bool valid = inside && row < share.end;
                    add_site<Up>(counter, column, valid ? row : share.begin, {valid ? ~0u : 0u});
                }
                counted += sites_together;
                if (counted < sites_of_counter) continue;
                add_lanes(counter, column.word);
                counter.clear();
                counted = 0;
            }
            if (counted > 0) add_lanes(counter, column.word);
        }
    }

  private:
    __device__ __forceinline__ const std::uint32_t* words_of_colour(int which) const {
        return a.view.spins + realization * a.view.layout.lattice_words() +
               colour_begin(a.view.layout, which);
    }
    template <bool Up>
    __device__ __forceinline__ void add_site(Counter& counter, const ReplicaColumn& column, std::uint32_t row,
                                             DeviceWord valid) const {
        const ReplicaLayout& layout = a.view.layout;
        const std::uint32_t w = a.plane_of(row), v = row - w * static_cast<std::uint32_t>(layout.L);
        std::uint32_t place[degree];
        near_places(layout, column, v, w,
                    ReplicaLayout::other_is_next(0, static_cast<int>(v), static_cast<int>(w)), place);
        const std::uint32_t *const red = words_of_colour(0), *const black = words_of_colour(1);
        if constexpr (Up) {
            const DeviceWord spins[2] = {DeviceWord{red[place[0]]} & valid,
                                         DeviceWord{black[place[0]]} & valid};
            counter.add(spins);
        } else {
            ReplicaNear<degree, DeviceWord> near{};
            near.own = {red[place[0]]};
#pragma unroll
            for (int k = 0; k < degree; ++k) near.near[k] = {black[place[k]]};
            const std::int64_t bonds = red - a.view.spins + place[0];
            spread_bonds(a.view.bonds[bonds], near.bond);
            if constexpr (Rule::has_absent) spread_bonds(a.view.absent[bonds], near.absent);
            DeviceWord e[degree];
            near.template unsatisfied<Rule::has_absent>(e);
#pragma unroll
            for (int k = 0; k < degree; ++k) e[k] = e[k] & valid;
            counter.add(e);
        }
    }

    /// Adds the counters of a warp to the sums of the block. If a site has 1, 2, 4, 8 or 16 words, threads
    /// with the same word of a site first add up their counters. Then they share the remaining work.
    __device__ __forceinline__ void add_lanes(const Counter& few, std::uint32_t word) const {
        WarpCounter counter;
        counter.clear();
#pragma unroll
        for (int p = 0; p < 6; ++p) counter.plane[p] = few.plane[p];
        const auto words = static_cast<unsigned>(a.view.layout.words()), lane = threadIdx.x % 32;
        const bool alike = (words & (words - 1)) == 0;
        for (unsigned other = 16; alike && other >= words; other /= 2) {
            DeviceWord theirs[11];
#pragma unroll
            for (int p = 0; p < 11; ++p) theirs[p] = {__shfl_xor_sync(~0u, counter.plane[p].bits, other)};
            counter.add_number(theirs);
        }
        const unsigned bits = alike ? words : 32, begin = alike ? lane / words * words : lane;
        const std::uint32_t to = alike ? lane % words : word;  // threads without a column have nothing to add
        for (unsigned i = 0; i < bits; ++i) {
            const unsigned bit = (begin + i) % 32;
            std::uint32_t number = 0;
#pragma unroll
            for (int p = 0; p < 11; ++p) number += (counter.plane[p].bits >> bit & 1u) << p;
            if (number != 0) atomicAdd(sums + 32 * to + bit, number);
        }
    }
};

/// Writes the energy and, in a field, the magnetisation of a lane from its counts.
__device__ __forceinline__ void write_energies(const ReplicaSweepArgs& a, std::int64_t realization, int lane,
                                               std::uint32_t unsatisfied, std::uint32_t up) {
    const ReplicaEnergies& to = a.count;
    const std::int64_t at =
        (realization / column_bits * a.view.layout.lanes() + lane) * column_bits + realization % column_bits;
    to.energies[at] = bond_energy(unsatisfied, to.bonds[realization], to.unit);
    if (to.magnetisations) to.magnetisations[at] = signed_sum(up, to.sites);
}

/// Counts the energies of a realization. The last of its blocks writes them. All threads of all its blocks
/// must call it.
template <class Rule>
__device__ __forceinline__ void count_energies(const ReplicaSweepArgs& a, const ReplicaShare& share,
                                               std::int64_t realization) {
    constexpr int most = 32 * ReplicaLayout::max_words, kinds = Rule::has_field ? 2 : 1;
    __shared__ std::uint32_t sums[kinds][most];
    __shared__ bool last;
    const int lanes = a.view.layout.lanes(), padded = 32 * a.view.layout.words();
    const auto mine = static_cast<int>(threadIdx.x);
    for (int i = mine; i < kinds * most; i += replica_threads) sums[i / most][i % most] = 0;
    __syncthreads();
    ReplicaSums<Rule>{a, share, realization, sums[0]}.template add<false>();
    if constexpr (Rule::has_field) ReplicaSums<Rule>{a, share, realization, sums[1]}.template add<true>();
    __syncthreads();
    std::uint32_t* const counts = a.count.counts + realization * padded * 2;
    for (int i = mine; i < kinds * lanes; i += replica_threads)
        atomicAdd(counts + i / lanes * padded + i % lanes, sums[i / lanes][i % lanes]);
    __threadfence();
    __syncthreads();
    if (mine == 0)
        last = atomicAdd(a.count.finished + realization, 1u) + 1 == static_cast<std::uint32_t>(a.cut.blocks);
    __syncthreads();
    if (!last) return;
    __threadfence();
    if (mine == 0) a.count.finished[realization] = 0;
    for (int i = mine; i < kinds * lanes; i += replica_threads)
        sums[i / lanes][i % lanes] = atomicExch(counts + i / lanes * padded + i % lanes, 0u);
    __syncthreads();
    for (int lane = mine; lane < lanes; lane += replica_threads)
        write_energies(a, realization, lane, sums[0][lane], sums[kinds - 1][lane]);
    __syncthreads();
}

}  // namespace psflip
