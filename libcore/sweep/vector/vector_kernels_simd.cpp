#include "sweep/vector/vector_simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void sweep_float_vectors(const VectorTask<float>& task);
void sweep_double_vectors(const VectorTask<double>& task);
void sum_float_vectors(const VectorSumTask<float>& task);
void sum_double_vectors(const VectorSumTask<double>& task);

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::VectorKernels psflip::VectorKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::sweep_float_vectors, PSFLIP_SIMD_LEVEL::sweep_double_vectors,
    PSFLIP_SIMD_LEVEL::sum_float_vectors, PSFLIP_SIMD_LEVEL::sum_double_vectors};
