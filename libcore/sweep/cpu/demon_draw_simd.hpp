#pragma once

#include <cstdint>

#include "random/philox_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

/// Draws a 32-bit number in each lane of a register and compares it with Count thresholds. below[t] gets set
/// bits in the lanes whose number is below threshold t. Each Philox call gives four bit planes of the
/// numbers, to compare with planes of the thresholds. Calls end when no lane is undecided. Registers of 512
/// bits mostly need three calls, which are made together.
///
/// start(call, even, odd): sets the Philox counters of the even and odd groups of 32 lanes. plane_of(k, t):
/// bit 31 - k of threshold t.
template <int Count, class Start, class PlaneOf>
inline void draw_below(const PhiloxKeys& keys, const Start& start, const PlaneOf& plane_of,
                       Word (&below)[Count]) {
    constexpr int together = word_bytes == 64 ? 3 : 1, calls = 8;
    Word open[Count];
    for (int t = 0; t < Count; ++t) below[t] = Word{}, open[t] = ~Word{};
    const auto compare = [&](int call, const PhiloxLanes& even, const PhiloxLanes& odd)
        __attribute__((always_inline)) {
        Word plane[4];
        last_round(even, odd, keys, plane);
#pragma GCC unroll 8
        for (int t = 0; t < Count; ++t) {
            Word less{}, equal = open[t];
#pragma GCC unroll 4
            for (int k = 3; k >= 0; --k) {
                const Word bits = plane_of(4 * call + k, t);
                less = borrow(less, bits, plane[k]);
                equal = and_equal(equal, bits, plane[k]);
            }
            below[t] = or_and(below[t], less, open[t]);
            open[t] = equal;
        }
    };
    const auto undecided = [&] {
        Word all = open[0];
        for (int t = 1; t < Count; ++t) all = all | open[t];
        return any(all);
    };
    PhiloxLanes first[2 * together];
    for (int call = 0; call < together; ++call) start(call, first[2 * call], first[2 * call + 1]);
    run_rounds(0, philox_rounds - 1, first, keys);
#pragma GCC unroll 3
    for (int call = 0; call < together; ++call) compare(call, first[2 * call], first[2 * call + 1]);
    for (int call = together; call < calls && undecided(); ++call) {
        PhiloxLanes c[2];
        start(call, c[0], c[1]);
        run_rounds(0, philox_rounds - 1, c, keys);
        compare(call, c[0], c[1]);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
