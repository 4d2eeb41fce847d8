// Compiles and launches the kernels that update the tiles of one lattice, or of some planes of one.

#include "sweep/sites/sites_tiled_kernel_cuda.cuh"

namespace psflip {

namespace {

template <bool Part>
struct LatticeKernels {
    template <int Dimension, bool Glass, int Words, bool Single>
    static auto of() {
        return sites_tiled<Dimension, Glass, Words, Single, Part>;
    }
};

}  // namespace

void launch_sites_tiled(const SitesArgs& args, int dimension, int tile, int words, const LaneBits& odd,
                        const SitesPart* part, std::uint32_t colour, std::uint64_t first_sweep, int hits,
                        cudaStream_t stream, const StepNumbers* of_graph) {
    TileLaunch what = tile_launch(args, dimension, tile, odd, colour, first_sweep, hits, of_graph);
    const bool glass = args.couplings != nullptr;
    if (!part)
        return launch_tiles(tile_kernel<LatticeKernels<false>>(glass, dimension, tile, words), args, what,
                            dimension, words, what.tiles[2], stream);
    const auto edge = static_cast<std::uint32_t>(tile);
    what.layer = part->first / edge;
    launch_tiles(glass ? tile_kernel<LatticeKernels<true>, 3, true, lane_words>(tile)
                       : tile_kernel<LatticeKernels<true>, 3, false, lane_words>(tile),
                 args, what, dimension, lane_words, part->planes / edge, stream);
}

}  // namespace psflip
