#pragma once

#include "base/host_device.hpp"
#include "sweep/site_rule.hpp"

namespace psflip {

/// One number per bit lane of a word, stored as bit planes: plane p holds bit p of all numbers. Adding is
/// carry-save logic on whole words, so counting never unpacks spins. The number must stay below 2^Planes;
/// higher carries are lost.
template <class Word, int Planes>
struct BitCounter {
    Word plane[Planes];

    PSFLIP_HD void clear() {
        PSFLIP_UNROLL
        for (int p = 0; p < Planes; ++p) plane[p] = Word{};
    }

    /// Adds a bit per lane: a half adder per plane.
    PSFLIP_HD void add(Word bit) {
        PSFLIP_UNROLL
        for (int p = 0; p < Planes; ++p) {
            const Word carry = plane[p] & bit;
            plane[p] = plane[p] ^ bit;
            bit = carry;
        }
    }

    /// Adds four bits per lane: three full adders, then a half adder per plane.
    PSFLIP_HD void add(Word a, Word b, Word c, Word d) {
        static_assert(Planes >= 2);
        const Word carry_a = majority(plane[0], a, b), sum = xor3(plane[0], a, b);
        const Word carry_b = majority(sum, c, d);
        plane[0] = xor3(sum, c, d);
        Word carry = majority(plane[1], carry_a, carry_b);
        plane[1] = xor3(plane[1], carry_a, carry_b);
        PSFLIP_UNROLL
        for (int p = 2; p < Planes; ++p) {
            const Word next = plane[p] & carry;
            plane[p] = plane[p] ^ carry;
            carry = next;
        }
    }

    /// Adds a number of fewer or as many planes: full adders, then half adders.
    template <int Other>
    PSFLIP_HD void add(const Word (&number)[Other]) {
        static_assert(Other <= Planes);
        Word carry{};
        PSFLIP_UNROLL
        for (int p = 0; p < Planes; ++p) {
            const Word old = plane[p];
            if (p < Other) {
                const Word other = number[p < Other ? p : 0];
                plane[p] = xor3(old, other, carry);
                carry = majority(old, other, carry);
            } else {
                plane[p] = old ^ carry;
                carry = old & carry;
            }
        }
    }

    /// Adds the number of unsatisfied bonds of a site.
    PSFLIP_HD void add(const BondCount<Word>& count) {
        const Word number[3] = {count.ones, count.twos, count.fours};
        add(number);
    }
};

/// Smallest number of planes that counts up to `maximum`.
constexpr int planes_for(long long maximum) {
    int planes = 0;
    while (maximum >> planes) ++planes;
    return planes;
}

}  // namespace psflip
