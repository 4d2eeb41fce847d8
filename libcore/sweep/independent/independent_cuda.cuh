#pragma once

#include "sweep/cuda/random_cuda.cuh"

namespace psflip {

// Updates spins with share 1. Each lane compares its own 32-bit random number R with a threshold T, which
// belongs to its number of unsatisfied bonds. Each Philox call gives a digit: four bit planes of R, most
// significant first. The first two digits are compared for all words. Words with undecided lanes, about one
// in nine, go into a queue (undecided_lanes_cuda.cuh). The result equals the comparison of the full numbers.
//
// Philox multiplies words 0 and 2 of its state in each round. Word 0 of the counter holds the site, and word
// 2 holds slot and digit. So the products of the first three rounds are shared between slots, sites or words
// of a site:
//
//   round   product 0 (site side)             product 1 (slot side)
//   1       site: SiteRounds                  slot, digit: DigitRounds
//   2       slot, digit: DigitRounds          site, word: SiteRounds
//   3       every word                        site, slot, digit: once for four words
//   4..10   every word                        every word

__device__ __forceinline__ std::uint32_t low_word(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}
__device__ __forceinline__ std::uint32_t high_word(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
}

inline constexpr int site_words = 4;

/// Holds the key of Philox in each round.
struct PhiloxKeys {
    std::uint64_t seed;

    __device__ __forceinline__ std::uint32_t low(int round) const {
        return static_cast<std::uint32_t>(seed) + static_cast<std::uint32_t>(round) * philox_w0;
    }
    __device__ __forceinline__ std::uint32_t high(int round) const {
        return static_cast<std::uint32_t>(seed >> 32) + static_cast<std::uint32_t>(round) * philox_w1;
    }
};

/// Holds the terms of the first three rounds for one digit in one slot. All sites and all words of a site
/// share them.
struct DigitRounds {
    std::uint32_t second0, second2, third2;  ///< terms of words 0 and 2 of the state after rounds 2 and 3

    __device__ __forceinline__ static DigitRounds of(const SweepArgs& a, std::uint64_t sweep,
                                                     std::uint32_t replica, std::uint32_t slot,
                                                     std::uint32_t digit) {
        const Counter c = make_counter(Purpose::metropolis_bits, 0, sweep, slot, replica, digit, 0);
        const std::uint64_t p1 = wide_product(philox_m1, c.fields);
        const std::uint64_t p0 =
            wide_product(philox_m0, high_word(p1) ^ c.sweep_low ^ PhiloxKeys{a.seed}.low(0));
        return {low_word(p1) ^ PhiloxKeys{a.seed}.low(1), high_word(p0) ^ PhiloxKeys{a.seed}.high(1),
                low_word(p0) ^ PhiloxKeys{a.seed}.high(2)};
    }
};

/// Holds the terms of the first two rounds for one site. All slots and digits share them. The words belong to
/// the share groups from `first_share_group` on.
template <int Words>
struct SiteRounds {
    std::uint32_t first3;            ///< word 3 after the first round
    std::uint64_t second_p1[Words];  ///< product 1 of the second round, for each word of 32 lanes

    __device__ __forceinline__ SiteRounds(const PhiloxKeys& keys, std::uint32_t site,
                                          std::uint32_t first_share_group) {
        const std::uint64_t p0 = wide_product(philox_m0, site);
        first3 = low_word(p0);
#pragma unroll
        for (std::uint32_t w = 0; w < Words; ++w) {
            const Counter c = make_counter(Purpose::metropolis_bits, 0, 0, 0, 0, 0, first_share_group + w);
            second_p1[w] = wide_product(philox_m1, high_word(p0) ^ c.pack_purpose ^ keys.high(0));
        }
    }
};

/// Does one round of Philox on the state c.
__device__ __forceinline__ void philox_round(std::uint32_t (&c)[4], const PhiloxKeys& keys, int round) {
    const std::uint64_t p0 = wide_product(philox_m0, c[0]), p1 = wide_product(philox_m1, c[2]);
    c[0] = high_word(p1) ^ c[1] ^ keys.low(round);
    c[1] = low_word(p1);
    c[2] = high_word(p0) ^ c[3] ^ keys.high(round);
    c[3] = low_word(p0);
}

/// Draws the four planes of a digit for each word of a site. A word takes 15.25 multiplications and 17.25
/// logic operations.
template <int Words>
__device__ __forceinline__ void draw_planes(const SiteRounds<Words>& site, const DigitRounds& digit,
                                            const PhiloxKeys& keys, RandomBlock (&r)[Words]) {
    const std::uint64_t p1 = wide_product(philox_m1, digit.second2 ^ site.first3);
#pragma unroll
    for (int w = 0; w < Words; ++w) {
        const std::uint64_t p0 = wide_product(philox_m0, high_word(site.second_p1[w]) ^ digit.second0);
        r[w] = {{high_word(p1) ^ low_word(site.second_p1[w]) ^ keys.low(2), low_word(p1),
                 high_word(p0) ^ digit.third2, low_word(p0)}};
    }
#pragma unroll
    for (int round = 3; round < philox_rounds; ++round)
#pragma unroll
        for (int w = 0; w < Words; ++w) philox_round(r[w].word, keys, round);
}

/// Four bits of a threshold for the planes of a digit, most significant first, each 0 or 1.
using ThresholdBits = uint4;

/// Returns the highest four bits of c.
__device__ __forceinline__ ThresholdBits threshold_bits(std::uint32_t c) {
    return {c >> 31, c << 1 >> 31, c << 2 >> 31, c << 3 >> 31};
}

/// Compares the numbers of 32 lanes with thresholds, which depend on the number u of unsatisfied bonds. In
/// two dimensions u + 1 replaces u. Lanes with 3 or more then always flip, and lanes with 2 and 1 compare
/// with c4 and c8.
struct LaneComparison {
    DeviceWord ones, twos;   ///< both are set if u >= 3; otherwise binary digits of u
    DeviceWord open;         ///< lanes that compare
    DeviceWord less, equal;  ///< result of the planes compared so far

    /// Starts from the six bond words. Lanes of `valid` compare unless they always flip. 9 operations.
    __device__ __forceinline__ void start(const DeviceWord (&e)[6], DeviceWord valid) {
        const DeviceWord sum_a = xor3(e[0], e[1], e[2]), carry_a = majority(e[0], e[1], e[2]);
        const DeviceWord sum_b = xor3(e[3], e[4], e[5]), carry_b = majority(e[3], e[4], e[5]);
        const DeviceWord carry = sum_a & sum_b, fours = majority(carry_a, carry_b, carry);
        ones = lop3<0xf6>(fours, sum_a, sum_b);  // fours or the sum's odd bit
        twos = or3(carry_a, carry_b, carry);
        open = lop3<0x2a>(ones, twos, valid);
        less = {0}, equal = open;
    }

    /// Starts from the four bond words in two dimensions. 5 operations.
    __device__ __forceinline__ void start(const DeviceWord (&e)[4], DeviceWord valid) {
        const DeviceWord sum = xor3(e[0], e[1], e[2]), carry = majority(e[0], e[1], e[2]);
        ones = lop3<0xf9>(carry, sum, e[3]);  // all but one bond
        twos = or3(carry, sum, e[3]);         // a bond or more
        open = lop3<0x2a>(ones, twos, valid);
        less = {0}, equal = open;
    }

    /// Compares the four planes of a digit. Call it for less significant digits first. c4, c8 and c12 are the
    /// bits of the thresholds for u = 2, 1, 0. c8 is 0 if Counts < 2, and c12 is 0 if Counts < 3. The
    /// multiply-add pipe makes a plane of the thresholds as a sum of words without common bits. A plane then
    /// takes two more operations.
    template <int Counts>
    __device__ __forceinline__ void compare(const RandomBlock& r, const ThresholdBits& c4,
                                            const ThresholdBits& c8, const ThresholdBits& c12) {
        const DeviceWord one = ones & ~twos, none = ~(ones | twos);
#pragma unroll
        for (int k = 3; k >= 0; --k) {
            std::uint32_t threshold = twos.bits * word_of(c4, k).bits;
            if (Counts > 1) threshold += one.bits * word_of(c8, k).bits;
            if (Counts > 2) threshold += none.bits * word_of(c12, k).bits;
            less = lop3<0x8e>({r.word[k]}, {threshold}, less);    // ~r & t | ~(r ^ t) & less
            equal = lop3<0x90>(equal, {r.word[k]}, {threshold});  // equal & ~(r ^ t)
        }
    }

    /// Compares the four planes of a digit in two dimensions. A lane that compares has u = 1 if `ones` is
    /// clear, and u = 0 if `ones` is set. So one multiply-add makes a plane of the thresholds: `ones` times
    /// 1, 0 or -1, minus 0 or 1.
    __device__ __forceinline__ void compare_square(const RandomBlock& r, const ThresholdBits& c4,
                                                   const ThresholdBits& c8) {
#pragma unroll
        for (int k = 3; k >= 0; --k) {
            const std::uint32_t bit4 = word_of(c4, k).bits, bit8 = word_of(c8, k).bits;
            const std::uint32_t threshold = ones.bits * (bit8 - bit4) - bit4;
            less = lop3<0x8e>({r.word[k]}, {threshold}, less);    // ~r & t | ~(r ^ t) & less
            equal = lop3<0x90>(equal, {r.word[k]}, {threshold});  // equal & ~(r ^ t)
        }
    }

    /// Compares a digit that is 0 in all thresholds. Lanes whose random digit is 0 keep the result of the
    /// less significant digits.
    __device__ __forceinline__ void compare_zero(const RandomBlock& r) {
        const DeviceWord none = lop3<0x01>({r.word[0]}, {r.word[1]}, {r.word[2]});
        less = lop3<0x20>(less, {r.word[3]}, none);
        equal = lop3<0x20>(equal, {r.word[3]}, none);
    }

    /// Returns the spin after the flips decided so far: in lanes that do not compare, and in lanes below
    /// their threshold.
    __device__ __forceinline__ DeviceWord flipped(DeviceWord spin) const {
        return lop3<0x4b>(spin, open, less);
    }
};

}  // namespace psflip
