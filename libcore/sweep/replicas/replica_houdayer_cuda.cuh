#pragma once

#include <cstdint>

#include "sweep/cuda/houdayer_block_cuda.cuh"
#include "sweep/houdayer.hpp"
#include "sweep/replicas/replica_layout.hpp"

namespace psflip {

/// Makes Houdayer moves (sweep/houdayer.hpp) of whole lattices whose lanes are replicas, with all bonds.
class ReplicaHoudayer {
  public:
    /// Counts are 0 after the work in the stream.
    ReplicaHoudayer(const ReplicaLayout& layout, std::int64_t realizations, std::uint32_t first_realization,
                    std::uint64_t key, int device, cudaStream_t stream);

    /// Starts the move in the stream. spins: words of all realizations in device memory.
    void move(std::uint32_t* spins, const HoudayerMove& move, cudaStream_t stream);

    /// Returns the counts after all work in the stream.
    HoudayerCounts counts(cudaStream_t stream) const;

  private:
    ReplicaLayout layout_;
    std::int64_t realizations_;
    std::uint32_t first_realization_;
    std::uint64_t key_;
    HoudayerBlockMemory memory_;
    DeviceHoudayerCounts counts_;
};

}  // namespace psflip
