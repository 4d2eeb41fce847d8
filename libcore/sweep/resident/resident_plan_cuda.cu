// The plan of the resident kernel of the plain rule in three dimensions, and its cost model.

#include <algorithm>
#include <cmath>

#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cut_cuda.cuh"

namespace psflip {

namespace {

/// Returns the microseconds of a sweep: waves of blocks over the multiprocessors, times the work of the
/// fullest of the four schedulers (the logic pipe limits). A step adds the latency of one and a half updates.
/// A site costs a unit per temperature and 0.85 for addresses and couplings. A slot quad adds 0.25, and 0.6
/// for the random numbers of each pack. A barrier costs 6.5, in clusters more. Fitted on one H200, without
/// the gauge, to 424 plans of L = 12 to 32 with 24 temperatures and share 128, most within 5%, and to some of
/// share 32. The unit is fitted to sweeps in the gauge at L = 16 to 48.
double shared_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args, int share) {
    const Passes passes(args.geometry.colour_sites / plan.cluster, plan.threads, waves.together);
    const double fours = fours_touched(plan.slots_per_block, static_cast<int>(args.temperatures)),
                 barrier = plan.cluster > 1 ? 20 + 0.42 * plan.cluster : 6.5,
                 site = plan.slots_per_block + 0.85 + fours * (0.25 + 0.6 * (128.0 / share));
    return 0.104 * waves.number * ((passes.updates + 1.5 * passes.steps) * site + barrier);
}

/// Returns the shared memory of a block's planes of a lattice, in whole tiles of eight sites.
std::int64_t slab_bytes(const Geometry& g, int cluster) {
    return (std::int64_t{g.plane} * 2 * (g.L / cluster) + 7) / 8 * 128;
}

/// Returns the plan with n slots, or a plan without threads if some warps would have no sites.
ResidentPlan cut_plan(const Geometry& g, int share, int n, int groups, int cluster, int warps) {
    const int sites = static_cast<int>(g.colour_sites) / cluster, threads = 32 * warps;
    if (threads >= sites + 32) return {};
    const int lattice_bytes = static_cast<int>(n * slab_bytes(g, cluster));
    const IndependentBytes of = independent_bytes({});
    const int other_bytes = share == 1 ? threads * of.per_thread + n * of.per_slot : 0;
    return {.slots_per_block = n,
            .groups = groups,
            .threads = threads,
            .bond_sites = best_bond_sites(sites, (n + 1) / 2, threads / 32, max_bond_sites(4)),
            .lattice_bytes = lattice_bytes,
            .shared_bytes = lattice_bytes + other_bytes,
            .cluster = cluster};
}

ResidentPlans cubic_plans(const SweepArgs& args, const PlannedBatch& batch, const KernelRequest& request) {
    const Geometry& g = args.geometry;
    return best_plans({.layers = static_cast<int>(g.L),
                       .min_layers = 2,
                       .temperatures = static_cast<int>(args.temperatures),
                       .stacks = batch.columns * args.replicas,
                       .device = batch.device,
                       .forms = resident_forms(batch.share),
                       .slab_bytes = [&](int cluster) { return slab_bytes(g, cluster); },
                       .cut = [&](int n, int groups, int cluster,
                                  int warps) { return cut_plan(g, batch.share, n, groups, cluster, warps); },
                       .cost =
                           [&](const ResidentPlan& plan, const Waves& waves) {
                               return batch.share == 1
                                          ? independent_cost(plan, waves, args.geometry.colour_sites)
                                          : shared_cost(plan, waves, args, batch.share);
                           },
                       .parts = batch.parts},
                      request);
}

/// The resident kernel with its plans.
class ResidentKernel final : public ResidentSweeps {
  public:
    ResidentKernel(const SweepArgs& args, const PlannedBatch& batch, const ResidentPlans& plans)
        : ResidentSweeps(args, batch, plans), share_(batch.share) {}

    void prepare(const SweepArgs& args, cudaStream_t stream) override {
        if (share_ > 1) fix_gauge(args, stream);
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        run(part, [&](const ResidentPlan& plan, std::int64_t blocks, cudaStream_t on) {
            const bool first = plan.cluster == plans().first.cluster;
            const int L = static_cast<int>(args.geometry.L);
            const uint4* const gauged = gauged_[first ? 0 : 1].data();
            launch_resident(resident_forms(share_), plan, blocks, on, args, plan,
                            make_slab(L, L / plan.cluster), burst, gauged);
        });
    }

  private:
    /// Fixes the gauge in the slabs of both plans.
    void fix_gauge(const SweepArgs& args, cudaStream_t stream) {
        const ResidentPlans& all = plans();
        const std::int64_t columns = (all.first_stacks + all.second_stacks) / args.replicas;
        const auto of = [&](const ResidentPlan& plan) {
            return GaugedBonds::of(args.geometry, args.couplings, columns,
                                   args.geometry.L / static_cast<unsigned>(plan.cluster), stream);
        };
        gauged_[0] = of(all.first);
        if (all.second_stacks > 0 && all.second.cluster != all.first.cluster) gauged_[1] = of(all.second);
    }

    int share_;
    DeviceBuffer<uint4> gauged_[2];
};

/// Beyond the sizes of the fit, the kernel must be clearly faster to be chosen. This choice is the fastest,
/// or within 3%, at L = 34 to 52.
constexpr unsigned fitted_L = 32;
constexpr double clear_advantage = 1.1;

}  // namespace

std::unique_ptr<SweepKernel> plan_resident(const SweepArgs& args, const PlannedBatch& batch,
                                           const KernelRequest& request) {
    if (!batch.rule.cubic_plain() || !request.takes("resident")) return nullptr;
    ResidentPlans plans = cubic_plans(args, batch, request);
    if (plans.first.slots_per_block == 0) return nullptr;
    if (batch.share > 1 && args.geometry.L > fitted_L) plans.cost *= clear_advantage;
    return std::make_unique<ResidentKernel>(args, batch, plans);
}

}  // namespace psflip
