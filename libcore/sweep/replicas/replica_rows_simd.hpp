#pragma once

#include <cstdint>

#include "sweep/replicas/replica_kernels.hpp"
#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Returns all ones in lane i if bit i is 1, otherwise 0.
inline Word spread(std::uint32_t bits) {
#if defined(__AVX512F__)
    return {(Native64)_mm512_movm_epi32(static_cast<__mmask16>(bits))};
#else
    Native32 bit;
    for (int lane = 0; lane < word_lanes32; ++lane) bit[lane] = 1u << lane;
    return {(Native64)(((Native32{} + bits) & bit) == bit)};
#endif
}

/// Returns w with complements in the lanes i whose bit i is 1.
inline Word complement(Word w, std::uint32_t bits) {
#if defined(__AVX512F__)
    const __m512i v = (__m512i)w.v;
    return {(Native64)_mm512_mask_ternarylogic_epi32(v, static_cast<__mmask16>(bits), v, v, 0x55)};
#else
    return w ^ spread(bits);
#endif
}

/// Describes the rows of a realization in memory, and the permutation that finds the other neighbour along x.
struct ReplicaRows {
    int L, depth, words, site_words;                  ///< words of a row; of a site
    std::int64_t stride, begin[2];                    ///< words from row to row; first row of a colour
    bool whole;                                       ///< rows are whole registers
    alignas(64) std::uint32_t turn[2][word_lanes32];  ///< (x - 1, x + 1): words of two registers

    explicit ReplicaRows(const ReplicaLayout& layout)
        : L(layout.L),
          depth(layout.depth),
          words(layout.row_words()),
          site_words(layout.words()),
          stride(layout.row_stride()),
          begin{layout.row(0, 0), layout.row(1, 0)},
          whole(words % word_lanes32 == 0 && site_words <= word_lanes32) {
        for (int lane = 0; lane < word_lanes32; ++lane) {
            turn[0][lane] = static_cast<std::uint32_t>(lane - site_words);
            turn[1][lane] = static_cast<std::uint32_t>(lane + site_words);
        }
    }
    std::int64_t row(int colour, int v, int w) const { return begin[colour] + (v + L * w) * stride; }
};

/// Reads a row of sites of one colour with neighbours and bonds. `at` is the first word of a register in the
/// row, a multiple of a register's words. k is a direction of ReplicaLayout.
template <int Degree>
struct ReplicaRow {
    const ReplicaRows& rows;
    const std::uint32_t* own;
    const std::uint32_t* near[Degree];  ///< both neighbours along x have one row
    const std::uint16_t* bonds;
    const std::uint16_t* absences;
    bool other_is_next;

    ReplicaRow(const ReplicaRows& rows_, const std::uint32_t* spins, const std::uint16_t* bond_words,
               const std::uint16_t* absent_words, int colour, int v, int w)
        : rows(rows_) {
        const int L = rows.L, depth = rows.depth;
        const std::int64_t stride = rows.stride, place = rows.row(colour, v, w);
        const std::uint32_t* const other = spins + rows.row(1 - colour, v, w);
        own = spins + place;
        near[0] = near[1] = other;
        near[2] = other + (v + 1 == L ? (1 - L) * stride : stride);
        near[3] = other + (v == 0 ? (L - 1) * stride : -stride);
        if constexpr (Degree == 6) {
            near[4] = other + (w + 1 == depth ? (1 - depth) * L * stride : L * stride);
            near[5] = other + (w == 0 ? (depth - 1) * L * stride : -L * stride);
        }
        const std::int64_t bond_row = place / ReplicaLayout::unit * Degree;
        bonds = bond_words + bond_row;
        absences = absent_words ? absent_words + bond_row : nullptr;
        other_is_next = ReplicaLayout::other_is_next(colour, v, w);
    }

    /// Returns neighbour ^ bond, the spin that satisfies the bond.
    Word pull(int k, int at) const { return complement(neighbour(k, at), bits_at(bonds, k, at)); }
    Word neighbour(int k, int at) const { return k == 1 ? other_along_x(at) : load32(near[k] + at); }
    Word bond(int k, int at) const { return spread_at(bonds, k, at); }
    Word absent(int k, int at) const { return spread_at(absences, k, at); }
    /// Sets bits in the lanes whose bond is present and unsatisfied.
    template <bool Absent>
    Word unsatisfied(Word spin, int k, int at) const {
        const Word e = xor3(spin, neighbour(k, at), bond(k, at));
        if constexpr (Absent)
            return xor_unless(e, Word{}, absent(k, at));
        else
            return e;
    }

  private:
    /// Loads words one site further or back, around the end of the row.
    Word other_along_x(int at) const {
        const int words = rows.words, site_words = rows.site_words;
#if defined(__AVX512F__)
        if (rows.whole) {
            const int after = at + word_lanes32 < words ? at + word_lanes32 : 0,
                      before = (at > 0 ? at : words) - word_lanes32;
            const Native32 turn = load_numbers(rows.turn[other_is_next]);
            return {(Native64)_mm512_permutex2var_epi32(
                (__m512i)load32(near[1] + at).v, (__m512i)turn,
                (__m512i)load32(near[1] + (other_is_next ? after : before)).v)};
        }
#endif
        if (other_is_next) {
            const std::uint32_t* const next = near[1] + at + site_words;
            const int inside = words - site_words - at;
            if (inside >= word_lanes32) return load_unaligned(next);
            const std::uint32_t around = inside <= 0 ? ~0u : ~0u << inside;
            return replace(load_unaligned(next), spread(around), load_unaligned(next - words));
        }
        const std::uint32_t* const back = near[1] + at - site_words;
        const int outside = site_words - at;
        if (outside <= 0) return load_unaligned(back);
        const std::uint32_t around = (1u << outside) - 1;
        return replace(load_unaligned(back), spread(around), load_unaligned(back + words));
    }
    Word spread_at(const std::uint16_t* bits, int k, int at) const {
        return spread(bits_at(bits, k, at));
    }
    static std::uint32_t bits_at(const std::uint16_t* bits, int k, int at) {
        constexpr int unit = ReplicaLayout::unit;
        const std::uint32_t of_unit = bits[static_cast<unsigned>(at) / unit * Degree + k];
        return word_lanes32 == unit ? of_unit : of_unit >> at % unit;
    }
};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
