// The plan of the resident kernel of all rules but the plain one in three dimensions, and its cost model.

#include "sweep/independent/undecided_lanes_cuda.cuh"
#include "sweep/resident/resident_cut_cuda.cuh"

namespace psflip {

namespace {

/// Returns whether threads march through strips of rows (resident_strips_cuda.cuh).
bool has_strips(const SweepRule& rule, int share) {
    return rule.plain && rule.degree == 4 && share > 1;
}

ResidentForms forms_of(const SweepRule& rule, int share) {
    if (has_strips(rule, share)) return resident_planar_forms(share);
    return rule.degree == 6 ? resident_cubic_class_forms(rule, share) : resident_square_forms(rule, share);
}

/// Returns the layers of a block: z planes, in two dimensions rows.
Layers layers_of(const Geometry& g, const SweepRule& rule, int cluster) {
    const std::uint32_t layer = rule.degree == 6 ? g.plane : g.half, depth = g.L / cluster;
    return {depth, layer, layer * depth, 2 * layer * depth};
}

/// Returns the shared memory of a block's layers of a lattice, in whole tiles of eight sites.
std::int64_t slab_bytes(const Layers& slab) {
    return (std::int64_t{slab.sites} + 7) / 8 * 128;
}

/// Returns the other memory of a block with a queue of undecided lanes, if the kernel has one.
std::optional<IndependentBytes> has_queue(const SweepRule& rule, int share) {
    if (share > 1) return {};
    return independent_bytes(rule);
}

/// Returns the number of threads that share the slot quads of a site; see update_colour.
int threads_per_site(const Layers& slab, int threads) {
    return std::max(1, threads / (static_cast<int>(slab.colour_sites + 31) / 32 * 32));
}

/// Returns the plan with n slots, or a plan without threads if some threads would have no work. With a queue
/// each site has one thread.
ResidentPlan cut_class_plan(const Layers& slab, const std::optional<IndependentBytes>& queue, int n,
                            int groups, int cluster, int warps) {
    const int threads = 32 * warps, row = static_cast<int>(slab.colour_sites + 31) / 32 * 32,
              parts = threads_per_site(slab, threads);
    if (threads > row && (queue || threads % row != 0 || parts > (n + 3) / 4)) return {};
    const int bytes = static_cast<int>(n * slab_bytes(slab)),
              other = queue ? threads * queue->per_thread + n * queue->per_slot : 0;
    return {.slots_per_block = n,
            .groups = groups,
            .threads = threads,
            .lattice_bytes = bytes,
            .shared_bytes = bytes + other,
            .cluster = cluster};
}

/// Returns the largest number of slot quads that a block of n slots touches.
int max_quads(int n, int temperatures) {
    int most = 0;
    for (int first = 0; first < temperatures; first += n)
        most = std::max(most, (std::min(first + n, temperatures) + 3) / 4 - first / 4);
    return most;
}

/// Returns the plan with n slots and strips of rows, or a plan without threads if some warps would have no
/// work.
ResidentPlan cut_strips(const Geometry& g, const Layers& slab, int temperatures, int n, int groups,
                        int cluster, int warps) {
    const int each = static_cast<int>(g.half) * max_quads(n, temperatures), threads = 32 * warps,
              depth = static_cast<int>(slab.depth), most = std::min(threads / each, depth);
    if (most == 0) return {};
    const int rows = (depth + most - 1) / most, strips = (depth + rows - 1) / rows;
    if (threads >= strips * each + 32) return {};
    const int bytes = static_cast<int>(n * slab_bytes(slab));
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

/// Returns the microseconds of a sweep by strips. A row of a strip takes W + 2 units if a scheduler has W
/// warps. The beginning of a strip takes 0.6 rows, and a barrier is hidden by the other blocks of a
/// multiprocessor. Fitted on one H100 to 24 plans of L = 16 to 128 with 24 temperatures and share 128.
/// An exchange in the kernel takes as long as two sweeps, without the launches of period_microseconds.
double strips_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args,
                   const PlannedBatch& batch) {
    const int temperatures = static_cast<int>(args.temperatures);
    const double quads = max_quads(plan.slots_per_block, temperatures),
                 row = 0.81 * plan.slots_per_block / (4 * quads) + 0.19 * 128 / batch.share;
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

/// Parameters of the cost model, in the unit of update_units.
struct ClassCosts {
    double quad, pack;                      ///< cost of a site and slot quad; of the random numbers of a pack
    double latency;                         ///< latency of a step, in updates of a site
    double barrier, cluster;                ///< cost of a barrier in a block, in a cluster
    double hidden_latency, hidden_barrier;  ///< exponents of the blocks at the same time, which hide these
};

ClassCosts costs_of(const SweepRule& rule, int cluster) {
    if (rule.plain) return {0.58, 0.6, 0.7, 11.7, 23.6, 0.5, 0.25};
    return {0.15, 1.2, 1.5, 2, 17 + 0.26 * cluster, 0, 0};
}

/// Returns the microseconds of a sweep: whole waves of blocks and the last wave, each as in shared_cost of
/// resident_plan_cuda.cu. A site costs update_units per temperature, 0.22 per neighbour for addresses and
/// bonds, and ClassCosts. Fitted on one H200 to 170 plans with 24 temperatures, squares of L = 8 to 128 and
/// cubes in a field of L = 8 to 48, with a standard deviation of 6%. In clusters, blocks of less than 128
/// threads wait for each other up to twice as long.
double class_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args, const SweepRule& rule,
                  int share) {
    if (has_queue(rule, share)) return independent_cost(plan, waves, args.geometry.colour_sites);
    const Layers slab = layers_of(args.geometry, rule, plan.cluster);
    const ClassCosts costs = costs_of(rule, plan.cluster);
    const int parts = threads_per_site(slab, plan.threads);
    const double touched = fours_touched(plan.slots_per_block, static_cast<int>(args.temperatures)),
                 fours = parts > 1 ? std::ceil(touched / parts) : touched,
                 mean = waves.whole > 1 ? static_cast<double>(args.temperatures) / plan.groups
                                        : plan.slots_per_block,
                 packs = 128.0 / share, barrier = plan.cluster > 1 ? costs.cluster : costs.barrier,
                 site = (parts > 1 ? 4 * fours : mean) * update_units(rule) + 0.22 * rule.degree +
                        fours * (costs.quad + costs.pack * packs);
    const auto wave = [&](double together) {
        if (together <= 0) return 0.0;
        const Passes passes(parts > 1 ? static_cast<std::uint32_t>(plan.threads) : slab.colour_sites,
                            plan.threads, together);
        const double latency = costs.latency * passes.steps / std::pow(together, costs.hidden_latency);
        return (passes.updates + latency) * site + barrier / std::pow(together, costs.hidden_barrier);
    };
    const double unit = plan.cluster > 1 && plan.threads < 128 ? 0.23 : 0.115;
    return unit * (waves.whole * wave(waves.fit) + wave(waves.rest));
}

ResidentPlans class_plans(const SweepArgs& args, const PlannedBatch& batch, const KernelRequest& request) {
    const Geometry& g = args.geometry;
    return best_plans(
        {.layers = static_cast<int>(g.L),
         .min_layers = 1,
         .temperatures = static_cast<int>(args.temperatures),
         .stacks = batch.columns * args.replicas,
         .device = batch.device,
         .forms = forms_of(batch.rule, batch.share),
         .slab_bytes = [&](int cluster) { return slab_bytes(layers_of(g, batch.rule, cluster)); },
         .cut =
             [&](int n, int groups, int cluster, int warps) {
                 if (has_strips(batch.rule, batch.share))
                     return cut_strips(g, layers_of(g, batch.rule, cluster),
                                       static_cast<int>(args.temperatures), n, groups, cluster, warps);
                 return cut_class_plan(layers_of(g, batch.rule, cluster), has_queue(batch.rule, batch.share),
                                       n, groups, cluster, warps);
             },
         .cost =
             [&](const ResidentPlan& plan, const Waves& waves) {
                 return has_strips(batch.rule, batch.share)
                            ? strips_cost(plan, waves, args, batch)
                            : class_cost(plan, waves, args, batch.rule, batch.share);
             },
         .splits = batch.rule.degree == 6,  // no second plan of squares is faster
         .parts = batch.parts},
        request);
}

/// Sweeps and exchanges by strips, if a block or cluster has all slots of a stack.
class StripPeriods final : public PeriodKernel {
  public:
    StripPeriods(std::string name, double microseconds, const ResidentPlan& plan, const ClassArgs& table,
                 const PlannedBatch& batch)
        : PeriodKernel(std::move(name), microseconds),
          plan_(plan),
          table_(table),
          rule_(batch.rule),
          forms_(resident_period_forms(batch.share)),
          sweeps_(batch.sweeps_per_swap) {
        allow_all_memory(forms_, batch.device);
    }

    void run(const SweepArgs& args, const ExchangeArgs& exchange, std::int64_t first, int periods,
             cudaStream_t stream) override {
        const SweepBurst burst{first, sweeps_, {}, exchange.energy};
        launch_resident(forms_, plan_, std::int64_t{exchange.stacks} * plan_.cluster, stream, args, table_,
                        plan_, layers_of(args.geometry, rule_, plan_.cluster), burst, exchange, periods);
    }

  private:
    ResidentPlan plan_;
    ClassArgs table_;
    SweepRule rule_;
    ResidentForms forms_;
    int sweeps_;
};

/// The kernel with its plans.
class ResidentClassKernel final : public ResidentSweeps {
  public:
    ResidentClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                        const ResidentPlans& plans)
        : ResidentSweeps(args, batch, plans),
          table_(table),
          rule_(batch.rule),
          share_(batch.share),
          forms_(forms_of(batch.rule, batch.share)) {}

    bool is_gauged() const override { return has_strips(rule_, share_); }
    std::unique_ptr<PeriodKernel> with_exchanges(const SweepArgs& args,
                                                 const PlannedBatch& batch) const override {
        const ResidentPlan& plan = plans().first;
        if (!is_gauged() || !exchanges_in_kernel(plan, batch, static_cast<int>(args.temperatures)))
            return nullptr;
        return std::make_unique<StripPeriods>(name(), 0.99 * microseconds(), plan, table_, batch);
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        run(part, [&](const ResidentPlan& plan, std::int64_t blocks, cudaStream_t on) {
            launch_resident(forms_, plan, blocks, on, args, table_, plan,
                            layers_of(args.geometry, rule_, plan.cluster), burst);
        });
    }

  private:
    ClassArgs table_;
    SweepRule rule_;
    int share_;
    ResidentForms forms_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_resident_class(const SweepArgs& args, const ClassArgs& table,
                                                 const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.cubic_plain() || !request.takes("resident")) return nullptr;
    ResidentPlans plans = class_plans(args, batch, request);
    if (batch.share == 1) plans.cost *= independent_units(batch.rule);
    if (plans.first.slots_per_block == 0) return nullptr;
    return std::make_unique<ResidentClassKernel>(args, table, batch, plans);
}

}  // namespace psflip
