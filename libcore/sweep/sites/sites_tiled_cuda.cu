// Compiles and launches the kernels that update the tiles of one lattice.

#include "sweep/sites/sites_tiled_kernel_cuda.cuh"

namespace psflip {

namespace {

struct LatticeKernels {
    template <int Dimension, bool Glass, int Words, bool Single>
    static auto of() {
        return sites_tiled<Dimension, Glass, Words, Single>;
    }
};

}  // namespace

void launch_sites_tiled(const SitesArgs& args, int dimension, int tile, int words, const LaneBits& odd,
                        const SitesPart* part, const TileColours& colours, std::uint64_t first_sweep,
                        int hits, cudaStream_t stream, const StepNumbers* of_graph) {
    const TileLaunch what = tile_launch(args, dimension, tile, odd, colours, first_sweep, hits, of_graph);
    if (part) return launch_tiled_part(args, dimension, what, *part, stream);
    launch_tiles(tile_kernel<LatticeKernels>(args.couplings != nullptr, dimension, tile, words), args, what,
                 dimension, words, dim3(tiles_of_layer(what, dimension) * what.tiles[dimension - 1]),
                 can_launch_early(), stream);
}

}  // namespace psflip
