#include "sweep/vector/vector_tiles_kernel_cuda.cuh"

namespace psflip {

template <class T>
void launch_vector_tiles(const VectorSweepArgs<T>& args, const VectorTiles& tiles, VectorTerms terms,
                         int components, VectorUpdate update, cudaStream_t stream) {
    with_terms(terms, components, [&]<VectorTerms known, int N>() {
        with_update<N>(update,
                       [&]<VectorUpdate one>() { launch_tiles_of<T, known, N, one>(args, tiles, stream); });
    });
}

template void launch_vector_tiles(const VectorSweepArgs<float>&, const VectorTiles&, VectorTerms, int,
                                  VectorUpdate, cudaStream_t);
template void launch_vector_tiles(const VectorSweepArgs<double>&, const VectorTiles&, VectorTerms, int,
                                  VectorUpdate, cudaStream_t);

}  // namespace psflip
