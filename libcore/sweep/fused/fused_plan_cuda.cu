// Cuts a batch into lane groups and blocks of the fused kernel by a cost model.

#include <algorithm>
#include <cmath>

#include "base/cuda_check.cuh"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/fused/fused_cuda.cuh"

namespace psflip {

namespace {

unsigned rounded(unsigned n, unsigned multiple) {
    return (n + multiple - 1) / multiple * multiple;
}
double quotient_up(std::int64_t n, std::int64_t d) {
    return static_cast<double>((n + d - 1) / d);
}

/// Returns the plan with n temperatures per block in `thread_groups` thread groups, or a plan without words
/// if there is no such plan.
FusedPlan cut_plan(const SweepArgs& args, const SweepRule& rule, int words, int n, int thread_groups) {
    const int L = static_cast<int>(args.geometry.L), T = static_cast<int>(args.temperatures),
              each = n / thread_groups;
    FusedPlan plan{.words = words, .slots = n, .thread_groups = thread_groups, .blocks = (T + n - 1) / n};
    plan.group_threads = static_cast<int>(rounded(args.geometry.colour_sites, 32));
    plan.bond_sites = best_bond_sites(static_cast<int>(args.geometry.colour_sites), n, plan.threads() / 32,
                                      max_bond_sites(words));
    plan.magnetisations = rule.field;
    plan.shared_bytes = static_cast<int>(fused_layout(L, plan).bytes);
    const bool fits = plan.threads() <= fused_threads && n % thread_groups == 0;
    if (words == 1 && (!rule.plain || T % each != 0 || (each != 1 && each != 2 && each != 4))) return {};
    return fits ? plan : FusedPlan{};
}

/// Times in microseconds on one H200, fitted to 194 timings of plans in production (L = 4 to 10, 8 to 48
/// temperatures, 1 to 264 columns, all shares) with a standard deviation of 13%. In 80 batches with several
/// timed plans, the chosen plan takes 2% longer on average than the fastest.
struct FusedCost {
    const FusedPlan& plan;
    double waves, together;  ///< waves of blocks; blocks of a multiprocessor
    double warps;            ///< warps of a scheduler
    int each;                ///< temperatures of a thread
    double units;            ///< update_units of the rule

    FusedCost(const FusedPlan& p, const SweepRule& rule, std::int64_t lane_groups, std::int64_t fit,
              int multiprocessors)
        : plan(p),
          waves(quotient_up(lane_groups, fit)),
          together(quotient_up(std::min(lane_groups, fit) * p.blocks, multiprocessors)),
          warps(std::ceil(together * p.threads() / 128)),
          each(p.slots / p.thread_groups),
          units(update_units(rule)) {}

    /// Returns the time of a sweep, bound by latency or, with many warps, by the logic pipe. 128 lanes call
    /// Philox once more for every further pack and slot quad; incomplete slot quads take longer.
    double sweep(int share) const {
        if (plan.words == 1)
            return std::max(0.16 + 0.14 * each, 0.029 + 0.18 * warps + (0.198 + 0.0194 * warps) * each);
        const bool part = each % 4 != 0;
        const double fours = (each + 3) / 4, further = warps * (fours + (part ? 0.57 : 0.0));
        return std::max(0.75 + 0.25 * each,
                        0.053 + each * (0.165 + 0.129 * units * warps) + (part ? 0.436 : 0.0)) +
               0.1 * further * (128.0 / share - 1);
    }
    double exchange(unsigned sites) const {
        if (plan.words == 1) return 0.66 + together * plan.slots * (0.59 + 0.0002 * sites);
        const double messages = plan.blocks > 1 ? 1.7 + together * 0.0092 * sites : 0.0;
        return 0.53 + together * plan.slots * (0.67 + 0.0002 * sites) + messages;
    }
    double period(const PlannedBatch& batch, unsigned sites) const {
        return waves * (batch.sweeps_per_swap * sweep(batch.share) + exchange(sites));
    }
};

}  // namespace

FusedLayout fused_layout(int L, const FusedPlan& plan) {
    const unsigned lanes = 32u * static_cast<unsigned>(plan.words), bytes = lanes / 8,
                   sites = static_cast<unsigned>(L * L * L);
    FusedLayout out;
    out.slots = static_cast<unsigned>(plan.slots + std::min(plan.blocks - 1, 2));
    out.colour_words = plan.words == 4 ? rounded(sites / 2, 128 / bytes) : sites / 2;
    out.couplings = rounded(2 * out.colour_words * bytes, 128) * out.slots;
    out.energy = out.couplings + (plan.words == 4 ? 0 : 3 * sites * bytes);
    out.magnetisation = out.energy + out.slots * lanes * 4;
    out.mask = out.magnetisation + (plan.magnetisations ? out.slots * lanes * 4 : 0);
    out.label = out.mask + rounded(out.slots * bytes, 16);
    out.bytes = out.label + out.slots * lanes;
    return out;
}

std::int64_t fused_message_words(int L, const FusedPlan& plan) {
    return plan.words * (std::int64_t{L} * L * L + 32 + (plan.magnetisations ? 32 : 0) + 8);
}

std::int64_t fused_mailbox_words(int L, const FusedPlan& plan) {
    return std::int64_t{plan.at_once} * (plan.blocks - 1) * 4 * fused_message_words(L, plan);
}

namespace {

/// A plan and its predicted time of an exchange period.
struct TimedPlan {
    FusedPlan plan;
    double microseconds = 1e299;
};

TimedPlan best_plan(const SweepArgs& args, const PlannedBatch& batch, const KernelRequest& request) {
    int shared = 0, multiprocessors = 0, cooperative = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, batch.device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, batch.device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, batch.device));
    TimedPlan best;
    const auto consider = [&](FusedPlan plan) {
        if (plan.words == 0 || plan.shared_bytes > shared || (plan.blocks > 1 && !cooperative)) return;
        const std::int64_t lane_groups = batch.columns * args.replicas * (4 / plan.words),
                           fit = fused_blocks_at_once(batch.rule, batch.share, plan, batch.device) /
                                 plan.blocks;
        if (fit == 0) return;
        plan.at_once = static_cast<int>(plan.blocks > 1 ? std::min(lane_groups, fit) : lane_groups);
        const double time =
            FusedCost(plan, batch.rule, lane_groups, fit, multiprocessors).period(batch, args.geometry.sites);
        if (time < best.microseconds) best = {plan, time};
    };
    const int T = batch.share > 1 && args.temperatures > 1 ? static_cast<int>(args.temperatures) : 0;
    for (int words : {4, 1})
        for (int n = 1; n <= T; ++n)
            for (int thread_groups = 1; thread_groups <= std::min(n, 15); ++thread_groups)
                if (request.allows(0, n) && request.allows(1, thread_groups) && request.allows(2, words))
                    consider(cut_plan(args, batch.rule, words, n, thread_groups));
    return best;
}

/// The fused kernel with its plan and the mailboxes of its blocks.
class FusedKernel final : public PeriodKernel {
  public:
    FusedKernel(const SweepArgs& args, const PlannedBatch& batch, const TimedPlan& best)
        : PeriodKernel(plan_text("fused:", {best.plan.slots, best.plan.thread_groups, best.plan.words}),
                       best.microseconds),
          batch_(batch),
          plan_(best.plan) {
        const int L = static_cast<int>(args.geometry.L);
        layout_ = fused_layout(L, plan_);
        message_words_ = static_cast<std::uint32_t>(fused_message_words(L, plan_));
    }

    void prepare(const SweepArgs& args, cudaStream_t stream) override {
        const int L = static_cast<int>(args.geometry.L);
        mailboxes_ = {static_cast<std::size_t>(fused_mailbox_words(L, plan_)), "messages"};
        mailboxes_.zero(stream);
        if (plan_.words == 4 && batch_.rule.plain)
            gauged_ = GaugedBonds::of(args.geometry, args.couplings, batch_.columns, args.geometry.L, stream);
    }
    void run(const SweepArgs& sweep, const ExchangeArgs& exchange, std::int64_t first, int periods,
             cudaStream_t stream) override;

  private:
    PlannedBatch batch_;
    FusedPlan plan_;
    FusedLayout layout_;
    std::uint32_t message_words_;
    DeviceBuffer<uint4> gauged_;
    DeviceBuffer<std::uint64_t> mailboxes_;
    std::uint32_t messages_ = 0;  ///< number of exchanges that used the mailboxes
};

void FusedKernel::run(const SweepArgs& sweep, const ExchangeArgs& exchange, std::int64_t first, int periods,
                      cudaStream_t stream) {
    FusedArgs args{.sweep = sweep,
                   .exchange = exchange,
                   .plan = plan_,
                   .layout = layout_,
                   .gauged = gauged_.data(),
                   .mailboxes = mailboxes_.data(),
                   .message_words = message_words_,
                   .first_message = 0,
                   .first_lane_group = 0,
                   .share = static_cast<std::uint32_t>(batch_.share),
                   .bursts = periods,
                   .sweeps_per_swap = batch_.sweeps_per_swap,
                   .first = first};
    const std::int64_t lane_groups = std::int64_t{exchange.stacks} * (4 / plan_.words);
    for (std::int64_t lane_group = 0; lane_group < lane_groups; lane_group += plan_.at_once) {
        args.first_lane_group = static_cast<std::uint32_t>(lane_group);
        args.first_message = messages_ + 1;
        messages_ += static_cast<std::uint32_t>(periods);
        launch_fused(args, *batch_.table, batch_.rule,
                     std::min<std::int64_t>(plan_.at_once, lane_groups - lane_group), stream);
    }
}

}  // namespace

std::unique_ptr<PeriodKernel> plan_fused(const SweepArgs& args, const PlannedBatch& batch,
                                         const KernelRequest& request) {
    const SweepRule& rule = batch.rule;
    if (rule.has_demons() || rule.has_clusters() || rule.degree != 6 || rule.absent) return nullptr;
    if ((rule.plain && !batch.exchanges_by_table) || !request.takes("fused")) return nullptr;
    const TimedPlan best = best_plan(args, batch, request);
    return best.plan.words > 0 ? std::make_unique<FusedKernel>(args, batch, best) : nullptr;
}

}  // namespace psflip
