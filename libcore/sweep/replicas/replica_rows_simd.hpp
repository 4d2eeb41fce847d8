#pragma once

#include <cstdint>

#include "sweep/cpu/class_rule_simd.hpp"
#include "sweep/replicas/replica_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

typedef std::uint32_t Unaligned32 __attribute__((vector_size(word_bytes), aligned(4), may_alias));

inline Word load32(const std::uint32_t* p) {
    return {*reinterpret_cast<const Native64*>(p)};
}
inline Native32 load_numbers(const std::uint32_t* p) {
    return *reinterpret_cast<const Native32*>(p);
}
inline void store32(std::uint32_t* p, Word w) {
    *reinterpret_cast<Native64*>(p) = w.v;
}

/// All ones in lane i where bit i is 1.
inline Word spread(std::uint32_t bits) {
#if defined(__AVX512F__)
    return {(Native64)_mm512_movm_epi32(static_cast<__mmask16>(bits))};
#else
    Native32 bit;
    for (int lane = 0; lane < word_lanes32; ++lane) bit[lane] = 1u << lane;
    return {(Native64)(((Native32{} + bits) & bit) == bit)};
#endif
}

inline Word load_anywhere(const std::uint32_t* p) {
    return {(Native64) * reinterpret_cast<const Unaligned32*>(p)};
}

/// A row of sites of one colour, its neighbours and bonds; words from number `at` of the row on, a multiple
/// of the register's.
template <int Degree>
struct ReplicaRow {
    const std::uint32_t* own;
    const std::uint32_t* near[Degree];  ///< that along x for both neighbours
    const std::uint16_t* bonds;
    const std::uint16_t* absences;
    int words, site_words;  ///< of the row; of a site
    bool other_is_next;

    ReplicaRow(const ReplicaLayout& layout, const std::uint32_t* spins, const std::uint16_t* bond_words,
               const std::uint16_t* absent_words, int colour, int v, int w) {
        const int L = layout.L, other = 1 - colour, depth = layout.depth;
        const auto row = [&](int vv, int ww) { return spins + layout.row(other, vv + L * ww); };
        own = spins + layout.row(colour, v + L * w);
        near[0] = near[1] = row(v, w);
        near[2] = row(v + 1 == L ? 0 : v + 1, w);
        near[3] = row(v == 0 ? L - 1 : v - 1, w);
        if constexpr (Degree == 6) {
            near[4] = row(v, w + 1 == depth ? 0 : w + 1);
            near[5] = row(v, w == 0 ? depth - 1 : w - 1);
        }
        const std::int64_t bond_row = layout.bond_row(colour, v + L * w);
        bonds = bond_words + bond_row;
        absences = absent_words ? absent_words + bond_row : nullptr;
        words = layout.row_words();
        site_words = layout.words();
        other_is_next = ReplicaLayout::other_is_next(colour, v, w);
    }

    Word neighbour(int k, int at) const { return k == 1 ? other_along_x(at) : load32(near[k] + at); }
    Word bond(int k, int at) const { return spread_at(bonds, k, at); }
    Word absent(int k, int at) const { return spread_at(absences, k, at); }
    /// Bit 1 where the bond is there and unsatisfied.
    template <bool Absent>
    Word unsatisfied(Word spin, int k, int at) const {
        const Word e = xor3(spin, neighbour(k, at), bond(k, at));
        if constexpr (Absent)
            return xor_unless(e, Word{}, absent(k, at));
        else
            return e;
    }

  private:
    /// One site further or back, around the end of the row.
    Word other_along_x(int at) const {
        if (other_is_next) {
            const std::uint32_t* const next = near[1] + at + site_words;
            const int inside = words - site_words - at;
            if (inside >= word_lanes32) return load_anywhere(next);
            const std::uint32_t around = inside <= 0 ? ~0u : ~0u << inside;
            return replace(load_anywhere(next), spread(around), load_anywhere(next - words));
        }
        const std::uint32_t* const back = near[1] + at - site_words;
        const int outside = site_words - at;
        if (outside <= 0) return load_anywhere(back);
        const std::uint32_t around = (1u << outside) - 1;
        return replace(load_anywhere(back), spread(around), load_anywhere(back + words));
    }
    Word spread_at(const std::uint16_t* bits, int k, int at) const {
        constexpr int unit = ReplicaLayout::unit;
        const std::uint32_t of_unit = bits[at / unit * Degree + k];
        return spread(word_lanes32 == unit ? of_unit : of_unit >> at % unit);
    }
};

/// What a rule reads of the sites.
template <int Degree>
inline typename PlainRule<Degree>::Site read_sites(const PlainRule<Degree>&, const ReplicaRow<Degree>& row,
                                                   Word own, int at) {
    typename PlainRule<Degree>::Site site;
    for (int k = 0; k < Degree; ++k) site.e[k] = row.template unsatisfied<false>(own, k, at);
    return site;
}
template <int Degree, bool Field, bool Absent>
inline typename WordClassRule<Degree, Field, Absent>::Site read_sites(
    const WordClassRule<Degree, Field, Absent>&, const ReplicaRow<Degree>& row, Word, int at) {
    typename WordClassRule<Degree, Field, Absent>::Site site;
    for (int k = 0; k < Degree; ++k) {
        site.near[k] = row.neighbour(k, at);
        site.bond[k] = row.bond(k, at);
        if constexpr (Absent) site.absent[k] = row.absent(k, at);
    }
    return site;
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
