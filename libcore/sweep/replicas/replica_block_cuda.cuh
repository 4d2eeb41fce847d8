#pragma once

#include "sweep/replicas/replica_launch_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {

__device__ __forceinline__ DeviceWord below_after(DeviceWord below, DeviceWord number, DeviceWord threshold) {
    return lop3<0x8e>(number, threshold, below);
}
__device__ __forceinline__ DeviceWord equal_after(DeviceWord equal, DeviceWord number, DeviceWord threshold) {
    return lop3<0x90>(equal, number, threshold);
}

inline constexpr int replica_threads = 256;

/// Meeting of the blocks that share a realization: what they wrote before they arrived, all may read after
/// they waited. By all threads of the block.
struct ReplicaMeeting {
    int blocks;

    __device__ __forceinline__ void arrive(std::uint32_t* arrivals) const {
        __syncthreads();
        if (blocks == 1 || threadIdx.x != 0) return;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    }
    /// Until so many have arrived, modulo 2^32.
    __device__ __forceinline__ void wait(const std::uint32_t* arrivals, std::uint32_t wanted) const {
        if (blocks == 1) return;
        if (threadIdx.x == 0) {
            std::uint32_t now;
            do {
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrivals) : "memory");
            } while (static_cast<std::int32_t>(now - wanted) < 0);
        }
        __syncthreads();
    }
};

/// Which words a thread has: those of `column` words of a row at a time, in every rows_at_once-th of the
/// block's rows; rows of more columns than threads in several turns.
struct ReplicaShare {
    std::uint32_t columns, rows_at_once, begin, end;  ///< rows of the block
    std::uint32_t column, row;                        ///< of the thread

    __device__ __forceinline__ ReplicaShare(const ReplicaLayout& layout, const ReplicaCut& cut, int words) {
        columns = static_cast<std::uint32_t>(layout.row_words() / words);
        rows_at_once = columns < replica_threads ? replica_threads / columns : 1;
        const auto rows = static_cast<std::uint32_t>(layout.rows()),
                   blocks = static_cast<std::uint32_t>(cut.blocks), each = (rows + blocks - 1) / blocks,
                   part = blockIdx.x % blocks;
        begin = min(part * each, rows);
        end = min(begin + each, rows);
        row = columns < replica_threads ? threadIdx.x / columns : 0;
        column = threadIdx.x - row * columns;
        if (row >= rows_at_once) column = columns;  // has none
    }
};

/// Words next to each other, as one load.
template <int Words>
struct ReplicaVector;
template <>
struct ReplicaVector<1> {
    using Type = std::uint32_t;
};
template <>
struct ReplicaVector<2> {
    using Type = uint2;
};
__device__ __forceinline__ std::uint32_t component(std::uint32_t v, int) {
    return v;
}
__device__ __forceinline__ std::uint32_t component(const uint2& v, int i) {
    return i == 0 ? v.x : v.y;
}

/// Words whose lanes two digits have not decided, about one in nine: they wait in shared memory until all
/// threads of the block take some. There is room for `few` of them at least where threads append Words each.
template <class Rule>
struct ReplicaLeftovers {
    static constexpr int capacity = 768, few = 256, selectors = Rule::Choice::selectors;

    struct Entries {
        std::uint32_t spin[capacity], open[capacity], place[capacity];
        std::uint32_t site[capacity];  ///< with the word in its highest bits
        std::uint32_t selector[selectors][capacity];
        std::uint32_t count;
    };
    static constexpr int word_shift = 28;

    Entries& entries;

    __device__ __forceinline__ bool append(const ReplicaUpdate<Rule, DeviceWord>& left, std::uint32_t place,
                                           std::uint32_t site, std::uint32_t word) const {
        const std::uint32_t i = atomicAdd(&entries.count, 1u);
        if (i >= capacity) return false;
        entries.spin[i] = left.spin.bits;
        entries.open[i] = left.open.bits;
        entries.place[i] = place;
        entries.site[i] = site | word << word_shift;
#pragma unroll
        for (int s = 0; s < selectors; ++s) entries.selector[s][i] = left.selector[s].bits;
        return true;
    }
    __device__ __forceinline__ ReplicaUpdate<Rule, DeviceWord> at(std::uint32_t i) const {
        ReplicaUpdate<Rule, DeviceWord> left;
        left.spin = {entries.spin[i]};
        left.open = {entries.open[i]};
#pragma unroll
        for (int s = 0; s < selectors; ++s) left.selector[s] = {entries.selector[s][i]};
        return left;
    }
};

/// Planes of the thresholds in shared memory, (digit, threshold, word): the four of a digit.
template <class Rule>
struct ReplicaThresholds {
    static constexpr int each = Rule::Choice::thresholds;
    const uint4* planes;
    std::uint32_t words;

    __device__ __forceinline__ static std::size_t bytes(const ReplicaLayout& layout) {
        return sizeof(uint4) * replica_digits * each * static_cast<std::size_t>(layout.words());
    }
    /// By all threads of the block.
    __device__ __forceinline__ static void fill(uint4* planes, const ReplicaView& view) {
        const int words = view.layout.words();
        for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(replica_digits) * each * words;
             i += replica_threads) {
            const int word = i % words, threshold = i / words % each, digit = i / words / each;
            std::uint32_t plane[4];
#pragma unroll
            for (int k = 0; k < 4; ++k)
                plane[k] =
                    view.thresholds[((4 * digit + k) * each + threshold) * ReplicaLayout::most_words + word];
            planes[i] = {plane[0], plane[1], plane[2], plane[3]};
        }
    }
    /// Those of a digit of a word: in registers where they are few.
    struct Digit {
        static constexpr bool held = each <= 3;
        const uint4* from;
        std::uint32_t words;
        uint4 plane[held ? each : 1];
        __device__ __forceinline__ DeviceWord operator()(int k, int i) const {
            if constexpr (held)
                return word_of(plane[i], k);
            else
                return {reinterpret_cast<const std::uint32_t*>(from + i * words)[k]};
        }
    };
    __device__ __forceinline__ Digit digit(std::uint32_t number, std::uint32_t word) const {
        Digit d{planes + number * each * words + word, words};
        if constexpr (Digit::held)
#pragma unroll
            for (int i = 0; i < each; ++i) d.plane[i] = d.from[i * words];
        return d;
    }
};

}  // namespace psflip
