#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "random/purposes.hpp"
#include "sweep/geometry_cuda.cuh"
#include "sweep/thresholds.hpp"

namespace psflip {

/// What the sweep kernels need, passed by value. Spins: (column, replica, slot, site) of 16-byte words of 128
/// realizations; couplings: (column, direction, site).
struct SweepArgs {
    Geometry geometry;
    uint4* spins;
    const uint4* couplings;
    std::uint32_t replicas, temperatures;
    std::uint32_t first_realization;  ///< below 2^31: pack numbers have 24 bits
    std::uint64_t seed;
    Thresholds thresholds[max_temperatures];
};

/// How the resident kernel cuts a batch into blocks; made by plan_resident.
struct ResidentPlan {
    int slots_per_block = 0;  ///< lattices in shared memory; 0: one lattice does not fit, stream instead
    int groups = 0;           ///< blocks per (column, replica)
    int planes = 0;           ///< z planes of one colour that the threads of a block cover in one step
    int threads = 0;          ///< planes * L^2/2, rounded up to whole warps
    int shared_bytes = 0;
};

/// Sweeps first, ..., first + count - 1 with all lattices of a block in shared memory, for `units` = columns
/// * replicas.
void launch_resident(const SweepArgs& args, int share, const ResidentPlan& plan, std::int64_t units,
                     std::int64_t first, int count, cudaStream_t stream);

/// Largest number of threads per block of the resident kernel: leaves each 96 registers.
inline constexpr int resident_threads = 640;

/// Registers per thread of the resident kernel; also lets it use up to `max_shared` bytes of shared memory.
int resident_registers(int share, int max_shared);

/// The best plan for the device, by a small cost model; see resident_plan_cuda.cu.
ResidentPlan plan_resident(const SweepArgs& args, int share, std::int64_t units, int device);

/// The same sweeps from device memory, one launch per colour, for columns [0, columns).
void launch_streaming(const SweepArgs& args, int share, std::int64_t columns, std::int64_t first, int count,
                      cudaStream_t stream);

}  // namespace psflip
