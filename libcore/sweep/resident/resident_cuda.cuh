// Declares the resident kernel. Lattices of several temperatures stay in the shared memory of a block, or of
// a cluster of blocks, for a burst of sweeps. Launches queue their work into the given stream.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "base/cuda_check.cuh"
#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Says how the resident kernel cuts a batch into blocks; plan_resident makes it. A slot group is the
/// temperatures of one (column, replica) that a block, or a cluster of blocks, sweeps together. A stack is
/// all temperatures of one (column, replica).
struct ResidentPlan {
    int slots_per_block = 0;  ///< temperatures in the shared memory of a block; 0: lattices do not fit
    int groups = 0;           ///< slot groups per (column, replica)
    int threads = 0;          ///< threads per block
    int bond_sites = 0;       ///< red sites per thread when energies are counted
    int lattice_bytes = 0;    ///< bytes of shared memory that lattices take in a block
    int shared_bytes = 0;     ///< all dynamic shared memory of a block, with queues and tables of share 1
    int cluster = 1;          ///< blocks that sweep a slot group; each has L / cluster planes
    int strip_rows = 0;       ///< rows through which a thread marches (resident_planar_cuda.cu)
    std::uint32_t first_task = 0;  ///< first slot group of a launch, counted over all stacks
    double cost = 0;               ///< microseconds of a sweep on one H200
};

/// Holds the sizes of the part of a lattice that a block holds. Layers are z planes or, in two dimensions,
/// rows.
struct Layers {
    std::uint32_t depth, layer;  ///< number of layers; sites of a colour in a layer
    std::uint32_t colour_sites, sites;
};

/// Maximum numbers of threads per block. planar_threads is for the plain rule in two dimensions, and leaves a
/// thread 64 registers. resident_threads is for all other rules, and leaves 128.
inline constexpr int resident_threads = 512, planar_threads = 1024;

/// Points to a kernel with whole lattices in a block, and to the kernel with slabs in the blocks of a cluster
/// (null: none).
struct ResidentForms {
    const void *whole, *clustered;
    int fixed_bytes = 0;                 ///< bytes of shared memory in addition to ResidentPlan
    int max_threads = resident_threads;  ///< maximum per block
};

/// Returns the kernels of the plain rule in three dimensions. Their parameters are SweepArgs, ResidentPlan,
/// Geometry (of the slab, at least two planes), SweepBurst, const uint4* (of GaugedBonds). Share 1 has no
/// kernel with clusters, because the streaming kernel is as fast for lattices that do not fit into a block.
ResidentForms resident_forms(int share);

/// Return the kernels of a class rule in three dimensions, or of any rule in two dimensions. Their parameters
/// are SweepArgs, ClassArgs of the rule, ResidentPlan, Layers (of the slab), SweepBurst. Share 1 has no
/// kernels with clusters.
ResidentForms resident_cubic_class_forms(const SweepRule& rule, int share);
ResidentForms resident_square_forms(const SweepRule& rule, int share);
/// Returns the kernels of the plain rule in two dimensions, for shares of 32 and more. Spins and couplings
/// are in the gauge of LatticeGauge.
ResidentForms resident_planar_forms(int share);
/// Returns the kernels that also exchange temperatures, for blocks or clusters that have all slots of a
/// stack. Their last parameters are ExchangeArgs and the number of periods.
ResidentForms resident_period_forms(int share);

/// Returns the launch settings of `blocks` blocks; `attribute` must live as long as the settings.
cudaLaunchConfig_t resident_config(const ResidentPlan& plan, std::int64_t blocks, cudaStream_t stream,
                                   cudaLaunchAttribute& attribute);

/// Launches `blocks` blocks of a kernel. The types of `arguments` must be exactly the types of its
/// parameters.
template <class... Arguments>
void launch_resident(const ResidentForms& forms, const ResidentPlan& plan, std::int64_t blocks,
                     cudaStream_t stream, Arguments... arguments) {
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = resident_config(plan, blocks, stream, attribute);
    void* pointers[] = {&arguments...};
    PSFLIP_CUDA(cudaLaunchKernelExC(&config, plan.cluster > 1 ? forms.clustered : forms.whole, pointers));
}

/// Maximum number of blocks in a cluster.
inline constexpr int resident_cluster = 16;

/// Returns the kernel with the best plan that the request allows, by the cost model of resident_plan_cuda.cu.
/// Returns null if the lattices do not fit, or if the request is for another kernel.
std::unique_ptr<SweepKernel> plan_resident(const SweepArgs& args, const PlannedBatch& batch,
                                           const KernelRequest& request);

/// As plan_resident, for all rules except the plain rule in three dimensions, and for every share
/// (resident_class_plan_cuda.cu).
std::unique_ptr<SweepKernel> plan_resident_class(const SweepArgs& args, const ClassArgs& table,
                                                 const PlannedBatch& batch, const KernelRequest& request);

/// As plan_resident, for the plain rule in two dimensions with shares of 32 and more
/// (resident_strips_plan_cuda.cu). Batches that leave the choice get it if it is faster than the kernel of
/// plan_resident_class.
std::unique_ptr<SweepKernel> plan_strips(const SweepArgs& args, const ClassArgs& table,
                                         const PlannedBatch& batch, const KernelRequest& request);

}  // namespace psflip
