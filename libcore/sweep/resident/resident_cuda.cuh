#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"
#include "sweep/resident/resident_args_cuda.cuh"

namespace psflip {

/// Launch settings of `blocks` blocks; `attribute` must live as long as they.
cudaLaunchConfig_t resident_config(const ResidentPlan& plan, std::int64_t blocks, cudaStream_t stream,
                                   cudaLaunchAttribute& attribute);

/// Launches so many blocks of the kernel. `gauged`: GaugedBonds of the plan's slabs; share 1 has none.
void launch_resident(const SweepArgs& args, int share, const ResidentPlan& plan, std::int64_t blocks,
                     const SweepBurst& burst, const uint4* gauged, cudaStream_t stream);

/// Largest number of blocks in a cluster.
inline constexpr int resident_cluster = 16;

/// The kernel with its best plan for the device that the request allows, by a small cost model; see
/// resident_plan_cuda.cu. None where the lattices do not fit or the request is for another kernel.
std::unique_ptr<SweepKernel> plan_resident(const SweepArgs& args, const PlannedBatch& batch,
                                           const KernelRequest& request);

/// Likewise the kernel of all other rules, for every share; see resident_class_plan_cuda.cu.
std::unique_ptr<SweepKernel> plan_resident_class(const SweepArgs& args, const ClassArgs& table,
                                                 const PlannedBatch& batch, const KernelRequest& request);

}  // namespace psflip
