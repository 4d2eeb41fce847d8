#include "measure/distance_kernels.hpp"

namespace psflip {

const DistanceKernels& distance_kernels(SimdLevel level) {
#ifdef PSFLIP_X86_SIMD
    if (level == SimdLevel::avx512) return avx512::distance_kernels;
    if (level == SimdLevel::avx2) return avx2::distance_kernels;
#endif
    (void)level;
    return scalar::distance_kernels;
}

}  // namespace psflip
