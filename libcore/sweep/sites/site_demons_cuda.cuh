#pragma once

#include "model/demons.hpp"
#include "sweep/cuda/demon_draw_cuda.cuh"
#include "sweep/demon_rule.hpp"
#include "sweep/sites/site_column_cuda.cuh"

namespace psflip {

// A thread serves one chain (site_chains) in each lane of its 32-lane words. It draws the demons, marches
// along y and keeps demons and rows of the other colour in registers.

/// Holds what the demons of a lattice share in a sweep. A block keeps it in shared memory.
struct SiteDemonTable {
    uint4 planes[all_digits][max_demon];  ///< bit planes of the thresholds: words of all 0 or all 1
    WordRounds rounds[all_digits][lane_words];

    /// All threads of the block must call it.
    template <class Lattice>
    __device__ __forceinline__ void fill(const Lattice& a, std::uint64_t sweep) {
        constexpr unsigned all = all_digits * lane_words;
        for (unsigned i = threadIdx.x; i < all; i += blockDim.x) {
            const unsigned digit = i / lane_words, k = i % lane_words;
            rounds[digit][k] = WordRounds::of(a.seed, sweep, a.slot, a.replica, digit, k);
            if (k >= max_demon) continue;
            const ThresholdBits bits = a.bits(static_cast<int>(k), static_cast<int>(digit));
            planes[digit][k] = {0u - bits.x, 0u - bits.y, 0u - bits.z, 0u - bits.w};
        }
    }
};

/// Compares the random numbers of 32 lanes with the thresholds of their demons, digit by digit.
struct DemonComparison {
    DeviceWord below[max_demon], open[max_demon];

    __device__ __forceinline__ DemonComparison() {
#pragma unroll
        for (int t = 0; t < max_demon; ++t) below[t] = {0}, open[t] = {~0u};
    }
    __device__ __forceinline__ void compare(const RandomBlock& r, const uint4 (&planes)[max_demon]) {
#pragma unroll
        for (int t = 0; t < max_demon; ++t) compare_planes(r, planes[t], below[t], open[t]);
    }
    /// Does not use or3, because ptxas of CUDA 13 crashes on it here.
    __device__ __forceinline__ bool undecided() const {
        return (open[0].bits | open[1].bits | open[2].bits) != 0;
    }
};

/// Draws the demons of a chain by the local index of its first site. After three digits, 2% of the 32-lane
/// words are undecided. Only these words draw more digits.
template <int Words, class Lattice>
__device__ __forceinline__ void draw_site_demons(const Lattice& a, const SiteDemonTable& table,
                                                 std::uint32_t local_index, std::uint32_t first_word,
                                                 Demons<DeviceWord> (&demons)[Words]) {
    constexpr int common = 3;
    const LocalRounds local(a, local_index, Purpose::site_demon);
    DemonComparison lanes[Words];
#pragma unroll 1
    for (int digit = 0; digit < common; ++digit) {
        WordRounds rounds[Words];
        RandomBlock r[Words];
#pragma unroll
        for (int w = 0; w < Words; ++w) rounds[w] = table.rounds[digit][first_word + w];
        draw_planes(local, rounds, {a.seed}, r);
#pragma unroll
        for (int w = 0; w < Words; ++w) lanes[w].compare(r[w], table.planes[digit]);
    }
#pragma unroll
    for (int w = 0; w < Words; ++w) {
#pragma unroll 1
        for (int digit = common; digit < all_digits && lanes[w].undecided(); ++digit) {
            const WordRounds rounds[1] = {table.rounds[digit][first_word + w]};
            RandomBlock r[1];
            draw_planes(local, rounds, {a.seed}, r);
            lanes[w].compare(r[0], table.planes[digit]);
        }
        demons[w] = demons_of(lanes[w].below[0], lanes[w].below[1], lanes[w].below[2]);
    }
}

/// Holds the words of a site and of its neighbours, except for words that a march along y keeps from the
/// previous row.
template <int Degree, int Words>
struct SiteLoads {
    LocalWords<Words> own;
    Near<Degree, Words> near;  ///< without `here` and `below`

    template <class Lattice>
    __device__ __forceinline__ SiteLoads(const Column<Words, Lattice>& column, std::uint32_t y) {
        const Lattice& a = column.a;
        own = words_of_vector<Words>(*vector_at<Words>(
            a.spins + column.row(column.colour, y, column.z) + column.h, column.first_word));
        near.of[1] = column.beside(a.spins, y);
        near.of[2] = column.above(a.spins, y);
        load_across(column, a.spins, y, near);
    }
};

/// Serves the rows of a chain in one plane. For ferromagnets, the function loads the words of the next row
/// before it updates a row. For glasses, one row has enough words to keep the memory busy.
template <int Degree, bool Glass, int Words, class Lattice>
__device__ __forceinline__ void serve_rows(const Column<Words, Lattice>& column, std::uint32_t first_y,
                                           std::uint32_t end_y, Demons<DeviceWord> (&demons)[Words]) {
    const Lattice& a = column.a;
    LocalWords<Words> below = column.below(a.spins, first_y), here = column.here(a.spins, first_y);
    SiteLoads<Degree, Words> next(column, first_y);
#pragma unroll 1
    for (std::uint32_t y = first_y; y < end_y; ++y) {
        SiteLoads<Degree, Words> site = next;
        Near<Degree, Words> bond;
        if constexpr (Glass)
            bond = load_bonds<Degree>(column, y);
        else if (y + 1 < end_y)
            next = SiteLoads<Degree, Words>(column, y + 1);
        site.near.of[0] = here;
        site.near.of[3] = below;
        LocalWords<Words> spins;
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            DeviceWord e[Degree];
            unsatisfied<Glass>(site.own, site.near, bond, w, e);
            spins.word[w] = demon_updated_spin(DeviceWord{site.own.word[w]}, e, demons[w]).bits;
        }
        *vector_at<Words>(a.spins + column.row(column.colour, y, column.z) + column.h, column.first_word) =
            vector_of_words(spins);
        below = here;
        here = site.near.of[2];
        if (Glass && y + 1 < end_y) next = SiteLoads<Degree, Words>(column, y + 1);
    }
}

/// Serves the chains of one colour. Threads are numbered by their words of a local index (fastest), then h,
/// segments and layers.
template <int Degree, bool Glass, int Words, class Lattice>
__device__ __forceinline__ void serve_chains(const Lattice& a, const DemonChains& chains,
                                             const SiteDemonTable& table, std::uint32_t colour) {
    constexpr std::uint32_t split = lane_words / Words;
    const auto rows = static_cast<std::uint32_t>(chains.rows),
               planes = static_cast<std::uint32_t>(chains.planes),
               segments = static_cast<std::uint32_t>(chains.segments()),
               layers = static_cast<std::uint32_t>(chains.layers());
    const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= split * a.row_words * segments * layers) return;
    const std::uint32_t at = number / split, chunk = at / a.row_words, first_word = Words * (number % split),
                        h = at % a.row_words, first_y = chunk % segments * rows,
                        first_z = chunk / segments * planes, end_y = min(first_y + rows, a.ny),
                        end_z = min(first_z + planes, a.nz);
    Demons<DeviceWord> demons[Words];
    draw_site_demons(a, table, Column<Words, Lattice>{a, first_word, h, first_z, colour}.local_index(first_y),
                     first_word, demons);
#pragma unroll 1
    for (std::uint32_t z = first_z; z < end_z; ++z)
        serve_rows<Degree, Glass>(Column<Words, Lattice>{a, first_word, h, z, colour}, first_y, end_y,
                                  demons);
}

}  // namespace psflip
