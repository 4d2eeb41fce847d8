// Declares sweeps of whole lattices whose spins pass through shared memory.
#pragma once

#include "sweep/vector/vector_boxes.hpp"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {

/// Sweeps periodic lattices in three dimensions with one exchange constant and float spins of three
/// components. Small lattices stay in shared memory during all sweeps of a call. Lattices that are larger
/// than the L2 cache stream through shared memory, both colours in one pass.
class VectorSharedSweeps {
  public:
    /// Takes the arguments of the colour kernel, without sweep and colour.
    VectorSharedSweeps(const VectorSetup& setup, const VectorSweepArgs<float>& args, int device);

    /// Makes sweeps first, ..., first + count - 1, and may exchange the buffer of spins for another one.
    /// Returns false, and does nothing, if the colour kernel is faster or other kernels cannot do it.
    bool sweep(VectorSweepArgs<float> args, VectorUpdate update, std::int64_t first, int count,
               DeviceBuffer<float>& spins, cudaStream_t stream);

  private:
    bool stay(VectorSweepArgs<float> args, VectorUpdate update, int count, cudaStream_t stream);
    void flow(VectorSweepArgs<float> args, VectorUpdate update, int count, DeviceBuffer<float>& spins,
              cudaStream_t stream);

    double spins_ = 0;             ///< of all lattices
    ResidentPlan resident_;        ///< impossible if it is never the fastest
    StreamPlan streaming_;         ///< impossible for lattices that fit in the L2 cache
    DeviceBuffer<uint4> packets_;  ///< see ResidentArgs; without memory before the first use
    DeviceBuffer<float> target_;   ///< see StreamArgs; without memory before the first use
    unsigned half_sweeps_ = 0;     ///< in shared memory, modulo 2^32
};

}  // namespace psflip
