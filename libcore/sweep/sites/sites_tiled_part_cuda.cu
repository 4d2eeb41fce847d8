// Compiles and launches the kernels that update the tiles of a part of one lattice.

#include "sweep/sites/sites_tiled_kernel_cuda.cuh"

namespace psflip {

namespace {

struct PartKernels {
    template <int Dimension, bool Glass, int, bool Single>
    static auto of() {
        return sites_tiled_part<Dimension, Glass, Single>;
    }
};

}  // namespace

void launch_tiled_part(const SitesArgs& args, int dimension, const TileLaunch& what, const SitesPart& part,
                       cudaStream_t stream) {
    const int tile = 1 << what.bits;
    const bool glass = args.couplings != nullptr;
    const EndsFirst order{part.planes >> what.bits, tiles_of_layer(what, dimension)};
    const auto kernel = with_degree(2 * dimension, glass, [&]<int Degree, bool Glass>() {
        return tile_kernel<PartKernels, Degree / 2, Glass, lane_words>(tile);
    });
    launch_tiles(kernel, PartArgs{args}, what, dimension, lane_words, dim3(order.all()), false, stream, part,
                 order);
}

}  // namespace psflip
