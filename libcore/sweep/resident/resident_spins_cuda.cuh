#pragma once

#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/resident/resident_block_cuda.cuh"

namespace psflip {

/// Holds the pending exchange between the k-th slot of a block and the next slot, if the block has both.
struct PendingPair {
    bool paired;
    uint4 mask{};

    __device__ __forceinline__ PendingPair(const ResidentBlock& held, const PendingExchange& pending,
                                           std::uint32_t k) {
        const std::uint32_t slot = held.first_slot + k;
        paired =
            pending.mask && slot % 2 == static_cast<std::uint32_t>(pending.parity) && k + 1 < held.slots();
        if (paired)
            mask =
                pending
                    .mask[static_cast<std::size_t>(held.stack) * pending.steps + (slot + pending.parity) / 2];
    }
};

/// Number of words that a thread reads before it writes them: the words of sites begin, begin + blockDim.x,
/// ...
inline constexpr int words_ahead = 4;

/// Reads the words of a thread from the k-th lattice and, if an exchange is pending, from the next lattice.
/// Carries out the exchange and writes turned(j, spins of the j-th site) to the lattices in shared memory.
template <class Slab, class Turned>
__device__ __forceinline__ void load_words(const Geometry& g, const Slab& slab, const ResidentBlock& held,
                                           const uint4* lattice, const PendingPair& pending,
                                           const SharedLattices& shared, std::uint32_t begin, std::uint32_t k,
                                           const Turned& turned) {
    uint4 p[words_ahead], q[words_ahead];
#pragma unroll
    for (int j = 0; j < words_ahead; ++j) {
        const std::uint32_t i = begin + j * blockDim.x;
        if (i >= slab.sites) continue;
        const std::size_t at =
            k * g.sites + i + slab_offset(g, slab, i >= slab.colour_sites, held.first_plane);
        p[j] = lattice[at];
        if (pending.paired) q[j] = lattice[at + g.sites];
    }
#pragma unroll
    for (int j = 0; j < words_ahead; ++j) {
        const std::uint32_t i = begin + j * blockDim.x;
        if (i >= slab.sites) continue;
        if (pending.paired) exchange_words(p[j], q[j], pending.mask);
        shared.store(shared.address(i, k), 0, turned(j, p[j]));
        if (pending.paired) shared.store(shared.address(i, k), 1, turned(j, q[j]));
    }
}

/// Reads the slots of a block into shared memory and carries out the pending exchange between them. All
/// threads of the block must call it.
template <class Slab>
__device__ __forceinline__ void load_block(const SweepArgs& a, const Slab& slab, const ResidentBlock& held,
                                           const PendingExchange& exchange, const SharedLattices& shared) {
    const uint4* const spins = a.spins + held.first_lattice(a) * a.geometry.sites;
    for (std::uint32_t k = 0; k < held.slots();) {
        const PendingPair pending(held, exchange, k);
        for (std::uint32_t begin = threadIdx.x; begin < slab.sites; begin += words_ahead * blockDim.x)
            load_words(a.geometry, slab, held, spins, pending, shared, begin, k,
                       [](int, const uint4& v) { return v; });
        k += pending.paired ? 2 : 1;
    }
}

/// Writes the slots of a block to device memory. All threads of the block must call it.
template <class Slab>
__device__ __forceinline__ void store_block(const SweepArgs& a, const Slab& slab, const ResidentBlock& held,
                                            const SharedLattices& shared) {
    const Geometry& g = a.geometry;
    uint4* const spins = a.spins + held.first_lattice(a) * g.sites;
    for (std::uint32_t k = 0; k < held.slots(); ++k)
        for (std::uint32_t i = threadIdx.x; i < slab.sites; i += blockDim.x)
            spins[k * g.sites + i + slab_offset(g, slab, i >= slab.colour_sites, held.first_plane)] =
                shared.load(shared.address(i, k), 0);
}

/// Holds masks that turn over the spins of some sites of a thread in the gauge. They are read once for all
/// slots.
struct Turns {
    static constexpr int sites = 2 * words_ahead;
    uint4 of[sites];

    /// Reads the masks of sites begin, begin + blockDim.x, ... of a slab from the masks `turn` of the
    /// lattice.
    template <class Slab>
    __device__ __forceinline__ Turns(const uint4* turn, const Geometry& g, const Slab& slab,
                                     const ResidentBlock& held, std::uint32_t begin) {
#pragma unroll
        for (int j = 0; j < sites; ++j) {
            const std::uint32_t i = begin + j * blockDim.x;
            if (i < slab.sites)
                of[j] = __ldg(turn + (i + slab_offset(g, slab, i >= slab.colour_sites, held.first_plane)));
        }
    }
};

/// Reads the slots as load_block, and turns the spins into the gauge.
template <class Slab>
__device__ __forceinline__ void load_turned(const SweepArgs& a, const Slab& slab, const ResidentBlock& held,
                                            const PendingExchange& exchange, const SharedLattices& shared,
                                            const uint4* turn) {
    const uint4* const spins = a.spins + held.first_lattice(a) * a.geometry.sites;
    for (std::uint32_t first = threadIdx.x; first < slab.sites; first += Turns::sites * blockDim.x) {
        const Turns turns(turn, a.geometry, slab, held, first);
        for (std::uint32_t k = 0; k < held.slots();) {
            const PendingPair pending(held, exchange, k);
#pragma unroll
            for (int n = 0; n < Turns::sites; n += words_ahead)
                load_words(a.geometry, slab, held, spins, pending, shared, first + n * blockDim.x, k,
                           [&](int j, const uint4& v) { return turned(v, turns.of[n + j]); });
            k += pending.paired ? 2 : 1;
        }
    }
}

/// Writes the slots of a block to device memory, and turns the spins out of the gauge.
template <class Slab>
__device__ __forceinline__ void store_turned(const SweepArgs& a, const Slab& slab, const ResidentBlock& held,
                                             const SharedLattices& shared, const uint4* turn) {
    const Geometry& g = a.geometry;
    uint4* const spins = a.spins + held.first_lattice(a) * g.sites;
    for (std::uint32_t first = threadIdx.x; first < slab.sites; first += Turns::sites * blockDim.x) {
        const Turns turns(turn, g, slab, held, first);
        for (std::uint32_t k = 0; k < held.slots(); ++k)
#pragma unroll
            for (int j = 0; j < Turns::sites; ++j) {
                const std::uint32_t i = first + j * blockDim.x;
                if (i < slab.sites)
                    spins[k * g.sites + i + slab_offset(g, slab, i >= slab.colour_sites, held.first_plane)] =
                        turned(shared.load(shared.address(i, k), 0), turns.of[j]);
            }
    }
}

}  // namespace psflip
