#include "sweep/replicas/replica_launch_cuda.cuh"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "sweep/kernel_request.hpp"
#include "sweep/replicas/replica_kernel_cuda.cuh"
#include "sweep/replicas/replica_kernels.hpp"

namespace psflip {
namespace {

template <int Degree>
ReplicaKernel plain_replica_kernel(int words) {
    return words == 2 ? replica_sweeps<PlainReplicaRule<Degree>, 2>
                      : replica_sweeps<PlainReplicaRule<Degree>, 1>;
}

ReplicaKernel replica_kernel(const SweepRule& rule, int words) {
    if (rule.has_demons()) return demon_replica_kernel(rule);
    if (!rule.plain) return class_replica_kernel(rule);
    return rule.degree == 6 ? plain_replica_kernel<6>(words) : plain_replica_kernel<4>(words);
}

/// How many blocks of a kernel a device holds at a time.
struct Room {
    int multiprocessors = 0, blocks_each = 0, together = 0;

    Room(const ReplicaLayout& layout, const SweepRule& rule, int words, int device) {
        const ReplicaKernel kernel = replica_kernel(rule, words);
        const auto bytes = static_cast<int>(replica_shared_bytes(layout, rule));
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        PSFLIP_CUDA(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, replica_threads, bytes));
        PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        PSFLIP_CUDA(cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device));
    }
    std::int64_t blocks() const { return together ? std::int64_t{multiprocessors} * blocks_each : 0; }
};

/// Names the rows that blocks share: rows of a lattice, or with demons bundles of chains of some sites.
struct SharedRows {
    int count, sites = 0;
    SharedRows(const ReplicaLayout& layout, const SweepRule& rule) : count(layout.rows()) {
        if (!rule.has_demons()) return;
        const DemonChains chains = DemonChains::of(layout.L, layout.depth, rule.demon_sites);
        count = chains.bundles();
        sites = chains.rows * chains.planes;
    }
};

/// Estimates the microseconds of a colour of all realizations; fitted to one H200, without demons. A group
/// takes its realizations in turn, each in some passes of its threads. Two blocks on a multiprocessor share
/// its pipes.
double colour_time(const ReplicaLayout& layout, const SharedRows& shared, std::int64_t realizations,
                   const ReplicaCut& cut, const Room& room) {
    const int columns = layout.row_words() / cut.words, rows_at_once = std::max(1, replica_threads / columns),
              rows = (shared.count + cut.blocks - 1) / cut.blocks,
              passes = (rows + rows_at_once - 1) / rows_at_once *
                       ((columns + replica_threads - 1) / replica_threads);
    const std::int64_t turns = (realizations + cut.groups - 1) / cut.groups,
                       beside = (std::int64_t{cut.groups} * cut.blocks + room.multiprocessors - 1) /
                                room.multiprocessors;
    constexpr double meeting = 1.6;
    double alone = cut.words == 2 ? 1.25 : 0.68, each = cut.words == 2 ? 0.95 : 0.53;
    if (shared.sites > 0) alone = 0.5 + 0.13 * shared.sites, each = 0.25 + 0.06 * shared.sites;
    return static_cast<double>(turns) *
           (passes * std::max(alone, each * static_cast<double>(beside)) + meeting);
}

/// Returns numbers of groups, at most `all`, that have equally many realizations or one less; or the wanted
/// number.
std::vector<std::int64_t> groups_to_try(std::int64_t realizations, std::int64_t all, int wanted) {
    if (wanted > 0) return wanted <= all ? std::vector<std::int64_t>{wanted} : std::vector<std::int64_t>{};
    std::vector<std::int64_t> found;
    const std::int64_t least = (realizations + all - 1) / all;
    for (std::int64_t turns = least; turns < least + 4 && turns <= realizations; ++turns)
        found.push_back((realizations + turns - 1) / turns);
    return found;
}

}  // namespace

std::size_t replica_shared_bytes(const ReplicaLayout& layout, const SweepRule& rule) {
    return sizeof(uint4) * replica_digits * own_thresholds(rule) * layout.words() +
           sizeof(std::uint32_t) * ReplicaLayout::max_words;
}

ReplicaCut cut_replicas(const ReplicaLayout& layout, std::int64_t realizations, const SweepRule& rule,
                        int device, const KernelRequest& wanted) {
    const SharedRows shared(layout, rule);
    const int min_blocks = rule.has_demons() ? 1 : 2;  // of a realization
    ReplicaCut best{0, 0, 0};
    double least = 0;
    const KernelRequest request = wanted.kernel == "replicas" ? wanted : KernelRequest{};
    for (const int words : {1, 2}) {
        if (!request.allows(2, words) || layout.words() % words != 0 || (words > 1 && !rule.plain)) continue;
        const Room room(layout, rule, words, device);
        const std::int64_t most = std::min<std::int64_t>(room.blocks(), shared.count);
        for (int blocks = min_blocks; blocks <= most; ++blocks) {
            if (!request.allows(0, blocks)) continue;
            const std::int64_t all = std::min(realizations, room.blocks() / blocks);
            for (const std::int64_t groups : groups_to_try(realizations, all, request.numbers[1])) {
                const ReplicaCut cut{blocks, static_cast<int>(groups), words};
                const double time = colour_time(layout, shared, realizations, cut, room);
                if (best.blocks == 0 || time < least) best = cut, least = time;
            }
        }
    }
    if (best.blocks == 0)
        throw EnvironmentError(
            "the device has no room for this kernel of multispin.lanes = replicas; use --kernel auto");
    return best;
}

std::uint32_t replica_arrivals(const ReplicaSweepArgs& args) {
    return static_cast<std::uint32_t>(args.cut.blocks) *
           (2u * static_cast<std::uint32_t>(args.sweeps) + (args.mask ? 1u : 0u));
}

void launch_replicas(const ReplicaSweepArgs& args, const SweepRule& rule, cudaStream_t stream) {
    cudaLaunchAttribute together;
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(args.cut.blocks * args.cut.groups));
    config.blockDim = dim3(replica_threads);
    config.dynamicSmemBytes = replica_shared_bytes(args.view.layout, rule);
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    PSFLIP_CUDA(cudaLaunchKernelEx(&config, replica_kernel(rule, args.cut.words), args));
}

}  // namespace psflip
