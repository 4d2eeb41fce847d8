#pragma once

#include <cstdint>
#include <utility>

#include "sweep/cuda/houdayer_block_cuda.cuh"
#include "sweep/cuda/sweep_args_cuda.cuh"
#include "sweep/houdayer.hpp"

namespace psflip {

/// Makes Houdayer moves (sweep/houdayer.hpp) of all whole lattices of a batch in the standard order.
class DeviceHoudayer {
  public:
    /// absent: absent bonds in device memory, 32-bit words of CouplingLayout, or nullptr. It must outlive
    /// this object. Counts are 0 after the work in the stream.
    DeviceHoudayer(const SweepArgs& args, int share, std::int64_t columns, const std::uint32_t* absent,
                   int device, cudaStream_t stream);

    /// Starts the move in the stream. Spins may be in a gauge that all lattices of a column share.
    void move(const SweepArgs& args, const HoudayerMove& move, cudaStream_t stream);

    /// Returns the counts of the lattices of this shape after all work in the stream.
    HoudayerCounts counts(const Shape& shape, cudaStream_t stream) const;

  private:
    int share_;
    std::int64_t columns_;
    const std::uint32_t* absent_;
    HoudayerBlockMemory memory_;
    DeviceHoudayerCounts counts_;
};

}  // namespace psflip
