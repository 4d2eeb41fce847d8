// Describes the part of a lattice that one rank updates, and which threads have its ends. The kernels of
// parts update the ends first, so that halos travel while all other sites are updated.
#pragma once

#include <cstdint>

#include "slab/peer_links_cuda.cuh"
#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Names the planes of local indices across the last axis that a rank updates (SitePlanes). In two dimensions
/// planes are rows. If a launch takes a pointer to a part, null means all planes.
struct SitesPart {
    std::uint32_t first, planes;
    /// Whether threads store the lowest and the highest plane in the memory of the neighbours, too. Each rank
    /// has room for the whole lattice, so a word has one index on all ranks.
    bool by_peers = false;
    bool early = false;  ///< whether a launch may start before the previous one has ended (launch_early)
    PeerLinks links{};

    PSFLIP_HD std::uint32_t last() const { return first + planes - 1; }
    /// Returns whether words of a plane go to a neighbour.
    PSFLIP_HD bool sends(std::uint32_t plane) const {
        return by_peers && (plane == first || plane == last());
    }
};

/// Orders layers of work of a part: the lowest, the highest, then the others upwards. A layer is the planes
/// that a thread or a block updates. Its items are threads, or blocks if a block updates one tile.
struct EndsFirst {
    std::uint32_t layers, items;  ///< layers of the part, items of a layer

    PSFLIP_HD std::uint32_t all() const { return layers * items; }
    /// Returns the layer that has number n in this order.
    PSFLIP_HD std::uint32_t layer(std::uint32_t n) const { return n == 0 ? 0 : n == 1 ? layers - 1 : n - 1; }
    /// Returns whether items first, ..., first + count - 1 have some of the layer at a side.
    PSFLIP_HD bool has(int side, std::uint32_t first, std::uint32_t count) const {
        if (layers == 1 || side == below) return first < items;
        return first < 2 * items && first + count > items;
    }
    /// Returns how many blocks have some of the layer at a side, if a block has `count` items.
    PSFLIP_HD std::uint32_t blocks(int side, std::uint32_t count) const {
        if (layers == 1 || side == below) return (items + count - 1) / count;
        return (2 * items + count - 1) / count - items / count;
    }
};

#ifdef __CUDACC__

/// Describes a lattice of which a rank updates a part. Neighbours may write halos while a kernel runs.
/// Therefore all reads are ordinary reads, which see what an earlier wait for the neighbour made visible.
struct PartArgs : SitesArgs {
    template <class Vector>
    __device__ __forceinline__ static Vector load(const Vector* from) {
        return *from;
    }
};

/// Connects a block that has some of the ends with the neighbours there.
struct BlockEnds {
    const SitesPart& part;
    const EndsFirst& order;
    std::uint32_t items;  ///< items of a block

    /// Waits for the neighbours whose halos the block reads and writes. All threads must call it before they
    /// read spins.
    __device__ __forceinline__ void await() const {
        for (int side = 0; side < sides; ++side)
            if (has(side)) part.links.await(side);
    }
    /// Publishes that the block has read and written all halos. All threads must call it.
    __device__ __forceinline__ void publish() const {
        for (int side = 0; side < sides; ++side)
            if (has(side)) part.links.publish(side, order.blocks(side, items));
    }

  private:
    __device__ __forceinline__ bool has(int side) const {
        return part.by_peers && order.has(side, blockIdx.x * items, items);
    }
};

/// Sends an updated word of a plane to the neighbours for which the plane is a halo.
__device__ __forceinline__ void send_word(const SitesPart& part, std::uint32_t plane, std::uint32_t word,
                                          const uint4& lanes) {
    if (plane == part.first) part.links.at[below].spins[word] = lanes;
    if (plane == part.last()) part.links.at[above].spins[word] = lanes;
}

#endif

}  // namespace psflip
