#include "sweep/vector/vector_simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void sweep_float_vectors(const VectorTask<float>& task);
void sweep_double_vectors(const VectorTask<double>& task);
void sum_float_vectors(const VectorSumTask<float>& task);
void sum_double_vectors(const VectorSumTask<double>& task);

const VectorKernels vector_kernels = {sweep_float_vectors, sweep_double_vectors, sum_float_vectors,
                                      sum_double_vectors};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
