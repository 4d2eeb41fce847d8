#include "sweep/vector/vector_sweep_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void sweep_double_vectors(const VectorTask<double>& task) {
    sweep_vectors(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
