#pragma once

#include <cstdint>
#include <memory>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/cuda/slab_launch_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// The kernel of the plain rule in three dimensions with its plan: one launch per colour. None for share 1,
/// which has a streaming kernel of its own, for other rules, or where the request is for another kernel.
std::unique_ptr<SweepKernel> plan_streaming(const SweepArgs& args, const PlannedBatch& batch,
                                            const KernelRequest& request);

/// Likewise that of all other rules, for every share; with share 1 the plain rules have one of their own.
std::unique_ptr<SweepKernel> plan_streaming_class(const SweepArgs& args, const ClassArgs& table,
                                                  const PlannedBatch& batch, const KernelRequest& request);

/// How a batch is cut for one launch per colour.
struct StreamingPlan {
    std::int64_t columns_at_once = 0;
    std::uint32_t slots = 0, grid_y = 0;  ///< temperatures of a thread; groups of them
};
StreamingPlan streaming_plan(const SweepArgs& args, const PlannedBatch& batch);

/// See period_microseconds.
double streaming_period(const SweepArgs& args, const StreamingPlan& plan, const PlannedBatch& batch);

/// A launch of a colour for columns begin, ..., begin + here - 1.
template <class Launch>
void for_each_colour(const StreamingPlan& plan, std::int64_t columns, const SweepBurst& burst,
                     const Launch& launch) {
    for (std::int64_t begin = 0; begin < columns; begin += plan.columns_at_once) {
        const std::int64_t rest = columns - begin;
        const auto here = static_cast<unsigned>(rest < plan.columns_at_once ? rest : plan.columns_at_once);
        for (int i = 0; i < burst.count; ++i)
            for (std::uint32_t colour = 0; colour < 2; ++colour)
                launch(static_cast<std::uint32_t>(begin), here, static_cast<std::uint64_t>(burst.first + i),
                       colour);
    }
}

}  // namespace psflip
