#pragma once

#include "slab/peer_links_cuda.cuh"
#include "sweep/tiled/tiled_cuda.cuh"

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
//   set, await, send, publish     see SlabChunks

/// Gives the chunks of whole lattices.
struct WholeChunks {
    static constexpr bool sends = false, downwards = false;
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

/// Gives the chunks of a slab. Blocks march from the ends inwards, so an end is finished while its block
/// marches further. If there are several chunks, blocks of the uppermost chunk march downwards. A block at an
/// end waits for the neighbour before it reads its halo or writes into the neighbour's halo. If kernels do
/// not write halos, the chunks at the ends come first, for all columns.
struct SlabChunks {
    static constexpr bool sends = true;
    const TiledSlab& slab;
    int start = sides;        ///< side at which the block starts its march; `sides`: at none
    bool ends_above = false;  ///< the block ends its march at the upper side
    std::uint32_t first = 0;  ///< plane 0 of the march
    bool downwards = false;

    __device__ __forceinline__ explicit SlabChunks(const TiledSlab& launch) : slab(launch) {}
    __device__ __forceinline__ std::uint32_t block() const { return slab.first_block + blockIdx.x; }
    /// Returns the chunk. If chunks at the ends come first, the order is 0, last, 1, 2, ...
    __device__ __forceinline__ std::uint32_t chunk(const TiledPlan& plan, std::uint32_t tiles,
                                                   std::uint32_t rest) const {
        if (slab.by_peers) return rest / tiles % plan.chunks;
        const std::uint32_t n = rest / (tiles * slab.columns);
        return n == 0 ? 0 : n == 1 ? plan.chunks - 1 : n - 1;
    }
    __device__ __forceinline__ std::uint32_t column(const TiledPlan& plan, std::uint32_t tiles,
                                                    std::uint32_t rest) const {
        return slab.by_peers ? rest / (tiles * plan.chunks) : rest / tiles % slab.columns;
    }
    /// Chunks in the middle take the planes that remain, because chunks at the ends wait for neighbours.
    __device__ __forceinline__ std::uint32_t begin(const Geometry&, const TiledPlan& plan,
                                                   std::uint32_t chunk) const {
        if (slab.end_planes > 0) {
            if (chunk == 0) return slab.own.first;
            if (chunk == static_cast<std::uint32_t>(plan.chunks)) return slab.own.first + slab.own.planes;
            const std::uint32_t planes = slab.own.planes - 2 * slab.end_planes, chunks = plan.chunks - 2,
                                each = planes / chunks;
            return slab.own.first + slab.end_planes + (chunk - 1) * each +
                   min(chunk - 1, planes - chunks * each);
        }
        const std::uint32_t each = slab.own.planes / plan.chunks, over = slab.own.planes - plan.chunks * each;
        return slab.own.first + chunk * each + min(chunk > 0 ? chunk - 1 : 0, over);
    }
    /// Sets the march of a block with these planes.
    __device__ __forceinline__ void set(std::uint32_t z0, std::uint32_t planes) {
        const bool lowest = z0 == slab.own.first, uppermost = z0 + planes == slab.own.first + slab.own.planes;
        downwards = uppermost && !lowest;
        first = downwards ? z0 + planes + 1 : z0 - 2;
        if (slab.by_peers && (lowest || uppermost)) start = lowest ? below : above;
        ends_above = slab.by_peers && lowest && uppermost;
    }
    template <class Block>
    __device__ __forceinline__ std::uint32_t plane(const Geometry&, const Block&, std::uint32_t above) const {
        return downwards ? first - above : first + above;
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

    /// All threads must call this function before step u.
    __device__ __forceinline__ void await(std::uint32_t planes, std::uint32_t u) const {
        if (u == 0 && start != sides) slab.peers.await(start);
        if (u + 1 == planes && ends_above) slab.peers.await(above);
    }
    /// All threads must call this function after step u and its barrier. An end is finished when the black
    /// sites of its second plane are updated.
    __device__ __forceinline__ void publish(const TiledPlan& plan, std::uint32_t planes,
                                            std::uint32_t u) const {
        if (u == 4 && start != sides) slab.peers.publish(start, plan.blocks / plan.chunks);
        if (u + 1 == planes + tiled_extra_steps && ends_above)
            slab.peers.publish(above, plan.blocks / plan.chunks);
    }
    /// Sends the new words of an own site at place `own` in lattices first_lattice, ... after step u; word(k)
    /// returns the word of the k-th lattice. Neighbours hold copies of red sites of the nearest plane, and of
    /// black sites of the two nearest planes.
    template <class Word>
    __device__ __forceinline__ void send(const Geometry& g, std::uint32_t planes, std::uint32_t u,
                                         std::uint32_t colour, std::uint32_t own, std::size_t first_lattice,
                                         std::uint32_t count, const Word& word) const {
        if (start == sides) return;
        const auto send_to = [&](int side) {
#pragma unroll 1
            for (std::uint32_t k = 0; k < count; ++k)
                *slab.peers.place(side, first_lattice + k, colour, own - colour * g.colour_sites) = word(k);
        };
        if (colour ? u == 3 || u == 4 : u == 1) send_to(start);
        if (ends_above && (colour ? u > planes : u == planes)) send_to(above);
    }
};

}  // namespace psflip
