// Draws the random numbers of clusters in kernels, joins sites by trees of labels, and shares work and bits
// between lanes of a warp.
#pragma once

#include <cstdint>

#include "sweep/clusters/cluster_rule.hpp"
#include "sweep/clusters/cluster_sums.hpp"

namespace psflip {

/// The number of blocks of 1024 threads that a multiprocessor holds. Their threads then have 32 registers.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800 && __CUDA_ARCH__ != 900 && __CUDA_ARCH__ != 1000
constexpr int blocks_together = 1;
#else
constexpr int blocks_together = 2;
#endif

/// Holds the keys of the rounds of Philox. Kernels have them by value, because instructions take constants
/// without a load.
struct RoundKeys {
    std::uint32_t low[philox_rounds], high[philox_rounds];

    static RoundKeys of(std::uint64_t key) {
        RoundKeys keys;
        for (std::uint32_t round = 0; round < philox_rounds; ++round) {
            keys.low[round] = static_cast<std::uint32_t>(key) + round * philox_w0;
            keys.high[round] = static_cast<std::uint32_t>(key >> 32) + round * philox_w1;
        }
        return keys;
    }
};

/// Draws cluster_numbers of the sites of a step. Holds terms of the first two rounds that all sites share.
struct ClusterSource {
    const RoundKeys& keys;
    std::uint32_t first2, second0, second2, second3;  ///< terms of words after the first and second round

    __device__ __forceinline__ ClusterSource(const ClusterStep& step, const RoundKeys& k) : keys(k) {
        const Counter c = cluster_counter(step, 0);
        const std::uint64_t p1 = wide_product(philox_m1, c.fields);
        const std::uint64_t p0 =
            wide_product(philox_m0, static_cast<std::uint32_t>(p1 >> 32) ^ c.sweep_low ^ k.low[0]);
        first2 = c.pack_purpose ^ k.high[0];
        second0 = static_cast<std::uint32_t>(p1) ^ k.low[1];
        second2 = static_cast<std::uint32_t>(p0 >> 32) ^ k.high[1];
        second3 = static_cast<std::uint32_t>(p0);
    }
    __device__ __forceinline__ RandomBlock draw(std::uint32_t site) const {
        std::uint64_t p0 = wide_product(philox_m0, site);
        std::uint64_t p1 = wide_product(philox_m1, static_cast<std::uint32_t>(p0 >> 32) ^ first2);
        RandomBlock r{{static_cast<std::uint32_t>(p1 >> 32) ^ second0, static_cast<std::uint32_t>(p1),
                       static_cast<std::uint32_t>(p0) ^ second2, second3}};
#pragma unroll
        for (int round = 2; round < philox_rounds; ++round) {
            p0 = wide_product(philox_m0, r.word[0]);
            p1 = wide_product(philox_m1, r.word[2]);
            r = {{static_cast<std::uint32_t>(p1 >> 32) ^ r.word[1] ^ keys.low[round],
                  static_cast<std::uint32_t>(p1),
                  static_cast<std::uint32_t>(p0 >> 32) ^ r.word[3] ^ keys.high[round],
                  static_cast<std::uint32_t>(p0)}};
        }
        return r;
    }
};

// Each site of a cluster has a label: the number of the site, or of a smaller site of the cluster. Labels
// form trees whose roots are labelled by themselves. In the end a cluster is one tree, so its root is the
// smallest site of the cluster, in whatever order threads join trees.

/// Returns the root of a site. Other threads may join trees at the same time.
__device__ __forceinline__ std::uint32_t root_of(const volatile std::uint32_t* labels, std::uint32_t site) {
    for (std::uint32_t label = labels[site]; label != site; label = labels[site]) site = label;
    return site;
}

/// Returns the root of a site if all trees are complete.
__device__ __forceinline__ std::uint32_t settled_root_of(const std::uint32_t* labels, std::uint32_t site) {
    for (std::uint32_t label = labels[site]; label != site; label = labels[site]) site = label;
    return site;
}

/// Returns the root of a site and halves the path to it. The label of a site that is no root may be replaced
/// by any other site of its path, because such a site never becomes a root again.
__device__ __forceinline__ std::uint32_t root_by_halves(volatile std::uint32_t* labels, std::uint32_t site) {
    std::uint32_t label = labels[site];
    while (label != site) {
        const std::uint32_t next = labels[label];
        if (next == label) return label;
        labels[site] = next;
        site = label;
        label = next;
    }
    return site;
}

/// Returns the root of a site and makes it the label of the site, for the same reason.
__device__ __forceinline__ std::uint32_t root_as_label(volatile std::uint32_t* labels, std::uint32_t site) {
    const std::uint32_t root = root_of(labels, site);
    if (root != site) labels[site] = root;
    return root;
}

/// Joins the trees of two sites. A root gets the smaller root as its label, unless another thread was faster;
/// then the search continues from the label of that thread.
template <bool Halves>
__device__ __forceinline__ void join(std::uint32_t* labels, std::uint32_t a, std::uint32_t b) {
    const auto root = [&](std::uint32_t site) {
        if constexpr (Halves) return root_by_halves(labels, site);
        return root_as_label(labels, site);
    };
    a = root(a);
    b = root(b);
    while (a != b) {
        const std::uint32_t high = max(a, b), low = min(a, b), found = atomicCAS(labels + high, high, low);
        if (found == high) return;
        a = root(found);
        b = low;
    }
}

/// Collects the work of the lanes of a warp, so that all lanes have work at once. Entry is an unsigned
/// integer.
template <class Entry>
struct WarpQueue {
    static constexpr std::uint32_t size = 64;
    volatile Entry* ring;  ///< `size` entries of this warp in shared memory
    std::uint32_t lane, first = 0, end = 0;

    /// Adds the entries of lanes that want it, and calls work(entry) for 32 entries if the queue has 32. All
    /// lanes of the warp must call it.
    template <class Work>
    __device__ __forceinline__ void add(bool wanted, std::uint32_t entry, const Work& work) {
        const std::uint32_t all = __ballot_sync(~0u, wanted);
        if (wanted)
            ring[(end + static_cast<std::uint32_t>(__popc(all & ((1u << lane) - 1)))) % size] =
                static_cast<Entry>(entry);
        end += static_cast<std::uint32_t>(__popc(all));
        if (end - first >= 32) take(work);
    }
    /// Calls work(entry) for the entries that are left.
    template <class Work>
    __device__ __forceinline__ void finish(const Work& work) {
        if (end != first) take(work);
    }

  private:
    template <class Work>
    __device__ __forceinline__ void take(const Work& work) {
        __syncwarp();
        if (lane < end - first) work(std::uint32_t{ring[(first + lane) % size]});
        first = min(first + 32, end);
        __syncwarp();
    }
};

/// Returns the first lane of the run of a lane. Bit i of `bonds` says that lanes i and i + 1 are connected.
__device__ __forceinline__ std::uint32_t run_start(std::uint32_t bonds, std::uint32_t lane) {
    const std::uint32_t starts = ~(bonds << 1);
    return 31 - static_cast<std::uint32_t>(__clz(static_cast<int>(starts & (~0u >> (31 - lane)))));
}

/// Returns the number of lanes from a lane that begins a run up to the next lane that begins one. begin: the
/// lanes that begin a run.
__device__ __forceinline__ int run_length(std::uint32_t begin, std::uint32_t lane) {
    const std::uint32_t later = begin & ~(~0u >> (31 - lane));
    return (later == 0 ? 32 : __ffs(static_cast<int>(later)) - 1) - static_cast<int>(lane);
}

/// Adds the sums of all lanes of a warp to a sum in device memory, whose `low` may exceed 32 bits. All lanes
/// of the warp must call it.
__device__ __forceinline__ void add_of_warp(SquareSum& sum, SquareSum own) {
    for (int distance = 16; distance > 0; distance /= 2) {
        const std::uint64_t low = __shfl_xor_sync(~0u, static_cast<unsigned long long>(own.low), distance),
                            high = __shfl_xor_sync(~0u, static_cast<unsigned long long>(own.high), distance);
        own.add(low, high);
    }
    if (threadIdx.x % 32 != 0 || (own.low == 0 && own.high == 0)) return;
    atomicAdd(reinterpret_cast<unsigned long long*>(&sum.low), static_cast<unsigned long long>(own.low));
    atomicAdd(reinterpret_cast<unsigned long long*>(&sum.high), static_cast<unsigned long long>(own.high));
}

/// Returns the transpose of a matrix of bits: bit i of lane l becomes bit l of lane i. All lanes of the warp
/// must call it.
__device__ __forceinline__ std::uint32_t transposed(std::uint32_t bits, std::uint32_t lane) {
    std::uint32_t mask = 0x0000FFFFu;
#pragma unroll
    for (std::uint32_t shift = 16; shift > 0; shift >>= 1, mask ^= mask << shift) {
        const std::uint32_t other = __shfl_xor_sync(~0u, bits, static_cast<int>(shift));
        bits = lane & shift ? (bits & ~mask) | (other >> shift & mask)
                            : (bits & mask) | (other << shift & ~mask);
    }
    return bits;
}

}  // namespace psflip
