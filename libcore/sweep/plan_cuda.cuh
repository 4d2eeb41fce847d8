#pragma once

#include <memory>
#include <string>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// The kernels that advance a batch.
struct PlannedKernels {
    std::unique_ptr<SweepKernel> sweeps;
    std::unique_ptr<PeriodKernel> periods;  ///< null where sweeps and exchanges one by one are faster

    /// Whether the batch can be swept in parts.
    bool take_parts() const { return !periods && sweeps->takes_parts(); }
    /// Of an exchange period, by prediction.
    double microseconds() const { return periods ? periods->microseconds() : sweeps->microseconds(); }
    std::string description() const { return periods ? periods->description() : sweeps->description(); }
};

/// The choice between the kernels; see plan_cuda.cu. `table`: of the class rule, used where the batch has it.
/// Throws EnvironmentError where the request asks for a kernel or plan that the lattice or the device does
/// not allow.
PlannedKernels plan_kernels(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                            const KernelRequest& request);

}  // namespace psflip
