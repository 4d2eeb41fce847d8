#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// The kernel of the plain rules with its plan, for share 1: one launch per colour, half of the columns in a
/// stream of its own. None for other shares or where the request is for another kernel.
std::unique_ptr<SweepKernel> plan_streaming_independent(const SweepArgs& args, const PlannedBatch& batch,
                                                        const KernelRequest& request);

/// Of the cost models for share 1: microseconds of a unit, of which the launch of a kernel takes 26.
inline constexpr double independent_unit = 2.5 / 26;

}  // namespace psflip
