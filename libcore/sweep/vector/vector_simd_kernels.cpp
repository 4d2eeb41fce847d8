#include "sweep/vector/vector_simd_kernels.hpp"

namespace psflip {

const VectorKernels& vector_kernels(SimdLevel level) {
#ifdef PSFLIP_X86_SIMD
    if (level == SimdLevel::avx512) return avx512::vector_kernels;
    if (level == SimdLevel::avx2) return avx2::vector_kernels;
#endif
    (void)level;
    return scalar::vector_kernels;
}

}  // namespace psflip
