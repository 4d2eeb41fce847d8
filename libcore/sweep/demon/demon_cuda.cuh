#pragma once

#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Returns the kernel of the demon dynamics with its best plan that the request allows: resident if a lattice
/// fits into the shared memory of a block, else streaming; null for other dynamics. Thresholds of the demons
/// are SweepArgs::thresholds. In three dimensions the kernels sweep in the gauge.
std::unique_ptr<SweepKernel> plan_demons(const SweepArgs& args, const PlannedBatch& batch,
                                         const KernelRequest& request);

}  // namespace psflip
