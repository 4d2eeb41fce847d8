// Declares the arguments of kernels of lattices whose subdomains are lanes, and their random numbers.
// Pointers refer to device memory.
#pragma once

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <vector>

#include "sweep/independent/independent_cuda.cuh"
#include "sweep/sites/site_lanes.hpp"

namespace psflip {

/// Holds the terms of the first two rounds of Philox that all local indices share, for one digit and one
/// 32-lane word.
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

/// The number of digits that are drawn for all words, and the number of all digits. Only words with undecided
/// lanes draw the other digits.
inline constexpr int full_digits = 2, all_digits = 8;

/// Holds the common arguments of the lattices of a batch: words of a colour in a row, extents of a subdomain
/// along y and z, and words of a colour.
struct SitesShape {
    std::uint32_t row_words, ny, nz, colour_words;
    LaneStep step[3];
    std::uint64_t seed;  ///< key of the random numbers
};

/// Describes a lattice in device memory whose subdomains are lanes, and the arguments of all its updates.
struct SitesArgs : SitesShape {
    uint4* spins;            ///< (word), see SiteLanes
    const uint4* couplings;  ///< (direction, word): 1 if J = -1; null: all J = +1
    std::uint32_t realization, replica, slot;
    ThresholdBits thresholds[3][all_digits];  ///< for c4, c8, c12; with demons, for d = 1, 2, 3
    int counts[full_digits];  ///< (digit): last threshold with bits in it: 1 = c4, ...; 0: none

    PSFLIP_HD ThresholdBits bits(int threshold, int digit) const { return thresholds[threshold][digit]; }
    PSFLIP_HD int count(int digit) const { return counts[digit]; }
    /// Loads spins of the other colour, or couplings.
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return __ldg(from);
    }
};

/// Sets the thresholds of a lattice to `t`, at most three (AcceptanceTable).
inline void set_thresholds(SitesArgs& args, const std::vector<std::uint32_t>& t) {
    std::fill(std::begin(args.counts), std::end(args.counts), 0);
    for (std::size_t i = 0; i < t.size(); ++i)
        for (int digit = 0; digit < all_digits; ++digit) {
            const std::uint32_t bits = t[i] >> (28 - 4 * digit) & 15;
            args.thresholds[i][digit] = {bits >> 3, bits >> 2 & 1, bits >> 1 & 1, bits & 1};
            if (bits != 0 && digit < full_digits) args.counts[digit] = static_cast<int>(i) + 1;
        }
}

/// Describes lattices that one launch updates. blockIdx.y is the number of a lattice in the order
/// (realization, replica, slot).
struct BatchArgs : SitesShape {
    uint4* spins;                ///< (place, word)
    const uint4* couplings;      ///< (realization, direction, word); null: all J = +1
    std::size_t coupling_words;  ///< words of a realization
    const std::uint32_t* place;  ///< (number): place of the lattice; exchanges move temperatures, not spins
    std::uint32_t first_realization, replicas, slots;
    std::uint32_t thresholds[max_temperatures][3];  ///< (slot, threshold), as SitesArgs::thresholds
};

/// Describes the lattice of a block, with the names of SitesArgs.
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

/// Describes the lattice of a block with its spins in shared memory.
struct ResidentLattice : BatchLattice {
    __device__ __forceinline__ ResidentLattice(const BatchArgs& batch, uint4* shared) : BatchLattice(batch) {
        spins = shared;
    }
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return *from;
    }
};

/// Holds the terms of the random numbers of a sweep that all local indices share. Kernels take them by value.
/// In a graph, whose launches are repeated, kernels read them from device memory.
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

/// Holds the terms of the first two rounds of Philox that all words and digits of a local index share.
struct LocalRounds {
    std::uint32_t p0_low, p1_low, p1_high;

    template <class Lattice>
    __device__ __forceinline__ LocalRounds(const Lattice& a, std::uint32_t local_index,
                                           Purpose purpose = Purpose::site_bits) {
        const Counter c = make_counter(purpose, 0, 0, 0, 0, 0, a.realization);
        const std::uint64_t p0 = wide_product(philox_m0, local_index);
        const std::uint64_t p1 =
            wide_product(philox_m1, high_word(p0) ^ c.pack_purpose ^ PhiloxKeys{a.seed}.high(0));
        p0_low = low_word(p0);
        p1_low = low_word(p1);
        p1_high = high_word(p1);
    }
};

/// Draws the four bit planes of a digit for the words of a local index. A word takes 16 multiplications and
/// 18 logic operations.
template <int Words>
__device__ __forceinline__ void draw_planes(const LocalRounds& local_index, const WordRounds (&rounds)[Words],
                                            const PhiloxKeys& keys, RandomBlock (&r)[Words]) {
#pragma unroll
    for (int w = 0; w < Words; ++w)
        r[w] = {{local_index.p1_high ^ rounds[w].c0, local_index.p1_low, local_index.p0_low ^ rounds[w].c2,
                 rounds[w].c3}};
#pragma unroll
    for (int round = 2; round < philox_rounds; ++round)
#pragma unroll
        for (int w = 0; w < Words; ++w) philox_round(r[w].word, keys, round);
}

/// Compares a digit of all words with the thresholds. a.count(digit) must be equal in all threads of a warp.
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
    else if (Degree == 4)
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare_square(b, c4, c8); });
    else if (count == 2)
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<2>(b, c4, c8, {}); });
    else
        each([&](LaneComparison& l, const RandomBlock& b) { l.compare<3>(b, c4, c8, c12); });
}

/// Holds 4, 2 or 1 of the 32-lane words of a local index, which one load reads.
template <int Words>
struct LocalWords {
    std::uint32_t word[Words];
};
template <int Words>
using WordVector =
    std::conditional_t<Words == 4, uint4, std::conditional_t<Words == 2, uint2, std::uint32_t>>;

template <int Words>
__device__ __forceinline__ LocalWords<Words> words_of_vector(const WordVector<Words>& v) {
    if constexpr (Words == 4)
        return {{v.x, v.y, v.z, v.w}};
    else if constexpr (Words == 2)
        return {{v.x, v.y}};
    else
        return {{v}};
}
template <int Words>
__device__ __forceinline__ WordVector<Words> vector_of_words(const LocalWords<Words>& w) {
    if constexpr (Words == 4)
        return {w.word[0], w.word[1], w.word[2], w.word[3]};
    else if constexpr (Words == 2)
        return {w.word[0], w.word[1]};
    else
        return w.word[0];
}
/// Returns a pointer to the words from number `first` on, which must be a multiple of Words.
template <int Words, class Local>
__device__ __forceinline__ auto* vector_at(Local* at, std::uint32_t first) {
    using Vector = std::conditional_t<std::is_const_v<Local>, const WordVector<Words>, WordVector<Words>>;
    return reinterpret_cast<Vector*>(at) + first / Words;
}

template <class Lattice, int Words>
__device__ __forceinline__ LocalWords<Words> load_words(const uint4* array, std::uint32_t at,
                                                        std::uint32_t first) {
    return words_of_vector<Words>(Lattice::load(vector_at<Words>(array + at, first)));
}

/// Loads words of a local index, with their lanes moved to the next subdomain or to the previous one.
template <class Lattice, int Words>
__device__ __forceinline__ LocalWords<Words> load_stepped(const uint4* array, std::uint32_t at,
                                                          std::uint32_t first, const LaneStep& step,
                                                          bool forward) {
    const uint4 v = Lattice::load(array + at);
    const std::uint32_t from[lane_words] = {v.x, v.y, v.z, v.w};
    LocalWords<Words> to;
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
