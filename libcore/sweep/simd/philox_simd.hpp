#pragma once

#include "random/philox.hpp"
#include "sweep/simd/word.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Counters or random words of `word_lanes64` Philox calls, one in the low 32 bits of each 64-bit lane; the
/// high halves are garbage, which the widening multiplication ignores (so no masking is needed between
/// rounds).
struct PhiloxLanes {
    Native64 c0, c1, c2, c3;
};

/// Rounds `from` .. 9 of Philox4x32-10.
inline PhiloxLanes philox_rounds_from(int from, PhiloxLanes c, std::uint64_t seed) {
    const Native64 m0 = broadcast64(philox_m0), m1 = broadcast64(philox_m1);
    std::uint32_t k0 = static_cast<std::uint32_t>(seed) + from * philox_w0;
    std::uint32_t k1 = static_cast<std::uint32_t>(seed >> 32) + from * philox_w1;
#pragma GCC unroll 10
    for (int round = from; round < philox_rounds; ++round) {
        const Native64 p0 = multiply_low32(c.c0, m0), p1 = multiply_low32(c.c2, m1);
        const Word n0 = xor3(Word{p1 >> 32}, Word{c.c1}, Word{broadcast64(k0)});
        const Word n2 = xor3(Word{p0 >> 32}, Word{c.c3}, Word{broadcast64(k1)});
        c = {n0.v, p1, n2.v, p0};
        k0 += philox_w0;
        k1 += philox_w1;
    }
    return c;
}

/// Philox for counters that differ in word 0 (the site) only: the first two rounds are half scalar.
struct PhiloxSites {
    std::uint64_t seed;
    std::uint32_t c0_after1, c1_after1, c3_start, k1_0, p0_hi_round1, p0_lo_round1;

    PhiloxSites(Counter base, std::uint64_t seed_) : seed(seed_) {
        const std::uint64_t p1 = std::uint64_t{philox_m1} * base.fields;
        c0_after1 = static_cast<std::uint32_t>(p1 >> 32) ^ base.sweep_low ^ static_cast<std::uint32_t>(seed);
        c1_after1 = static_cast<std::uint32_t>(p1);
        c3_start = base.pack_purpose;
        k1_0 = static_cast<std::uint32_t>(seed >> 32);
        const std::uint64_t p0 = std::uint64_t{philox_m0} * c0_after1;
        p0_hi_round1 = static_cast<std::uint32_t>(p0 >> 32);
        p0_lo_round1 = static_cast<std::uint32_t>(p0);
    }

    PhiloxLanes operator()(Native64 sites) const {
        const Native64 p0 = multiply_low32(sites, broadcast64(philox_m0));
        const Native64 c2 = (p0 >> 32) ^ broadcast64(c3_start ^ k1_0);
        const Native64 p1 = multiply_low32(c2, broadcast64(philox_m1));
        const std::uint32_t k0 = static_cast<std::uint32_t>(seed) + philox_w0, k1 = k1_0 + philox_w1;
        const PhiloxLanes c{(p1 >> 32) ^ broadcast64(c1_after1 ^ k0), p1, p0 ^ broadcast64(p0_hi_round1 ^ k1),
                            broadcast64(p0_lo_round1)};
        return philox_rounds_from(2, c, seed);
    }
};

/// Low halves of a in the even 32-bit lanes, low halves of b in the odd ones.
inline Native64 interleave_low32(Native64 a, Native64 b) {
#if defined(__AVX512F__)
    return (Native64)_mm512_mask_blend_epi32(0xAAAA, (__m512i)a, (__m512i)(b << 32));
#elif defined(__AVX2__)
    return (Native64)_mm256_blend_epi32((__m256i)a, (__m256i)(b << 32), 0xAA);
#else
    return (a & 0xFFFFFFFFu) | (b << 32);
#endif
}

/// Stores the four words of each call as 16 bytes. Call order: lane 2i goes to position i, lane 2i+1 to
/// position i + word_lanes64/2 (see lane_position).
inline void store_blocks(std::uint32_t* out, std::int64_t stride_words, const PhiloxLanes& c) {
    const Native64 low = interleave_low32(c.c0, c.c1), high = interleave_low32(c.c2, c.c3);
    constexpr int half = word_lanes64 / 2;
#if defined(__AVX512F__)
    const Native64 even = (Native64)_mm512_unpacklo_epi64((__m512i)low, (__m512i)high);
    const Native64 odd = (Native64)_mm512_unpackhi_epi64((__m512i)low, (__m512i)high);
#elif defined(__AVX2__)
    const Native64 even = (Native64)_mm256_unpacklo_epi64((__m256i)low, (__m256i)high);
    const Native64 odd = (Native64)_mm256_unpackhi_epi64((__m256i)low, (__m256i)high);
#else
    const Native64 even = {low[0], high[0]}, odd = {low[1], high[1]};
#endif
    if (stride_words == 4) {
        *reinterpret_cast<Native64*>(out) = even;
        *reinterpret_cast<Native64*>(out + 4 * half) = odd;
        return;
    }
    typedef std::uint64_t Block __attribute__((vector_size(16), may_alias));
    alignas(64) Block block[2 * half];
    *reinterpret_cast<Native64*>(block) = even;
    *reinterpret_cast<Native64*>(block + half) = odd;
    for (int i = 0; i < 2 * half; ++i) *reinterpret_cast<Block*>(out + i * stride_words) = block[i];
}

/// Position in the output of store_blocks of the call in 64-bit lane `lane`.
constexpr int lane_position(int lane) {
    return lane / 2 + (lane % 2) * (word_lanes64 / 2);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
