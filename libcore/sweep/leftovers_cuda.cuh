#pragma once

#include "sweep/slot_table_cuda.cuh"

namespace psflip {

/// The words of 32 lanes that two digits have left undecided, about one in nine. They wait in a queue of the
/// warp in shared memory until there are 32 of them, for which then every thread draws one digit:
///
///   two digits of a warp's words --undecided words--> queue --32 at a time--> next digit --flips--> spins
///                                                       ^--------- every 16th is still undecided ---'
///
/// All threads of the warp must call together.
struct Leftovers {
    static constexpr std::uint32_t capacity = 48, first_digit = 2, last_digit = SlotTable::digits - 1;

    /// Words with their bond counts and undecided lanes, and where they are: `at` is the word of the site (0
    /// to 3) + 4 * slot (after the first) + 256 * digit.
    struct Entries {
        uint4 word[capacity];   ///< ones, twos, undecided, at
        uint2 place[capacity];  ///< position in the lattice, standard site
    };
    static_assert(sizeof(Entries) == 32 * leftover_bytes_per_thread);

    Entries& entries;
    std::uint32_t bit;    ///< 1 << thread of the warp
    std::uint32_t count;  ///< of entries; the same in all threads

    /// `memory`: leftover_bytes_per_thread for each thread of the block.
    __device__ __forceinline__ explicit Leftovers(uint4* memory)
        : entries(reinterpret_cast<Entries*>(memory)[threadIdx.x / 32]),
          bit(1u << threadIdx.x % 32),
          count(0) {}

    /// Takes up what is undecided of a site, whose spins have been stored, in the k-th slot after the first.
    /// Decides 32 entries whenever there is no room. d: of the site.
    template <class Lattices>
    __device__ __forceinline__ void add(const SlotTable* tables, const Lattices& lattices,
                                        const PhiloxKeys& keys, const SiteDraw& d, std::uint32_t k,
                                        std::uint32_t position, const LaneComparison (&lanes)[site_words]) {
        std::uint32_t threads[site_words], wanted = 0;  // threads that wait with their word w
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            threads[w] = __ballot_sync(~0u, lanes[w].equal.bits != 0);
            wanted += __popc(threads[w]);
        }
        const auto append = [&](std::uint32_t w) {
            if ((threads[w] & bit) != 0) {
                const std::uint32_t i = count + __popc(threads[w] & (bit - 1));
                entries.word[i] = {lanes[w].ones.bits, lanes[w].twos.bits, lanes[w].equal.bits,
                                   w + 4 * k + 256 * first_digit};
                entries.place[i] = {position, d.site};
            }
            count += __popc(threads[w]);
        };
        while (__any_sync(~0u, count + wanted > capacity)) {
            if (__any_sync(~0u, count != 0)) {
                decide(tables, lattices, keys, d);
                continue;
            }
            // More than the empty queue takes: only one word, the first.
            bool done = false;
#pragma unroll
            for (std::uint32_t w = 0; w < site_words; ++w) {
                if (done || threads[w] == 0) continue;
                append(w);
                wanted -= __popc(threads[w]);
                threads[w] = 0;
                done = true;
            }
        }
#pragma unroll
        for (std::uint32_t w = 0; w < site_words; ++w) append(w);
    }

    /// Decides all.
    template <class Lattices>
    __device__ __forceinline__ void finish(const SlotTable* tables, const Lattices& lattices,
                                           const PhiloxKeys& keys, const SiteDraw& d) {
        while (__any_sync(~0u, count != 0)) decide(tables, lattices, keys, d);
    }

  private:
    /// Draws the next digit of the last 32 entries, or of all if there are fewer.
    template <class Lattices>
    __device__ __forceinline__ void decide(const SlotTable* tables, const Lattices& lattices,
                                           const PhiloxKeys& keys, const SiteDraw& d) {
        const std::uint32_t first = count > 32 ? count - 32 : 0, mine = first + threadIdx.x % 32;
        __syncwarp();
        uint4 word{};
        uint2 place{};
        if (mine < count) {
            word = entries.word[mine];
            place = entries.place[mine];
        }
        __syncwarp();
        const std::uint32_t w = word.w & 3, k = word.w >> 2 & 63, digit = word.w >> 8;
        const SlotTable& table = tables[k];
        const RandomBlock r =
            table.draw(keys, SiteRounds<1>(keys, place.y, d.first_realization / 32 + w), d.sweep, digit);
        LaneComparison c{{word.x}, {word.y}, {word.z}, {0}, {word.z}};
        c.compare<3>(r, table.c4[digit], table.c8[digit], table.c12[digit]);
        const std::uint32_t flips = c.less.bits & word.z;
        if (flips != 0) lattices.flip(place.x, k, w, flips);
        const bool again = c.equal.bits != 0 && digit < last_digit;
        const std::uint32_t threads = __ballot_sync(~0u, again);
        if (again) {
            const std::uint32_t i = first + __popc(threads & (bit - 1));
            entries.word[i] = {word.x, word.y, c.equal.bits, word.w + 256};
            entries.place[i] = place;
        }
        count = first + __popc(threads);
    }
};

}  // namespace psflip
