#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stream.cuh"
#include "sweep/independent/streaming_independent_cuda.cuh"
#include "sweep/resident/resident_cuda.cuh"

namespace psflip {

// Cuts a batch into blocks of a resident kernel: chooses the plan with the least time by a cost model, among
// all numbers of temperatures, blocks per cluster and warps.

/// Counts the waves in which the blocks of a plan run on the multiprocessors.
struct Waves {
    double number, together;  ///< number of waves; blocks per multiprocessor at the same time
    double whole, fit, rest;  ///< full waves; blocks per multiprocessor in a full wave and in the last wave

    /// `fitting` blocks of the plan fit into each multiprocessor. Waves of batch slices need not be whole,
    /// because blocks of the other slice run with the last blocks. Slices of little more than one wave
    /// disturb each other, and count as 1.5 waves.
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

/// Returns the mean number of slot quads that a slot group of a plan touches.
inline double fours_touched(int slots_per_block, int temperatures) {
    int groups = 0, fours = 0;
    for (int first = 0; first < temperatures; first += slots_per_block, ++groups)
        fours += (std::min(first + slots_per_block, temperatures) + 3) / 4 - first / 4;
    return static_cast<double>(fours) / groups;
}

/// Says how often the warps of a multiprocessor pass over the sites of one colour. The threads of a block
/// share the sites, and `together` blocks run at the same time.
struct Passes {
    std::uint32_t steps;  ///< steps of a block; in a step, each thread has one site
    double updates;       ///< updates of the fullest of the four schedulers

    Passes(std::uint32_t sites, int threads, double together) {
        const auto block = static_cast<std::uint32_t>(threads) / 32, all = (sites + 31) / 32;
        const auto fullest = [together](std::uint32_t warps) { return std::ceil(together * warps / 4); };
        steps = (all + block - 1) / block;
        updates = all / block * fullest(block) + fullest(all % block);
    }
};

/// Returns the microseconds of a sweep with share 1. An update of n warps on a multiprocessor takes n + 7
/// units. A step takes an update for each temperature and 0.2 updates more. Undecided lanes and barriers take
/// one update per colour. The number of warps is rounded up to a multiple of 4, because the four schedulers
/// end together.
inline double independent_cost(const ResidentPlan& plan, const Waves& waves, std::uint32_t colour_sites) {
    const double warps = std::ceil(waves.together * plan.threads / 128) * 4;
    const auto threads = static_cast<unsigned>(plan.threads);
    const double steps = (colour_sites + threads - 1) / threads;
    return independent_unit * waves.number * (warps + 7) * (steps * (plan.slots_per_block + 0.2) + 1);
}

/// Lets kernels with both forms use all shared memory of a block, and clusters of any size.
void allow_all_memory(const ResidentForms& forms, int device);

/// Describes a batch for a resident kernel.
struct ResidentBatch {
    int layers, min_layers;  ///< layers of a lattice, fewest layers of a block
    int temperatures;
    std::int64_t stacks;
    int device;
    ResidentForms forms;
    std::function<std::int64_t(int cluster)> slab_bytes;  ///< bytes of shared memory of a lattice in a block
    /// Returns the plan with n slots per block, or a plan without threads if some warps would have no sites.
    std::function<ResidentPlan(int n, int groups, int cluster, int warps)> cut;
    std::function<double(const ResidentPlan&, const Waves&)> cost;  ///< microseconds of a sweep
    bool splits = true;                                             ///< a second plan may be chosen
    int parts = 1;                                                  ///< PlannedBatch::parts
};

/// Holds the plans of a batch. The first stacks have the first plan. The other stacks have a second plan,
/// whose smaller clusters run on multiprocessors that clusters of the first plan leave empty.
struct ResidentPlans {
    ResidentPlan first, second;  ///< no slots in `first`: lattices do not fit
    std::int64_t first_stacks = 0, second_stacks = 0;
    int second_clusters = 0;  ///< clusters of the second plan that fit at the same time
    double cost = 1e299;

    /// Returns the first stack of the batch slice that has the second plan. The slice has the same fraction
    /// of such stacks as the batch.
    std::int64_t other_stack(const StreamPart& part) const;
    /// Returns the plans of a kernel in the form of KernelRequest.
    std::string name(const std::string& kernel) const;
};

/// Returns the best plans that the request allows.
ResidentPlans best_plans(const ResidentBatch& batch, const KernelRequest& request);

/// A resident kernel, which launches the blocks of its plans. Blocks of the second plan start before clusters
/// of the first plan that still wait. A batch slice launches at a time only the blocks of the second plan
/// that fit.
class ResidentSweeps : public SweepKernel {
  public:
    ResidentSweeps(const SweepArgs& args, const PlannedBatch& batch, const ResidentPlans& plans,
                   const std::string& kernel = "resident");
    bool takes_parts() const override { return true; }
    std::optional<SlotGroups> slot_groups(const StreamPart& part) const override;

  protected:
    using Launch = std::function<void(const ResidentPlan&, std::int64_t blocks, cudaStream_t)>;

    const ResidentPlans& plans() const { return plans_; }
    void run(const StreamPart& part, const Launch& launch) const;

  private:
    ResidentPlans plans_;
    std::vector<std::unique_ptr<SideStream>> sides_;  ///< one per batch slice; none if there is one plan
};

}  // namespace psflip
