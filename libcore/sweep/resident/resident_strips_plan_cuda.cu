// The plan of the resident kernel of strips (resident_planar_cuda.cu), and its cost model.

#include <algorithm>
#include <cmath>

#include "base/device.hpp"
#include "sweep/resident/resident_cut_cuda.cuh"

namespace psflip {

namespace {

/// Returns the rows of a block.
Layers rows_of(const Geometry& g, int cluster) {
    const std::uint32_t depth = g.L / cluster;
    return {depth, g.half, g.half * depth, 2 * g.half * depth};
}

/// Returns the shared memory of a block's rows of a lattice, in whole tiles of eight sites.
std::int64_t slab_bytes(const Geometry& g, int cluster) {
    return (std::int64_t{rows_of(g, cluster).sites} + 7) / 8 * 128;
}

/// Returns the largest number of slot quads that a block of n slots touches.
int max_quads(int n, int temperatures) {
    int most = 0;
    for (int first = 0; first < temperatures; first += n)
        most = std::max(most, (std::min(first + n, temperatures) + 3) / 4 - first / 4);
    return most;
}

/// Returns the plan with n slots, or a plan without threads if some warps would have no work.
ResidentPlan cut_strips(const Geometry& g, int temperatures, int n, int groups, int cluster, int warps) {
    const int each = static_cast<int>(g.half) * max_quads(n, temperatures), threads = 32 * warps,
              depth = static_cast<int>(rows_of(g, cluster).depth), most = std::min(threads / each, depth);
    if (most == 0) return {};
    const int rows = (depth + most - 1) / most, strips = (depth + rows - 1) / rows;
    if (threads >= strips * each + 32) return {};
    const int bytes = static_cast<int>(n * slab_bytes(g, cluster));
    return {.slots_per_block = n,
            .groups = groups,
            .threads = threads,
            .lattice_bytes = bytes,
            .shared_bytes = bytes,
            .cluster = cluster,
            .strip_rows = rows};
}

/// Returns whether a block or cluster has all slots of a stack, and then also exchanges.
bool exchanges_in_kernel(const ResidentPlan& plan, const PlannedBatch& batch, int temperatures) {
    return plan.groups == 1 && temperatures > 1 && batch.sweeps_per_swap > 0 && batch.parts == 1;
}

/// Returns the microseconds of a sweep. A row of a strip takes W + 2 units if a scheduler has W warps. The
/// beginning of a strip takes 0.6 rows, and other blocks of a multiprocessor hide a barrier. Fitted on one
/// H100 to 24 plans of L = 16 to 128 with 24 temperatures and share 128. An exchange in the kernel takes as
/// long as two sweeps, without the launches of period_microseconds.
double strips_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args,
                   const PlannedBatch& batch) {
    const int temperatures = static_cast<int>(args.temperatures);
    const double quads = max_quads(plan.slots_per_block, temperatures),
                 filled = plan.slots_per_block / (4 * quads),
                 row = 0.51 + 0.3 * filled + 0.19 * 128 / batch.share;
    const auto wave = [&](double together) {
        if (together <= 0) return 0.0;
        const double warps = together * plan.threads / 128,
                     barrier = plan.cluster > 1 ? 5.3 / std::pow(together, 0.25) : 2.9 / together;
        return 0.34 * ((plan.strip_rows + 0.6) * (warps + 2) * row + barrier);
    };
    const double sweep = waves.whole * wave(waves.fit) + wave(waves.rest);
    if (!exchanges_in_kernel(plan, batch, temperatures)) return sweep;
    return sweep + (2 * sweep - period_microseconds(args, batch, 0)) / batch.sweeps_per_swap;
}

/// Returns whether strips are faster than the class kernel (resident_class_plan_cuda.cu). Small batches leave
/// them too few warps, and without exchanges small lattices have too few rows.
bool strips_pay(const SweepArgs& args, const PlannedBatch& batch) {
    constexpr double min_words = 4096;  // of a multiprocessor
    constexpr unsigned min_L = 32;
    const double words = static_cast<double>(batch.columns * args.replicas) * args.temperatures *
                         args.geometry.sites / cuda_multiprocessors(batch.device);
    return words >= min_words && (args.geometry.L >= min_L || batch.sweeps_per_swap > 0);
}

/// Sweeps and exchanges by strips.
class StripPeriods final : public PeriodKernel {
  public:
    StripPeriods(std::string name, double microseconds, const ResidentPlan& plan, const ClassArgs& table,
                 const PlannedBatch& batch)
        : PeriodKernel(std::move(name), microseconds),
          plan_(plan),
          table_(table),
          forms_(resident_period_forms(batch.share)),
          sweeps_(batch.sweeps_per_swap) {
        allow_all_memory(forms_, batch.device);
    }

    void run(const SweepArgs& args, const ExchangeArgs& exchange, std::int64_t first, int periods,
             cudaStream_t stream) override {
        const SweepBurst burst{first, sweeps_, {}, exchange.energy};
        launch_resident(forms_, plan_, std::int64_t{exchange.stacks} * plan_.cluster, stream, args, table_,
                        plan_, rows_of(args.geometry, plan_.cluster), burst, exchange, periods);
    }

  private:
    ResidentPlan plan_;
    ClassArgs table_;
    ResidentForms forms_;
    int sweeps_;
};

/// Sweeps by strips.
class StripSweeps final : public ResidentSweeps {
  public:
    StripSweeps(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                const ResidentPlans& plans)
        : ResidentSweeps(args, batch, plans, "strips"),
          table_(table),
          forms_(resident_planar_forms(batch.share)) {}

    bool is_gauged() const override { return true; }
    std::unique_ptr<PeriodKernel> with_exchanges(const SweepArgs& args,
                                                 const PlannedBatch& batch) const override {
        const ResidentPlan& plan = plans().first;
        if (!exchanges_in_kernel(plan, batch, static_cast<int>(args.temperatures))) return nullptr;
        return std::make_unique<StripPeriods>(name(), 0.99 * microseconds(), plan, table_, batch);
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        run(part, [&](const ResidentPlan& plan, std::int64_t blocks, cudaStream_t on) {
            launch_resident(forms_, plan, blocks, on, args, table_, plan,
                            rows_of(args.geometry, plan.cluster), burst);
        });
    }

  private:
    ClassArgs table_;
    ResidentForms forms_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_strips(const SweepArgs& args, const ClassArgs& table,
                                         const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.halo || !batch.rule.plain || batch.rule.degree != 4 || batch.share == 1 ||
        !request.takes("strips") || (request.kernel == "auto" && !strips_pay(args, batch)))
        return nullptr;
    const Geometry& g = args.geometry;
    const int temperatures = static_cast<int>(args.temperatures);
    const ResidentPlans plans =
        best_plans({.layers = static_cast<int>(g.L),
                    .min_layers = 1,
                    .temperatures = temperatures,
                    .stacks = batch.columns * args.replicas,
                    .device = batch.device,
                    .forms = resident_planar_forms(batch.share),
                    .slab_bytes = [&](int cluster) { return slab_bytes(g, cluster); },
                    .cut = [&](int n, int groups, int cluster,
                               int warps) { return cut_strips(g, temperatures, n, groups, cluster, warps); },
                    .cost = [&](const ResidentPlan& plan,
                                const Waves& waves) { return strips_cost(plan, waves, args, batch); },
                    .splits = false,
                    .parts = batch.parts},
                   request);
    if (plans.first.slots_per_block == 0) return nullptr;
    return std::make_unique<StripSweeps>(args, table, batch, plans);
}

}  // namespace psflip
