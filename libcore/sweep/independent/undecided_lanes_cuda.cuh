#pragma once

#include "sweep/independent/independent_rules_cuda.cuh"

namespace psflip {

/// Queues words of 32 lanes that have undecided lanes after two digits: about one word in nine. Each warp has
/// a queue in shared memory. If the queue is full, every thread draws the next digit of one queued word:
///
///   two digits of a warp's words --undecided words--> queue --32 at a time--> next digit --flips--> spins
///                                                       ^--------- every 16th is still undecided ---'
///
/// All threads of the warp must call the functions together.
template <class Rule>
struct UndecidedLanes {
    using Lanes = typename Rule::Lanes;
    using Table = typename Rule::Table;
    static constexpr std::uint32_t capacity = 48, first_digit = 2, last_digit = SlotRounds::digits - 1;
    static constexpr int more = Rule::selectors - 2;

    /// Holds selectors of words (independent_rules_cuda.cuh), undecided lanes and place. `at` is word of the
    /// site (0 to 3) + 4 * lattice + 256 * digit.
    struct Words {
        uint4 word[capacity];   ///< the first two selectors, undecided, at
        uint2 place[capacity];  ///< address in the first lattice, standard site
    };
    struct WordsAndMore : Words {
        std::uint32_t selector[more > 0 ? more : 1][capacity];  ///< the other selectors
    };
    using Entries = std::conditional_t<(more > 0), WordsAndMore, Words>;
    /// Bytes of shared memory of the queue for each thread.
    static constexpr int bytes_per_thread = sizeof(Entries) / 32;
    static_assert(sizeof(Entries) % 32 == 0);

    Entries& entries;
    std::uint32_t before;  ///< mask of the threads of the warp before this thread
    std::uint32_t count;   ///< number of entries, equal in all threads

    /// `memory` has bytes_per_thread for each thread of the block.
    __device__ __forceinline__ explicit UndecidedLanes(uint4* memory)
        : entries(reinterpret_cast<Entries*>(memory)[threadIdx.x / 32]),
          before((1u << threadIdx.x % 32) - 1),
          count(0) {}

    /// Adds the undecided lanes of a site in the k-th lattice. The spins of the site must be stored before.
    /// While there is no room, draws a digit for 32 entries. d determines the random numbers of the site.
    template <class Lattices>
    __device__ __forceinline__ void add(const Table* tables, const Lattices& lattices, const PhiloxKeys& keys,
                                        const SiteDraw& d, std::uint32_t k, std::uint32_t own,
                                        Lanes (&lanes)[site_words]) {
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
    __device__ __forceinline__ void finish(const Table* tables, const Lattices& lattices,
                                           const PhiloxKeys& keys, const SiteDraw& d) {
        while (__any_sync(~0u, count != 0)) decide(tables, lattices, keys, d);
    }

  private:
    __device__ __forceinline__ void append(std::uint32_t i, const Lanes& lanes, std::uint32_t k,
                                           std::uint32_t w, std::uint32_t own, std::uint32_t site) {
        if (lanes.equal.bits == 0) return;
        DeviceWord selector[Rule::selectors];
        Rule::selectors_of(lanes, selector);
        entries.word[i] = {selector[0].bits, selector[1].bits, lanes.equal.bits,
                           w + 4 * k + 256 * first_digit};
        entries.place[i] = {own, site};
        store_more(i, selector);
    }

    __device__ __forceinline__ void store_more(std::uint32_t i,
                                               const DeviceWord (&selector)[Rule::selectors]) {
        if constexpr (more > 0)
#pragma unroll
            for (int n = 0; n < more; ++n) entries.selector[n][i] = selector[2 + n].bits;
    }

    /// Draws the next digit of the last 32 entries, or of all if there are fewer.
    template <class Lattices>
    __device__ __forceinline__ void decide(const Table* tables, const Lattices& lattices,
                                           const PhiloxKeys& keys, const SiteDraw& d) {
        const std::uint32_t first = count > 32 ? count - 32 : 0, mine = first + threadIdx.x % 32;
        __syncwarp();
        uint4 word{};
        uint2 place{};
        DeviceWord selector[Rule::selectors]{};
        if (mine < count) {
            word = entries.word[mine];
            place = entries.place[mine];
            if constexpr (more > 0)
#pragma unroll
                for (int n = 0; n < more; ++n) selector[2 + n] = {entries.selector[n][mine]};
        }
        selector[0] = {word.x};
        selector[1] = {word.y};
        __syncwarp();
        const std::uint32_t w = word.w & 3, k = word.w >> 2 & 63, digit = word.w >> 8;
        const Table& table = tables[k];
        RandomBlock r[1];
        table.draw(keys, SiteRounds<1>(keys, place.y, d.first_realization / 32 + w), digit, r);
        const QueuedLanes c = Rule::compare_queued(table, digit, r[0], selector, {word.z});
        if (c.less.bits != 0) lattices.flip(place.x, k, w, c.less.bits);
        const bool again = c.equal.bits != 0 && digit < last_digit;
        const std::uint32_t threads = __ballot_sync(~0u, again);
        if (again) {
            const std::uint32_t i = first + __popc(threads & before);
            entries.word[i] = {word.x, word.y, c.equal.bits, word.w + 256};
            entries.place[i] = place;
            store_more(i, selector);
        }
        count = first + __popc(threads);
    }
};

}  // namespace psflip
