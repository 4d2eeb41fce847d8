// Joins sites to clusters in kernels, by trees of labels, and moves bits between lanes of a warp.
#pragma once

#include <cstdint>

#include "sweep/clusters/cluster_rule.hpp"

namespace psflip {

// Each site of a cluster has a label: the number of the site, or of a smaller site of the cluster. Labels
// form trees whose roots are labelled by themselves. In the end a cluster is one tree, so its root is the
// smallest site of the cluster, in whatever order threads join trees.

/// Returns the root of a site. Other threads may join trees at the same time.
__device__ __forceinline__ std::uint32_t root_of(const volatile std::uint32_t* labels, std::uint32_t site) {
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

/// Joins the trees of two sites. A root gets the smaller root as its label, unless another thread was faster;
/// then the search continues from the label of that thread.
template <bool Halves>
__device__ __forceinline__ void join(std::uint32_t* labels, std::uint32_t a, std::uint32_t b) {
    const auto root = [&](std::uint32_t site) {
        if constexpr (Halves) return root_by_halves(labels, site);
        return root_of(labels, site);
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

/// Returns the first lane of the run of a lane. Bit i of `bonds` says that lanes i and i + 1 are connected.
__device__ __forceinline__ std::uint32_t run_start(std::uint32_t bonds, std::uint32_t lane) {
    const std::uint32_t starts = ~(bonds << 1);
    return 31 - static_cast<std::uint32_t>(__clz(static_cast<int>(starts & (~0u >> (31 - lane)))));
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
