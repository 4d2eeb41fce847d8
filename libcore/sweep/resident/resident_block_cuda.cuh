#pragma once

#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {

/// What a block of the resident kernel holds: slots [first_slot, end_slot) of one stack,
/// and of their lattices the slab of z planes (in two dimensions, of rows) from first_plane on. Slab:
/// Geometry or Layers.
struct ResidentBlock {
    std::uint32_t stack, column, replica, first_slot, end_slot, rank, first_plane;

    template <class Slab>
    __device__ __forceinline__ ResidentBlock(const SweepArgs& a, const ResidentPlan& plan, const Slab& slab) {
        const std::uint32_t launched = blockIdx.x / plan.cluster, task = plan.first_task + launched;
        rank = blockIdx.x - launched * plan.cluster;
        first_plane = rank * slab.depth;
        stack = task / plan.groups;
        column = stack / a.replicas;
        replica = stack - column * a.replicas;
        first_slot = (task - stack * plan.groups) * plan.slots_per_block;
        end_slot = min(first_slot + plan.slots_per_block, a.temperatures);
    }
    __device__ __forceinline__ std::uint32_t slots() const { return end_slot - first_slot; }
    __device__ __forceinline__ std::size_t first_lattice(const SweepArgs& a) const {
        return static_cast<std::size_t>(stack) * a.temperatures + first_slot;
    }
};

/// What to add to positions of a colour in a slab to get those in the lattice.
__device__ __forceinline__ std::uint32_t slab_offset(const Geometry& g, const Geometry& slab,
                                                     std::uint32_t colour, std::uint32_t first_plane) {
    return (colour ? g.colour_sites - slab.colour_sites : 0u) + first_plane * g.plane;
}
__device__ __forceinline__ std::uint32_t slab_offset(const Geometry& g, const Layers& slab,
                                                     std::uint32_t colour, std::uint32_t first_layer) {
    return (colour ? g.colour_sites - slab.colour_sites : 0u) + first_layer * slab.layer;
}

/// What depends on whether a block has whole lattices or slabs: type of its lattices, and its barrier.
template <bool Clustered, int Degree = 6>
struct BlockLattices {
    using Type = SharedLattices;
    __device__ __forceinline__ static Type make(const SharedLattices& shared, const ResidentPlan&,
                                                const ResidentBlock&) {
        return shared;
    }
    __device__ __forceinline__ static void at_layer(Type&, bool, bool) {}
    __device__ __forceinline__ static void barrier() { __syncthreads(); }
    __device__ __forceinline__ static void arrive() { __syncthreads(); }
    __device__ __forceinline__ static void wait() {}
};
template <int Degree>
struct BlockLattices<true, Degree> {
    using Type = ClusterTiles<Degree>;
    __device__ __forceinline__ static Type make(const SharedLattices& shared, const ResidentPlan& plan,
                                                const ResidentBlock& p) {
        const auto n = static_cast<std::uint32_t>(plan.cluster);
        return {shared, p.rank + 1 == n ? 0 : p.rank + 1, p.rank == 0 ? n - 1 : p.rank - 1};
    }
    /// The present site is in the first or last layer of its slab.
    __device__ __forceinline__ static void at_layer(Type& lattices, bool first, bool last) {
        lattices.up_remote = last;
        lattices.down_remote = first;
    }
    __device__ __forceinline__ static void barrier() { Type::barrier(); }
    /// The threads of the block have a barrier; those of the cluster have one with the `wait` that follows.
    __device__ __forceinline__ static void arrive() { Type::arrive(); }
    __device__ __forceinline__ static void wait() { Type::wait(); }
};

/// A site of a slab with its neighbours in the slab and its couplings.
struct SlabSite {
    std::uint32_t standard;  ///< number in standard order
    std::uint32_t z;         ///< plane in the slab
    Neighbours in_slab;
    uint4 bond[6];
};

/// The sites of one colour of a slab.
template <bool Clustered>
struct SlabColour {
    const Geometry& g;
    const Geometry& slab;
    const uint4* couplings;  ///< of the column
    std::uint32_t colour, first_plane;
    std::uint32_t own, other, below;  ///< added to positions in the slab to get those in the lattice

    /// Below plane 0 lies the last plane of the slab before, or of the last one.
    __device__ __forceinline__ SlabColour(const SweepArgs& a, const Geometry& of_slab,
                                          const ResidentBlock& held, const uint4* of_column, std::uint32_t c)
        : g(a.geometry),
          slab(of_slab),
          couplings(of_column),
          colour(c),
          first_plane(Clustered ? held.first_plane : 0) {
        if constexpr (Clustered) {
            const std::uint32_t end_below = first_plane == 0 ? g.L : first_plane;
            own = kept(slab_offset(g, slab, colour, first_plane));
            other = kept(slab_offset(g, slab, 1 - colour, first_plane));
            below = kept(slab_offset(g, slab, 1 - colour, end_below - slab.depth));
        }
    }

    /// The i-th. Rows are whole, so that its number in standard order is 2 i and the parity of its row.
    __device__ __forceinline__ SlabSite site(std::uint32_t i) const {
        Place place = place_of(slab, colour, i);
        place.parity ^= first_plane & 1u;
        SlabSite s{2 * (first_plane * slab.plane + i) + place.parity,
                   place.z,
                   neighbours_of(slab, colour, place),
                   {}};
        Neighbours in_lattice = s.in_slab;
        if constexpr (Clustered) {
            in_lattice.own += own;
            in_lattice.site[3] += other;
            in_lattice.site[4] += other;
            in_lattice.site[5] += place.z == 0 ? below : other;
        }
        load_couplings(couplings, g.sites, in_lattice, s.bond);
        return s;
    }
};

/// Reads the slots of a block into shared memory, four words of a thread at a time, and carries out what is
/// pending of an exchange between them.
template <class Slab>
__device__ __forceinline__ void load_block(const SweepArgs& a, const Slab& slab, const ResidentBlock& held,
                                           const PendingExchange& pending, const SharedLattices& shared) {
    constexpr int batch = 4;
    const Geometry& g = a.geometry;
    const uint4* const spins = a.spins + held.first_lattice(a) * g.sites;
    for (std::uint32_t k = 0; k < held.slots();) {
        const std::uint32_t slot = held.first_slot + k;
        const bool paired =
            pending.mask && slot % 2 == static_cast<std::uint32_t>(pending.parity) && k + 1 < held.slots();
        uint4 mask{};
        if (paired)
            mask =
                pending
                    .mask[static_cast<std::size_t>(held.stack) * pending.steps + (slot + pending.parity) / 2];
        for (std::uint32_t begin = threadIdx.x; begin < slab.sites; begin += batch * blockDim.x) {
            uint4 p[batch], q[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const std::uint32_t i = begin + j * blockDim.x;
                if (i >= slab.sites) continue;
                const std::size_t at =
                    k * g.sites + i + slab_offset(g, slab, i >= slab.colour_sites, held.first_plane);
                p[j] = spins[at];
                if (paired) q[j] = spins[at + g.sites];
            }
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const std::uint32_t i = begin + j * blockDim.x;
                if (i >= slab.sites) continue;
                if (paired) exchange_words(p[j], q[j], mask);
                shared.store(shared.address(i, k), 0, p[j]);
                if (paired) shared.store(shared.address(i, k), 1, q[j]);
            }
        }
        k += paired ? 2 : 1;
    }
}

/// Writes them back.
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

}  // namespace psflip
