#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/cuda_check.cuh"
#include "lattice/site_orders_cuda.cuh"
#include "slab/halo_cuda.cuh"
#include "slab/peer_links_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"

namespace psflip {

/// Threads of a block of the kernels that update one colour of a slab.
inline constexpr unsigned slab_threads = 256;

/// What a launch that updates one colour of a slab needs beside the arguments of whole lattices. Its blocks
/// in the order in which they start: those of the ends whose sites neighbours wait for, for all groups of
/// lattices and columns, then those between. In the standard order the lowest and the highest own plane are
/// ends, in the sliced one the lowest of red sites and the highest of black ones.
struct SlabLaunch {
    OwnPlanes own;
    std::uint32_t groups, columns;  ///< of lattices of a column
    std::uint32_t first_block;      ///< in this order, of this launch
    std::uint32_t ends, first_end;  ///< sides first_end, ..., first_end + ends - 1
    std::uint32_t end_begin[sides], end_sites, middle_begin, middle_sites;  ///< in the sites of the colour
    bool by_peers;
    PeerLinks peers;

    PSFLIP_HD static unsigned blocks_of(unsigned sites) { return (sites + slab_threads - 1) / slab_threads; }
    /// Blocks of an end, of all of them, and between.
    PSFLIP_HD unsigned end_blocks() const { return blocks_of(end_sites) * groups * columns; }
    PSFLIP_HD unsigned all_end_blocks() const { return ends * end_blocks(); }
    PSFLIP_HD unsigned middle_blocks() const { return blocks_of(middle_sites) * groups * columns; }
};

/// Of a colour; without what belongs to peers.
inline SlabLaunch slab_launch(const Geometry& g, const OwnPlanes& own, SiteOrder order, unsigned colour,
                              unsigned groups, unsigned columns) {
    const bool sliced = order == SiteOrder::sliced;
    SlabLaunch what{.own = own, .groups = groups, .columns = columns};
    what.ends = sliced ? 1 : sides;
    what.first_end = sliced && colour == 1 ? above : below;
    what.end_sites = (sliced ? 2 : 1) * g.plane;
    what.end_begin[below] = own.begin(g);
    what.end_begin[above] = own.end(g) - what.end_sites;
    what.middle_begin = own.begin(g) + (what.first_end == below ? what.end_sites : 0);
    what.middle_sites = own.planes * g.plane - what.ends * what.end_sites;
    return what;
}

/// The launches of a burst of sweeps of a slab, colour by colour, with the exchange of halos.
class SlabSweep {
  public:
    SlabSweep(Halo& halo, const SweepArgs& args, cudaStream_t stream)
        : halo_(halo), args_(args), stream_(stream) {}

    /// All sweeps of `at_once` columns, then of the next ones. launch_part(what, blocks, first column, sweep,
    /// colour) makes a launch of slab_threads threads per block: of all sites of a colour, or of the ends and
    /// then, while their spins are on the way, of the others. Collective.
    template <class LaunchPart>
    void run(std::int64_t columns, std::int64_t at_once, std::uint32_t groups, const SweepBurst& burst,
             const LaunchPart& launch_part) const {
        if (halo_.by_peers()) peers().ready(stream_);
        for (std::int64_t begin = 0; begin < columns; begin += at_once) {
            const auto first = static_cast<std::uint32_t>(begin),
                       here =
                           static_cast<std::uint32_t>(columns - begin < at_once ? columns - begin : at_once);
            for (int i = 0; i < burst.count; ++i)
                for (std::uint32_t c = 0; c < 2; ++c)
                    colour(first, here, groups, c, [&](const SlabLaunch& what, unsigned blocks) {
                        launch_part(what, blocks, first, static_cast<std::uint64_t>(burst.first + i), c);
                    });
        }
        if (halo_.by_peers()) peers().settle(stream_);
    }

  private:
    template <class Launch>
    void colour(std::uint32_t first_column, std::uint32_t columns, std::uint32_t groups, std::uint32_t colour,
                const Launch& launch) const {
        const Geometry& g = args_.geometry;
        SlabLaunch what = slab_launch(g, halo_.own(), halo_.order(), colour, groups, columns);
        if (halo_.by_peers()) {
            what.by_peers = true;
            what.peers = peers().next_launch(0);
            return launch(what, what.all_end_blocks() + what.middle_blocks());
        }
        launch(what, what.all_end_blocks());
        const std::int64_t each = std::int64_t{args_.replicas} * args_.temperatures,
                           first = first_column * each;
        const HaloPart part = halo_.order() != SiteOrder::sliced
                                  ? HaloPart{colour, 1, true, true}
                                  : HaloPart{colour, 2, colour == 0, colour == 1};
        halo_.staged().start({g, args_.spins + first * g.sites, columns * each}, {part}, stream_);
        what.first_block = what.all_end_blocks();
        if (what.middle_blocks() > 0) launch(what, what.middle_blocks());
        halo_.staged().finish(stream_);
    }
    PeerHalo& peers() const { return halo_.peers({args_.spins}); }

    Halo& halo_;
    const SweepArgs& args_;
    cudaStream_t stream_;
};

#ifdef __CUDACC__

// What a thread of a kernel that updates one colour has to do, of whole lattices and of slabs:
//   i, end         the site of the colour that it has; it has one if i < end
//   group, groups  of the lattices of a column: the block's, and all
//   column         from the first of the launch
//   number         of a site, for random numbers
//   sends, send    whether words of sites go to neighbours; sends those of its site, if they do
//   done           at the end, by all threads that have a site

template <class Order = StandardOrder>
struct WholeColour : Order {
    static constexpr bool sends = false;
    const Geometry& g;
    __device__ __forceinline__ explicit WholeColour(const Geometry& geometry) : g(geometry) {}
    __device__ __forceinline__ std::uint32_t i() const { return blockIdx.x * slab_threads + threadIdx.x; }
    __device__ __forceinline__ std::uint32_t end() const { return g.colour_sites; }
    __device__ __forceinline__ std::uint32_t group() const { return blockIdx.y; }
    __device__ __forceinline__ std::uint32_t groups() const { return gridDim.y; }
    __device__ __forceinline__ std::uint32_t column() const { return blockIdx.z; }
    __device__ __forceinline__ std::uint32_t number(const Place& place) const {
        return Order::number(g, place);
    }
    __device__ __forceinline__ void done() const {}
};

template <class Order = ExactOrder>
struct SlabColour : Order {
    static constexpr bool sends = true;
    const Geometry& g;
    const SlabLaunch& slab;
    int side;  ///< of the end; sides: between
    std::uint32_t i_, end_, group_, column_;

    /// By all threads; after it spins may be read.
    __device__ __forceinline__ SlabColour(const Geometry& geometry, const SlabLaunch& launch)
        : g(geometry), slab(launch) {
        std::uint32_t block = slab.first_block + blockIdx.x, begin, rest;
        if (block < slab.all_end_blocks()) {
            const std::uint32_t each = SlabLaunch::blocks_of(slab.end_sites);
            rest = block / each;
            block -= rest * each;
            side = static_cast<int>(slab.first_end + rest % slab.ends);
            rest /= slab.ends;
            begin = slab.end_begin[side];
            end_ = begin + slab.end_sites;
        } else {
            const std::uint32_t each = SlabLaunch::blocks_of(slab.middle_sites);
            block -= slab.all_end_blocks();
            rest = block / each;
            block -= rest * each;
            side = sides;
            begin = slab.middle_begin;
            end_ = begin + slab.middle_sites;
        }
        column_ = rest / slab.groups;
        group_ = rest - column_ * slab.groups;
        i_ = begin + block * slab_threads + threadIdx.x;
        wait_for_launch_before();
        if (linked()) slab.peers.await(side);
    }
    __device__ __forceinline__ std::uint32_t i() const { return i_; }
    __device__ __forceinline__ std::uint32_t end() const { return end_; }
    __device__ __forceinline__ std::uint32_t group() const { return group_; }
    __device__ __forceinline__ std::uint32_t groups() const { return slab.groups; }
    __device__ __forceinline__ std::uint32_t column() const { return column_; }
    __device__ __forceinline__ std::uint32_t number(const Place& place) const {
        return Order::number(g, slab.own, place);
    }
    __device__ __forceinline__ bool linked() const { return slab.by_peers && side != sides; }

    /// The updated words of the thread's site in `count` lattices, of which the first is number `lattice`, to
    /// the neighbour. After all updates of them.
    __device__ __forceinline__ void send(const SweepArgs& a, std::uint32_t colour, std::uint32_t lattice,
                                         std::uint32_t count, std::uint32_t i) const {
        if (!linked()) return;
        const uint4* const from = a.spins + std::size_t{lattice} * g.sites + (colour * g.colour_sites + i);
        uint4* const to = slab.peers.place(side, lattice, colour, i);
        for (std::uint32_t k = 0; k < count; ++k)
            to[static_cast<std::size_t>(k) * slab.peers.at[side].sites] =
                __ldcg(from + static_cast<std::size_t>(k) * g.sites);
    }
    /// By all threads that have a site, at the end.
    __device__ __forceinline__ void done() const {
        if (linked()) slab.peers.publish(side, slab.end_blocks());
    }
};

#endif

}  // namespace psflip
