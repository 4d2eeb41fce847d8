#pragma once

#include "sweep/independent/slot_table_cuda.cuh"

namespace psflip {

/// Bytes of shared memory of the queue for each thread.
inline constexpr int undecided_bytes_per_thread = 36;

/// Queues words of 32 lanes that have undecided lanes after two digits: about one word in nine. Each warp has
/// a queue in shared memory. If the queue is full, every thread draws the next digit of one queued word:
///
///   two digits of a warp's words --undecided words--> queue --32 at a time--> next digit --flips--> spins
///                                                       ^--------- every 16th is still undecided ---'
///
/// All threads of the warp must call the functions together.
struct UndecidedLanes {
    static constexpr std::uint32_t capacity = 48, first_digit = 2, last_digit = SlotTable::digits - 1;

    /// Holds words with u (LaneComparison), undecided lanes and place. `at` is word of the site (0 to 3) + 4
    /// * lattice + 256 * digit.
    struct Entries {
        uint4 word[capacity];   ///< ones, twos, undecided, at
        uint2 place[capacity];  ///< address in the first lattice, standard site
    };
    static_assert(sizeof(Entries) == 32 * undecided_bytes_per_thread);

    Entries& entries;
    std::uint32_t before;  ///< mask of the threads of the warp before this thread
    std::uint32_t count;   ///< number of entries, equal in all threads

    /// `memory` has undecided_bytes_per_thread for each thread of the block.
    __device__ __forceinline__ explicit UndecidedLanes(uint4* memory)
        : entries(reinterpret_cast<Entries*>(memory)[threadIdx.x / 32]),
          before((1u << threadIdx.x % 32) - 1),
          count(0) {}

    /// Adds the undecided lanes of a site in the k-th lattice. The spins of the site must be stored before.
    /// While there is no room, draws a digit for 32 entries. d determines the random numbers of the site.
    template <class Lattices>
    __device__ __forceinline__ void add(const SlotTable* tables, const Lattices& lattices,
                                        const PhiloxKeys& keys, const SiteDraw& d, std::uint32_t k,
                                        std::uint32_t own, LaneComparison (&lanes)[site_words]) {
        std::uint32_t threads[site_words], wanted = 0;  // threads that wait with their word w
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            threads[w] = __ballot_sync(~0u, lanes[w].equal.bits != 0);
            wanted += __popc(threads[w]);
        }
        while (__any_sync(~0u, count + wanted > capacity)) {
            if (__any_sync(~0u, count != 0)) {
                decide(tables, lattices, keys, d);
                continue;
            }
            // The empty queue has too little room: it takes only the first word.
            bool done = false;
#pragma unroll
            for (std::uint32_t w = 0; w < site_words; ++w) {
                if (done || threads[w] == 0) continue;
                append(count + __popc(threads[w] & before), lanes[w], k, w, own, d.site);
                count += __popc(threads[w]);
                wanted -= __popc(threads[w]);
                threads[w] = 0;
                lanes[w].equal = {0};
                done = true;
            }
        }
        std::uint32_t i[site_words];
#pragma unroll
        for (int w = 0; w < site_words; ++w) {
            i[w] = count + __popc(threads[w] & before);
            count += __popc(threads[w]);
        }
#pragma unroll
        for (std::uint32_t w = 0; w < site_words; ++w) append(i[w], lanes[w], k, w, own, d.site);
    }

    /// Decides all entries.
    template <class Lattices>
    __device__ __forceinline__ void finish(const SlotTable* tables, const Lattices& lattices,
                                           const PhiloxKeys& keys, const SiteDraw& d) {
        while (__any_sync(~0u, count != 0)) decide(tables, lattices, keys, d);
    }

  private:
    __device__ __forceinline__ void append(std::uint32_t i, const LaneComparison& lanes, std::uint32_t k,
                                           std::uint32_t w, std::uint32_t own, std::uint32_t site) {
        if (lanes.equal.bits == 0) return;
        entries.word[i] = {lanes.ones.bits, lanes.twos.bits, lanes.equal.bits, w + 4 * k + 256 * first_digit};
        entries.place[i] = {own, site};
    }

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
            table.draw(keys, SiteRounds<1>(keys, place.y, d.first_realization / 32 + w), digit);
        LaneComparison c{{word.x}, {word.y}, {word.z}, {0}, {word.z}};
        c.compare<3>(r, table.c4[digit], table.c8[digit], table.c12[digit]);
        const std::uint32_t flips = c.less.bits & word.z;
        if (flips != 0) lattices.flip(place.x, k, w, flips);
        const bool again = c.equal.bits != 0 && digit < last_digit;
        const std::uint32_t threads = __ballot_sync(~0u, again);
        if (again) {
            const std::uint32_t i = first + __popc(threads & before);
            entries.word[i] = {word.x, word.y, c.equal.bits, word.w + 256};
            entries.place[i] = place;
        }
        count = first + __popc(threads);
    }
};

}  // namespace psflip
