#pragma once

#include <cstdint>

#include "sweep/bit_counter.hpp"
#include "sweep/device_word_cuda.cuh"

namespace psflip {

/// Sum of two numbers of P bit planes: a ripple of full adders.
template <int P>
__device__ __forceinline__ void add_planes(const DeviceWord (&a)[P], const DeviceWord (&b)[P],
                                           DeviceWord (&sum)[P + 1]) {
    DeviceWord carry{};
#pragma unroll
    for (int p = 0; p < P; ++p) {
        sum[p] = xor3(a[p], b[p], carry);
        carry = majority(a[p], b[p], carry);
    }
    sum[P] = carry;
}

/// Adds the numbers of the threads whose index differs in bit `offset`.
template <int P>
__device__ __forceinline__ void add_across(const DeviceWord (&mine)[P], int offset,
                                           DeviceWord (&sum)[P + 1]) {
    DeviceWord theirs[P];
#pragma unroll
    for (int p = 0; p < P; ++p) theirs[p].bits = __shfl_xor_sync(~0u, mine[p].bits, offset);
    add_planes(mine, theirs, sum);
}

/// One halving step: of `Words` numbers, threads whose bit `offset` is 0 keep the sums of the first half, the
/// others those of the second.
template <int Words, int P>
__device__ __forceinline__ void halve_across(const DeviceWord (&in)[Words][P], int offset,
                                             DeviceWord (&out)[Words / 2][P + 1]) {
    const bool upper = threadIdx.x & offset;
#pragma unroll
    for (int w = 0; w < Words / 2; ++w) {
        DeviceWord mine[P], theirs[P];
#pragma unroll
        for (int p = 0; p < P; ++p) {
            const DeviceWord low = in[w][p], high = in[w + Words / 2][p];
            mine[p].bits = upper ? high.bits : low.bits;
            theirs[p].bits = __shfl_xor_sync(~0u, upper ? low.bits : high.bits, offset);
        }
        add_planes(mine, theirs, out[w]);
    }
}

/// Counts of 128 lanes, held as P planes of 4 words by each thread of a warp, summed over the warp and
/// unpacked: thread l gets the counts of lanes 4l .. 4l+3. All 32 threads must call; blockDim.x is a multiple
/// of 32. Words are split among the threads first, so that 3P + 2 + 3P + 9 shuffles do instead of 20 P.
template <int P>
__device__ __forceinline__ uint4 warp_lane_counts(const BitCounter<DeviceWord, P> (&counter)[4]) {
    DeviceWord four[4][P], two[2][P + 1], one[1][P + 2], a[P + 3], b[P + 4], all[P + 5];
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
        for (int p = 0; p < P; ++p) four[w][p] = counter[w].plane[p];
    halve_across<4, P>(four, 16, two);
    halve_across<2, P + 1>(two, 8, one);
    add_across<P + 2>(one[0], 4, a);
    add_across<P + 3>(a, 2, b);
    add_across<P + 4>(b, 1, all);
    // Now thread l holds word l / 8; it unpacks bits 4 (l % 8) .. + 3, spread to the bytes of a word.
    const unsigned shift = threadIdx.x % 8 * 4;
    std::uint32_t low = 0, high = 0;
#pragma unroll
    for (int p = 0; p < P + 5; ++p) {
        const std::uint32_t bytes = ((all[p].bits >> shift & 15u) * 0x00204081u) & 0x01010101u;
        if (p < 8)
            low |= bytes << p;
        else
            high |= bytes << (p - 8);
    }
    const auto number = [low, high](int k) { return (low >> 8 * k & 255u) | (high >> 8 * k & 255u) << 8; };
    return {number(0), number(1), number(2), number(3)};
}

}  // namespace psflip
