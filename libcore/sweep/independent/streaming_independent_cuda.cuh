#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/sweep_args_cuda.cuh"

namespace psflip {

/// How share 1 cuts a colour of `columns` columns into blocks.
struct IndependentStreamingPlan {
    std::int64_t lattices = 0;  ///< of a thread
    std::int64_t groups = 0;    ///< of neighbouring lattices, per column
    double updates = 0;         ///< time: updates one after the other with 16 warps on a multiprocessor
};

IndependentStreamingPlan plan_streaming_independent(const SweepArgs& args, std::int64_t columns, int device);

/// A stream beside the main one.
class SideStream {
  public:
    SideStream();
    ~SideStream();
    SideStream(const SideStream&) = delete;
    cudaStream_t handle() const { return stream_; }
    /// Lets it wait for all that the main stream has been given, and the main stream for it.
    void fork(cudaStream_t main) const;
    void join(cudaStream_t main) const;

  private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t event_ = nullptr;
};

/// Sweeps first, ..., first + count - 1 of args.spins at share 1, one launch per colour, for columns
/// [0, columns), by two streams.
void launch_streaming_independent(const SweepArgs& args, std::int64_t columns, std::int64_t first, int count,
                                  cudaStream_t stream, const SideStream& side);

}  // namespace psflip
