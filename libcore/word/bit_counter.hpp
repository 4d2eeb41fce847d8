#pragma once

#include "word/logic.hpp"

namespace psflip {

/// Counts in every lane of a word at once. Plane p holds bit p of all numbers, and carry-save logic on whole
/// words adds to them, so that counting never unpacks spins. Numbers must stay below 2^Planes, because higher
/// carries are lost.
template <class Word, int Planes>
struct BitCounter {
    Word plane[Planes];

    PSFLIP_HD void clear() {
        PSFLIP_UNROLL
        for (int p = 0; p < Planes; ++p) plane[p] = Word{};
    }

    /// Adds N bits per lane to the numbers, in planes First and above. Full adders take two bits each, and a
    /// half adder takes the last odd bit. Their carries go to the next plane. Six bits cost 6 + 2 Planes
    /// operations.
    template <int N, int First = 0>
    PSFLIP_HD void add(const Word (&bits)[N]) {
        if constexpr (First < Planes) {
            Word carry[(N + 1) / 2];
            Word& sum = plane[First];
            PSFLIP_UNROLL
            for (int i = 0; i < N / 2; ++i) {
                carry[i] = majority(sum, bits[2 * i], bits[2 * i + 1]);
                sum = xor3(sum, bits[2 * i], bits[2 * i + 1]);
            }
            if constexpr (N % 2 == 1) {
                carry[N / 2] = sum & bits[N - 1];
                sum = sum ^ bits[N - 1];
            }
            add<(N + 1) / 2, First + 1>(carry);
        }
    }

    /// Adds a number of at most Planes planes.
    template <int Other>
    PSFLIP_HD void add_number(const Word (&number)[Other]) {
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
};

/// Returns the smallest number of planes that can count up to `maximum`.
constexpr int planes_for(long long maximum) {
    int planes = 0;
    while (maximum >> planes) ++planes;
    return planes;
}

}  // namespace psflip
