// How a batch is cut into blocks of the resident kernel: a small cost model, evaluated over all numbers of
// temperatures, blocks per cluster and warps.

#include <algorithm>
#include <cmath>

#include "base/cuda_check.cuh"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/independent/leftovers_cuda.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"

namespace psflip {

namespace {

/// The device's limits that decide how many blocks share a multiprocessor.
struct Limits {
    int multiprocessors, shared_block, shared_multiprocessor, shared_reserved, registers, threads, blocks;
};

Limits limits_of(int device) {
    const auto get = [device](cudaDeviceAttr attribute) {
        int value = 0;
        PSFLIP_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
        return value;
    };
    return {get(cudaDevAttrMultiProcessorCount),
            get(cudaDevAttrMaxSharedMemoryPerBlockOptin),
            get(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
            get(cudaDevAttrReservedSharedMemoryPerBlock),
            get(cudaDevAttrMaxRegistersPerMultiprocessor),
            get(cudaDevAttrMaxThreadsPerMultiProcessor),
            get(cudaDevAttrMaxBlocksPerMultiprocessor)};
}

/// Blocks of a plan that a multiprocessor holds at the same time, on average.
double blocks_together(const ResidentPlan& plan, const Limits& limits, int registers, int share) {
    if (plan.cluster > 1)
        return static_cast<double>(resident_clusters(share, plan) * plan.cluster) / limits.multiprocessors;
    const int fit_shared = limits.shared_multiprocessor / (plan.shared_bytes + limits.shared_reserved);
    const int fit_registers = limits.registers / (((registers + 7) / 8 * 8) * plan.threads);
    return std::min({fit_shared, fit_registers, limits.threads / plan.threads, limits.blocks});
}

/// How often, and how many side by side, the blocks of a plan follow each other on a multiprocessor.
struct Waves {
    double number, together;

    Waves(const ResidentPlan& plan, double fit, const Limits& limits, std::int64_t stacks) {
        const double blocks = static_cast<double>(stacks * plan.groups * plan.cluster);
        number = std::ceil(blocks / (fit * limits.multiprocessors) - 1e-9);
        together = std::ceil(std::min(fit, blocks / limits.multiprocessors));
    }
};

/// Fours of slots that the groups of a plan touch, per group.
double fours_touched(int slots_per_block, int temperatures) {
    int groups = 0, fours = 0;
    for (int first = 0; first < temperatures; first += slots_per_block, ++groups)
        fours += (std::min(first + slots_per_block, temperatures) + 3) / 4 - first / 4;
    return static_cast<double>(fours) / groups;
}

/// How often the warps of a multiprocessor go through sites of one colour, when the threads of each of so
/// many blocks side by side share them: steps, and updates of the fullest of the four schedulers.
struct Passes {
    std::uint32_t steps;
    double updates;

    Passes(std::uint32_t sites, int threads, double together) {
        const auto block = static_cast<std::uint32_t>(threads) / 32, all = (sites + 31) / 32;
        const auto fullest = [together](std::uint32_t warps) { return std::ceil(together * warps / 4); };
        steps = (all + block - 1) / block;
        updates = all / block * fullest(block) + fullest(all % block);
    }
};

/// Microseconds of a sweep: waves of blocks over the multiprocessors, times the work of the fullest of their
/// four schedulers (the logic pipe limits) and, for every step, latency of one and a half. A site costs a
/// unit per temperature, 0.85 for addresses and couplings, 0.25 for every four of temperatures touched and
/// 0.6 for each pack's random numbers of it; a barrier 6.5, in clusters more. Fitted to 424 plans measured
/// for L = 12 to 32 with 24 temperatures and `share` 128 on one H200, most within 5%, and to some of
/// `share` 32.
double shared_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args, int share) {
    const Passes passes(args.geometry.colour_sites / plan.cluster, plan.threads, waves.together);
    const double fours = fours_touched(plan.slots_per_block, static_cast<int>(args.temperatures)),
                 barrier = plan.cluster > 1 ? 20 + 0.42 * plan.cluster : 6.5,
                 site = plan.slots_per_block + 0.85 + fours * (0.25 + 0.6 * (128.0 / share));
    return 0.115 * waves.number * ((passes.updates + 1.5 * passes.steps) * site + barrier);
}

/// The same for share 1: n warps on a multiprocessor take n + 7 units for each of their updates. A
/// step takes 0.2 updates besides those of its temperatures, leftovers and barriers one per colour. The four
/// schedulers end together, so that whole fours of warps count.
double independent_cost(const ResidentPlan& plan, const Waves& waves, const SweepArgs& args) {
    const double warps = std::ceil(waves.together * plan.threads / 128) * 4;
    const auto threads = static_cast<unsigned>(plan.threads);
    const double steps = (args.geometry.colour_sites + threads - 1) / threads;
    return independent_unit * waves.number * (warps + 7) * (steps * (plan.slots_per_block + 0.2) + 1);
}

double plan_cost(const ResidentPlan& plan, const Limits& limits, int registers, const SweepArgs& args,
                 int share, std::int64_t stacks) {
    const double fit = blocks_together(plan, limits, registers, share);
    if (fit <= 0) return 1e300;
    const Waves waves(plan, fit, limits, stacks);
    return share == 1 ? independent_cost(plan, waves, args) : shared_cost(plan, waves, args, share);
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
    const int other_bytes = share == 1 ? threads * leftover_bytes_per_thread + n * slot_table_bytes : 0;
    return {.slots_per_block = n,
            .groups = groups,
            .threads = threads,
            .bond_sites = best_bond_sites(sites, (n + 1) / 2, threads / 32, most_bond_sites(4)),
            .lattice_bytes = lattice_bytes,
            .shared_bytes = lattice_bytes + other_bytes,
            .cluster = cluster};
}

ResidentPlan best_plan(const SweepArgs& args, const PlannedBatch& batch, const KernelRequest& request) {
    const int share = batch.share;
    const std::int64_t stacks = batch.columns * args.replicas;
    const Limits limits = limits_of(batch.device);
    const bool clusters = resident_can_cluster(share, batch.device);
    const int registers = resident_registers(share, limits.shared_block, clusters);
    const Geometry& g = args.geometry;
    const int L = static_cast<int>(g.L), temperatures = static_cast<int>(args.temperatures);
    ResidentPlan best;
    double best_cost = 1e299;
    for (int cluster = 1; cluster <= (clusters ? std::min(resident_cluster, L) : 1); ++cluster) {
        if (L % cluster != 0 || !request.allows(1, cluster)) continue;
        for (int n = 1; n <= temperatures && n * slab_bytes(g, cluster) <= limits.shared_block; ++n) {
            if (!request.allows(0, n)) continue;
            const int groups = (temperatures + n - 1) / n;
            for (int warps = 1; warps <= resident_threads / 32; ++warps) {
                const ResidentPlan plan = cut_plan(g, share, n, groups, cluster, warps);
                if (plan.threads == 0 || plan.shared_bytes > limits.shared_block || !request.allows(2, warps))
                    continue;
                const double cost = plan_cost(plan, limits, registers, args, share, stacks);
                if (cost < best_cost) {
                    best_cost = cost;
                    best = plan;
                    best.cost = cost;
                }
            }
        }
    }
    return best;
}

/// The resident kernel with its plan.
class ResidentKernel final : public SweepKernel {
  public:
    ResidentKernel(const SweepArgs& args, const PlannedBatch& batch, const ResidentPlan& plan)
        : share_(batch.share),
          stacks_(batch.columns * args.replicas),
          plan_(plan),
          microseconds_(period_microseconds(args, batch, plan.cost)) {}

    std::string description() const override {
        const std::string cluster =
            plan_.cluster > 1 ? ", " + std::to_string(plan_.cluster) + " blocks per cluster" : "";
        return "resident kernel (" + std::to_string(plan_.slots_per_block) + " temperatures and " +
               std::to_string(plan_.threads) + " threads per block" + cluster + ")";
    }
    double microseconds() const override { return microseconds_; }
    void sweep(SweepArgs& args, DeviceBuffer<uint4>&, const SweepBurst& burst, cudaStream_t stream) override {
        launch_resident(args, share_, plan_, stacks_, burst, stream);
    }
    int slots_per_block() const override { return plan_.slots_per_block; }

  private:
    int share_;
    std::int64_t stacks_;
    ResidentPlan plan_;
    double microseconds_;
};

/// Beyond the sizes that the cost model is fitted to, the kernel must be clearly faster to be chosen.
constexpr unsigned fitted_L = 32;
constexpr double clear_advantage = 1.1;

}  // namespace

std::unique_ptr<SweepKernel> plan_resident(const SweepArgs& args, const PlannedBatch& batch,
                                           const KernelRequest& request) {
    if (!batch.rule.cubic_plain() || (request.form != "auto" && request.form != "resident")) return nullptr;
    ResidentPlan plan = best_plan(args, batch, request);
    if (plan.slots_per_block == 0) return nullptr;
    if (batch.share > 1 && args.geometry.L > fitted_L) plan.cost *= clear_advantage;
    return std::make_unique<ResidentKernel>(args, batch, plan);
}

}  // namespace psflip
