#pragma once

#include "word/logic.hpp"

namespace psflip {

/// Bit planes of the number u = 0..6 of unsatisfied bonds, for every bit lane of a word.
template <class Word>
struct BondCount {
    Word ones, twos, fours;
};

/// Adds six bond words (bit 1: unsatisfied) with two full adders, then a half adder and a full adder.
template <class Word>
PSFLIP_HD BondCount<Word> count_unsatisfied(const Word (&e)[6]) {
    const Word sum_a = xor3(e[0], e[1], e[2]), carry_a = majority(e[0], e[1], e[2]);
    const Word sum_b = xor3(e[3], e[4], e[5]), carry_b = majority(e[3], e[4], e[5]);
    const Word carry = sum_a & sum_b;
    return {sum_a ^ sum_b, xor3(carry_a, carry_b, carry), majority(carry_a, carry_b, carry)};
}

/// Metropolis acceptance of the random number of each lane against the three thresholds
/// round(2^32 exp(-beta dE)), dE = 4, 8, 12: bit 1 where R is below. Nested: c12 implies c8 implies c4.
template <class Word>
struct Acceptance {
    Word c4, c8, c12;
};

/// The number of unsatisfied ones among three bonds.
template <class Word>
struct ThreeBonds {
    Word ones, twos;
};

/// A full adder of three bond words.
template <class Word>
PSFLIP_HD ThreeBonds<Word> add_bonds(Word a, Word b, Word c) {
    return {xor3(a, b, c), majority(a, b, c)};
}

/// The same of two bonds that are +1, to spins up and down, and a third: four operations of which the third
/// bond word is one, where a full adder and three bond words take five.
template <class Word>
PSFLIP_HD ThreeBonds<Word> add_bonds_between(Word spin, Word up, Word down, Word third) {
    const Word sum = xor3(up, down, third);
    return {sum, or_and_not(differs_from_both(spin, up, down), third, sum)};
}

/// The Metropolis rule: the new spin from its six bonds, three and three. A flip costs dE = 12 - 4u, so with
/// no threshold passed the spin flips iff u >= 3: two of both twos and a one of any. With c4 iff u >= 2: a
/// two, or both ones; with c8 iff u >= 1; with c12 always. The masks enter the free inputs of the gates. Five
/// three-input operations.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const ThreeBonds<Word>& a, const ThreeBonds<Word>& b,
                            const Acceptance<Word>& accept) {
    const Word any = or3(a.ones, b.ones, accept.c4), both = majority(a.ones, b.ones, accept.c8);
    const Word flips = or_and(majority(a.twos, b.twos, any), accept.c4, both);
    return xor_or(spin, flips, accept.c12);
}

/// The same from the six bond words e (bit 1: unsatisfied), nine operations.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&e)[6], const Acceptance<Word>& accept) {
    const ThreeBonds<Word> a = add_bonds(e[0], e[1], e[2]), b = add_bonds(e[3], e[4], e[5]);
    return updated_spin(spin, a, b, accept);
}

/// The same from the neighbours and couplings: e = spin ^ near ^ bond, six operations more.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&near)[6], const Word (&bond)[6],
                            const Acceptance<Word>& accept) {
    Word e[6];
    PSFLIP_UNROLL
    for (int k = 0; k < 6; ++k) e[k] = xor3(spin, near[k], bond[k]);
    return updated_spin(spin, e, accept);
}

/// The same where bonds 2 and 5 are +1: fourteen operations in all.
template <class Word>
PSFLIP_HD Word updated_spin_gauged(Word spin, const Word (&near)[6], const Word (&bond)[6],
                                   const Acceptance<Word>& accept) {
    const Word e0 = xor3(spin, near[0], bond[0]), e1 = xor3(spin, near[1], bond[1]),
               e3 = xor3(spin, near[3], bond[3]), e4 = xor3(spin, near[4], bond[4]);
    const ThreeBonds<Word> a = add_bonds_between(spin, near[2], near[5], e0), b = add_bonds(e1, e3, e4);
    return updated_spin(spin, a, b, accept);
}

/// The same rule in two dimensions, four bonds: a flip costs dE = 8 - 4u, thresholds are those of dE = 4, 8.
/// The masks are an offset of u: m = c4 + 2 c8 = 0, 1, 3, and the spin flips iff u + m >= 2.
template <class Word>
struct PlanarAcceptance {
    Word c4, c8;
};

/// The new spin from its four bond words: a full adder of three, the carry of the rest with c4; one carry, or
/// c8, makes u + m >= 2. Five three-input operations.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&e)[4], const PlanarAcceptance<Word>& accept) {
    const Word sum = xor3(e[0], e[1], e[2]), carry = majority(e[0], e[1], e[2]);
    return xor_or(spin, carry | majority(sum, e[3], accept.c4), accept.c8);
}

/// The same from the neighbours and couplings, four operations more: nine in all.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&near)[4], const Word (&bond)[4],
                            const PlanarAcceptance<Word>& accept) {
    Word e[4];
    PSFLIP_UNROLL
    for (int k = 0; k < 4; ++k) e[k] = xor3(spin, near[k], bond[k]);
    return updated_spin(spin, e, accept);
}

}  // namespace psflip
