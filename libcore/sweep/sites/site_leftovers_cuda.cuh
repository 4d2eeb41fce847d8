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

/// Queues the undecided words of a block in shared memory. The first warps of the block decide them, two
/// digits at once.
template <int Degree>
struct BlockLeftovers {
    uint4* left;  ///< (entry): ones, twos, undecided, word
    std::uint32_t* local_index;
    std::uint32_t* count;  ///< number of entries, in shared memory

    /// Appends the words with undecided lanes. The thread's words begin at index `word`. All threads of a
    /// warp must call it.
    template <int Words>
    __device__ __forceinline__ void add(const LaneComparison (&lanes)[Words], std::uint32_t word,
                                        std::uint32_t at) const {
        std::uint32_t threads[Words], all = 0;
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            threads[w] = __ballot_sync(~0u, lanes[w].equal.bits != 0);
            all += __popc(threads[w]);
        }
        if (all == 0) return;
        const std::uint32_t lane = threadIdx.x % 32;
        std::uint32_t first = lane == 0 ? reserve(all) : 0;
        first = __shfl_sync(~0u, first, 0);
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            const LaneComparison& l = lanes[w];
            if (l.equal.bits != 0) {
                const std::uint32_t i = first + __popc(threads[w] & ((1u << lane) - 1));
                left[i] = {l.ones.bits, l.twos.bits, l.equal.bits, word + w};
                local_index[i] = at;
            }
            first += __popc(threads[w]);
        }
    }
    /// Decides all queued words and flips their lanes in `words`, in shared memory. All threads must call it,
    /// after a barrier. Two threads share a word: one draws the even digits, the other draws the odd digits.
    template <class Lattice>
    __device__ __forceinline__ void decide(const Lattice& a, std::uint64_t sweep,
                                           std::uint32_t* words) const {
        const std::uint32_t all = *count, half = threadIdx.x % 2;
#pragma unroll 1
        for (std::uint32_t first = threadIdx.x / 32 * 16; first < all; first += blockDim.x / 2) {
            const std::uint32_t i = first + threadIdx.x % 32 / 2;
            const bool has = i < all;
            const uint4 v = has ? left[i] : uint4{};
            LeftWord mine{v.x, v.y, v.z, v.w, has ? local_index[i] : 0};
            std::uint32_t flips = 0;
#pragma unroll 1
            for (std::uint32_t digit = full_digits; digit < all_digits; digit += 2) {
                flips |= decide_two_digits(a, sweep, digit + half, mine);
                if (!__any_sync(~0u, mine.undecided != 0)) break;
            }
            if (has && half == 0) words[mine.word] ^= flips;
        }
    }

  private:
    /// Reserves room for entries. Written in assembly, because the compiler adds up the requests of a warp,
    /// which takes longer than the one request of its first thread.
    __device__ __forceinline__ std::uint32_t reserve(std::uint32_t entries) const {
        std::uint32_t before;
        asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(count))), "r"(entries)
                     : "memory");
        return before;
    }
    /// Returns the lanes that flip, to both threads of a word. The first thread has the more significant
    /// digit.
    template <class Lattice>
    __device__ __forceinline__ static std::uint32_t decide_two_digits(const Lattice& a, std::uint64_t sweep,
                                                                      std::uint32_t digit, LeftWord& left) {
        const LaneComparison c = compare_digit<Degree>(a, sweep, digit, left);
        const std::uint32_t less = __shfl_xor_sync(~0u, c.less.bits, 1),
                            equal = __shfl_xor_sync(~0u, c.equal.bits, 1);
        const bool second = digit % 2 != 0;
        const std::uint32_t below =
            second ? less | (equal & c.less.bits) : c.less.bits | (c.equal.bits & less);
        const std::uint32_t flips = below & left.undecided;
        left.undecided = c.equal.bits & equal;
        return flips;
    }
};

}  // namespace psflip
