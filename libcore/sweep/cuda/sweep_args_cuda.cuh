#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/geometry_cuda.cuh"
#include "model/thresholds.hpp"
#include "random/purposes.hpp"

namespace psflip {

/// What the sweep kernels need, passed by value. Spins: (column, replica, slot, site) of 16-byte words of
/// 128 realizations; couplings: (column, direction, site).
struct SweepArgs {
    Geometry geometry;
    uint4* spins;
    const uint4* couplings;
    std::uint32_t replicas, temperatures;
    std::uint32_t first_realization;  ///< below 2^31: pack numbers have 24 bits
    std::uint64_t seed;
    Thresholds thresholds[max_temperatures];
};

/// Steps of an exchange, the same for both parities: so that masks of a stack always lie in the same place,
/// whoever has come to the next exchange.
PSFLIP_HD constexpr std::uint32_t exchange_steps(std::uint32_t temperatures) {
    return temperatures / 2 + 1;
}

/// An exchange that has been decided but not carried out on the spins: `mask` (stack, step) has the accepted
/// lanes of the pair of slots (2 step - parity, + 1). Null: there is none.
struct PendingExchange {
    const uint4* mask = nullptr;
    std::int32_t parity = 0;
    std::uint32_t steps = 0;
};

/// First what is pending between slots of the same block, then sweeps first, ..., first + count - 1, then,
/// unless null, the energies (stack, slot, lane). Kernels without slot_groups take sweeps alone.
struct SweepBurst {
    std::int64_t first;
    int count;
    PendingExchange pending;
    std::int32_t* energy;
    std::int32_t* magnetisation = nullptr;  ///< likewise, in a field
};

/// Neighbouring slots that a block of a kernel holds together: those of stacks below `other_stack`, and of
/// the others.
struct SlotGroups {
    int slots = 0, other_slots = 0;
    std::int64_t other_stack = 0;
};

#ifdef __CUDACC__
/// The masked exchange of bits.
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
