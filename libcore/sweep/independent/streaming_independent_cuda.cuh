#pragma once

#include <cuda_runtime.h>

#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Returns the kernel of the plain rules with its plan for share 1. It launches once per colour, with half of
/// the columns in a second stream. Returns null for other shares, or if the request is for another kernel.
std::unique_ptr<SweepKernel> plan_streaming_independent(const SweepArgs& args, const PlannedBatch& batch,
                                                        const KernelRequest& request);

/// Microseconds of a unit of the cost models for share 1. The launch of a kernel takes 26 units.
inline constexpr double independent_unit = 2.5 / 26;

}  // namespace psflip
