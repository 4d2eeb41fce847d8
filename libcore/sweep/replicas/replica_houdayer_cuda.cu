// Houdayer moves of realizations whose lanes are replicas, on a GPU. A block makes the move of up to 32 slots
// of one pair of replicas of one realization (sweep/cuda/houdayer_block_cuda.cuh). It reads two words of each
// replica and site. Blocks flip lanes by atomic operations, because lanes of other blocks lie in the same
// words.

#include "sweep/replicas/replica_houdayer_cuda.cuh"

namespace psflip {

namespace {

constexpr unsigned max_slots = 32;

struct ReplicaHoudayerArgs {
    ReplicaLayout layout;
    Geometry geometry;
    HoudayerTasks tasks;  ///< (realization, pair, part of the slots)
    std::uint32_t* spins;
    std::uint32_t parts, first_realization;  ///< parts: of 32 slots or fewer
};

/// Finds up to 32 lanes of a site, from any lane on.
struct LanesFrom {
    unsigned word, shift;

    __device__ explicit LanesFrom(unsigned lane) : word(lane / 32), shift(lane % 32) {}
    __device__ std::uint32_t read(const std::uint32_t* site) const {
        return __funnelshift_r(site[word], site[word + 1], shift);
    }
    __device__ void flip(std::uint32_t* site, std::uint32_t lanes) const {
        const std::uint32_t low = lanes << shift, high = __funnelshift_l(lanes, 0u, shift);
        if (low != 0) atomicXor(site + word, low);
        if (high != 0) atomicXor(site + word + 1, high);
    }
};

__device__ __forceinline__ void make_move(const ReplicaHoudayerArgs& a, std::int64_t task, uint2* memory) {
    const ReplicaLayout& layout = a.layout;
    const Geometry& g = a.geometry;
    const HoudayerTasks& tasks = a.tasks;
    const auto part = static_cast<unsigned>(task % a.parts), first_slot = max_slots * part,
               slots = min(max_slots, tasks.slots - first_slot);
    const auto pair = static_cast<unsigned>(task / a.parts % tasks.pairs);
    const auto realization = static_cast<std::uint32_t>(task / a.parts / tasks.pairs);
    const auto temperatures = static_cast<unsigned>(layout.temperatures);
    const LanesFrom one(tasks.first[pair] * temperatures + first_slot),
        other(tasks.second[pair] * temperatures + first_slot);
    std::uint32_t* const spins = a.spins + realization * layout.lattice_words();
    const HoudayerBlock block(g, memory);
    const auto words = [&](unsigned colour, unsigned row, unsigned h) {
        return spins + layout.row(static_cast<int>(colour), static_cast<int>(row)) +
               std::int64_t{h} * layout.words();
    };
    block.for_each_site(g, [&](unsigned place, unsigned, unsigned colour, unsigned row, unsigned h) {
        const std::uint32_t* const site = words(colour, row, h);
        block.site(place) = {(one.read(site) ^ other.read(site)) & ~0u >> (max_slots - slots), 0u};
    });
    block.clear_gaps();
    __syncthreads();
    const auto lane = [&] {
        return std::size_t{realization} * temperatures + first_slot + threadIdx.x % max_slots;
    };
    if (threadIdx.x < slots) {
        const std::uint32_t start =
            houdayer_site(tasks.key, tasks.completed, a.first_realization + realization, tasks.first[pair],
                          first_slot + threadIdx.x, g.sites);
        if (block.begin(start, threadIdx.x)) atomicAdd(tasks.clusters + lane(), 1ull);
    }
    block.grow(AllBondsPresent{});
    if (const int sites = block.count(); sites > 0)
        atomicAdd(tasks.sites + lane(), static_cast<unsigned long long>(sites));
    block.for_each_site(g, [&](unsigned place, unsigned, unsigned colour, unsigned row, unsigned h) {
        const std::uint32_t cluster = block.site(place).y;
        one.flip(words(colour, row, h), cluster);
        other.flip(words(colour, row, h), cluster);
    });
    __syncthreads();
}

template <bool Shared>
__global__ void __launch_bounds__(max_houdayer_threads, Shared ? 4 : 0)
    move_replica_clusters(const __grid_constant__ ReplicaHoudayerArgs a) {
    a.tasks.for_each_task<Shared>([&a](std::int64_t task, uint2* memory) { make_move(a, task, memory); });
}

}  // namespace

ReplicaHoudayer::ReplicaHoudayer(const ReplicaLayout& layout, std::int64_t realizations,
                                 std::uint32_t first_realization, std::uint64_t key, int device,
                                 cudaStream_t stream)
    : layout_(layout),
      realizations_(realizations),
      first_realization_(first_realization),
      key_(key),
      memory_(make_slab(layout.L, layout.depth), device, move_replica_clusters<true>),
      counts_(static_cast<std::size_t>(realizations * layout.temperatures), stream) {}

void ReplicaHoudayer::move(std::uint32_t* spins, const HoudayerMove& move, cudaStream_t stream) {
    const std::uint32_t parts = (static_cast<std::uint32_t>(move.slots) + max_slots - 1) / max_slots;
    const std::int64_t tasks = realizations_ * std::ssize(move.pairs) * parts;
    const ReplicaHoudayerArgs a{.layout = layout_,
                                .geometry = make_slab(layout_.L, layout_.depth),
                                .tasks = memory_.tasks(move, key_, tasks, counts_),
                                .spins = spins,
                                .parts = parts,
                                .first_realization = first_realization_};
    memory_.launch(move_replica_clusters<true>, move_replica_clusters<false>, a, stream);
}

HoudayerCounts ReplicaHoudayer::counts(cudaStream_t stream) const {
    return counts_.download(
        realizations_, layout_.temperatures, stream,
        [&](std::int64_t r, std::int64_t slot) { return r * layout_.temperatures + slot; });
}

}  // namespace psflip
