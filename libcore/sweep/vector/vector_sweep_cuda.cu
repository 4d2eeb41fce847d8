#include "sweep/vector/vector_sweep_kernel_cuda.cuh"

namespace psflip {

template <class T>
void launch_vector_sweep(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                         VectorUpdate update, cudaStream_t stream) {
    with_terms(terms, components, [&]<VectorTerms known, int N>() {
        with_update<N>(update, [&]<VectorUpdate one>() { launch_sweep<T, known, N, one>(args, stream); });
    });
}

template void launch_vector_sweep(const VectorSweepArgs<float>&, VectorTerms, int, VectorUpdate,
                                  cudaStream_t);
template void launch_vector_sweep(const VectorSweepArgs<double>&, VectorTerms, int, VectorUpdate,
                                  cudaStream_t);

}  // namespace psflip
