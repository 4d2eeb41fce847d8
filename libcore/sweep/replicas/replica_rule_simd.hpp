#pragma once

#include "sweep/cpu/class_rule_simd.hpp"
#include "sweep/replicas/replica_rows_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

// Computes which lanes of a register flip, and which thresholds count for the others.
//
// The plain rule takes x = neighbour ^ bond instead of e = x ^ own. If all three inputs of a full adder are
// complemented, its sum and carry are complemented, too. So the exclusive or with `own` can follow the
// adders. Then a bond takes one operation (a masked complement) instead of two. With AVX-512 in three
// dimensions, a register takes 16 operations, the six bonds included. With e it would take 21.

/// Returns the majority of a, b and ~c.
inline Word majority_not(Word a, Word b, Word c) {
#if defined(__AVX512F__)
    return ternary<0xD4>(a, b, c);
#else
    return majority(a, b, ~c);
#endif
}

/// Returns 1 if a and b both differ from c.
inline Word both_differ(Word a, Word b, Word c) {
#if defined(__AVX512F__)
    return ternary<0x42>(a, b, c);
#else
    return (a ^ c) & (b ^ c);
#endif
}

/// Holds the values x of the sites of a register, which the plain rule reads.
template <int Degree>
struct ReplicaPulls {
    Word x[Degree];
};

/// Reads what a rule needs of the sites of a register.
template <int Degree>
inline ReplicaPulls<Degree> read_sites(const PlainRule<Degree>&, const ReplicaRow<Degree>& row, int at) {
    ReplicaPulls<Degree> site;
#pragma GCC unroll 6
    for (int k = 0; k < Degree; ++k) site.x[k] = row.pull(k, at);
    return site;
}
template <int Degree, bool Field, bool Absent>
inline typename WordClassRule<Degree, Field, Absent>::Site read_sites(
    const WordClassRule<Degree, Field, Absent>&, const ReplicaRow<Degree>& row, int at) {
    typename WordClassRule<Degree, Field, Absent>::Site site;
#pragma GCC unroll 6
    for (int k = 0; k < Degree; ++k) {
        site.near[k] = row.neighbour(k, at);
        site.bond[k] = row.bond(k, at);
        if constexpr (Absent) site.absent[k] = row.absent(k, at);
    }
    return site;
}

/// Return the choice of a rule. The plain rule makes the choice of PlainChoice::of.
template <int Degree, class Always>
inline ThresholdChoice<Word, PlainRule<Degree>::selectors> choose_thresholds(const PlainRule<Degree>&,
                                                                             Word own,
                                                                             const ReplicaPulls<Degree>& site,
                                                                             Word, Always) {
    const auto& x = site.x;
    const Word sum = xor3(x[0], x[1], x[2]), carry = majority(x[0], x[1], x[2]);
    if constexpr (Degree == 6) {
        const Word sum_b = xor3(x[3], x[4], x[5]), carry_b = majority(x[3], x[4], x[5]);
        const Word flips = own ^ majority(carry, carry_b, majority_not(sum, sum_b, own));
        return {flips, ~flips, {sum ^ sum_b, xor3(carry, carry_b, both_differ(sum, sum_b, own))}};
    } else {
        const Word flips = (carry ^ own) | both_differ(sum, x[3], own);
        return {flips, ~flips, {sum ^ x[3]}};
    }
}
template <int Degree, bool Field, bool Absent, class Always>
inline auto choose_thresholds(const WordClassRule<Degree, Field, Absent>& rule, Word own,
                              const typename WordClassRule<Degree, Field, Absent>::Site& site,
                              Word first_plane, Always always) {
    return rule.choice(own, site, first_plane, always);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
