// The plan of the resident kernel of all rules but the plain one in three dimensions, and its cost model.

#include "sweep/independent/undecided_lanes_cuda.cuh"
#include "sweep/resident/resident_cut_cuda.cuh"

namespace psflip {

namespace {

ResidentForms forms_of(const SweepRule& rule, int share) {
    return rule.degree == 6 ? resident_cubic_class_forms(rule, share) : resident_square_forms(rule, share);
}

/// The slab of a block: z planes, in two dimensions rows.
Layers layers_of(const Geometry& g, const SweepRule& rule, int cluster) {
    const std::uint32_t layer = rule.degree == 6 ? g.plane : g.half, depth = g.L / cluster;
    return {depth, layer, layer * depth, 2 * layer * depth};
}

/// Shared memory of a lattice's slab in whole tiles of eight sites.
std::int64_t slab_bytes(const Layers& slab) {
    return (std::int64_t{slab.sites} + 7) / 8 * 128;
}

/// Whether the kernel is that of share 1 with a queue of undecided lanes.
bool queued(const SweepRule& rule, int share) {
    return rule.plain && share == 1;
}

/// Threads that take the fours of slots of a site together; see update_colour.
int parts_of(const Layers& slab, int threads) {
    return std::max(1, threads / (static_cast<int>(slab.colour_sites + 31) / 32 * 32));
}

/// With a queue and tables of slots there are no parts.
ResidentPlan cut_class_plan(const Layers& slab, bool with_queue, int n, int groups, int cluster, int warps) {
    const int threads = 32 * warps, row = static_cast<int>(slab.colour_sites + 31) / 32 * 32,
              parts = parts_of(slab, threads);
    if (threads > row && (with_queue || threads % row != 0 || parts > (n + 3) / 4)) return {};
    const int bytes = static_cast<int>(n * slab_bytes(slab)),
              other = with_queue ? threads * undecided_bytes_per_thread + n * slot_table_bytes : 0;
    return {.slots_per_block = n,
            .groups = groups,
            .threads = threads,
            .lattice_bytes = bytes,
            .shared_bytes = bytes + other,
            .cluster = cluster};
}

/// What the cost model has besides update_units, in the same units.
struct ClassCosts {
    double four, pack;  ///< of a site for four temperatures: in any case; for each pack's random numbers
    double latency;     ///< of a step, in updates of a site
    double barrier, cluster;                ///< of a barrier in a block, in a cluster
    double hidden_latency, hidden_barrier;  ///< exponents: how far blocks side by side hide these
};

ClassCosts costs_of(const SweepRule& rule, int cluster) {
    if (rule.plain) return {0.58, 0.6, 0.7, 11.7, 23.6, 0.5, 0.25};
    return {0.15, 1.2, 1.5, 2, 17 + 0.26 * cluster, 0, 0};
}

/// Microseconds of a sweep: whole waves of blocks, and what is left, each as shared_cost of
/// resident_plan_cuda.cu has it. A site costs update_units per temperature, 0.22 per neighbour for addresses
/// and bonds, and ClassCosts. Fitted to 170 plans measured for squares of L = 8 to 128 and cubes of L = 8 to
/// 48 in a field with 24 temperatures on one H200 with a standard deviation of 6%. Blocks of less than 128
/// threads wait for one another in clusters up to twice as long as this says, and count so.
double class_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args, const SweepRule& rule,
                  int share) {
    if (queued(rule, share)) return independent_cost(plan, waves, args.geometry.colour_sites);
    const Layers slab = layers_of(args.geometry, rule, plan.cluster);
    const ClassCosts costs = costs_of(rule, plan.cluster);
    const int parts = parts_of(slab, plan.threads);
    const double touched = fours_touched(plan.slots_per_block, static_cast<int>(args.temperatures)),
                 fours = parts > 1 ? std::ceil(touched / parts) : touched,
                 mean = waves.whole > 1 ? static_cast<double>(args.temperatures) / plan.groups
                                        : plan.slots_per_block,
                 packs = share == 1 ? 0 : 128.0 / share,
                 barrier = plan.cluster > 1 ? costs.cluster : costs.barrier,
                 site = (parts > 1 ? 4 * fours : mean) * update_units(rule, share) + 0.22 * rule.degree +
                        fours * (costs.four + costs.pack * packs);
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
         .least_layers = 1,
         .temperatures = static_cast<int>(args.temperatures),
         .stacks = batch.columns * args.replicas,
         .device = batch.device,
         .forms = forms_of(batch.rule, batch.share),
         .slab_bytes = [&](int cluster) { return slab_bytes(layers_of(g, batch.rule, cluster)); },
         .cut =
             [&](int n, int groups, int cluster, int warps) {
                 return cut_class_plan(layers_of(g, batch.rule, cluster), queued(batch.rule, batch.share), n,
                                       groups, cluster, warps);
             },
         .cost = [&](const ResidentPlan& plan,
                     const Waves& waves) { return class_cost(plan, waves, args, batch.rule, batch.share); },
         .splits = batch.rule.degree == 6,  // of squares none was faster
         .parts = batch.parts},
        request);
}

/// The kernel with its plans.
class ResidentClassKernel final : public SweepKernel {
  public:
    ResidentClassKernel(const SweepArgs& args, const ClassArgs& table, const PlannedBatch& batch,
                        const ResidentPlans& plans)
        : table_(table),
          rule_(batch.rule),
          forms_(forms_of(batch.rule, batch.share)),
          launches_(plans, batch.parts),
          microseconds_(period_microseconds(args, batch, plans.cost)) {}

    std::string description() const override { return launches_.plans().description(); }
    double microseconds() const override { return microseconds_; }
    bool takes_parts() const override { return true; }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        launches_.run(part, [&](const ResidentPlan& plan, std::int64_t blocks, cudaStream_t on) {
            launch_resident(forms_, plan, blocks, on, args, table_, plan,
                            layers_of(args.geometry, rule_, plan.cluster), burst);
        });
    }
    std::optional<SlotGroups> slot_groups(const StreamPart& part) const override {
        return launches_.plans().slot_groups(part);
    }

  private:
    ClassArgs table_;
    SweepRule rule_;
    ResidentForms forms_;
    ResidentLaunches launches_;
    double microseconds_;
};

}  // namespace

std::unique_ptr<SweepKernel> plan_resident_class(const SweepArgs& args, const ClassArgs& table,
                                                 const PlannedBatch& batch, const KernelRequest& request) {
    if (batch.rule.cubic_plain() || (request.form != "auto" && request.form != "resident")) return nullptr;
    const ResidentPlans plans = class_plans(args, batch, request);
    if (plans.first.slots_per_block == 0) return nullptr;
    return std::make_unique<ResidentClassKernel>(args, table, batch, plans);
}

}  // namespace psflip
