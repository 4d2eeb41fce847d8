// Chooses the CUDA kernels of a batch by their predicted time.
#pragma once

#include <memory>
#include <string>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// Holds the kernels that advance a batch.
struct PlannedKernels {
    std::unique_ptr<SweepKernel> sweeps;
    std::unique_ptr<PeriodKernel> periods;  ///< null if separate sweeps and exchanges are faster

    /// Returns whether the batch can be swept in slices.
    bool take_parts() const { return !periods && sweeps->takes_parts(); }
    /// Returns the predicted microseconds of an exchange period.
    double microseconds() const { return periods ? periods->microseconds() : sweeps->microseconds(); }
    std::string name() const { return periods ? periods->name() : sweeps->name(); }
};

/// Chooses kernels and plans by their cost models (plan_cuda.cu). Batches of the class rule use `table`.
/// args: pointers to device memory. Collective if there are slabs. Errors: EnvironmentError if the requested
/// kernel or plan does not suit the batch or the device.
PlannedKernels plan_kernels(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                            const KernelRequest& request);

/// Returns the three plans of each kernel with the shortest predicted times, for whole lattices. The texts
/// have no PARTS (KernelRequest). If the batch has slices, kernels that need the whole batch are left out.
PredictedPlans best_kernel_plans(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch);

}  // namespace psflip
