#include "sweep/vector/vector_sweep_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void sweep_float_vectors(const VectorTask<float>& task) {
    sweep_vectors(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
