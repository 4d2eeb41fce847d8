#pragma once

#include <type_traits>

#include "sweep/independent/independent_cuda.cuh"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

/// What the first two rounds of Philox share between positions, for a digit and a word of 32 lanes.
struct WordRounds {
    std::uint32_t c0, c2, c3;

    PSFLIP_HD static WordRounds of(std::uint64_t seed, std::uint64_t sweep, std::uint32_t slot,
                                   std::uint32_t replica, std::uint32_t digit, std::uint32_t lane_word) {
        const Counter c = make_counter(Purpose::site_bits, 0, sweep, slot, replica, digit, 0);
        const auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
        const std::uint64_t p1 = wide_product(philox_m1, c.fields | lane_word << lane_word_shift);
        const std::uint64_t p0 =
            wide_product(philox_m0, static_cast<std::uint32_t>(p1 >> 32) ^ c.sweep_low ^ key0);
        return {static_cast<std::uint32_t>(p1) ^ (key0 + philox_w0),
                static_cast<std::uint32_t>(p0 >> 32) ^ (key1 + philox_w1), static_cast<std::uint32_t>(p0)};
    }
};

/// Digits that are drawn for all words at once; then words with undecided lanes are left over.
inline constexpr int full_digits = 2, all_digits = 8;

/// What lattices of a batch have in common.
struct SitesShape {
    std::uint32_t row_words, ny, nz, colour_words;
    LaneStep step[3];
    std::uint64_t seed;  ///< the key
};

/// A lattice whose boxes are lanes in device memory, and what all its updates share.
struct SitesArgs : SitesShape {
    uint4* spins;            ///< (word): see SiteLanes
    const uint4* couplings;  ///< (direction, word), 1 where J = -1; null: all J = 1
    std::uint32_t realization, replica, slot;
    ThresholdBits thresholds[3][all_digits];  ///< c4, c8, c12
    int counts[full_digits];  ///< how many of the thresholds, from c4 on, have bits in this digit

    PSFLIP_HD ThresholdBits bits(int threshold, int digit) const { return thresholds[threshold][digit]; }
    PSFLIP_HD int count(int digit) const { return counts[digit]; }
    /// Of spins of the other colour, or couplings.
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return __ldg(from);
    }
};

/// Lattices that one launch updates: in the order (realization, replica, slot), number = blockIdx.y.
struct BatchArgs : SitesShape {
    uint4* spins;                ///< (place, word)
    const uint4* couplings;      ///< (realization, direction, word); null: all J = 1
    std::size_t coupling_words;  ///< of a realization
    const std::uint32_t* place;  ///< of each number: exchanges move temperatures, not spins
    std::uint32_t first_realization, replicas, slots;
    std::uint32_t thresholds[max_temperatures][3];  ///< (slot): c4, c8, c12
};

/// The one of a block, with the names of SitesArgs.
struct BatchLattice {
    const std::uint32_t row_words, ny, nz, colour_words;
    const LaneStep (&step)[3];
    const std::uint64_t seed;
    uint4* spins;
    const uint4* couplings;
    std::uint32_t realization, replica, slot, thresholds[3];

    __device__ __forceinline__ explicit BatchLattice(const BatchArgs& batch)
        : row_words(batch.row_words),
          ny(batch.ny),
          nz(batch.nz),
          colour_words(batch.colour_words),
          step(batch.step),
          seed(batch.seed) {
        const std::uint32_t pair = blockIdx.y / batch.slots, in_batch = pair / batch.replicas;
        slot = blockIdx.y - pair * batch.slots;
        replica = pair - in_batch * batch.replicas;
        realization = batch.first_realization + in_batch;
        spins = batch.spins + std::size_t{__ldg(batch.place + blockIdx.y)} * 2 * colour_words;
        couplings = batch.couplings == nullptr ? nullptr : batch.couplings + in_batch * batch.coupling_words;
#pragma unroll
        for (int i = 0; i < 3; ++i) thresholds[i] = batch.thresholds[slot][i];
    }
    __device__ __forceinline__ ThresholdBits bits(int threshold, int digit) const {
        return threshold_bits(thresholds[threshold] << 4 * digit);
    }
    __device__ __forceinline__ int count(int digit) const {
        int count = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i)
            if (thresholds[i] >> (28 - 4 * digit) & 15) count = i + 1;
        return count;
    }
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return __ldg(from);
    }
};

/// The same with its spins in shared memory.
struct ResidentLattice : BatchLattice {
    __device__ __forceinline__ ResidentLattice(const BatchArgs& batch, uint4* shared) : BatchLattice(batch) {
        spins = shared;
    }
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return *from;
    }
};

/// What the numbers of a step share. A launch has them by value; one of a graph, which is launched again and
/// again, finds them in device memory.
struct StepNumbers {
    std::uint64_t sweep;
    WordRounds rounds[full_digits][lane_words];

    template <class Lattice>
    PSFLIP_HD static StepNumbers of(const Lattice& a, std::uint64_t sweep) {
        StepNumbers numbers{sweep, {}};
        for (int digit = 0; digit < full_digits; ++digit)
            for (int w = 0; w < lane_words; ++w)
                numbers.rounds[digit][w] =
                    WordRounds::of(a.seed, sweep, a.slot, a.replica, static_cast<std::uint32_t>(digit),
                                   static_cast<std::uint32_t>(w));
        return numbers;
    }
};

/// What the numbers of a position share between words and digits.
struct PositionRounds {
    std::uint32_t p0_low, p1_low, p1_high;

    template <class Lattice>
    __device__ __forceinline__ PositionRounds(const Lattice& a, std::uint32_t position) {
        const Counter c = make_counter(Purpose::site_bits, 0, 0, 0, 0, 0, a.realization);
        const std::uint64_t p0 = wide_product(philox_m0, position);
        const std::uint64_t p1 =
            wide_product(philox_m1, high_word(p0) ^ c.pack_purpose ^ PhiloxKeys{a.seed}.high(0));
        p0_low = low_word(p0);
        p1_low = low_word(p1);
        p1_high = high_word(p1);
    }
};

/// The four planes of a digit for words of a position: per word 16 multiplications and 18 logic operations.
template <int Words>
__device__ __forceinline__ void draw_planes(const PositionRounds& position, const WordRounds (&rounds)[Words],
                                            const PhiloxKeys& keys, RandomBlock (&r)[Words]) {
#pragma unroll
    for (int w = 0; w < Words; ++w)
        r[w] = {
            {position.p1_high ^ rounds[w].c0, position.p1_low, position.p0_low ^ rounds[w].c2, rounds[w].c3}};
#pragma unroll
    for (int round = 2; round < philox_rounds; ++round)
#pragma unroll
        for (int w = 0; w < Words; ++w) philox_round(r[w].word, keys, round);
}

/// Compares a digit of all words; which thresholds have bits in it is the same for all threads.
template <int Degree, int Words, class Lattice>
__device__ __forceinline__ void compare_plain_digit(const Lattice& a, int digit,
                                                    const RandomBlock (&r)[Words],
                                                    LaneComparison (&lanes)[Words]) {
    const auto each = [&](auto compare) {
#pragma unroll
        for (int w = 0; w < Words; ++w) compare(lanes[w], r[w]);
    };
    const ThresholdBits c4 = a.bits(0, digit), c8 = a.bits(1, digit), c12 = a.bits(2, digit);
    const int count = a.count(digit);
    if (count == 0)
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare_zero(b); });
    else if (count == 1)
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<1>(b, c4, {}, {}); });
    else if (Degree == 4 || count == 2)
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<2>(b, c4, c8, {}); });
    else
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<3>(b, c4, c8, c12); });
}

/// 4, 2 or 1 of the words of a position, as memory is read.
template <int Words>
struct PositionWords {
    std::uint32_t word[Words];
};
template <int Words>
using WordVector =
    std::conditional_t<Words == 4, uint4, std::conditional_t<Words == 2, uint2, std::uint32_t>>;

template <int Words>
__device__ __forceinline__ PositionWords<Words> words_of_vector(const WordVector<Words>& v) {
    if constexpr (Words == 4)
        return {{v.x, v.y, v.z, v.w}};
    else if constexpr (Words == 2)
        return {{v.x, v.y}};
    else
        return {{v}};
}
template <int Words>
__device__ __forceinline__ WordVector<Words> vector_of_words(const PositionWords<Words>& w) {
    if constexpr (Words == 4)
        return {w.word[0], w.word[1], w.word[2], w.word[3]};
    else if constexpr (Words == 2)
        return {w.word[0], w.word[1]};
    else
        return w.word[0];
}
/// Words from number `first` on of a position, a multiple of Words.
template <int Words, class Position>
__device__ __forceinline__ auto* vector_at(Position* at, std::uint32_t first) {
    using Vector = std::conditional_t<std::is_const_v<Position>, const WordVector<Words>, WordVector<Words>>;
    return reinterpret_cast<Vector*>(at) + first / Words;
}

template <class Lattice, int Words>
__device__ __forceinline__ PositionWords<Words> load_words(const uint4* array, std::uint32_t at,
                                                           std::uint32_t first) {
    return words_of_vector<Words>(Lattice::load(vector_at<Words>(array + at, first)));
}

/// Likewise with lanes moved to the next box or the one before.
template <class Lattice, int Words>
__device__ __forceinline__ PositionWords<Words> load_stepped(const uint4* array, std::uint32_t at,
                                                             std::uint32_t first, const LaneStep& step,
                                                             bool forward) {
    const uint4 v = Lattice::load(array + at);
    const std::uint32_t from[lane_words] = {v.x, v.y, v.z, v.w};
    PositionWords<Words> to;
#pragma unroll
    for (int w = 0; w < Words; ++w) {
        to.word[w] = step.word(from, forward, w);
#pragma unroll
        for (int other = w + Words; other < lane_words; other += Words)
            if (first + w == other) to.word[w] = step.word(from, forward, other);
    }
    return to;
}

}  // namespace psflip
