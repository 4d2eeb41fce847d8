#pragma once

// Adds counts in bit planes (word/bit_counter.hpp) over the threads of a warp.

#include <cstdint>

#include "word/bit_counter.hpp"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// Adds two numbers of P bit planes in each lane with a chain of full adders.
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

/// Adds the numbers of the two threads whose indices differ only in the bit of value `offset`. Both threads
/// get the sum. The numbers have P bit planes, and the sum has P + 1.
template <int P, int N>
__device__ __forceinline__ void add_across(DeviceWord (&number)[N], int offset) {
    static_assert(P < N);
    DeviceWord carry{};
#pragma unroll
    for (int p = 0; p < P; ++p) {
        const DeviceWord mine = number[p], theirs{__shfl_xor_sync(~0u, mine.bits, offset)};
        number[p] = xor3(mine, theirs, carry);
        carry = majority(mine, theirs, carry);
    }
    number[P] = carry;
}

/// Adds the numbers of `Words` words of the two threads whose indices differ only in the bit of value
/// `offset`. The thread without this bit keeps the sums of the first half of the words. The other thread
/// keeps the sums of the second half.
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

/// Sums the counts of 128 lanes (4 words per thread, P planes each) over the four threads of a warp with
/// equal l % 8. l is the index of a thread in its warp. Thread l then holds the sums of word l / 8, in the
/// first P + 2 of N planes.
template <int P, int N>
__device__ __forceinline__ void split_words(const BitCounter<DeviceWord, P> (&counter)[4],
                                            DeviceWord (&word)[N]) {
    static_assert(P + 2 <= N);
    DeviceWord four[4][P], two[2][P + 1], one[1][P + 2];
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
        for (int p = 0; p < P; ++p) four[w][p] = counter[w].plane[p];
    halve_across<4, P>(four, 16, two);
    halve_across<2, P + 1>(two, 8, one);
#pragma unroll
    for (int p = 0; p < P + 2; ++p) word[p] = one[0][p];
}

/// Returns the numbers of lanes 4k to 4k + 3 of a word, by spreading their bits to the bytes of two words.
template <int P>
__device__ __forceinline__ int4 four_lanes(const DeviceWord (&word)[P], unsigned k) {
    static_assert(P <= 16);
    std::uint32_t low = 0, high = 0;
#pragma unroll
    for (int p = 0; p < P; ++p) {
        const std::uint32_t bytes = ((word[p].bits >> 4 * k & 15u) * 0x00204081u) & 0x01010101u;
        if (p < 8)
            low |= bytes << p;
        else
            high |= bytes << (p - 8);
    }
    const auto number = [low, high](int i) {
        return static_cast<int>((low >> 8 * i & 255u) | (high >> 8 * i & 255u) << 8);
    };
    return {number(0), number(1), number(2), number(3)};
}

/// Sums the counts of 128 lanes (4 words per thread, P planes each) over a warp. Thread l of the warp gets
/// the counts of lanes 4l to 4l + 3. All 32 threads must call; blockDim.x is a multiple of 32. Words are
/// first split among the threads, so that 6P + 10 shuffles suffice instead of more than 20P.
template <int P>
__device__ __forceinline__ int4 warp_lane_counts(const BitCounter<DeviceWord, P> (&counter)[4]) {
    DeviceWord word[P + 5];
    split_words(counter, word);
    add_across<P + 2>(word, 4);
    add_across<P + 3>(word, 2);
    add_across<P + 4>(word, 1);
    return four_lanes(word, threadIdx.x % 8);
}

/// Sums the counts of 32 lanes (one word per thread, P planes) over a warp. Thread l of the warp gets the
/// count of lane l. All 32 threads must call; blockDim.x is a multiple of 32.
template <int P>
__device__ __forceinline__ int warp_lane_counts(const BitCounter<DeviceWord, P> (&counter)[1]) {
    DeviceWord word[P + 5];
#pragma unroll
    for (int p = 0; p < P; ++p) word[p] = counter[0].plane[p];
    add_across<P>(word, 16);
    add_across<P + 1>(word, 8);
    add_across<P + 2>(word, 4);
    add_across<P + 3>(word, 2);
    add_across<P + 4>(word, 1);
    std::uint32_t count = 0;
#pragma unroll
    for (int p = 0; p < P + 5; ++p) count |= (word[p].bits >> threadIdx.x % 32 & 1u) << p;
    return static_cast<int>(count);
}

/// Adds `factor` times the counts of one lane or four lanes to numbers in memory. Other warps may add at the
/// same time. The order does not matter, because the numbers are integers.
__device__ __forceinline__ void add_counts(std::int32_t* lane, int count, int factor = 1) {
    atomicAdd(lane, factor * count);
}
__device__ __forceinline__ void add_counts(std::int32_t* lanes, const int4& count, int factor = 1) {
    atomicAdd(lanes, factor * count.x);
    atomicAdd(lanes + 1, factor * count.y);
    atomicAdd(lanes + 2, factor * count.z);
    atomicAdd(lanes + 3, factor * count.w);
}

}  // namespace psflip
