#pragma once

#include <cstdint>

#include "slab/halo_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/cuda/slab_colour_cuda.cuh"

namespace psflip {

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

}  // namespace psflip
