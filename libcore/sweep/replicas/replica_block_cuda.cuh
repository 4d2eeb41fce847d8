#pragma once

#include "sweep/replicas/replica_launch_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// Returns the lanes whose number is below the threshold, after one more plane of higher significance.
__device__ __forceinline__ DeviceWord below_after(DeviceWord below, DeviceWord number, DeviceWord threshold) {
    return lop3<0x8e>(number, threshold, below);
}
/// Returns the lanes of `equal` whose number also equals the threshold in this plane.
__device__ __forceinline__ DeviceWord equal_after(DeviceWord equal, DeviceWord number, DeviceWord threshold) {
    return lop3<0x90>(equal, number, threshold);
}

inline constexpr int replica_threads = 256;

/// Implements a barrier of the blocks that share a realization. After a wait, all blocks may read what the
/// others wrote before they arrived. All threads of a block must call it.
struct ReplicaMeeting {
    __device__ __forceinline__ static void arrive(std::uint32_t* arrivals) {
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    }
    /// Waits until the number of arrivals has reached `wanted`, modulo 2^32. Every acquiring load would empty
    /// the first-level cache, also for the other blocks of the multiprocessor. So only one fence acquires.
    __device__ __forceinline__ static void wait(const std::uint32_t* arrivals, std::uint32_t wanted) {
        if (threadIdx.x == 0) {
            std::uint32_t now;
            do {
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrivals) : "memory");
            } while (static_cast<std::int32_t>(now - wanted) < 0);
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        }
        __syncthreads();
    }
};

/// Says which words a thread has. A column is the `words` consecutive words at one place of every row. A
/// thread has one column in every rows_at_once-th row of the block. Rows with more columns than threads take
/// several turns. With demons, bundles of chains count as rows.
struct ReplicaShare {
    std::uint32_t columns, rows_at_once, begin, end;  ///< rows begin, ..., end - 1 of the block
    std::uint32_t column, row;                        ///< of this thread

    /// all_rows: number of rows of the lattice.
    __device__ __forceinline__ ReplicaShare(const ReplicaLayout& layout, const ReplicaCut& cut, int words,
                                            int all_rows) {
        columns = static_cast<std::uint32_t>(layout.row_words() / words);
        rows_at_once = columns < replica_threads ? replica_threads / columns : 1;
        const auto rows = static_cast<std::uint32_t>(all_rows),
                   blocks = static_cast<std::uint32_t>(cut.blocks), each = (rows + blocks - 1) / blocks,
                   part = blockIdx.x % blocks;
        begin = min(part * each, rows);
        end = min(begin + each, rows);
        row = columns < replica_threads ? threadIdx.x / columns : 0;
        column = threadIdx.x - row * columns;
        if (row >= rows_at_once) column = columns;  // the thread has none
    }
    /// Returns whether the thread has a column in the turn that begins with `first`.
    __device__ __forceinline__ bool has_column(std::uint32_t first) const {
        return column < columns && first + column < columns;
    }
};

/// Holds neighbouring words that one load reads.
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

/// Queues words with undecided lanes after two digits, about one in nine, in shared memory. All threads of
/// the block decide them together. If the queue is full, a thread decides its word itself.
template <class Rule>
struct ReplicaLeftovers {
    static constexpr int capacity = 768, selectors = Rule::Choice::selectors;

    struct Entries {
        std::uint32_t spin[capacity], open[capacity], place[capacity];
        std::uint32_t site[capacity];  ///< with the word in its highest bits
        std::uint32_t selector[selectors][capacity];
        std::uint32_t count[2];  ///< numbers of entries of two queues that take turns
    };
    static constexpr int word_shift = 28;

    Entries& entries;

    __device__ __forceinline__ bool append(const ReplicaUpdate<Rule, DeviceWord>& left, std::uint32_t turn,
                                           std::uint32_t place, std::uint32_t site,
                                           std::uint32_t word) const {
        const std::uint32_t i = atomicAdd(&entries.count[turn], 1u);
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

/// Holds the bit planes of the thresholds in shared memory: a uint4 has the four planes of one (digit,
/// threshold, word).
template <class Rule>
struct ReplicaThresholds {
    static constexpr int each = Rule::Choice::thresholds;
    const uint4* planes;
    std::uint32_t words;

    /// Fills the shared memory: replica_digits * each * words + ReplicaLayout::max_words / 4 uint4. All
    /// threads of the block must call it. A barrier must follow.
    __device__ __forceinline__ ReplicaThresholds(uint4* memory, const ReplicaView& view)
        : planes(memory), words(static_cast<std::uint32_t>(view.layout.words())) {
        fill(memory, view, static_cast<int>(words));
    }
    /// Returns the lanes of a word that are (replica, slot) pairs.
    __device__ __forceinline__ std::uint32_t used(std::uint32_t word) const {
        return reinterpret_cast<const std::uint32_t*>(planes + replica_digits * each * words)[word];
    }
    /// Holds the planes of a digit of a word, in registers if they are few.
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

  private:
    __device__ __forceinline__ static void fill(uint4* memory, const ReplicaView& view, int words) {
        const int all = static_cast<int>(replica_digits) * each * words, mine = static_cast<int>(threadIdx.x);
        for (int i = mine; i < all; i += replica_threads) {
            const int word = i % words, threshold = i / words % each, digit = i / words / each;
            std::uint32_t plane[4];
#pragma unroll
            for (int k = 0; k < 4; ++k)
                plane[k] =
                    view.thresholds[((4 * digit + k) * each + threshold) * ReplicaLayout::max_words + word];
            memory[i] = {plane[0], plane[1], plane[2], plane[3]};
        }
        if (mine < words) reinterpret_cast<std::uint32_t*>(memory + all)[mine] = view.used[mine];
    }
};

}  // namespace psflip
