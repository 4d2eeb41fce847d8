#include "sweep/cpu/simd_kernels.hpp"

namespace psflip {

const SimdKernels& simd_kernels(SimdLevel level) {
#ifdef PSFLIP_X86_SIMD
    if (level == SimdLevel::avx512) return avx512::kernels;
    if (level == SimdLevel::avx2) return avx2::kernels;
#endif
    (void)level;
    return scalar::kernels;
}

}  // namespace psflip
