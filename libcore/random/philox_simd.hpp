#pragma once

// Computes Philox4x32-10 for many counters in SIMD registers, with the same numbers as philox.hpp. An element
// of a register has 64 bits, or 32 bits if the text says so.

#include "random/philox.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Holds counters or random words of `word_lanes64` Philox calls, in the low 32 bits of each element. The
/// high halves are undefined. The widening multiplication ignores them, so no round has to mask them.
struct PhiloxLanes {
    Native64 c0, c1, c2, c3;
};

/// Holds the two 32-bit keys of each of the ten rounds. Each key is repeated in both halves of 64 bits. Loads
/// from memory broadcast them to a register at no cost.
struct PhiloxKeys {
    std::uint64_t key[philox_rounds][2];

    explicit PhiloxKeys(std::uint64_t seed) {
        for (std::uint32_t round = 0; round < philox_rounds; ++round) {
            key[round][0] = both(static_cast<std::uint32_t>(seed) + round * philox_w0);
            key[round][1] = both(static_cast<std::uint32_t>(seed >> 32) + round * philox_w1);
        }
    }
    static std::uint64_t both(std::uint32_t k) { return std::uint64_t{k} << 32 | k; }
    Native64 operator()(int round, int word) const { return broadcast64(key[round][word]); }
};

/// Computes rounds `from` to `to` - 1 of Philox4x32-10 for `Calls` registers of counters. Several registers
/// hide the latency of the multiplications. A round takes six operations per register.
template <int Calls>
inline void run_rounds(int from, int to, PhiloxLanes (&c)[Calls], const PhiloxKeys& keys) {
    const Native64 m0 = broadcast64(philox_m0), m1 = broadcast64(philox_m1);
#pragma GCC unroll 10
    for (int round = from; round < to; ++round)
#pragma GCC unroll 6
        for (int i = 0; i < Calls; ++i) {
            const Native64 p0 = multiply_low32(c[i].c0, m0), p1 = multiply_low32(c[i].c2, m1);
            const Word n0 = xor3(Word{p1 >> 32}, Word{c[i].c1}, Word{keys(round, 0)});
            const Word n2 = xor3(Word{p0 >> 32}, Word{c[i].c3}, Word{keys(round, 1)});
            c[i] = {n0.v, p1, n2.v, p0};
        }
}

/// Computes Philox for counters that differ only in words 0 (site) and 3 (share group). Half of the first two
/// rounds is then scalar.
struct PhiloxSites {
    const PhiloxKeys& keys;
    std::uint64_t c0_after1, c1_after1, p0_round1;

    PhiloxSites(Counter base, const PhiloxKeys& keys_) : keys(keys_) {
        const std::uint64_t p1 = std::uint64_t{philox_m1} * base.fields;
        c0_after1 = static_cast<std::uint32_t>(p1 >> 32 ^ base.sweep_low ^ keys.key[0][0]);
        c1_after1 = p1;
        p0_round1 = philox_m0 * c0_after1;
    }

    /// Returns the state after the first two rounds.
    PhiloxLanes after_two_rounds(Native64 sites, Native64 pack_purpose) const {
        const Native64 p0 = multiply_low32(sites, broadcast64(philox_m0));
        const Word c2 = xor3(Word{p0 >> 32}, Word{pack_purpose}, Word{keys(0, 1)});
        const Native64 p1 = multiply_low32(c2.v, broadcast64(philox_m1));
        return {(p1 >> 32) ^ broadcast64(c1_after1 ^ keys.key[1][0]), p1,
                p0 ^ broadcast64(p0_round1 >> 32 ^ keys.key[1][1]), broadcast64(p0_round1)};
    }
    PhiloxLanes operator()(Native64 sites, Native64 pack_purpose) const {
        PhiloxLanes c[1] = {after_two_rounds(sites, pack_purpose)};
        run_rounds(2, philox_rounds, c, keys);
        return c[0];
    }
};

/// Returns the low halves of the elements of a in the even 32-bit elements, and the low halves of b in the
/// odd ones.
inline Native64 interleave_low32(Native64 a, Native64 b) {
#if defined(__AVX512F__)
    return (Native64)_mm512_mask_shuffle_epi32((__m512i)a, 0xAAAA, (__m512i)b, _MM_PERM_CCAA);
#elif defined(__AVX2__)
    return (Native64)_mm256_blend_epi32((__m256i)a, (__m256i)(b << 32), 0xAA);
#else
    return (a & 0xFFFFFFFFu) | (b << 32);
#endif
}

/// Returns the high halves of the elements of a in the even 32-bit elements, and the high halves of b in the
/// odd ones.
inline Native64 interleave_high32(Native64 a, Native64 b) {
#if defined(__AVX512F__)
    return (Native64)_mm512_mask_shuffle_epi32((__m512i)b, 0x5555, (__m512i)a, _MM_PERM_DDBB);
#elif defined(__AVX2__)
    return (Native64)_mm256_blend_epi32((__m256i)(a >> 32), (__m256i)b, 0xAA);
#else
    return (a >> 32) | (b & 0xFFFFFFFF00000000u);
#endif
}

/// Computes the last round of two registers of calls. words[k] gets word k of the calls of `even` in its even
/// 32-bit elements, and of `odd` in its odd ones. This takes 12 operations; two separate rounds and four
/// interleavings take 16.
inline void last_round(const PhiloxLanes& even, const PhiloxLanes& odd, const PhiloxKeys& keys, Word* words) {
    const Native64 m0 = broadcast64(philox_m0), m1 = broadcast64(philox_m1);
    const Native64 a0 = multiply_low32(even.c0, m0), a1 = multiply_low32(even.c2, m1);
    const Native64 b0 = multiply_low32(odd.c0, m0), b1 = multiply_low32(odd.c2, m1);
    constexpr int last = philox_rounds - 1;
    words[0] =
        xor3(Word{interleave_high32(a1, b1)}, Word{interleave_low32(even.c1, odd.c1)}, Word{keys(last, 0)});
    words[1] = {interleave_low32(a1, b1)};
    words[2] =
        xor3(Word{interleave_high32(a0, b0)}, Word{interleave_low32(even.c3, odd.c3)}, Word{keys(last, 1)});
    words[3] = {interleave_low32(a0, b0)};
}

/// Joins the four words of each call to 16 bytes. Calls of even elements come first, then calls of odd
/// elements.
inline void make_blocks(const PhiloxLanes& c, Native64 (&blocks)[2]) {
    const Native64 low = interleave_low32(c.c0, c.c1), high = interleave_low32(c.c2, c.c3);
#if defined(__AVX512F__)
    blocks[0] = (Native64)_mm512_unpacklo_epi64((__m512i)low, (__m512i)high);
    blocks[1] = (Native64)_mm512_unpackhi_epi64((__m512i)low, (__m512i)high);
#elif defined(__AVX2__)
    blocks[0] = (Native64)_mm256_unpacklo_epi64((__m256i)low, (__m256i)high);
    blocks[1] = (Native64)_mm256_unpackhi_epi64((__m256i)low, (__m256i)high);
#else
    blocks[0] = Native64{low[0], high[0]};
    blocks[1] = Native64{low[1], high[1]};
#endif
}

/// Returns the element of the call that make_blocks stores as number p.
constexpr int call_lane(int p) {
    return p < word_lanes64 / 2 ? 2 * p : 2 * (p - word_lanes64 / 2) + 1;
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
