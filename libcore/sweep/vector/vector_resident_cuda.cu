#include "sweep/vector/vector_resident_kernel_cuda.cuh"

namespace psflip {

bool launch_vector_resident(const ResidentArgs<float>& args, VectorUpdate update, cudaStream_t stream) {
    return launch_resident(args, update, stream);
}

}  // namespace psflip
