#include "sweep/vector/vector_sweep_kernel_cuda.cuh"

namespace psflip {

template <class T>
void launch_vector_sweep(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                         VectorUpdate update, cudaStream_t stream) {
    if (components == 1 && update == VectorUpdate::heat_bath)
        return launch_sweep<T, VectorTerms::bonds, 1, VectorUpdate::heat_bath>(args, stream);
    if (components == 1)
        return launch_sweep<T, VectorTerms::bonds, 1, VectorUpdate::metropolis>(args, stream);
    switch (terms) {
        case VectorTerms::exchange:
            return launch_vector_directions<T, VectorTerms::exchange>(args, update, stream);
        case VectorTerms::species:
            return launch_vector_directions<T, VectorTerms::species>(args, update, stream);
        case VectorTerms::bonds:
            return launch_vector_directions<T, VectorTerms::bonds>(args, update, stream);
    }
}

template void launch_vector_sweep(const VectorSweepArgs<float>&, VectorTerms, int, VectorUpdate,
                                  cudaStream_t);
template void launch_vector_sweep(const VectorSweepArgs<double>&, VectorTerms, int, VectorUpdate,
                                  cudaStream_t);

}  // namespace psflip
