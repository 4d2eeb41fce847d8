#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

/// How the streaming kernel cuts a batch; made by plan_streaming.
struct StreamingPlan {
    std::int64_t columns_at_once = 0;
    std::uint32_t slots = 0, grid_y = 0;  ///< temperatures of a thread; groups of them
};

/// Sweeps first, ..., first + count - 1 of args.spins, one launch per colour, for columns [0, columns). Not
/// for share 1.
void launch_streaming(const SweepArgs& args, int share, const StreamingPlan& plan, std::int64_t columns,
                      std::int64_t first, int count, cudaStream_t stream);
/// As many temperatures per thread and columns at a time as suit the device; see streaming_cuda.cu.
StreamingPlan plan_streaming(const SweepArgs& args, std::int64_t columns, int device);

}  // namespace psflip
