#pragma once

#include <cstdint>

#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// 32-lane groups whose numbers still equal their thresholds in all planes so far. Arrays of structure
/// members: 16 entries are one register. Positions are 32-bit indices into the lattice group's spins, which
/// have room for lattices up to L = 644; selectors choose the threshold.
template <int Selectors>
struct Leftovers {
    static constexpr int full = 512;  ///< above: finish them
    static constexpr int capacity = full + 128 * 16 + 16;
    alignas(64) std::uint32_t position[capacity] = {};  // valid everywhere: whole registers are flipped
    alignas(64) std::uint32_t site[capacity], selector[Selectors][capacity], open[capacity];
    int count = 0;

    /// Appends the register's groups that have open lanes; position and site per lane. May be called with the
    /// arrays' own entries at or behind `count`: it writes no farther than one register.
    void append(Native32 positions, Native32 sites, const Word (&selectors)[Selectors], Word open_) {
#if defined(__AVX512F__)
        const __m512i bits = (__m512i)open_.v;
        const int at = count;
        const __mmask16 lanes = _mm512_test_epi32_mask(bits, bits);
        const auto put = [&](std::uint32_t* to, __m512i from) {
            _mm512_storeu_si512(to + at, _mm512_maskz_compress_epi32(lanes, from));
        };
        put(position, (__m512i)positions);
        put(site, (__m512i)sites);
        for (int i = 0; i < Selectors; ++i) put(selector[i], (__m512i)selectors[i].v);
        put(open, bits);
        count = at + __builtin_popcount(lanes);
#else
        if (!any(open_)) return;
        const Native32 o = (Native32)open_.v;
        for (int lane = 0; lane < word_lanes32; ++lane) {
            position[count] = positions[lane];
            site[count] = sites[lane];
            for (int i = 0; i < Selectors; ++i) selector[i][count] = ((Native32)selectors[i].v)[lane];
            open[count] = o[lane];
            count += o[lane] != 0;
        }
#endif
    }
};

/// table[lane number] for 16 lane numbers of a lattice word (slot, quarter of the column).
inline Native32 lookup(const std::uint32_t* table, Native32 lanes) {
#if defined(__AVX512F__)
    return (Native32)_mm512_permutexvar_epi32((__m512i)lanes, _mm512_load_si512(table));
#elif defined(__AVX2__)
    return (Native32)_mm256_i32gather_epi32(reinterpret_cast<const int*>(table), (__m256i)lanes, 4);
#else
    return Native32{table[lanes[0]], table[lanes[1]], table[lanes[2]], table[lanes[3]]};
#endif
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
