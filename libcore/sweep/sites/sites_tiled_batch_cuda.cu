// Compiles and launches the kernels that update the tiles of all lattices of a batch.

#include "sweep/sites/sites_tiled_kernel_cuda.cuh"

namespace psflip {

namespace {

template <int Dimension, bool Glass, int Words, bool Single>
__global__ void __launch_bounds__(max_tile_threads(Words), blocks_at_once(Words))
    sites_tiled_batch(const __grid_constant__ BatchArgs batch, const __grid_constant__ TileLaunch launch) {
    extern __shared__ uint4 memory[];
    const BatchLattice a(batch);
    const Tile<Dimension> tile(launch, blockIdx.x);
    sweep_tile<Dimension, Glass, Words, Single>(a, tile, launch, memory);
}

struct BatchKernels {
    template <int Dimension, bool Glass, int Words, bool Single>
    static auto of() {
        return sites_tiled_batch<Dimension, Glass, Words, Single>;
    }
};

}  // namespace

void launch_batch_tiled(const BatchArgs& batch, int dimension, int tile, int words, const LaneBits& odd,
                        int hits, const BatchStep& step, cudaStream_t stream) {
    TileLaunch what = tile_launch(batch, dimension, tile, odd, step.first, 0, hits, step.of_graph);
    const auto kernel = tile_kernel<BatchKernels>(batch.couplings != nullptr, dimension, tile, words);
    const dim3 blocks(tiles_of_layer(what, dimension) * what.tiles[dimension - 1], step.lattices);
    for (int half = 0; half < 2; ++half, what.colour ^= 1)
        launch_tiles(kernel, batch, what, dimension, words, blocks, false, stream);
}

}  // namespace psflip
