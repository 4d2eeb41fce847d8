// Compiles and launches the kernels that update the tiles in some planes of a three-dimensional lattice.

#include "sweep/sites/sites_tiled_kernel_cuda.cuh"

namespace psflip {

namespace {

struct PartKernels {
    template <int Dimension, bool Glass, int Words, bool Single>
    static auto of() {
        return sites_tiled<Dimension, Glass, Words, Single, true>;
    }
};

}  // namespace

void launch_sites_tiled_part(const SitesArgs& args, int tile, const LaneBits& odd, const SitesPart& part,
                             std::uint32_t colour, std::uint64_t first_sweep, int hits, cudaStream_t stream) {
    const auto edge = static_cast<std::uint32_t>(tile);
    TileLaunch what = tile_launch(args, 3, tile, odd, colour, first_sweep, hits, nullptr);
    what.layer = part.first / edge;
    const auto kernel = args.couplings != nullptr ? tile_kernel<PartKernels, 3, true, lane_words>(tile)
                                                  : tile_kernel<PartKernels, 3, false, lane_words>(tile);
    launch_tiles(kernel, args, what, 3, lane_words, part.planes / edge, stream);
}

}  // namespace psflip
