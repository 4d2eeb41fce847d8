// Sweeps in fast arithmetic; compiled without --fmad=false.

#include <bit>

#include "sweep/vector/fast_float_cuda.cuh"
#include "sweep/vector/vector_sweep_kernel_cuda.cuh"

namespace psflip {

void launch_fast_vector_sweep(const VectorSweepArgs<float>& args, VectorTerms terms, VectorUpdate update,
                              cudaStream_t stream) {
    const auto fast = std::bit_cast<VectorSweepArgs<FastFloat>>(args);
    switch (terms) {
        case VectorTerms::exchange:
            return launch_vector_directions<FastFloat, VectorTerms::exchange>(fast, update, stream);
        case VectorTerms::species:
            return launch_vector_directions<FastFloat, VectorTerms::species>(fast, update, stream);
        case VectorTerms::bonds:
            return launch_vector_directions<FastFloat, VectorTerms::bonds>(fast, update, stream);
    }
}

}  // namespace psflip
