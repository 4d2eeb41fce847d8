#pragma once

#include "word/logic.hpp"

namespace psflip {

/// Counts set bits separately in every lane of a word. Plane p holds bit p of the counts of all lanes, and
/// full adders on whole words add to the counts. Each count must stay below 2^Planes, because higher carries
/// are lost.
template <class Word, int Planes>
struct BitCounter {
    Word plane[Planes];

    PSFLIP_HD void clear() {
        PSFLIP_UNROLL
        for (int p = 0; p < Planes; ++p) plane[p] = Word{};
    }

    /// Adds 2^First times the number of set bits among bits[0] to bits[N - 1] to the count of each lane. In
    /// plane First, full adders take two bits each, and a half adder takes the last bit if N is odd. Their
    /// carries are then added to the next plane. Six bits cost 6 + 2 Planes three-input operations.
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

    /// Adds a number to the count of each lane. number[p] holds bit p of the numbers of all lanes.
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
