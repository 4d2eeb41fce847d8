#pragma once

#include "sweep/device_word_cuda.cuh"
#include "sweep/kernels_cuda.cuh"
#include "sweep/lattices_cuda.cuh"

namespace psflip {

/// Which part of the batch a block of the resident kernel has: slots [first_slot, end_slot) of one unit,
/// and of their lattices the slab of z planes from first_plane on.
struct Part {
    std::uint32_t unit, column, replica, first_slot, end_slot, rank, first_plane;

    __device__ __forceinline__ Part(const SweepArgs& a, const ResidentPlan& plan, const Geometry& slab) {
        const std::uint32_t task = blockIdx.x / plan.cluster;
        rank = blockIdx.x - task * plan.cluster;
        first_plane = rank * slab.depth;
        unit = task / plan.groups;
        column = unit / a.replicas;
        replica = unit - column * a.replicas;
        first_slot = (task - unit * plan.groups) * plan.slots_per_block;
        end_slot = min(first_slot + plan.slots_per_block, a.temperatures);
    }
    __device__ __forceinline__ std::uint32_t slots() const { return end_slot - first_slot; }
    __device__ __forceinline__ std::size_t first_lattice(const SweepArgs& a) const {
        return static_cast<std::size_t>(unit) * a.temperatures + first_slot;
    }
};

/// What to add to positions of a colour in a slab to get those in the lattice.
__device__ __forceinline__ std::uint32_t slab_offset(const Geometry& g, const Geometry& slab,
                                                     std::uint32_t colour, std::uint32_t first_plane) {
    return (colour ? g.colour_sites - slab.colour_sites : 0u) + first_plane * g.plane;
}

/// Positions in the lattice of a site of the slab and of its neighbours in - directions: where its
/// couplings are. z: plane in the slab.
__device__ __forceinline__ Neighbours coupling_sites(const Geometry& g, const Geometry& slab, const Part& p,
                                                     std::uint32_t colour, std::uint32_t z,
                                                     const Neighbours& n) {
    Neighbours in_lattice = n;
    const std::uint32_t other = slab_offset(g, slab, 1 - colour, p.first_plane);
    in_lattice.own += slab_offset(g, slab, colour, p.first_plane);
    in_lattice.site[3] += other;
    in_lattice.site[4] += other;
    // Below plane 0 lies the last plane of the slab before, or of the last one.
    const std::uint32_t below = p.first_plane == 0 ? g.L - slab.depth : p.first_plane - slab.depth;
    in_lattice.site[5] += z == 0 ? slab_offset(g, slab, 1 - colour, below) : other;
    return in_lattice;
}

/// What depends on whether a block has whole lattices or slabs: type of its lattices, and its barrier.
template <bool Clustered>
struct BlockLattices {
    using Type = SharedLattices;
    __device__ __forceinline__ static Type make(const SharedLattices& shared, const ResidentPlan&,
                                                const Part&) {
        return shared;
    }
    __device__ __forceinline__ static void at_plane(Type&, const Geometry&, std::uint32_t) {}
    __device__ __forceinline__ static void barrier() { __syncthreads(); }
};
template <>
struct BlockLattices<true> {
    using Type = ClusterLattices;
    __device__ __forceinline__ static Type make(const SharedLattices& shared, const ResidentPlan& plan,
                                                const Part& p) {
        const auto n = static_cast<std::uint32_t>(plan.cluster);
        return {shared, p.rank + 1 == n ? 0 : p.rank + 1, p.rank == 0 ? n - 1 : p.rank - 1};
    }
    __device__ __forceinline__ static void at_plane(Type& lattices, const Geometry& slab, std::uint32_t z) {
        lattices.up_remote = z + 1 == slab.depth;
        lattices.down_remote = z == 0;
    }
    __device__ __forceinline__ static void barrier() { ClusterLattices::barrier(); }
};

/// A site of a slab with its neighbours in the slab and its couplings.
template <bool Clustered>
struct SlabSite {
    std::uint32_t standard;  ///< number in standard order
    Neighbours in_slab;
    uint4 bond[6];

    __device__ __forceinline__ SlabSite(const Geometry& g, const Geometry& slab, const Part& part,
                                        const uint4* couplings, std::uint32_t colour, std::uint32_t h,
                                        std::uint32_t y, std::uint32_t z) {
        const std::uint32_t lattice_z = part.first_plane + z, parity = (colour + y + lattice_z) & 1u;
        in_slab = neighbours_of(slab, colour, {h, y, z, parity});
        standard = standard_site(g, {h, y, lattice_z, parity});
        load_couplings(couplings, g.sites,
                       Clustered ? coupling_sites(g, slab, part, colour, z, in_slab) : in_slab, bond);
    }
};

/// Reads the slots of a part into shared memory, four words of a thread at a time, and carries out what is
/// pending of an exchange between them.
__device__ __forceinline__ void load_part(const SweepArgs& a, const Geometry& slab, const Part& part,
                                          const PendingExchange& pending, const SharedLattices& shared) {
    constexpr int batch = 4;
    const Geometry& g = a.geometry;
    const uint4* const spins = a.spins + part.first_lattice(a) * g.sites;
    for (std::uint32_t k = 0; k < part.slots();) {
        const std::uint32_t slot = part.first_slot + k;
        const bool paired =
            pending.mask && slot % 2 == static_cast<std::uint32_t>(pending.parity) && k + 1 < part.slots();
        uint4 mask{};
        if (paired)
            mask =
                pending
                    .mask[static_cast<std::size_t>(part.unit) * pending.steps + (slot + pending.parity) / 2];
        for (std::uint32_t begin = threadIdx.x; begin < slab.sites; begin += batch * blockDim.x) {
            uint4 p[batch], q[batch];
#pragma unroll
            for (int j = 0; j < batch; ++j) {
                const std::uint32_t i = begin + j * blockDim.x;
                if (i >= slab.sites) continue;
                const std::size_t at =
                    k * g.sites + i + slab_offset(g, slab, i >= slab.colour_sites, part.first_plane);
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
__device__ __forceinline__ void store_part(const SweepArgs& a, const Geometry& slab, const Part& part,
                                           const SharedLattices& shared) {
    const Geometry& g = a.geometry;
    uint4* const spins = a.spins + part.first_lattice(a) * g.sites;
    for (std::uint32_t k = 0; k < part.slots(); ++k)
        for (std::uint32_t i = threadIdx.x; i < slab.sites; i += blockDim.x)
            spins[k * g.sites + i + slab_offset(g, slab, i >= slab.colour_sites, part.first_plane)] =
                shared.load(shared.address(i, k), 0);
}

}  // namespace psflip
