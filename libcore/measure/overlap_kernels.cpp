#include "measure/overlap_kernels.hpp"

namespace psflip {

const OverlapKernels& overlap_kernels(SimdLevel level) {
#ifdef PSFLIP_X86_SIMD
    if (level == SimdLevel::avx512) return avx512::overlap_kernels;
    if (level == SimdLevel::avx2) return avx2::overlap_kernels;
#endif
    (void)level;
    return scalar::overlap_kernels;
}

}  // namespace psflip
