// Updates one colour of a slab, so that the spins at its ends travel to the neighbours while the sites
// between the ends are updated.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/cuda_check.cuh"
#include "lattice/site_orders_cuda.cuh"
#include "slab/halo_cuda.cuh"
#include "slab/peer_links_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"

namespace psflip {

/// Number of threads per block of the kernels that update one colour of a slab.
inline constexpr unsigned slab_threads = 256;

/// Holds the arguments of a launch that updates one colour of a slab, in addition to the arguments of whole
/// lattices. The first blocks update the ends of the slab in all groups of lattices of all columns, because
/// the neighbouring slabs wait for these sites. The next blocks update the sites between the ends. In the
/// standard order the lowest and the highest own plane are ends. In the sliced order the lowest plane of red
/// sites and the highest plane of black sites are ends.
struct SlabLaunch {
    OwnPlanes own;
    std::uint32_t groups, columns;  ///< groups of lattices per column
    std::uint32_t first_block;      ///< number of the first block of this launch, in this order
    std::uint32_t ends, first_end;  ///< ends are the sides first_end, ..., first_end + ends - 1
    /// First site and number of sites of the ends and of the middle. Sites are numbered within the colour.
    std::uint32_t end_begin[sides], end_sites, middle_begin, middle_sites;
    /// Whether threads store spins in the memory of the neighbours through `peers`.
    bool by_peers;
    PeerLinks peers;

    PSFLIP_HD static unsigned blocks_of(unsigned sites) { return (sites + slab_threads - 1) / slab_threads; }
    /// Return the number of blocks of an end, of all ends, and between the ends.
    PSFLIP_HD unsigned end_blocks() const { return blocks_of(end_sites) * groups * columns; }
    PSFLIP_HD unsigned all_end_blocks() const { return ends * end_blocks(); }
    PSFLIP_HD unsigned middle_blocks() const { return blocks_of(middle_sites) * groups * columns; }
};

/// Returns the arguments for a colour, without the links to peers.
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

/// Launches a burst of sweeps of a slab, colour by colour, with the exchange of halos.
class SlabSweep {
  public:
    SlabSweep(Halo& halo, const SweepArgs& args, cudaStream_t stream)
        : halo_(halo), args_(args), stream_(stream) {}

    /// Makes all sweeps of `at_once` columns, then of the next columns. launch_part(what, blocks, first
    /// column, sweep, colour, stream) launches blocks of slab_threads threads. With peers, one launch updates
    /// all sites of a colour. Without peers, a launch updates the ends. A launch in another stream updates
    /// the other sites while the spins of the ends travel. Collective.
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
                    colour(first, here, groups, c,
                           [&](const SlabLaunch& what, unsigned blocks, cudaStream_t stream) {
                               launch_part(what, blocks, first, static_cast<std::uint64_t>(burst.first + i),
                                           c, stream);
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
            return launch(what, what.all_end_blocks() + what.middle_blocks(), stream_);
        }
        launch(what, what.all_end_blocks(), halo_.staged().begin(stream_));
        const std::int64_t each = std::int64_t{args_.replicas} * args_.temperatures,
                           first = first_column * each;
        const HaloPart part = halo_.order() != SiteOrder::sliced
                                  ? HaloPart{colour, 1, true, true}
                                  : HaloPart{colour, 2, colour == 0, colour == 1};
        halo_.staged().start({g, args_.spins + first * g.sites, columns * each}, {part});
        what.first_block = what.all_end_blocks();
        if (what.middle_blocks() > 0) launch(what, what.middle_blocks(), stream_);
        halo_.staged().finish(stream_);
    }
    PeerHalo& peers() const { return halo_.peers({args_.spins}); }

    Halo& halo_;
    const SweepArgs& args_;
    cudaStream_t stream_;
};

#ifdef __CUDACC__

// A kernel that updates one colour of whole lattices or of slabs asks a WholeColour or SlabColour for the
// task of each thread:
//   i, end         number of the thread's site in the colour; there is no site if i >= end
//   group, groups  the block's group of lattices of a column, and the number of groups
//   column         column, counted from the first column of the launch
//   number         number of a site for its random numbers
//   sends, send    whether words of sites go to neighbours; sends the words of the thread's site
//   done           end of the work; all threads with a site call it

/// Gives the task of a thread in whole lattices.
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

/// Gives the task of a thread in a slab.
template <class Order = ExactOrder>
struct SlabColour : Order {
    static constexpr bool sends = true;
    const Geometry& g;
    const SlabLaunch& slab;
    int side;  ///< side of the end; `sides`: between the ends
    std::uint32_t i_, end_, group_, column_;

    /// All threads must call the constructor. Afterwards they may read spins.
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

    /// Sends the updated words of the thread's site to the neighbour, in `count` lattices from number
    /// `lattice` on. All their updates must be done.
    __device__ __forceinline__ void send(const SweepArgs& a, std::uint32_t colour, std::uint32_t lattice,
                                         std::uint32_t count, std::uint32_t i) const {
        if (!linked()) return;
        const uint4* const from = a.spins + std::size_t{lattice} * g.sites + (colour * g.colour_sites + i);
        uint4* const to = slab.peers.place(side, lattice, colour, i);
        for (std::uint32_t k = 0; k < count; ++k)
            to[static_cast<std::size_t>(k) * slab.peers.at[side].sites] =
                __ldcg(from + static_cast<std::size_t>(k) * g.sites);
    }
    /// Marks the end of the work. All threads with a site call it.
    __device__ __forceinline__ void done() const {
        if (linked()) slab.peers.publish(side, slab.end_blocks());
    }
};

#endif

}  // namespace psflip
