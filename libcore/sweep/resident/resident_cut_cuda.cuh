#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "base/stream.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"

namespace psflip {

// How a batch is cut into blocks of a resident kernel: the plan that takes least time by a cost model, of all
// numbers of temperatures, blocks per cluster and warps.

/// How often, and how many side by side, the blocks of a plan follow each other on a multiprocessor.
struct Waves {
    double number, together;
    double whole, fit, rest;  ///< full waves, blocks side by side in them, and in what is left

    /// `fitting` blocks of the plan fit into each of so many multiprocessors. Of a batch in parts waves need
    /// not be whole, as other blocks run beside the last ones; but the parts come into each other's way where
    /// there is little more than one.
    Waves(const ResidentPlan& plan, double fitting, int multiprocessors, std::int64_t stacks, bool in_parts) {
        const double blocks = static_cast<double>(stacks * plan.groups * plan.cluster),
                     all = blocks / (fitting * multiprocessors);
        const bool flowing = in_parts && all > 1;
        number = flowing ? std::max(1.5, all) : std::ceil(all - 1e-9);
        together = std::ceil(std::min(fitting, blocks / multiprocessors));
        whole = flowing ? number : std::floor(all + 1e-9);
        fit = std::ceil(fitting);
        rest = std::ceil(blocks / multiprocessors - whole * fitting - 1e-9);
    }
};

/// Fours of slots that the groups of a plan touch, per group.
inline double fours_touched(int slots_per_block, int temperatures) {
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

/// Microseconds of a sweep with share 1: n warps on a multiprocessor take n + 7 units for each of their
/// updates. A step takes 0.2 updates besides those of its temperatures, leftovers and barriers one per
/// colour. The four schedulers end together, so that whole fours of warps count.
inline double independent_cost(const ResidentPlan& plan, const Waves& waves, std::uint32_t colour_sites) {
    const double warps = std::ceil(waves.together * plan.threads / 128) * 4;
    const auto threads = static_cast<unsigned>(plan.threads);
    const double steps = (colour_sites + threads - 1) / threads;
    return independent_unit * waves.number * (warps + 7) * (steps * (plan.slots_per_block + 0.2) + 1);
}

/// The batch as a resident kernel sees it.
struct ResidentBatch {
    int layers, least_layers;  ///< of a lattice, of a slab
    int temperatures;
    std::int64_t stacks;
    int device;
    ResidentForms forms;
    std::function<std::int64_t(int cluster)> slab_bytes;  ///< of a lattice in shared memory
    /// The plan with n slots and so many warps; no threads: some warps would have no sites.
    std::function<ResidentPlan(int n, int groups, int cluster, int warps)> cut;
    std::function<double(const ResidentPlan&, const Waves&)> cost;  ///< microseconds of a sweep
    bool splits = true;                                             ///< a second plan may be chosen unasked
    int parts = 1;                                                  ///< PlannedBatch::parts
};

/// The plans of a batch: that of its first stacks, and that of the others, whose smaller clusters fill what
/// those of the first leave empty.
struct ResidentPlans {
    ResidentPlan first, beside;  ///< no slots in `first`: lattices do not fit
    std::int64_t first_stacks = 0, beside_stacks = 0;
    int beside_clusters = 0;  ///< that there is room for
    double cost = 1e299;

    /// Of the stacks of a part, those from here on have the second plan: a share as of all stacks.
    std::int64_t other_stack(const StreamPart& part) const;
    SlotGroups slot_groups(const StreamPart& part) const {
        return {first.slots_per_block, beside.slots_per_block, other_stack(part)};
    }
    /// A resident kernel's words about its plans.
    std::string description() const;
};

/// The best plans that the request allows.
ResidentPlans best_plans(const ResidentBatch& batch, const KernelRequest& request);

/// Launches the blocks of plans for the parts of a batch. Those of the second plan come before clusters of
/// the first that still wait, and are, of a part, no more at a time than there is room for beside these.
class ResidentLaunches {
  public:
    using Launch = std::function<void(const ResidentPlan&, std::int64_t blocks, cudaStream_t)>;

    ResidentLaunches(const ResidentPlans& plans, int parts);
    const ResidentPlans& plans() const { return plans_; }
    void run(const StreamPart& part, const Launch& launch) const;

  private:
    ResidentPlans plans_;
    std::vector<std::unique_ptr<SideStream>> sides_;  ///< of each part; none where there is one plan
};

}  // namespace psflip
