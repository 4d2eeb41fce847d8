#pragma once

#include "word/logic.hpp"

/// Computes the Metropolis update of Ising spins with couplings +1 and -1, for all lanes of a word at once.
/// u is the number of unsatisfied bonds of a site. Flipping the spin lowers the energy of these bonds. A bond
/// word e has set bits in the lanes where the bond is unsatisfied. CPU and GPU use these functions. The
/// numbers of operations below are three-input operations per word.
namespace psflip {

/// Holds the bit planes of u = 0 to 6 of each lane: u = ones + 2 twos + 4 fours.
template <class Word>
struct BondCount {
    Word ones, twos, fours;
};

/// Returns u from the six bond words of a site. Two full adders, a half adder and a full adder add the words.
template <class Word>
PSFLIP_HD BondCount<Word> count_unsatisfied(const Word (&e)[6]) {
    const Word sum_a = xor3(e[0], e[1], e[2]), carry_a = majority(e[0], e[1], e[2]);
    const Word sum_b = xor3(e[3], e[4], e[5]), carry_b = majority(e[3], e[4], e[5]);
    const Word carry = sum_a & sum_b;
    return {sum_a ^ sum_b, xor3(carry_a, carry_b, carry), majority(carry_a, carry_b, carry)};
}

/// Holds the comparison of the random number R of each lane with the Metropolis thresholds round(2^32
/// exp(-beta dE)). c4, c8 and c12 have set bits in the lanes where R is below the threshold of dE = 4, 8 or
/// 12 J. The bits are nested: c12 implies c8, and c8 implies c4.
template <class Word>
struct Acceptance {
    Word c4, c8, c12;
};

/// Holds the bit planes of the number of unsatisfied bonds among three: ones + 2 twos.
template <class Word>
struct ThreeBonds {
    Word ones, twos;
};

/// Returns the number of unsatisfied bonds from three bond words, with one full adder.
template <class Word>
PSFLIP_HD ThreeBonds<Word> add_bonds(Word a, Word b, Word c) {
    return {xor3(a, b, c), majority(a, b, c)};
}

/// Returns the number of unsatisfied bonds among three bonds, two of which have the coupling +1. `up` and
/// `down` are the neighbours at these two bonds. `third` is the bond word of the third bond. With the
/// operation that makes `third`, this function takes four operations. Three bond words and a full adder take
/// five.
template <class Word>
PSFLIP_HD ThreeBonds<Word> add_bonds_between(Word spin, Word up, Word down, Word third) {
    const Word sum = xor3(up, down, third);
    return {sum, or_and_not(differs_from_both(spin, up, down), third, sum)};
}

/// Returns the new spin by the Metropolis rule. a and b count three of its six bonds each. Five operations. A
/// flip costs dE = 12 - 4u, so the masks that are set decide:
/// - no mask: the spin flips iff u >= 3. Then both `twos` are set, or one of `twos` and one of `ones`.
/// - c4 only: the spin flips iff u >= 2. Then one of `twos` is set, or both `ones`.
/// - c4 and c8: the spin flips iff u >= 1.
/// - c4, c8 and c12: the spin always flips.
/// The masks use inputs of three-input operations that would otherwise be free.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const ThreeBonds<Word>& a, const ThreeBonds<Word>& b,
                            const Acceptance<Word>& accept) {
    const Word any = or3(a.ones, b.ones, accept.c4), both = majority(a.ones, b.ones, accept.c8);
    const Word flips = or_and(majority(a.twos, b.twos, any), accept.c4, both);
    return xor_or(spin, flips, accept.c12);
}

/// Returns the new spin from its six bond words. Nine operations.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&e)[6], const Acceptance<Word>& accept) {
    const ThreeBonds<Word> a = add_bonds(e[0], e[1], e[2]), b = add_bonds(e[3], e[4], e[5]);
    return updated_spin(spin, a, b, accept);
}

/// Returns the new spin from its six neighbours and couplings, with e = spin ^ near ^ bond. A set bit of
/// `bond` is the coupling -1. Fifteen operations.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&near)[6], const Word (&bond)[6],
                            const Acceptance<Word>& accept) {
    Word e[6];
    PSFLIP_UNROLL
    for (int k = 0; k < 6; ++k) e[k] = xor3(spin, near[k], bond[k]);
    return updated_spin(spin, e, accept);
}

/// Returns the new spin from its six neighbours and couplings if couplings 2 and 5 are +1. Fourteen
/// operations.
template <class Word>
PSFLIP_HD Word updated_spin_gauged(Word spin, const Word (&near)[6], const Word (&bond)[6],
                                   const Acceptance<Word>& accept) {
    const Word e0 = xor3(spin, near[0], bond[0]), e1 = xor3(spin, near[1], bond[1]),
               e3 = xor3(spin, near[3], bond[3]), e4 = xor3(spin, near[4], bond[4]);
    const ThreeBonds<Word> a = add_bonds_between(spin, near[2], near[5], e0), b = add_bonds(e1, e3, e4);
    return updated_spin(spin, a, b, accept);
}

/// Holds the comparison of R with the Metropolis thresholds in two dimensions, where a flip costs dE = 8 -
/// 4u. c4 and c8 have set bits in the lanes where R is below the threshold of dE = 4 or 8 J. The masks add m
/// = c4 + 2 c8 = 0, 1 or 3 to u, and a spin flips iff u + m >= 2.
template <class Word>
struct PlanarAcceptance {
    Word c4, c8;
};

/// Returns the new spin from its four bond words. Five operations. A full adder adds three bonds. Its sum,
/// the fourth bond and c4 give a second carry. u + m >= 2 iff one of the two carries, or c8, is set.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&e)[4], const PlanarAcceptance<Word>& accept) {
    const Word sum = xor3(e[0], e[1], e[2]), carry = majority(e[0], e[1], e[2]);
    return xor_or(spin, carry | majority(sum, e[3], accept.c4), accept.c8);
}

/// Returns the new spin from its four neighbours and couplings. Nine operations.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&near)[4], const Word (&bond)[4],
                            const PlanarAcceptance<Word>& accept) {
    Word e[4];
    PSFLIP_UNROLL
    for (int k = 0; k < 4; ++k) e[k] = xor3(spin, near[k], bond[k]);
    return updated_spin(spin, e, accept);
}

/// Returns the new spin if the bonds to `up` and `down` are +1, and the bonds to the two other neighbours are
/// `bond`. Eight operations.
template <class Word>
PSFLIP_HD Word updated_spin_gauged(Word spin, Word up, Word down, const Word (&near)[2],
                                   const Word (&bond)[2], const PlanarAcceptance<Word>& accept) {
    const ThreeBonds<Word> a = add_bonds_between(spin, up, down, xor3(spin, near[0], bond[0]));
    const Word e = xor3(spin, near[1], bond[1]);
    return xor_or(spin, a.twos | majority(a.ones, e, accept.c4), accept.c8);
}

}  // namespace psflip
