#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "model/thresholds.hpp"
#include "random/purposes.hpp"
#include "sweep/clusters/cluster_sums.hpp"

namespace psflip {

/// Holds the arguments of the sweep kernels, passed by value. Pointers refer to device memory. Spins are
/// (column, replica, slot, site) of 16-byte words of 128 realizations, and couplings are (column, direction,
/// site). A set bit is spin +1 or coupling -1.
struct SweepArgs {
    Geometry geometry;
    uint4* spins;
    const uint4* couplings;
    std::uint32_t replicas, temperatures;
    std::uint32_t first_realization;  ///< number of the first realization of the batch in the study
    std::uint64_t seed;               ///< key of the random numbers, Ensemble::key
    Thresholds thresholds[max_temperatures];
};

/// Returns the number of steps of an exchange. It is equal for both parities, so the masks of a temperature
/// stack always have the same address.
PSFLIP_HD constexpr std::uint32_t exchange_steps(std::uint32_t temperatures) {
    return temperatures / 2 + 1;
}

/// Holds an exchange that has been decided but not carried out on the spins. `mask` (stack, step) has the
/// accepted lanes of the slots 2 step - parity and 2 step - parity + 1. If `mask` is null, no exchange is
/// pending.
struct PendingExchange {
    const uint4* mask = nullptr;
    std::int32_t parity = 0;
    std::uint32_t steps = 0;
};

/// Describes a burst: the pending exchange inside slot groups, then the sweeps first to first + count - 1.
/// Unless `energy` is null, the kernel then writes the energies (stack, slot, lane). Kernels without
/// slot_groups only sweep.
struct SweepBurst {
    std::int64_t first;
    int count;
    PendingExchange pending;
    std::int32_t* energy;
    std::int32_t* magnetisation = nullptr;  ///< (stack, slot, lane), in a field
    /// (stack, slot, lane): takes the sums of the clusters of the last sweep; null: not summed
    ClusterSums* clusters = nullptr;
};

/// Says how many neighbouring slots a block of a kernel holds: `slots` in stacks below
/// `other_stack`, `other_slots` in all others.
struct SlotGroups {
    int slots = 0, other_slots = 0;
    std::int64_t other_stack = 0;
};

#ifdef __CUDACC__
/// Exchanges the bits of p and q where `mask` has ones.
__device__ __forceinline__ void exchange_words(uint4& p, uint4& q, const uint4& mask) {
    const uint4 d{(p.x ^ q.x) & mask.x, (p.y ^ q.y) & mask.y, (p.z ^ q.z) & mask.z, (p.w ^ q.w) & mask.w};
    p = {p.x ^ d.x, p.y ^ d.y, p.z ^ d.z, p.w ^ d.w};
    q = {q.x ^ d.x, q.y ^ d.y, q.z ^ d.z, q.w ^ d.w};
}
__device__ __forceinline__ void exchange_words(std::uint32_t& p, std::uint32_t& q, std::uint32_t mask) {
    const std::uint32_t d = (p ^ q) & mask;
    p ^= d;
    q ^= d;
}
#endif

}  // namespace psflip
