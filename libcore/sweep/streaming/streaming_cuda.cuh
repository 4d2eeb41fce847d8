#pragma once

#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// The kernel with its plan: one launch per colour. None for share 1, which has a streaming kernel of its
/// own, or where the request is for another kernel.
std::unique_ptr<SweepKernel> plan_streaming(const SweepArgs& args, const PlannedBatch& batch,
                                            const KernelRequest& request);

}  // namespace psflip
