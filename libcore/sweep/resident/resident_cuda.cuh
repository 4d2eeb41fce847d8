#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// How the resident kernel cuts a batch into blocks; made by plan_resident.
struct ResidentPlan {
    int slots_per_block = 0;  ///< lattices in shared memory; 0: they do not fit
    int groups = 0;           ///< slot groups per (column, replica)
    int threads = 0;
    int bond_sites = 0;     ///< of a thread that counts energies
    int lattice_bytes = 0;  ///< of shared memory
    int shared_bytes = 0;   ///< with the queues and tables of share 1
    int cluster = 1;        ///< blocks that share a slot group; each has L / cluster planes
    double cost = 0;        ///< of a sweep: microseconds on one H200
};

/// Launches the kernel for all lattices of `stacks` = columns * replicas stacks.
void launch_resident(const SweepArgs& args, int share, const ResidentPlan& plan, std::int64_t stacks,
                     const SweepBurst& burst, cudaStream_t stream);

/// Largest number of threads per block of the resident kernel: leaves each 128 registers.
inline constexpr int resident_threads = 512;

/// Largest number of blocks in a cluster.
inline constexpr int resident_cluster = 16;

/// Whether there is a clustered kernel (not for share 1, whose streaming kernel is as fast on lattices that
/// do not fit), the device launches clusters, and the kernel was compiled for devices that do (compute
/// capability 9).
bool resident_can_cluster(int share, int device);

/// Registers per thread of the resident kernel, of its clustered form too where `clusters`; also lets it use
/// up to `max_shared` bytes of shared memory.
int resident_registers(int share, int max_shared, bool clusters);

/// Clusters of a plan that the device can hold at the same time.
int resident_clusters(int share, const ResidentPlan& plan);

/// The kernel with its best plan for the device that the request allows, by a small cost model; see
/// resident_plan_cuda.cu. None where the lattices do not fit or the request is for another kernel.
std::unique_ptr<SweepKernel> plan_resident(const SweepArgs& args, const PlannedBatch& batch,
                                           const KernelRequest& request);

/// Likewise the kernel of all other rules, for every share, with whole lattices in a block.
std::unique_ptr<SweepKernel> plan_resident_class(const SweepArgs& args, const ClassArgs& table,
                                                 const PlannedBatch& batch, const KernelRequest& request);

}  // namespace psflip
