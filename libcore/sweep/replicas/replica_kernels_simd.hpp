#pragma once

#include "sweep/replicas/replica_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void plain_replica_sweep(const ReplicaSweepTask& task);
void class_replica_sweep(const ReplicaSweepTask& task);

}  // namespace psflip::PSFLIP_SIMD_LEVEL
