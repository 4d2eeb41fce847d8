#include "sweep/sites/sites_kernels.hpp"

namespace psflip {

const SitesKernels& sites_kernels(SimdLevel level) {
#ifdef PSFLIP_X86_SIMD
    if (level == SimdLevel::avx512) return avx512::sites;
    if (level == SimdLevel::avx2) return avx2::sites;
#endif
    (void)level;
    return scalar::sites;
}

}  // namespace psflip
