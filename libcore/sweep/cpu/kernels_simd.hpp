#pragma once

#include "sweep/cpu/simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void plain_sweep(const SweepTask& task);
void class_sweep(const SweepTask& task);

}  // namespace psflip::PSFLIP_SIMD_LEVEL
