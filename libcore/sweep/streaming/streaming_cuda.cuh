// Declares the streaming kernel. It launches once per colour, from and to device memory, for lattices of any
// size.
#pragma once

#include <cstdint>
#include <memory>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/cuda/slab_colour_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Returns the kernel of the plain rule in three dimensions with its plan. It launches once per colour.
/// Returns null for share 1, which has a separate streaming kernel, for other rules, or if the request is for
/// another kernel.
std::unique_ptr<SweepKernel> plan_streaming(const SweepArgs& args, const PlannedBatch& batch,
                                            const KernelRequest& request);

/// As plan_streaming, for all rules except the plain rule in three dimensions.
std::unique_ptr<SweepKernel> plan_streaming_class(const SweepArgs& args, const ClassArgs& table,
                                                  const PlannedBatch& batch, const KernelRequest& request);

/// Names one colour of one sweep.
struct StreamingColour {
    std::uint32_t first_column, slots, colour;  ///< slots: number of slots of a thread
    std::uint64_t sweep;
};

/// Holds the launches of one colour by one rule, for whole lattices and, in three dimensions, for slabs.
struct StreamingForms {
    void (*whole)(const SweepArgs&, const ClassArgs&, const StreamingColour&, dim3 grid, cudaStream_t);
    void (*slab)(const Halo&, const SweepArgs&, const ClassArgs&, const StreamingColour&, const SlabLaunch&,
                 unsigned blocks, cudaStream_t);
};

/// Returns the launches of all rules except for the plain rule in three dimensions.
StreamingForms streaming_class_forms(const SweepRule& rule, int share);

}  // namespace psflip
