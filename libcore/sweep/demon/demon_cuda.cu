// Plans and launches of the kernels of demons.

#include "sweep/demon/demon_cuda.cuh"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/cuda_check.cuh"
#include "sweep/demon/demon_kernels_cuda.cuh"

namespace psflip {

namespace {

/// A plan of the resident kernel.
struct DemonPlan {
    int slots = 0;     ///< of a block; 0: the lattices do not fit
    int together = 1;  ///< slots of a thread: 1, 2 or 4
    int words = 4;     ///< of a site in a block: 1, 2 or 4
    int threads = 0;
    std::size_t shared_bytes = 0;
    double microseconds = 0;  ///< of a sweep
};

/// Returns the number of chains of a colour.
unsigned colour_chains(const Geometry& g, const DemonChains& chains) {
    return g.half * static_cast<unsigned>(chains.segments() * chains.layers());
}

/// Returns the sizes of a plan. The columns of neighbouring threads are an odd number of sites apart, so that
/// a load uses all banks. Padding keeps that distance between chains of different layers.
ChainSizes sizes_of(const Geometry& g, const DemonChains& chains, int words) {
    ChainSizes s{};
    s.chains = chains;
    s.words = static_cast<std::uint32_t>(words);
    s.number = s.words * colour_chains(g, chains);
    s.column = s.words * (g.L + 1);
    s.plane = g.half * s.column;
    constexpr std::uint32_t banks = 32;
    const std::uint32_t stride = static_cast<unsigned>(chains.planes - 1) * s.plane;
    s.pad = chains.layers() == 1 ? 0 : (banks - stride % banks) % banks;
    s.colour = g.depth * s.plane + static_cast<std::uint32_t>(chains.layers()) * s.pad;
    s.colour += 3 - (s.colour + 3) % 4;  // vectors of four words stay aligned
    return s;
}

/// What a plan for the resident kernel needs to know of the device.
struct DemonDevice {
    int multiprocessors = 0, block_bytes = 0, multiprocessor_bytes = 0;

    explicit DemonDevice(int device) {
        const auto get = [device](int& value, cudaDeviceAttr attribute) {
            PSFLIP_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
        };
        get(multiprocessors, cudaDevAttrMultiProcessorCount);
        get(block_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin);
        get(multiprocessor_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    }
};

/// Returns the predicted microseconds of a sweep. A warp's update of 32 spins takes half a clock per
/// operation of the logic pipe. Few warps do not fill the pipe, and words of several slots help. Timings of
/// 16 plans of L = 8 to 24 on one H100 lie within 15%.
///
/// Other models have a rule with more operations, and more thresholds for their demons.
double resident_microseconds(const SweepArgs& args, const DemonChains& chains, const PlannedBatch& batch,
                             const DemonPlan& plan, const DemonDevice& device) {
    constexpr double clocks_per_microsecond = 1755, starving = 2.3;
    const int registers = !batch.rule.plain_demons() ? 128
                          : plan.together == 1       ? 64
                          : plan.together == 2       ? 80
                                                     : 128;
    const int fit =
        std::max(1, std::min({2048 / plan.threads, 65536 / (registers * plan.threads),
                              static_cast<int>(static_cast<std::size_t>(device.multiprocessor_bytes) /
                                               (plan.shared_bytes + 1024))}));
    const double blocks = static_cast<double>(batch.columns) * args.replicas * (4 / plan.words) *
                          blocks_for(args.temperatures, plan.slots),
                 waves = std::max(1.0, blocks / (static_cast<double>(device.multiprocessors) * fit)),
                 running = std::min<double>(fit, std::ceil(blocks / device.multiprocessors));
    const double all_chains = colour_chains(args.geometry, chains),
                 sites = args.geometry.colour_sites / all_chains,
                 tasks = all_chains * plan.words * std::ceil(1.0 * plan.slots / plan.together),
                 rounds = std::ceil(tasks / plan.threads), warps = running * plan.threads / 32.0;
    const double rule = (batch.rule.degree == 6 ? 22 : 15) + (batch.rule.field ? 7 : 0) +
                        (batch.rule.absent ? 18 : 0),
                 draws = (batch.rule.absent ? 400 : 200) + (batch.rule.field ? 200 : 0),
                 operations = plan.together * (rule + draws / sites) + 6;
    const double filling = warps / 4 * (plan.together == 1 ? 1.0 : plan.together == 2 ? 1.4 : 1.8);
    const double memory = plan.words == 4 ? 1.0 : plan.words == 2 ? 1.05 : 1.15;  // parts of sectors
    return waves * 2 * rounds * warps * 0.5 * operations * sites * memory * (1 + starving / filling) /
           clocks_per_microsecond;
}

/// Returns the best plan with these numbers of slots per thread and words per site, for all numbers of slots
/// in a block that differ in the number of blocks.
DemonPlan resident_plan(const SweepArgs& args, const DemonChains& chains, const PlannedBatch& batch,
                        const KernelRequest& request, const DemonDevice& device, int together, int words) {
    const ChainSizes sizes = sizes_of(args.geometry, chains, words);
    const bool plain = batch.rule.plain_demons();
    const std::size_t slot_bytes = std::size_t{8} * sizes.colour,
                      bond_bytes = plain
                                       ? 2 * slot_bytes + std::size_t{4} * seam_space(sizes)
                                       : static_cast<std::size_t>(model_bond_words(batch.rule)) * slot_bytes,
                      table_bytes = plain ? sizeof(DemonTable) : model_table_bytes(batch.rule),
                      bytes = (slot_bytes + table_bytes) * static_cast<std::size_t>(together);
    if (bond_bytes + bytes > static_cast<std::size_t>(device.block_bytes)) return {};
    const int T = static_cast<int>(args.temperatures), all = (T + together - 1) / together,
              fit = std::min(
                  all, static_cast<int>((static_cast<std::size_t>(device.block_bytes) - bond_bytes) / bytes));
    DemonPlan best;
    for (int groups = 1; groups <= fit; ++groups) {
        const int slots = std::min(T, groups * together), blocks = (all + groups - 1) / groups;
        if (request.numbers[0] > 0 ? slots != request.numbers[0]
                                   : groups > 1 && (all + groups - 2) / (groups - 1) == blocks)
            continue;
        DemonPlan plan{slots, together, words, 0, bond_bytes + bytes * static_cast<std::size_t>(groups), 0};
        const unsigned tasks = colour_chains(args.geometry, chains) * static_cast<unsigned>(words * groups),
                       max_threads = static_cast<unsigned>(plain ? max_resident_demon_threads(together)
                                                                 : max_resident_model_threads),
                       rounds = blocks_for(tasks, max_threads);
        plan.threads = static_cast<int>(32 * blocks_for((tasks + rounds - 1) / rounds, 32));
        plan.microseconds = resident_microseconds(args, chains, batch, plan, device);
        if (best.slots == 0 || plan.microseconds < best.microseconds) best = plan;
    }
    return best;
}

DemonModel model_args(const ClassArgs& table, const SweepRule& rule) {
    DemonModel model{};
    model.absent = table.absent;
    model.bonds = table.bonds;
    model.downward = rule.downward ? ~0u : 0u;
    for (int slot = 0; slot < max_temperatures; ++slot) {
        const auto& thresholds = table.thresholds[slot];
        std::uint32_t* const to = model.thresholds[slot];
        std::copy_n(thresholds[0], max_bond_demon, to);
        std::copy_n(thresholds[1], max_field_demon, to + max_bond_demon);
    }
    return model;
}

/// Common part of both kernels.
class DemonKernel : public SweepKernel {
  public:
    DemonKernel(const PlannedBatch& batch, const ClassArgs& table, const ChainSizes& sizes,
                const std::string& name, double microseconds)
        : SweepKernel(name, microseconds), rule_(batch.rule), columns_(batch.columns) {
        launch_.sizes = sizes;
        if (!rule_.plain_demons()) model_ = model_args(table, rule_);
    }
    bool is_gauged() const override { return rule_.degree == 6 && rule_.plain_demons(); }

  protected:
    DemonLaunch& begin(const SweepBurst& burst) {
        launch_.first_sweep = static_cast<std::uint64_t>(burst.first);
        launch_.sweeps = burst.count;
        return launch_;
    }

    SweepRule rule_;
    std::int64_t columns_;
    DemonModel model_{};

  private:
    DemonLaunch launch_{};
};

class DemonResidentKernel final : public DemonKernel {
  public:
    DemonResidentKernel(const SweepArgs& args, const ClassArgs& table, const DemonChains& chains,
                        const PlannedBatch& batch, const DemonPlan& plan, const DemonDevice& device)
        : DemonKernel(batch, table, sizes_of(args.geometry, chains, plan.words),
                      plan_text("resident:", {plan.slots, plan.together, plan.words}),
                      period_microseconds(args, batch, plan.microseconds)),
          blocks_(blocks_for(args.temperatures, plan.slots) * static_cast<unsigned>(4 / plan.words)),
          plan_(plan) {
        const void* kernel = nullptr;
        if (rule_.plain_demons())
            kernel = reinterpret_cast<const void*>(
                kernel_ = resident_demons(rule_.degree, plan.together, plan.words));
        else
            kernel = reinterpret_cast<const void*>(model_kernel_ = resident_model_demons(rule_, plan.words));
        PSFLIP_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, device.block_bytes));
    }
    bool takes_parts() const override { return true; }
    std::optional<SlotGroups> slot_groups(const StreamPart& part) const override {
        return SlotGroups{plan_.slots, plan_.slots, part.end_stack()};
    }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        DemonLaunch& l = begin(burst);
        l.slots = static_cast<std::uint32_t>(plan_.slots);
        l.first_stack = static_cast<std::uint32_t>(part.first_stack());
        l.pending = burst.pending;
        l.energy = burst.energy;
        l.magnetisation = burst.magnetisation;
        const dim3 grid(static_cast<unsigned>(part.stacks()) * blocks_),
            block(static_cast<unsigned>(plan_.threads));
        if (kernel_)
            launch(kernel_, grid, block, plan_.shared_bytes, part.stream, args, l);
        else
            launch(model_kernel_, grid, block, plan_.shared_bytes, part.stream, args, l, model_);
    }

  private:
    DemonKernelFunction kernel_ = nullptr;  ///< null for models with a field or absent bonds
    DemonModelFunction model_kernel_ = nullptr;
    unsigned blocks_;  ///< of a stack
    DemonPlan plan_;
};

class DemonStreamingKernel final : public DemonKernel {
  public:
    DemonStreamingKernel(const SweepArgs& args, const ClassArgs& table, const DemonChains& chains,
                         const PlannedBatch& batch)
        : DemonKernel(batch, table, sizes_of(args.geometry, chains, 4), "streaming",
                      period_microseconds(args, batch, sweep_microseconds(args, batch))) {}
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst,
               const StreamPart& part) override {
        DemonLaunch& l = begin(burst);
        constexpr std::int64_t max_columns = 65535;
        for (std::int64_t first = 0; first < columns_; first += max_columns) {
            l.first_column = static_cast<std::uint32_t>(first);
            l.first_sweep = static_cast<std::uint64_t>(burst.first);
            const auto columns = static_cast<unsigned>(std::min(max_columns, columns_ - first));
            for (int s = 0; s < burst.count; ++s, ++l.first_sweep)
                for (l.colour = 0; l.colour < 2; ++l.colour) sweep_colour(args, l, columns, part.stream);
        }
    }

  private:
    /// Timings on one H200 at L = 16 and 32 (plain models: L = 32 and 64). If rows are not multiples of 128
    /// bytes, the loads of a warp lie in two cache lines. The plain rule then takes 0.21 and 0.19 ps per flip
    /// at L = 24 and 40. Models with a field or absent bonds take 0.42 to 0.56 ps at L = 8.
    static double sweep_microseconds(const SweepArgs& args, const PlannedBatch& batch) {
        const SweepRule& rule = batch.rule;
        const double whole = !rule.absent ? (rule.field ? 0.17 : 0.145) : rule.field ? 0.24 : 0.3;
        const double ps = whole * (args.geometry.half % 8 == 0 ? 1.0 : args.geometry.half < 8 ? 2.0 : 1.35);
        return 10 + ps * 1e-6 * 128 * args.geometry.sites * args.temperatures * args.replicas *
                        static_cast<double>(batch.columns);
    }
    /// Launches four slots per thread, then two and one for the slots that are left.
    void sweep_colour(const SweepArgs& args, DemonLaunch& l, unsigned columns, cudaStream_t stream) const {
        l.first_slot = 0;
        for (const unsigned together : {4u, 2u, 1u}) {
            const unsigned groups = (args.temperatures - l.first_slot) / together;
            if (groups == 0 || (together == 2 && !rule_.plain_demons())) continue;
            const dim3 grid(blocks_for(l.sizes.number, streaming_demon_threads), args.replicas * groups,
                            columns),
                block(streaming_demon_threads);
            if (rule_.plain_demons())
                launch(streaming_demons(rule_.degree, static_cast<int>(together)), grid, block, 0, stream,
                       args, l);
            else
                launch(streaming_model_demons(rule_, static_cast<int>(together)), grid, block, 0, stream,
                       args, l, model_);
            l.first_slot += together * groups;
        }
    }
};

}  // namespace

std::unique_ptr<SweepKernel> plan_demons(const SweepArgs& args, const ClassArgs& table,
                                         const PlannedBatch& batch, const KernelRequest& request) {
    if (!batch.rule.has_demons() || !batch.has_whole_lattices() || request.plans > 1) return nullptr;
    const DemonChains chains = DemonChains::of(static_cast<int>(args.geometry.L),
                                               static_cast<int>(args.geometry.depth), batch.rule.demon_sites);
    std::unique_ptr<SweepKernel> best;
    const auto consider = [&](std::unique_ptr<SweepKernel> kernel) {
        if (!best || kernel->microseconds() < best->microseconds()) best = std::move(kernel);
    };
    if (request.takes("resident")) {
        const DemonDevice device(batch.device);
        for (const int together : {1, 2, 4})
            for (const int words : {1, 2, 4}) {
                const bool wasteful =
                    together >= 2 * static_cast<int>(args.temperatures) && request.numbers[1] == 0;
                if (!batch.rule.plain_demons() && together != resident_model_slots) continue;
                if (wasteful || !request.allows(1, together) || !request.allows(2, words)) continue;
                const DemonPlan plan = resident_plan(args, chains, batch, request, device, together, words);
                if (plan.slots > 0)
                    consider(std::make_unique<DemonResidentKernel>(args, table, chains, batch, plan, device));
            }
    }
    if (request.takes("streaming"))
        consider(std::make_unique<DemonStreamingKernel>(args, table, chains, batch));
    return best;
}

}  // namespace psflip
