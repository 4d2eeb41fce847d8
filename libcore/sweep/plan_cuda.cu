// Chooses the kernels that advance a batch: those whose plans take the least time for an exchange period, by
// their cost models. The models are fitted to one H200; on any device they are the start of a measurement
// (evolution/device_sampler.cu). Up to L = 32 the resident kernel sweeps all lattices that fit into the
// shared memory of a block or of a cluster of blocks, because the models of the tiled and streaming kernels
// are fitted to larger lattices. With a number for every spin (share 1) the resident kernel must be faster
// than streaming. The tiled kernel has the plain rule in three dimensions only, and the fused kernel has all
// rules in three dimensions with every bond. Slabs have streaming and tiled kernels, the sliced order has the
// streaming kernel of the plain rule.

#include "sweep/plan_cuda.cuh"

#include <iterator>
#include <map>

#include "base/error.hpp"
#include "sweep/clusters/cluster_kernel_cuda.cuh"
#include "sweep/demon/demon_cuda.cuh"
#include "sweep/fused/fused_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"
#include "sweep/streaming/streaming_cuda.cuh"
#include "sweep/tiled/tiled_cuda.cuh"

namespace psflip {

namespace {

constexpr unsigned small_L = 32;

/// Returns the best kernel that the request allows, or null.
std::unique_ptr<SweepKernel> plan_sweeps(const SweepArgs& args, const ClassArgs& table,
                                         const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.has_demons()) return plan_demons(args, table, batch, request);
    if (batch.rule.has_clusters()) return plan_clusters(args, table, batch, request);
    if (batch.order == SiteOrder::sliced) return plan_streaming(args, batch, request);
    std::unique_ptr<SweepKernel> best;
    const auto consider = [&](std::unique_ptr<SweepKernel> kernel) {
        if (kernel && (!best || kernel->microseconds() < best->microseconds())) best = std::move(kernel);
    };
    if (!batch.halo) best = plan_resident(args, batch, request);
    if (best && batch.share > 1 && args.geometry.L <= small_L) return best;
    if (auto strips = plan_strips(args, table, batch, request)) return strips;
    for (const auto plan : {plan_tiled, plan_streaming}) consider(plan(args, batch, request));
    consider(plan_streaming_independent(args, table, batch, request));
    if (!batch.halo) consider(plan_resident_class(args, table, batch, request));
    consider(plan_streaming_class(args, table, batch, request));
    return best;
}

/// Adds the best plans of a kernel whose first number is fixed to 1, 2, ... or left open.
template <class Plan>
void add_best_plans(PredictedPlans& plans, const char* kernel, int largest, const Plan& plan) {
    constexpr int max_plans = 3;
    std::map<double, std::string> found;  // names equal plans once
    for (int n = 0; n <= largest; ++n)
        if (const auto best = plan({.kernel = kernel, .numbers = {n}, .plans = n > 0 ? 1 : 0}))
            found.emplace(best->microseconds(), best->name());
    while (found.size() > max_plans) found.erase(std::prev(found.end()));
    plans.insert(found.begin(), found.end());
}

}  // namespace

PlannedKernels plan_kernels(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                            const KernelRequest& request) {
    // The fused kernel needs exchanges. Sweeps without exchanges choose freely.
    const bool wants_fused = request.kernel == "fused", whole = batch.has_whole_lattices();
    PlannedKernels kernels{plan_sweeps(args, table, batch, wants_fused ? KernelRequest{} : request), nullptr};
    if (batch.sweeps_per_swap > 0 && whole) {
        kernels.periods = plan_fused(args, batch, request);
        if (!kernels.periods && kernels.sweeps) kernels.periods = kernels.sweeps->with_exchanges(args, batch);
    }
    const bool lacks_fused = wants_fused && !kernels.periods && (batch.sweeps_per_swap > 0 || !whole);
    if (!kernels.sweeps || lacks_fused)
        throw EnvironmentError("the " + request.kernel + " kernel was asked for, but " +
                               (request.plans > 0 ? "that plan" : "it") +
                               " does not suit L = " + std::to_string(args.geometry.L) + ", share " +
                               std::to_string(batch.share) + ", " + std::to_string(args.temperatures) +
                               " temperatures on this device" + (batch.halo ? ", or slabs" : "") +
                               (batch.order == SiteOrder::sliced ? ", or the sliced site order" : "") +
                               "; use --kernel auto");
    if (kernels.periods && !wants_fused && kernels.periods->microseconds() >= kernels.sweeps->microseconds())
        kernels.periods = nullptr;
    return kernels;
}

PredictedPlans best_kernel_plans(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch) {
    const int T = static_cast<int>(args.temperatures), half = static_cast<int>(args.geometry.L / 2),
              resident = batch.rule.has_clusters() ? max_cluster_lanes : T;
    const auto sweeps = [&](const KernelRequest& request) {
        return plan_sweeps(args, table, batch, request);
    };
    const auto periods = [&](const KernelRequest& request) { return plan_fused(args, batch, request); };
    PredictedPlans plans;
    add_best_plans(plans, "resident", resident, sweeps);
    add_best_plans(plans, "strips", T, sweeps);
    if (batch.parts > 1) return plans;
    add_best_plans(plans, "tiled", half, sweeps);
    add_best_plans(plans, "streaming", 0, sweeps);
    if (batch.sweeps_per_swap > 0) add_best_plans(plans, "fused", T, periods);
    return plans;
}

}  // namespace psflip
