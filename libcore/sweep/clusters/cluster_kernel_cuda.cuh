#pragma once

#include <memory>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// The maximum number of lanes of a block.
inline constexpr int max_cluster_lanes = 8;

/// Returns the kernel of cluster updates with its best plan that the request allows: resident if labels fit
/// into the shared memory of a block, else streaming; null for other updates. The thresholds of bonds are
/// thresholds[slot][0][0] of the table.
std::unique_ptr<SweepKernel> plan_clusters(const SweepArgs& args, const ClassArgs& table,
                                           const PlannedBatch& batch, const KernelRequest& request);

}  // namespace psflip
