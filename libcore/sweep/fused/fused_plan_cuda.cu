// How a batch is cut into strands and blocks of the fused kernel, and whether it is faster than the others.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/error.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/fused/fused_cuda.cuh"

namespace psflip {

namespace {

unsigned rounded(unsigned n, unsigned multiple) {
    return (n + multiple - 1) / multiple * multiple;
}
double quotient_up(std::int64_t n, std::int64_t d) {
    return static_cast<double>((n + d - 1) / d);
}

/// The plan with n temperatures per block in `teams` teams; none where it does not exist.
FusedPlan cut_plan(const SweepArgs& args, int words, int n, int teams) {
    const int L = static_cast<int>(args.geometry.L), T = static_cast<int>(args.temperatures),
              each = n / teams;
    FusedPlan plan{.words = words, .slots = n, .teams = teams, .blocks = (T + n - 1) / n};
    plan.team_threads = static_cast<int>(rounded(args.geometry.colour_sites, 32));
    plan.bond_sites = best_bond_sites(static_cast<int>(args.geometry.colour_sites), n, plan.threads() / 32,
                                      most_bond_sites(words));
    plan.shared_bytes = static_cast<int>(fused_layout(L, plan).bytes);
    const bool fits = plan.threads() <= fused_threads && n % teams == 0;
    if (words == 1 && (T % each != 0 || (each != 1 && each != 2 && each != 4))) return {};
    return fits ? plan : FusedPlan{};
}

/// Times in microseconds on one H200, fitted to plans measured at L = 4 to 10.
struct FusedCost {
    const FusedPlan& plan;
    double waves, together;  ///< of blocks: one after the other, on a multiprocessor
    double warps;            ///< of a scheduler
    int each;                ///< temperatures of a thread

    FusedCost(const FusedPlan& p, std::int64_t strands, std::int64_t fit, int multiprocessors)
        : plan(p),
          waves(quotient_up(strands, fit)),
          together(quotient_up(std::min(strands, fit) * p.blocks, multiprocessors)),
          warps(together * p.threads() / 128.0),
          each(p.slots / p.teams) {}

    /// A sweep: bound by latency or, with many warps, by the logic pipe. 128 lanes take Philox once more for
    /// every further pack and four of temperatures, and longer where these are not whole fours.
    double sweep(int share) const {
        if (plan.words == 1)
            return std::max(0.16 + 0.14 * each, 0.05 + 0.075 * warps + (0.085 + 0.0675 * warps) * each);
        const double fours = (each + 3) / 4, further = 0.14 * warps * fours * (128.0 / share - 1);
        return std::max(0.75 + 0.37 * each, 0.5 + each * (0.056 + 0.1645 * warps) + (each % 4 ? 0.35 : 0.0)) +
               further;
    }
    double exchange(unsigned sites) const {
        if (plan.words == 1) return 2.6 + 0.25 * together * plan.slots;
        const double messages = plan.blocks > 1 ? together * 0.0094 * sites : 0.0;
        return 4.0 + together * plan.slots * (0.2 + 0.0006 * sites) + messages;
    }
    double burst(const FusedBatch& batch, unsigned sites) const {
        return waves * (batch.sweeps_per_swap * sweep(batch.share) + exchange(sites));
    }
};

/// The same of the resident kernel: sweeps by its cost model, launches, and spins, energies and decisions
/// through device memory. Within 15% of L = 8 and 10, one column and full batches.
double resident_burst(const SweepArgs& args, const FusedBatch& b) {
    const double words = (args.geometry.sites + 100.0) * args.temperatures * static_cast<double>(b.stacks);
    return b.sweeps_per_swap * b.resident_cost + 5 + 16e-6 * words;
}

}  // namespace

std::string FusedPlan::description() const {
    const auto number = [](int n) { return std::to_string(n); };
    return "fused kernel (" + number(slots) + " temperatures of " + number(32 * words) +
           " realizations and " + number(teams) + " x " + number(team_threads) + " threads per block, " +
           number(blocks) + (blocks == 1 ? " block" : " blocks") + " per strand)";
}

FusedLayout fused_layout(int L, const FusedPlan& plan) {
    const unsigned lanes = 32u * static_cast<unsigned>(plan.words), bytes = lanes / 8,
                   sites = static_cast<unsigned>(L * L * L);
    FusedLayout out;
    out.slots = static_cast<unsigned>(plan.slots + std::min(plan.blocks - 1, 2));
    out.couplings = rounded(sites * bytes, 128) * out.slots;
    out.energy = out.couplings + (plan.words == 4 ? 0 : 3 * sites * bytes);
    out.mask = out.energy + out.slots * lanes * 4;
    out.label = out.mask + rounded(out.slots * bytes, 16);
    out.bytes = out.label + out.slots * lanes;
    return out;
}

std::int64_t fused_message_words(int L, const FusedPlan& plan) {
    return plan.words * (std::int64_t{L} * L * L + 32 + 8);
}

std::int64_t fused_mailbox_words(int L, const FusedPlan& plan) {
    return std::int64_t{plan.at_once} * (plan.blocks - 1) * 4 * fused_message_words(L, plan);
}

FusedPlan plan_fused(const SweepArgs& args, const FusedBatch& batch, int device,
                     const KernelRequest& request) {
    const bool asked = request.form == "fused";
    if (!asked && request.form != "auto") return {};
    int shared = 0, multiprocessors = 0, cooperative = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    FusedPlan best;
    double best_time = asked ? 1e299 : resident_burst(args, batch);
    const auto consider = [&](FusedPlan plan) {
        if (plan.words == 0 || plan.shared_bytes > shared || (plan.blocks > 1 && !cooperative)) return;
        const std::int64_t strands = batch.stacks * (4 / plan.words),
                           fit = fused_blocks_at_once(batch.share, plan, device) / plan.blocks;
        if (fit == 0) return;
        plan.at_once = static_cast<int>(plan.blocks > 1 ? std::min(strands, fit) : strands);
        const double time = FusedCost(plan, strands, fit, multiprocessors).burst(batch, args.geometry.sites);
        if (time < best_time) best_time = time, best = plan;
    };
    const int T = batch.share > 1 && args.temperatures > 1 ? static_cast<int>(args.temperatures) : 0;
    for (int words : {4, 1})
        for (int n = 1; n <= T; ++n)
            for (int teams = 1; teams <= std::min(n, 15); ++teams)
                if (request.allows(0, n) && request.allows(1, teams) && request.allows(2, words))
                    consider(cut_plan(args, words, n, teams));
    if (asked && best.words == 0)
        throw EnvironmentError(
            "the fused kernel was asked for, but does not suit L = " + std::to_string(args.geometry.L) +
            ", share " + std::to_string(batch.share) + ", " + std::to_string(args.temperatures) +
            " temperatures, or its plan does not");
    return best;
}

}  // namespace psflip
