#pragma once

#include "random/philox.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// Compares the next four bit planes of random numbers with the planes of a threshold. `below` has set bits
/// in the lanes whose number is below the threshold, and `open` in the undecided lanes.
__device__ __forceinline__ void compare_planes(const RandomBlock& r, const uint4& threshold,
                                               DeviceWord& below, DeviceWord& open) {
    DeviceWord less{0}, equal = open;
#pragma unroll
    for (int k = 3; k >= 0; --k) {
        less = lop3<0x8e>({r.word[k]}, word_of(threshold, k), less);    // ~r & t | ~(r ^ t) & less
        equal = lop3<0x90>(equal, {r.word[k]}, word_of(threshold, k));  // equal & ~(r ^ t)
    }
    below = or_and(below, less, open);
    open = equal;
}

/// Compares the random numbers of 32 lanes with Count thresholds. below[c] gets set bits in the lanes whose
/// number is below threshold c. Compares bit planes from the highest bit on. A call of Philox gives four
/// planes. The calls end when no lane is undecided. planes(call, c): four planes of threshold c.
template <int Count, class Planes>
__device__ __forceinline__ void draw_below(const Planes& planes, std::uint64_t seed, Counter counter,
                                           DeviceWord (&below)[Count]) {
    constexpr int calls = 8;
    DeviceWord open[Count];
#pragma unroll
    for (int c = 0; c < Count; ++c) below[c] = {0}, open[c] = {~0u};
    DeviceWord left;
    int call = 0;
#pragma unroll 1
    do {
        const RandomBlock r = philox(counter, seed);
        counter.fields += make_counter(Purpose{}, 0, 0, 0, 0, 1, 0).fields;
        left = {0};
#pragma unroll
        for (int c = 0; c < Count; ++c) {
            compare_planes(r, planes(call, c), below[c], open[c]);
            left = left | open[c];
        }
    } while (++call < calls && left.bits != 0);
}

}  // namespace psflip
