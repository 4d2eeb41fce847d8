#pragma once

#include "slab/peer_links_cuda.cuh"
#include "sweep/tiled/tiled_cuda.cuh"
#include "sweep/tiled/tiled_steps.hpp"

namespace psflip {

// Describes the chunk of planes of a block, for whole lattices and for slabs, by these members:
//   block                         number of the block
//   chunk, column                 chunk and column of a group of blocks with the same tile
//   begin(chunk)                  first plane of a chunk, which ends before the next chunk begins
//   plane(above)                  the plane `above` steps along the march, which begins two planes before the
//                                 chunk
//   downwards                     whether the march goes downwards
//   is_first, is_last             whether a plane in memory is the first or last plane of the lattice
//   number                        number of a site for its random numbers
//   fresh                         see SlabChunks
//   first_step, ..., next         see MarchSteps
//   await, send, publish          see SlabChunks

/// Gives the chunks of whole lattices.
struct WholeChunks : MarchSteps {
    static constexpr bool sends = false, downwards = false;
    __device__ __forceinline__ static std::uint32_t fresh(std::uint32_t value) { return value; }
    __device__ __forceinline__ std::uint32_t block() const { return blockIdx.x; }
    __device__ __forceinline__ std::uint32_t chunk(const TiledPlan& plan, std::uint32_t tiles,
                                                   std::uint32_t rest) const {
        return rest / tiles % plan.chunks;
    }
    __device__ __forceinline__ std::uint32_t column(const TiledPlan& plan, std::uint32_t tiles,
                                                    std::uint32_t rest) const {
        return rest / (tiles * plan.chunks);
    }
    __device__ __forceinline__ std::uint32_t begin(const Geometry& g, const TiledPlan& plan,
                                                   std::uint32_t chunk) const {
        return chunk * g.L / plan.chunks;
    }
    template <class Block>
    __device__ __forceinline__ std::uint32_t plane(const Geometry& g, const Block& held,
                                                   std::uint32_t above) const {
        const std::uint32_t z = held.z0 + g.L + above - 2;
        return z >= 2 * g.L ? z - 2 * g.L : z >= g.L ? z - g.L : z;
    }
    __device__ __forceinline__ bool is_first(const Geometry&, std::uint32_t z) const { return z == 0; }
    __device__ __forceinline__ bool is_last(const Geometry& g, std::uint32_t z) const { return z + 1 == g.L; }
    __device__ __forceinline__ std::uint32_t number(const Geometry& g, const Place& place) const {
        return standard_site(g, place);
    }
};

/// Gives the chunks of a slab (TiledCut). Blocks march from the ends inwards, so an end is finished while its
/// block marches further. The block of an uppermost chunk marches downwards. A block at an end waits for the
/// neighbour before it reads its halo or writes into the neighbour's halo.
struct SlabChunks : ShortMarchSteps {
    static constexpr bool sends = true;
    const TiledSlab& slab;
    TiledCut::Piece piece;
    bool downwards;
    std::uint32_t first, forwards;  ///< plane 0 of the march; step in planes, 1 or -1
    /// Whether the march starts at an end of the slab (below, or above if downwards), and whether it ends at
    /// the upper end. Only set if kernels write halos.
    bool starts_at_end, ends_above;

    __device__ __forceinline__ explicit SlabChunks(const TiledSlab& launch)
        : slab(launch), piece(slab.cut.piece(slab.first_block + blockIdx.x, slab.own.planes)) {
        const bool lowest = piece.first == 0, uppermost = piece.first + piece.planes == slab.own.planes;
        downwards = uppermost && !lowest;
        first = slab.own.first + piece.first + (downwards ? piece.planes + 1 : -2u);
        forwards = downwards ? -1u : 1u;
        starts_at_end = slab.by_peers && (lowest || uppermost);
        ends_above = slab.by_peers && lowest && uppermost;
    }
    __device__ __forceinline__ int start_side() const { return downwards ? above : below; }
    /// Returns the value so that the compiler computes what follows from it anew in each step. Kept registers
    /// would be spilled, and the little first-level cache loses spilled registers between steps.
    __device__ __forceinline__ static std::uint32_t fresh(std::uint32_t value) { return kept(value); }
    __device__ __forceinline__ std::uint32_t block() const { return piece.prism; }
    __device__ __forceinline__ std::uint32_t chunk(const TiledPlan&, std::uint32_t, std::uint32_t) const {
        return 0;
    }
    __device__ __forceinline__ std::uint32_t column(const TiledPlan&, std::uint32_t tiles,
                                                    std::uint32_t rest) const {
        return rest / tiles;
    }
    __device__ __forceinline__ std::uint32_t begin(const Geometry&, const TiledPlan&,
                                                   std::uint32_t chunk) const {
        return slab.own.first + piece.first + (chunk == 0 ? 0 : piece.planes);
    }
    template <class Block>
    __device__ __forceinline__ std::uint32_t plane(const Geometry&, const Block&, std::uint32_t above) const {
        return first + forwards * above;
    }
    __device__ __forceinline__ bool is_first(const Geometry& g, std::uint32_t z) const {
        return slab.own.plane(g, z) == 0;
    }
    __device__ __forceinline__ bool is_last(const Geometry& g, std::uint32_t z) const {
        return slab.own.plane(g, z) + 1 == g.L;
    }
    __device__ __forceinline__ std::uint32_t number(const Geometry& g, const Place& place) const {
        return slab.own.standard_site(g, place);
    }

    /// All threads must call these functions, the first before they read the halo at the start of the march,
    /// the second before step u.
    __device__ __forceinline__ void await_start() const {
        if (starts_at_end) slab.peers.await(start_side());
    }
    __device__ __forceinline__ void await_above(std::uint32_t planes, std::uint32_t u) const {
        if (u + 1 == planes && ends_above) slab.peers.await(above);
    }
    /// Returns whether send or publish may have to do something in step u.
    __device__ __forceinline__ bool near_end(std::uint32_t planes, std::uint32_t u) const {
        return u <= 6 || u >= planes;
    }
    /// All threads must call this function after step u and its barrier. An end is finished when the black
    /// sites of its second plane are updated, in step 4 or in the last step. In long chunks the block
    /// publishes two steps after step 4, because it would wait for words that are still on their way to the
    /// neighbour.
    __device__ __forceinline__ void publish(std::uint32_t planes, std::uint32_t u) const {
        if (u == (planes < 8 ? 4u : 6u) && starts_at_end) slab.peers.publish(start_side(), slab.cut.prisms);
        if (u + 1 == planes + tiled_last_steps && ends_above) slab.peers.publish(above, slab.cut.prisms);
    }
    /// Sends the new words of an own site at place `own` in lattices first_lattice, ...; word(k) returns the
    /// word of the k-th lattice. Neighbours hold copies of red sites of the nearest plane, and of black sites
    /// of the two nearest planes.
    template <class Word>
    __device__ __forceinline__ void send(const Geometry& g, std::uint32_t planes, std::uint32_t colour,
                                         std::uint32_t own, std::size_t first_lattice, std::uint32_t count,
                                         const Word& word) const {
        const auto send_to = [&](int side) {
#pragma unroll 1
            for (std::uint32_t k = 0; k < count; ++k)
                *slab.peers.place(side, first_lattice + k, colour, own - colour * g.colour_sites) = word(k);
        };
        if (now - 2 <= colour && starts_at_end) send_to(start_side());
        if (planes + 1 - now <= colour && ends_above) send_to(above);
    }
};

}  // namespace psflip
