// Updates of tiles in fast arithmetic; compiled without --fmad=false.

#include <bit>

#include "sweep/vector/fast_float_cuda.cuh"
#include "sweep/vector/vector_tiles_kernel_cuda.cuh"

namespace psflip {

void launch_fast_vector_tiles(const VectorSweepArgs<float>& args, const VectorTiles& tiles, VectorTerms terms,
                              VectorUpdate update, cudaStream_t stream) {
    const auto fast = std::bit_cast<VectorSweepArgs<FastFloat>>(args);
    with_terms(terms, 3, [&]<VectorTerms known, int N>() {
        if constexpr (N == 3)
            with_update<N>(update, [&]<VectorUpdate one>() {
                launch_tiles_of<FastFloat, known, N, one>(fast, tiles, stream);
            });
    });
}

}  // namespace psflip
