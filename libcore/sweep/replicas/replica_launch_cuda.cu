#include "sweep/replicas/replica_launch_cuda.cuh"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
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
    if (!rule.plain) return class_replica_kernel(rule);
    return rule.degree == 6 ? plain_replica_kernel<6>(words) : plain_replica_kernel<4>(words);
}

/// Of the thresholds.
std::size_t shared_bytes(const ReplicaLayout& layout, const SweepRule& rule) {
    return sizeof(uint4) * replica_digits * own_thresholds(rule) * layout.words() +
           sizeof(std::uint32_t) * ReplicaLayout::most_words;
}

/// The launch of a cut; attributes are to outlive it.
cudaLaunchConfig_t launch_config(const ReplicaCut& cut, std::size_t bytes, cudaLaunchAttribute& attribute) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(cut.blocks * cut.groups));
    config.blockDim = dim3(replica_threads);
    config.dynamicSmemBytes = bytes;
    config.attrs = &attribute;
    config.numAttrs = cut.blocks > 1 ? 1 : 0;
    if (cut.cluster) {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = static_cast<unsigned>(cut.blocks);
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    } else {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    }
    return config;
}

/// What a device can have at a time of a kernel.
struct Room {
    int multiprocessors = 0, blocks_each = 0, together = 0, clusters = 0;
    ReplicaKernel kernel;
    std::size_t bytes;

    Room(const ReplicaLayout& layout, const SweepRule& rule, int words, int device)
        : kernel(replica_kernel(rule, words)), bytes(shared_bytes(layout, rule)) {
        const auto size = static_cast<int>(bytes);
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
        PSFLIP_CUDA(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, replica_threads, bytes));
        PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        PSFLIP_CUDA(cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device));
        PSFLIP_CUDA(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device));
    }
    /// Groups of so many blocks.
    std::int64_t groups(int blocks, bool cluster) const {
        if (!cluster) return std::int64_t{multiprocessors} * blocks_each / blocks;
        int found = 0;
        cudaLaunchAttribute attribute;
        const cudaLaunchConfig_t config = launch_config({blocks, 1, 1, true}, bytes, attribute);
        PSFLIP_CUDA(cudaOccupancyMaxActiveClusters(&found, kernel, &config));
        return found;
    }
    bool allows(int blocks, bool cluster) const {
        constexpr int most_of_cluster = 8;
        if (blocks == 1) return !cluster;
        return cluster ? clusters && blocks <= most_of_cluster && (blocks & (blocks - 1)) == 0 : together;
    }
};

/// Microseconds of a colour of all realizations, fitted to one H200: a group has its realizations one after
/// the other, each in some passes of its threads; two blocks on a multiprocessor wait for each other's pipes.
double colour_time(const ReplicaLayout& layout, std::int64_t realizations, const ReplicaCut& cut,
                   const Room& room) {
    const int columns = layout.row_words() / cut.words, rows_at_once = std::max(1, replica_threads / columns),
              rows = (layout.rows() + cut.blocks - 1) / cut.blocks,
              passes = (rows + rows_at_once - 1) / rows_at_once *
                       ((columns + replica_threads - 1) / replica_threads);
    const std::int64_t turns = (realizations + cut.groups - 1) / cut.groups,
                       beside = (std::int64_t{cut.groups} * cut.blocks + room.multiprocessors - 1) /
                                room.multiprocessors;
    const double alone = cut.words == 2 ? 1.25 : 0.68, each = cut.words == 2 ? 0.95 : 0.53,
                 meeting = cut.blocks == 1 ? 0.2
                           : cut.cluster   ? 0.6
                                           : 1.6;
    return static_cast<double>(turns) *
           (passes * std::max(alone, each * static_cast<double>(beside)) + meeting);
}

/// At most `all` groups, so that all have equally many realizations or one less; or the wanted number.
std::vector<std::int64_t> groups_to_try(std::int64_t realizations, std::int64_t all, int wanted) {
    if (wanted > 0) return wanted <= all ? std::vector<std::int64_t>{wanted} : std::vector<std::int64_t>{};
    std::vector<std::int64_t> found;
    const std::int64_t least = (realizations + all - 1) / all;
    for (std::int64_t turns = least; turns < least + 4 && turns <= realizations; ++turns)
        found.push_back((realizations + turns - 1) / turns);
    return found;
}

}  // namespace

ReplicaCut cut_replicas(const ReplicaLayout& layout, std::int64_t realizations, const SweepRule& rule,
                        int device, const KernelRequest& wanted) {
    ReplicaCut best{0, 0, 0, false};
    double least = 0;
    const bool free = wanted.form != "replicas" && wanted.form != "clusters";
    const KernelRequest request = free ? KernelRequest{} : wanted;
    for (const int words : {1, 2}) {
        if (!request.allows(2, words) || layout.words() % words != 0 || (words > 1 && !rule.plain)) continue;
        const Room room(layout, rule, words, device);
        const std::int64_t most = std::min<std::int64_t>(room.groups(1, false), layout.rows());
        for (int i = 2; i < 2 * most + 2; ++i) {
            const int blocks = i / 2;
            const bool cluster = i % 2 != 0;
            if (!request.allows(0, blocks) || !room.allows(blocks, cluster)) continue;
            if (!free && blocks > 1 && cluster != (wanted.form == "clusters")) continue;
            const std::int64_t all = std::min(realizations, room.groups(blocks, cluster));
            if (all == 0) continue;
            for (const std::int64_t groups : groups_to_try(realizations, all, request.number[1])) {
                const ReplicaCut cut{blocks, static_cast<int>(groups), words, cluster};
                const double time = colour_time(layout, realizations, cut, room);
                if (best.blocks == 0 || time < least) best = cut, least = time;
            }
        }
    }
    if (best.blocks == 0)
        throw EnvironmentError(
            "the device has no room for the kernel of multispin.lanes = replicas that is "
            "asked for");
    return best;
}

std::uint32_t replica_arrivals(const ReplicaSweepArgs& args) {
    return static_cast<std::uint32_t>(args.cut.blocks) *
           (2u * static_cast<std::uint32_t>(args.sweeps) + (args.mask ? 1u : 0u));
}

void launch_replicas(const ReplicaSweepArgs& args, const SweepRule& rule, cudaStream_t stream) {
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = launch_config(args.cut, shared_bytes(args.view.layout, rule), attribute);
    config.stream = stream;
    PSFLIP_CUDA(cudaLaunchKernelEx(&config, replica_kernel(rule, args.cut.words), args));
}

}  // namespace psflip
