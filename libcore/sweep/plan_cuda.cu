// Which kernels advance a batch: those whose plans take the least time for an exchange period, by their cost
// models. Up to L = 32 the resident kernel sweeps wherever lattices fit into the shared memory of a block or
// of a cluster of blocks, without a look at the models of the tiled and streaming kernels, which are fitted
// to larger ones; with a number for every spin (share 1) it has to be faster than streaming. All of these
// have the plain rule in three dimensions alone; for other rules there are a resident and a streaming kernel
// of the class rule. Slabs take the streaming and tiled kernels alone, as
// the others hold whole lattices; the sliced order has the streaming kernel of the plain rule.

#include "sweep/plan_cuda.cuh"

#include "base/error.hpp"
#include "sweep/fused/fused_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"
#include "sweep/tiled/tiled_cuda.cuh"

namespace psflip {

namespace {

constexpr unsigned small_L = 32;

std::unique_ptr<SweepKernel> plan_sweeps(const SweepArgs& args, const ClassArgs& table,
                                         const PlannedBatch& batch, const KernelRequest& request) {
    std::unique_ptr<SweepKernel> best;
    const auto consider = [&](std::unique_ptr<SweepKernel> kernel) {
        if (kernel && (!best || kernel->microseconds() < best->microseconds())) best = std::move(kernel);
    };
    if (batch.order == SiteOrder::sliced) {
        consider(plan_streaming(args, batch, request));
    } else {
        if (!batch.halo) best = plan_resident(args, batch, request);
        if (best && batch.share > 1 && args.geometry.L <= small_L) return best;
        for (const auto plan : {plan_tiled, plan_streaming, plan_streaming_independent})
            consider(plan(args, batch, request));
        if (!batch.halo) consider(plan_resident_class(args, table, batch, request));
        consider(plan_streaming_class(args, table, batch, request));
    }
    if (!best)
        throw EnvironmentError("the " + request.form + " kernel was asked for, but " +
                               (request.number != std::array<int, 3>{} ? "that plan" : "it") +
                               " does not suit L = " + std::to_string(args.geometry.L) + ", share " +
                               std::to_string(batch.share) + ", " + std::to_string(args.temperatures) +
                               " temperatures on this device" + (batch.halo ? ", or slabs" : "") +
                               (batch.order == SiteOrder::sliced ? ", or the sliced site order" : ""));
    return best;
}

}  // namespace

PlannedKernels plan_kernels(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                            const KernelRequest& request) {
    // The fused kernel needs exchanges; sweeps without them choose freely.
    const bool asked = request.form == "fused";
    const bool whole = !batch.halo && batch.order != SiteOrder::sliced;
    if (asked && !whole)
        throw EnvironmentError(
            "the fused kernel was asked for, but does not suit slabs or the sliced site order");
    PlannedKernels kernels{plan_sweeps(args, table, batch, asked ? KernelRequest{} : request), nullptr};
    if (batch.sweeps_per_swap == 0 || !whole) return kernels;
    kernels.periods = plan_fused(args, batch, request);
    if (kernels.periods && !asked && kernels.periods->microseconds() >= kernels.sweeps->microseconds())
        kernels.periods = nullptr;
    return kernels;
}

}  // namespace psflip
