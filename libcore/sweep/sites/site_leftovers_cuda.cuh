#pragma once

#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Holds a 32-lane word that has undecided lanes after two digits. About one word in nine is such a word.
struct LeftWord {
    std::uint32_t ones, twos, undecided;
    std::uint32_t word;         ///< its index in an array of 32-lane words
    std::uint32_t local_index;  ///< local index in the subdomain
};

/// Draws a digit of an undecided word and compares it with the thresholds. `less` and `equal` of the result
/// are the lanes in which the digit is less, and equal.
template <int Degree, class Lattice>
__device__ __forceinline__ LaneComparison compare_digit(const Lattice& a, std::uint64_t sweep,
                                                        std::uint32_t digit, const LeftWord& left) {
    const Counter base =
        make_counter(Purpose::site_bits, left.local_index, sweep, a.slot, a.replica, digit, a.realization);
    const Counter counter{base.site, base.sweep_low, base.fields | left.word % lane_words << lane_word_shift,
                          base.pack_purpose};
    const RandomBlock r = philox(counter, a.seed);
    LaneComparison c{{left.ones}, {left.twos}, {left.undecided}, {0}, {left.undecided}};
    c.compare<Degree / 2>(r, a.bits(0, digit), a.bits(1, digit), a.bits(2, digit));
    return c;
}

/// Draws a digit of an undecided word, reduces its undecided lanes, and returns the lanes that flip.
template <int Degree, class Lattice>
__device__ __forceinline__ std::uint32_t decide_digit(const Lattice& a, std::uint64_t sweep,
                                                      std::uint32_t digit, LeftWord& left) {
    const LaneComparison c = compare_digit<Degree>(a, sweep, digit, left);
    const std::uint32_t flips = c.less.bits & left.undecided;
    left.undecided = c.equal.bits;
    return flips;
}

/// Queues the undecided words of a warp in shared memory. When the queue has 32 words, every thread draws one
/// digit of one word. All threads of the warp must call the functions together.
template <int Degree, int Words>
struct WarpLeftovers {
    static constexpr std::uint32_t capacity = 32 + 32 * Words, digit_shift = 28;
    static constexpr unsigned bytes_per_thread = capacity * 20 / 32;

    struct Entries {
        uint4 left[capacity];  ///< ones, twos, undecided, word and digit
        std::uint32_t local_index[capacity];
    };
    Entries& entries;
    std::uint32_t* spins;  ///< 32-lane words of the lattice
    std::uint64_t sweep;
    std::uint32_t count = 0;  ///< number of entries, equal in all threads

    template <class Lattice>
    __device__ __forceinline__ WarpLeftovers(uint4* memory, const Lattice& a, std::uint64_t sweep_)
        : entries(reinterpret_cast<Entries*>(memory)[threadIdx.x / 32]),
          spins(reinterpret_cast<std::uint32_t*>(a.spins)),
          sweep(sweep_) {}

    /// Appends the words with undecided lanes. The thread has stored its words, from index `word` on.
    template <class Lattice>
    __device__ __forceinline__ void add(const Lattice& a, const LaneComparison (&lanes)[Words],
                                        std::uint32_t word, std::uint32_t local_index) {
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            const LaneComparison& l = lanes[w];
            append(l.equal.bits != 0, {l.ones.bits, l.twos.bits, l.equal.bits, word + w, local_index},
                   full_digits);
        }
        while (count >= 32) decide(a);
    }
    template <class Lattice>
    __device__ __forceinline__ void finish(const Lattice& a) {
        while (count > 0) decide(a);
    }

  private:
    __device__ __forceinline__ void append(bool wanted, const LeftWord& left, std::uint32_t digit) {
        const std::uint32_t threads = __ballot_sync(~0u, wanted);
        if (wanted) {
            const std::uint32_t i = count + __popc(threads & ((1u << threadIdx.x % 32) - 1));
            entries.left[i] = {left.ones, left.twos, left.undecided, left.word | digit << digit_shift};
            entries.local_index[i] = left.local_index;
        }
        count += __popc(threads);
    }
    /// Draws a digit of the last 32 entries, or of all if there are fewer.
    template <class Lattice>
    __device__ __forceinline__ void decide(const Lattice& a) {
        const std::uint32_t first = count > 32 ? count - 32 : 0, mine = first + threadIdx.x % 32;
        const bool has = mine < count;
        __syncwarp();
        const uint4 v = has ? entries.left[mine] : uint4{};
        LeftWord left{v.x, v.y, v.z, v.w & ((1u << digit_shift) - 1), has ? entries.local_index[mine] : 0};
        __syncwarp();
        const std::uint32_t digit = v.w >> digit_shift;
        const std::uint32_t flips = decide_digit<Degree>(a, sweep, digit, left);
        if (flips != 0) atomicXor(spins + left.word, flips);
        count = first;
        append(left.undecided != 0 && digit + 1 < all_digits, left, digit + 1);
    }
};

/// Queues the undecided words of a warp in shared memory and decides them at once. All threads of the warp
/// must call the functions together.
template <int Degree, int Words>
struct TileLeftovers {
    uint4* left;              ///< (entry): ones, twos, undecided, word of the thread and its lane
    std::uint32_t count = 0;  ///< number of entries, equal in all threads

    /// The array has 32 * Words entries for each warp.
    __device__ __forceinline__ explicit TileLeftovers(uint4* left_)
        : left(left_ + threadIdx.x / 32 * 32 * Words) {}

    /// Queues the words with undecided lanes.
    __device__ __forceinline__ void queue(const LaneComparison (&lanes)[Words]) {
        std::uint32_t before;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            const LaneComparison& l = lanes[w];
            const bool wanted = l.equal.bits != 0;
            const std::uint32_t threads = __ballot_sync(~0u, wanted), i = count + __popc(threads & before);
            if (wanted) left[i] = {l.ones.bits, l.twos.bits, l.equal.bits, 32 * w + threadIdx.x % 32};
            count += __popc(threads);
        }
        __syncwarp();
    }
    /// Decides the queued words and flips their lanes in `words`, in shared memory. The first 32 words have
    /// one thread each. Threads without a word draw the digit after the next one for another thread. rounds:
    /// WordRounds (digit, word). The words of the calling thread begin at index `own`, and `site` has the
    /// rounds of their local index. meanwhile() is work that hides the latency of the first draws.
    template <class Lattice, class Work>
    __device__ __forceinline__ void decide(const Lattice& a, const uint4* rounds, std::uint32_t* words,
                                           std::uint32_t own, const LocalRounds& site,
                                           const Work& meanwhile) const {
        const std::uint32_t lane = threadIdx.x % 32, mine = min(count, 32u);
        const bool helps = lane >= mine, has_help = lane + mine < 32;
        Entry e(*this, helps ? lane - mine : lane, mine, own, site);
        LaneComparison c = drawn(a, rounds, e, e.left.z, full_digits + helps);
        meanwhile();
        const std::uint32_t less = __shfl_sync(~0u, c.less.bits, lane + mine),
                            equal = __shfl_sync(~0u, c.equal.bits, lane + mine);
        std::uint32_t flips = c.less.bits | (has_help ? c.equal.bits & less : 0),
                      undecided = helps      ? 0
                                  : has_help ? c.equal.bits & equal
                                             : c.equal.bits,
                      digit = full_digits + 1 + has_help;
        e.has = !helps;
        for (std::uint32_t first = 32;; first += 32) {
#pragma unroll 1
            while (__any_sync(~0u, undecided != 0)) {
                c = drawn(a, rounds, e, undecided, min(digit, all_digits - 1u));
                flips |= c.less.bits;
                undecided = ++digit < all_digits ? c.equal.bits : 0;
            }
            if (e.has) words[e.word] ^= flips;
            if (first >= count) return;
            e = Entry(*this, first + lane, count, own, site);
            flips = 0;
            undecided = e.left.z;
            digit = full_digits;
        }
    }

  private:
    /// Holds the entry of a thread, or zeros.
    struct Entry {
        bool has;
        uint4 left{};
        std::uint32_t word;  ///< its index among the 32-lane words of the tile
        LocalRounds local;

        __device__ __forceinline__ Entry(const TileLeftovers& of, std::uint32_t i, std::uint32_t end,
                                         std::uint32_t own, const LocalRounds& site)
            : has(i < end), local(site) {
            if (has) left = of.left[i];
            const std::uint32_t from = left.w % 32;
            word = __shfl_sync(~0u, own, from) + left.w / 32;
            local.p0_low = __shfl_sync(~0u, site.p0_low, from);
            local.p1_low = __shfl_sync(~0u, site.p1_low, from);
            local.p1_high = __shfl_sync(~0u, site.p1_high, from);
        }
    };
    /// Draws a digit of an entry and compares its undecided lanes. `less` and `equal` of the result are among
    /// them.
    template <class Lattice>
    __device__ __forceinline__ static LaneComparison drawn(const Lattice& a, const uint4* rounds,
                                                           const Entry& e, std::uint32_t undecided,
                                                           std::uint32_t digit) {
        const uint4 r = rounds[digit * lane_words + e.word % lane_words];
        const WordRounds of[1] = {{r.x, r.y, r.z}};
        RandomBlock block[1];
        draw_planes(e.local, of, {a.seed}, block);
        LaneComparison c{{e.left.x}, {e.left.y}, {undecided}, {0}, {undecided}};
        c.compare<Degree / 2>(block[0], a.bits(0, digit), a.bits(1, digit), a.bits(2, digit));
        c.less.bits &= undecided;
        return c;
    }
};

}  // namespace psflip
