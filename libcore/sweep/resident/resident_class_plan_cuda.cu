// The plan of the resident kernel of all rules but the plain one in three dimensions, and its cost model.

#include "sweep/independent/undecided_lanes_cuda.cuh"
#include "sweep/resident/resident_cut_cuda.cuh"

namespace psflip {

namespace {

ResidentForms forms_of(const SweepRule& rule, int share) {
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
                 return cut_class_plan(layers_of(g, batch.rule, cluster), has_queue(batch.rule, batch.share),
                                       n, groups, cluster, warps);
             },
         .cost = [&](const ResidentPlan& plan,
                     const Waves& waves) { return class_cost(plan, waves, args, batch.rule, batch.share); },
         .splits = batch.rule.degree == 6,  // no second plan of squares is faster
         .parts = batch.parts},
        request);
}

/// The kernel with its plans.
class ResidentClassKernel final : public ResidentSweeps {
  public:
    ResidentClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                        const ResidentPlans& plans)
        : ResidentSweeps(args, batch, plans),
          table_(table),
          rule_(batch.rule),
          forms_(forms_of(batch.rule, batch.share)) {}

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
