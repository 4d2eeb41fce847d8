// The plan of the resident kernel of the plain rule in three dimensions, and its cost model.

#include <algorithm>
#include <cmath>

#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/independent/undecided_lanes_cuda.cuh"
#include "sweep/resident/resident_cut_cuda.cuh"

namespace psflip {

namespace {

/// Microseconds of a sweep: waves of blocks over the multiprocessors, times the work of the fullest of their
/// four schedulers (the logic pipe limits) and, for every step, latency of one and a half. A site costs a
/// unit per temperature, 0.85 for addresses and couplings, 0.25 for every four of temperatures touched and
/// 0.6 for each pack's random numbers of it; a barrier 6.5, in clusters more. Fitted to 424 plans measured
/// for L = 12 to 32 with 24 temperatures and `share` 128 on one H200, most within 5%, and to some of
/// `share` 32, all before the gauge; the unit is what sweeps at L = 16 to 48 have taken since.
double shared_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args, int share) {
    const Passes passes(args.geometry.colour_sites / plan.cluster, plan.threads, waves.together);
    const double fours = fours_touched(plan.slots_per_block, static_cast<int>(args.temperatures)),
                 barrier = plan.cluster > 1 ? 20 + 0.42 * plan.cluster : 6.5,
                 site = plan.slots_per_block + 0.85 + fours * (0.25 + 0.6 * (128.0 / share));
    return 0.104 * waves.number * ((passes.updates + 1.5 * passes.steps) * site + barrier);
}

/// Shared memory of a lattice's slab in whole tiles of eight sites.
std::int64_t slab_bytes(const Geometry& g, int cluster) {
    return (std::int64_t{g.plane} * 2 * (g.L / cluster) + 7) / 8 * 128;
}

/// The plan with n slots and so many warps per block. No threads: some warps would have no sites.
ResidentPlan cut_plan(const Geometry& g, int share, int n, int groups, int cluster, int warps) {
    const int sites = static_cast<int>(g.colour_sites) / cluster, threads = 32 * warps;
    if (threads >= sites + 32) return {};
    const int lattice_bytes = static_cast<int>(n * slab_bytes(g, cluster));
    const int other_bytes = share == 1 ? threads * undecided_bytes_per_thread + n * slot_table_bytes : 0;
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
                       .least_layers = 2,
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
class ResidentKernel final : public SweepKernel {
  public:
    ResidentKernel(const SweepArgs& args, const PlannedBatch& batch, const ResidentPlans& plans)
        : share_(batch.share),
          launches_(plans, batch.parts),
          microseconds_(period_microseconds(args, batch, plans.cost)) {}

    std::string description() const override { return launches_.plans().description(); }
    double microseconds() const override { return microseconds_; }
    bool takes_parts() const override { return true; }
    void prepare(const SweepArgs& args, cudaStream_t stream) override {
        if (share_ > 1) fix_gauge(args, stream);
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        launches_.run(part, [&](const ResidentPlan& plan, std::int64_t blocks, cudaStream_t on) {
            const bool first = plan.cluster == launches_.plans().first.cluster;
            const int L = static_cast<int>(args.geometry.L);
            const uint4* const gauged = gauged_[first ? 0 : 1].data();
            launch_resident(resident_forms(share_), plan, blocks, on, args, plan,
                            make_slab(L, L / plan.cluster), burst, gauged);
        });
    }
    std::optional<SlotGroups> slot_groups(const StreamPart& part) const override {
        return launches_.plans().slot_groups(part);
    }

  private:
    /// Of the slabs of both plans.
    void fix_gauge(const SweepArgs& args, cudaStream_t stream) {
        const ResidentPlans& plans = launches_.plans();
        const std::int64_t columns = (plans.first_stacks + plans.beside_stacks) / args.replicas;
        const auto of = [&](const ResidentPlan& plan) {
            return GaugedBonds::of(args.geometry, args.couplings, columns,
                                   args.geometry.L / static_cast<unsigned>(plan.cluster), stream);
        };
        gauged_[0] = of(plans.first);
        if (plans.beside_stacks > 0 && plans.beside.cluster != plans.first.cluster)
            gauged_[1] = of(plans.beside);
    }

    int share_;
    ResidentLaunches launches_;
    DeviceBuffer<uint4> gauged_[2];
    double microseconds_;
};

/// Beyond the sizes that the cost model is fitted to, the kernel must be clearly faster to be chosen. So it
/// was right at L = 34 to 52, or within 3%.
constexpr unsigned fitted_L = 32;
constexpr double clear_advantage = 1.1;

}  // namespace

std::unique_ptr<SweepKernel> plan_resident(const SweepArgs& args, const PlannedBatch& batch,
                                           const KernelRequest& request) {
    if (!batch.rule.cubic_plain() || (request.form != "auto" && request.form != "resident")) return nullptr;
    ResidentPlans plans = cubic_plans(args, batch, request);
    if (plans.first.slots_per_block == 0) return nullptr;
    if (batch.share > 1 && args.geometry.L > fitted_L) plans.cost *= clear_advantage;
    return std::make_unique<ResidentKernel>(args, batch, plans);
}

}  // namespace psflip
