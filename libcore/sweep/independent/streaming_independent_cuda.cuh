#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <optional>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Returns the kernel of all rules with its plan for share 1. It launches once per colour, with half of
/// the columns in a second stream. Returns null for other shares, or if the request is for another kernel.
std::unique_ptr<SweepKernel> plan_streaming_independent(const SweepArgs& args, const ClassArgs& table,
                                                        const PlannedBatch& batch,
                                                        const KernelRequest& request);

/// Microseconds of a unit of the cost models for share 1. The launch of a kernel takes 26 units.
inline constexpr double independent_unit = 2.5 / 26;

/// Returns the time of an update with share 1, in the unit of the plain rule.
double independent_units(const SweepRule& rule);

/// Bytes of shared memory of kernels for share 1, except for spins.
struct IndependentBytes {
    int per_thread, per_slot;
};
IndependentBytes independent_bytes(const SweepRule& rule);

}  // namespace psflip
