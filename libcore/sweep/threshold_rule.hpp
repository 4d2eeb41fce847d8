#pragma once

#include "base/host_device.hpp"
#include "sweep/site_rule.hpp"

namespace psflip {

/// Metropolis acceptance as an offset of the bond count. With k = 0..3 thresholds passed (c4, then c8, then
/// c12), a spin with u unsatisfied bonds flips iff u >= 3 - k, that is u + m >= 4 with m = k + 1 = m0 + 2 m1
/// + 4 m2. The offset enters the free inputs of the adders, so that the new spin costs 15 three-input
/// operations, where bond count and flip_mask take 18.
template <class Word>
struct CountOffset {
    Word m0, m1, m2;
};

/// The offset of nested acceptance masks: m = 1, 2, 3, 4 where none, c4, c4 and c8, all.
template <class Word>
PSFLIP_HD CountOffset<Word> count_offset(const Acceptance<Word>& accept) {
    return {~xor3(accept.c4, accept.c8, accept.c12), accept.c4 ^ accept.c12, accept.c12};
}

/// Generic three-input logic, to be overloaded like xor3.
template <class Word>
PSFLIP_HD Word or3(Word a, Word b, Word c) {
    return a | b | c;
}
template <class Word>
PSFLIP_HD Word or_and(Word a, Word b, Word c) {
    return a | (b & c);
}
template <class Word>
PSFLIP_HD Word xor_or(Word a, Word b, Word c) {
    return a ^ (b | c);
}

/// The updated spin, from the neighbours and couplings of its six bonds. The numbers of weight two are the
/// carries of the three full adders and m1: two of the four, or m2, make u + m >= 4.
template <class Word>
PSFLIP_HD Word updated_spin(Word spin, const Word (&near)[6], const Word (&bond)[6],
                            const CountOffset<Word>& m) {
    Word e[6];
#pragma unroll
    for (int k = 0; k < 6; ++k) e[k] = xor3(spin, near[k], bond[k]);
    const Word sum_a = xor3(e[0], e[1], e[2]), carry_a = majority(e[0], e[1], e[2]);
    const Word sum_b = xor3(e[3], e[4], e[5]), carry_b = majority(e[3], e[4], e[5]);
    const Word carry = majority(sum_a, sum_b, m.m0);
    const Word two_of_three = majority(carry_a, carry_b, carry), any = or3(carry_a, carry_b, carry);
    return xor_or(spin, or_and(two_of_three, m.m1, any), m.m2);
}

}  // namespace psflip
