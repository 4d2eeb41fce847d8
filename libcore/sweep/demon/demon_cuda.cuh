#pragma once

#include <memory>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Returns the kernel of the demon dynamics with its best plan that the request allows: resident if a lattice
/// fits into the shared memory of a block, else streaming; null for other dynamics. Without a field and
/// absent bonds, the thresholds of the demons are SweepArgs::thresholds, and in three dimensions the kernels
/// sweep in the gauge. For other models, the thresholds are in the table, and there is no gauge.
std::unique_ptr<SweepKernel> plan_demons(const SweepArgs& args, const ClassArgs& table,
                                         const PlannedBatch& batch, const KernelRequest& request);

}  // namespace psflip
