#pragma once

#include "sweep/cuda/lattices_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"

namespace psflip {

/// Names the lattices of a block of the resident kernel: slots [first_slot, end_slot) of one temperature
/// stack. The block holds a slab of each lattice: z planes (in two dimensions, rows) from first_plane on.
/// Slab is Geometry or Layers.
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

/// Returns the index in the lattice minus the index in the slab, for sites of a colour.
__device__ __forceinline__ std::uint32_t slab_offset(const Geometry& g, const Geometry& slab,
                                                     std::uint32_t colour, std::uint32_t first_plane) {
    return (colour ? g.colour_sites - slab.colour_sites : 0u) + first_plane * g.plane;
}
__device__ __forceinline__ std::uint32_t slab_offset(const Geometry& g, const Layers& slab,
                                                     std::uint32_t colour, std::uint32_t first_layer) {
    return (colour ? g.colour_sites - slab.colour_sites : 0u) + first_layer * slab.layer;
}

/// Names the type of the lattices of a block and its barriers, for whole lattices and for slabs.
template <bool Clustered, int Degree = 6>
struct BlockLattices {
    static constexpr bool gauged = false;
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
    static constexpr bool gauged = false;
    using Type = ClusterTiles<Degree>;
    __device__ __forceinline__ static Type make(const SharedLattices& shared, const ResidentPlan& plan,
                                                const ResidentBlock& p) {
        const auto n = static_cast<std::uint32_t>(plan.cluster);
        return {shared, p.rank + 1 == n ? 0 : p.rank + 1, p.rank == 0 ? n - 1 : p.rank - 1};
    }
    /// Notes whether the present site is in the first or last layer of its slab.
    __device__ __forceinline__ static void at_layer(Type& lattices, bool first, bool last) {
        lattices.up_remote = last;
        lattices.down_remote = first;
    }
    __device__ __forceinline__ static void barrier() { Type::barrier(); }
    /// Is a barrier of the block. Together with the next wait(), it is a barrier of the cluster.
    __device__ __forceinline__ static void arrive() { Type::arrive(); }
    __device__ __forceinline__ static void wait() { Type::wait(); }
};

/// Names BlockLattices in the gauge, for slabs of two planes and more. The neighbour beyond an end of the
/// slab has direction 5 at both ends.
template <bool Clustered>
struct GaugedLattices : BlockLattices<Clustered> {
    static constexpr bool gauged = true;
};
template <>
struct GaugedLattices<true> : BlockLattices<true> {
    static constexpr bool gauged = true;
    struct Type : ClusterTiles<6> {
        std::uint32_t above, below;  ///< ranks of the neighbouring slabs
    };
    __device__ __forceinline__ static Type make(const SharedLattices& shared, const ResidentPlan& plan,
                                                const ResidentBlock& p) {
        const ClusterTiles<6> tiles = BlockLattices<true>::make(shared, plan, p);
        return {tiles, tiles.up_rank, tiles.down_rank};
    }
    __device__ __forceinline__ static void at_layer(Type& lattices, bool first, bool last) {
        lattices.up_remote = false;
        lattices.down_remote = first || last;
        lattices.down_rank = last ? lattices.above : lattices.below;
    }
};

}  // namespace psflip
