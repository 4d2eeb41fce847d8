#include "sweep/resident/resident_cut_cuda.cuh"

#include <vector>

#include "base/cuda_check.cuh"
#include "sweep/resident/resident_split.hpp"

namespace psflip {

namespace {

/// Limits of the device that decide how many blocks share a multiprocessor.
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

/// Returns whether there is a clustered form, the device launches clusters, and the kernel is compiled for
/// clusters (compute capability 9).
bool can_cluster(const ResidentForms& forms, int device) {
    if (!forms.clustered) return false;
    int launch = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&launch, cudaDevAttrClusterLaunch, device));
    cudaFuncAttributes attributes;
    PSFLIP_CUDA(cudaFuncGetAttributes(&attributes, forms.clustered));
    return launch != 0 && attributes.ptxVersion >= 90;
}

/// Returns the registers per thread of all forms, without the clustered form unless `clusters`. Also lets the
/// kernels use up to `max_shared` bytes of shared memory.
int registers_of(const ResidentForms& forms, int max_shared, bool clusters) {
    int registers = 0;
    for (const void* kernel : {forms.whole, clusters ? forms.clustered : nullptr}) {
        if (!kernel) continue;
        cudaFuncAttributes attributes;
        PSFLIP_CUDA(cudaFuncGetAttributes(&attributes, kernel));
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         max_shared - forms.fixed_bytes));
        if (kernel == forms.clustered)
            PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        registers = std::max(registers, attributes.numRegs);
    }
    return registers;
}

/// Returns the number of clusters of a plan that the device can hold at the same time.
int active_clusters(const ResidentForms& forms, const ResidentPlan& plan) {
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = resident_config(plan, plan.cluster, nullptr, attribute);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, forms.clustered, &config) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return clusters;
}

/// Returns the number of clusters of a plan that the device holds at the same time, or of blocks without
/// clusters.
int clusters_together(const ResidentPlan& plan, const Limits& limits, const ResidentForms& forms,
                      int registers) {
    if (plan.cluster > 1) return active_clusters(forms, plan);
    const int fit_shared =
        limits.shared_multiprocessor / (plan.shared_bytes + forms.fixed_bytes + limits.shared_reserved);
    const int fit_registers = limits.registers / (((registers + 7) / 8 * 8) * plan.threads);
    return limits.multiprocessors *
           std::min({fit_shared, fit_registers, limits.threads / plan.threads, limits.blocks});
}

/// A plan and the number of its clusters that run at the same time.
struct Candidate {
    ResidentPlan plan;
    int clusters;
};

/// The choice of plans for a batch on its device.
class Choice {
  public:
    explicit Choice(const ResidentBatch& batch)
        : batch_(batch),
          limits_(limits_of(batch.device)),
          with_clusters_(can_cluster(batch.forms, batch.device)),
          registers_(registers_of(batch.forms, limits_.shared_block, with_clusters_)) {}

    /// Returns all plans with these numbers of slots, blocks per cluster and warps. 0 allows any number.
    std::vector<Candidate> candidates(int slots, int blocks, int warps) const;
    /// Returns the best plan of each number of blocks per cluster, with its cost for `stacks` stacks.
    std::vector<Candidate> best_of_sizes(const std::vector<Candidate>& all, std::int64_t stacks) const;
    /// Returns the best plan for all stacks.
    ResidentPlans alone(const std::vector<Candidate>& all) const;
    /// Returns the best pair of a first plan of `large` and a second plan of `small`. `stacks`: stacks of the
    /// second plan, even if there is no room for its clusters; 0: the number that takes the least time.
    ResidentPlans split(const std::vector<Candidate>& large, const std::vector<Candidate>& small,
                        std::int64_t stacks) const;

  private:
    double cost(const Candidate& c, std::int64_t stacks) const {
        const double fitting = static_cast<double>(c.clusters * c.plan.cluster) / limits_.multiprocessors;
        return batch_.cost(c.plan, Waves(c.plan, fitting, limits_.multiprocessors, stacks, batch_.parts > 1));
    }
    std::vector<int> clusters_of_each_size() const;

    const ResidentBatch& batch_;
    Limits limits_;
    bool with_clusters_;
    int registers_;
};

std::vector<Candidate> Choice::candidates(int slots, int blocks, int warps) const {
    const int shared_block = limits_.shared_block - batch_.forms.fixed_bytes,
              max_cluster =
                  with_clusters_ ? std::min(resident_cluster, batch_.layers / batch_.min_layers) : 1;
    const auto allows = [](int asked, int value) { return asked == 0 || asked == value; };
    std::vector<Candidate> all;
    for (int cluster = 1; cluster <= max_cluster; ++cluster) {
        if (batch_.layers % cluster != 0 || !allows(blocks, cluster)) continue;
        const std::int64_t slab = batch_.slab_bytes(cluster);
        for (int n = 1; n <= batch_.temperatures && n * slab <= shared_block; ++n) {
            if (!allows(slots, n)) continue;
            const int groups = (batch_.temperatures + n - 1) / n;
            for (int w = 1; w <= batch_.forms.max_threads / 32; ++w) {
                if (!allows(warps, w)) continue;
                const ResidentPlan plan = batch_.cut(n, groups, cluster, w);
                if (plan.threads == 0 || plan.shared_bytes > shared_block) continue;
                const int clusters = clusters_together(plan, limits_, batch_.forms, registers_);
                if (clusters > 0) all.push_back({plan, clusters});
            }
        }
    }
    return all;
}

std::vector<Candidate> Choice::best_of_sizes(const std::vector<Candidate>& all, std::int64_t stacks) const {
    std::vector<Candidate> best;
    for (Candidate c : all) {
        c.plan.cost = cost(c, stacks);
        if (best.empty() || best.back().plan.cluster != c.plan.cluster)
            best.push_back(c);
        else if (c.plan.cost < best.back().plan.cost)
            best.back() = c;
    }
    return best;
}

ResidentPlans Choice::alone(const std::vector<Candidate>& all) const {
    ResidentPlans best;
    for (const Candidate& c : best_of_sizes(all, batch_.stacks))
        if (c.plan.cost < best.cost)
            best = {.first = c.plan, .first_stacks = batch_.stacks, .cost = c.plan.cost};
    return best;
}

/// Returns the clusters of 1, 2, ... blocks that the device holds if each block takes a multiprocessor.
std::vector<int> Choice::clusters_of_each_size() const {
    std::vector<int> clusters{limits_.multiprocessors};
    ResidentPlan plan{.threads = 32, .shared_bytes = limits_.shared_block - batch_.forms.fixed_bytes};
    for (plan.cluster = 2; plan.cluster <= resident_cluster; ++plan.cluster)
        clusters.push_back(active_clusters(batch_.forms, plan));
    return clusters;
}

/// Factor by which blocks of the second plan take longer than alone.
constexpr double second_cost_factor = 1.05;
/// From this number of stacks on, waves of blocks need not be whole.
constexpr std::int64_t many_stacks = 100000;

/// The multiprocessors that a plan leaves empty are known if a multiprocessor has one block of its clusters.
ResidentPlans Choice::split(const std::vector<Candidate>& large, const std::vector<Candidate>& small,
                            std::int64_t stacks) const {
    ResidentPlans best;
    if (!with_clusters_ || stacks >= batch_.stacks) return best;
    const std::vector<int> each = clusters_of_each_size(), groups = multiprocessor_groups(each);
    const auto single = [&](const Candidate& c) { return c.clusters == each[c.plan.cluster - 1]; };
    std::vector<Candidate> firsts;
    std::copy_if(large.begin(), large.end(), std::back_inserter(firsts),
                 [&](const Candidate& c) { return stacks > 0 || single(c); });
    const std::vector<Candidate> others = best_of_sizes(small, many_stacks);
    for (const Candidate& a : best_of_sizes(firsts, batch_.stacks))
        for (Candidate b : others) {
            const int together = std::max(1, b.clusters / std::max(1, each[b.plan.cluster - 1])),
                      room = clusters_left(groups, a.plan.cluster, b.plan.cluster);
            if (room == 0 && stacks == 0) continue;
            if (single(a) && room > 0) b.clusters = together * room;
            // Cost of n stacks of each batch slice.
            const auto first = [&](std::int64_t n) { return cost(a, n * batch_.parts); };
            const auto second = [&](std::int64_t n) {
                const int multiprocessors = b.clusters * b.plan.cluster / together;
                return second_cost_factor * batch_.parts *
                       batch_.cost(b.plan, Waves(b.plan, together, multiprocessors, n, false));
            };
            const std::int64_t of_part = batch_.stacks / batch_.parts, asked = stacks / batch_.parts;
            const StackSplit split = stacks == 0
                                         ? split_stacks(of_part, first, second)
                                         : StackSplit{asked, std::max(first(of_part - asked), second(asked))};
            const std::int64_t all_second = stacks == 0 ? split.second * batch_.parts : stacks;
            if (all_second > 0 && split.cost < best.cost)
                best = {a.plan, b.plan, batch_.stacks - all_second, all_second, b.clusters, split.cost};
        }
    return best;
}

/// Fraction of the time that a second plan must save to be chosen.
constexpr double min_gain_of_split = 0.02;

}  // namespace

void allow_all_memory(const ResidentForms& forms, int device) {
    registers_of(forms, limits_of(device).shared_block, can_cluster(forms, device));
}

ResidentPlans best_plans(const ResidentBatch& batch, const KernelRequest& request) {
    const Choice choice(batch);
    const auto& first = request.numbers;
    const std::vector<Candidate> large = choice.candidates(first[0], first[1], first[2]);
    if (request.plans == 2) {
        const auto [n, size, w, stacks] = request.second_numbers;
        return choice.split(large, choice.candidates(n, size, w), stacks);
    }
    const ResidentPlans alone = choice.alone(large);
    if (request.plans == 1 || !batch.splits) return alone;
    const ResidentPlans split = choice.split(large, large, 0);
    return split.cost < (1 - min_gain_of_split) * alone.cost ? split : alone;
}

std::int64_t ResidentPlans::other_stack(const StreamPart& part) const {
    const std::int64_t all = first_stacks + second_stacks;
    return part.end_stack() - (part.stacks() * second_stacks + all / 2) / all;
}

std::string ResidentPlans::name(const std::string& kernel) const {
    const std::string one =
        plan_text(kernel + ":", {first.slots_per_block, first.cluster, first.threads / 32});
    if (second_stacks == 0) return one;
    return one + plan_text("+", {second.slots_per_block, second.cluster, second.threads / 32, second_stacks});
}

ResidentSweeps::ResidentSweeps(const SweepArgs& args, const PlannedBatch& batch, const ResidentPlans& plans,
                               const std::string& kernel)
    : SweepKernel(plans.name(kernel), period_microseconds(args, batch, plans.cost)), plans_(plans) {
    for (int i = 0; i < batch.parts && plans.second_stacks > 0; ++i)
        sides_.push_back(std::make_unique<SideStream>(true));
}

std::optional<SlotGroups> ResidentSweeps::slot_groups(const StreamPart& part) const {
    return SlotGroups{plans_.first.slots_per_block, plans_.second.slots_per_block, plans_.other_stack(part)};
}

void ResidentSweeps::run(const StreamPart& part, const Launch& launch) const {
    const std::int64_t other_stack = plans_.other_stack(part);
    const SideStream* const side = sides_.empty() ? nullptr : sides_[part.number].get();
    ResidentPlan first = plans_.first;
    first.first_task = static_cast<std::uint32_t>(part.first_stack() * first.groups);
    if (side) side->fork(part.stream);
    if (const std::int64_t stacks = other_stack - part.first_stack(); stacks > 0)
        launch(first, stacks * first.groups * first.cluster, part.stream);
    if (!side) return;
    ResidentPlan second = plans_.second;
    std::int64_t task = other_stack * second.groups;
    const std::int64_t end = part.end_stack() * second.groups;
    for (; task < end; task += plans_.second_clusters) {
        second.first_task = static_cast<std::uint32_t>(task);
        launch(second, std::min<std::int64_t>(plans_.second_clusters, end - task) * second.cluster,
               side->handle());
    }
    side->join(part.stream);
}

}  // namespace psflip
