#pragma once

#include "base/host_device.hpp"

namespace psflip {

/// Generic word logic; instruction sets with three-input logic overload these for their word types.
template <class Word>
PSFLIP_HD Word xor3(Word a, Word b, Word c) {
    return a ^ b ^ c;
}
template <class Word>
PSFLIP_HD Word majority(Word a, Word b, Word c) {
    return (a & b) | (c & (a | b));
}

/// Bit planes of the number u = 0..6 of unsatisfied bonds, for every bit lane of a word.
template <class Word>
struct BondCount {
    Word ones, twos, fours;
};

/// Adds six bond words (bit 1: unsatisfied) with two full adders, then a half adder and a full adder.
template <class Word>
PSFLIP_HD BondCount<Word> count_unsatisfied(Word e0, Word e1, Word e2, Word e3, Word e4, Word e5) {
    const Word sum_a = xor3(e0, e1, e2), carry_a = majority(e0, e1, e2);
    const Word sum_b = xor3(e3, e4, e5), carry_b = majority(e3, e4, e5);
    const Word carry = sum_a & sum_b;
    return {sum_a ^ sum_b, xor3(carry_a, carry_b, carry), majority(carry_a, carry_b, carry)};
}

/// Metropolis acceptance of the random number of each lane against the three thresholds
/// round(2^32 exp(-beta dE)), dE = 4, 8, 12: bit 1 where R is below. Nested: c12 implies c8 implies c4.
template <class Word>
struct Acceptance {
    Word c4, c8, c12;
};

/// The Metropolis rule: dE = 12 - 4u, so u >= 3 always flips, u = 2, 1, 0 where c4, c8, c12. Returns the flip
/// mask.
template <class Word>
PSFLIP_HD Word flip_mask(const BondCount<Word>& u, const Acceptance<Word>& accept) {
    return u.fours | accept.c12 | (u.ones & (u.twos | accept.c8)) | (u.twos & accept.c4);
}

}  // namespace psflip
