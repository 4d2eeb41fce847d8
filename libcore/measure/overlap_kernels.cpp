#include "measure/overlap_kernels.hpp"

namespace psflip {

OverlapKernel overlap_kernel(SimdLevel level) {
#ifdef PSFLIP_X86_SIMD
    if (level == SimdLevel::avx512) return avx512::count_overlap;
    if (level == SimdLevel::avx2) return avx2::count_overlap;
#endif
    (void)level;
    return scalar::count_overlap;
}

}  // namespace psflip
