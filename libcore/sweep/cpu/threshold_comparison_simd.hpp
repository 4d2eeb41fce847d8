#pragma once

#include "word/word_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// R < T (and R = T in all planes) for planes of R and of T, T being chosen by the rule's selectors.
/// threshold(k, c): plane k of threshold c. Where lanes are not open before, they are not after.
template <class Rule, int Planes, class Digit>
inline void compare_planes(const Word* plane, const Word (&selector)[Rule::selectors], Digit threshold,
                           Word& below, Word& open) {
#pragma GCC unroll 8
    for (int k = Planes - 1; k >= 0; --k) {
        const Word t = Rule::chosen(selector, [&](int c) { return threshold(k, c); });
        below = borrow(below, t, plane[k]);
        open = and_equal(open, t, plane[k]);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
