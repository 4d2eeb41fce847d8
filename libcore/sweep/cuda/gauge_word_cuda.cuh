#pragma once

#include <cuda_runtime.h>

namespace psflip {

/// A word of 16 bytes with the operation that gauge.hpp asks of words.
struct GaugeWord {
    uint4 v;
    __device__ friend GaugeWord operator^(const GaugeWord& a, const GaugeWord& b) {
        return {{a.v.x ^ b.v.x, a.v.y ^ b.v.y, a.v.z ^ b.v.z, a.v.w ^ b.v.w}};
    }
};

/// Spins turned over where `turn` has ones.
__device__ __forceinline__ uint4 turned(const uint4& spins, const uint4& turn) {
    return (GaugeWord{spins} ^ GaugeWord{turn}).v;
}

}  // namespace psflip
