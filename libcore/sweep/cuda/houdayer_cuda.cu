// Houdayer moves on a GPU. A block makes the move of 32 realizations of one pair of replicas at one
// temperature (sweep/cuda/houdayer_block_cuda.cuh).

#include "sweep/cuda/houdayer_cuda.cuh"

namespace psflip {

namespace {

struct HoudayerArgs {
    Geometry geometry;
    HoudayerTasks tasks;          ///< (column, pair, slot, word)
    std::uint32_t* spins;         ///< 32-bit words (column, replica, slot, site, word)
    const std::uint32_t* absent;  ///< (column, direction, site, word); null: no bond is absent
    std::uint32_t replicas, temperatures, share, first_realization;
};

/// Says which bonds are present in the lanes of a word of a column.
struct PresentInColumn {
    const HoudayerArgs& a;
    std::uint32_t column, word;

    __device__ std::uint32_t operator()(unsigned axis, unsigned x, unsigned y, unsigned z) const {
        const Geometry& g = a.geometry;
        const std::uint32_t from = ((x + y + z) & 1u) * g.colour_sites + g.plane * z + g.half * y + x / 2,
                            directions = g.depth == 1 ? 2 : 3;
        return ~__ldg(a.absent + 4 * ((std::size_t{column} * directions + axis) * g.sites + from) + word);
    }
};

template <bool Absent>
__device__ __forceinline__ void make_move(const HoudayerArgs& a, std::int64_t task, uint2* memory) {
    const Geometry& g = a.geometry;
    const HoudayerTasks& tasks = a.tasks;
    const auto word = static_cast<std::uint32_t>(task % 4);
    const auto slot = static_cast<std::uint32_t>(task / 4 % tasks.slots);
    const auto pair = static_cast<std::uint32_t>(task / 4 / tasks.slots % tasks.pairs);
    const auto column = static_cast<std::uint32_t>(task / 4 / tasks.slots / tasks.pairs);
    const std::uint32_t first = tasks.first[pair], second = tasks.second[pair];
    const auto lattice = [&](std::uint32_t replica) {
        return a.spins +
               4 * ((std::size_t{column} * a.replicas + replica) * a.temperatures + slot) * g.sites + word;
    };
    std::uint32_t *const one = lattice(first), *const other = lattice(second);
    const HoudayerBlock block(g, memory);
    block.for_each_site(g, [&](std::uint32_t place, std::uint32_t i, auto...) {
        block.site(place) = {one[4 * std::size_t{i}] ^ other[4 * std::size_t{i}], 0u};
    });
    block.clear_gaps();
    __syncthreads();
    const auto lane = [&] {
        return column_bits * (std::size_t{column} * a.temperatures + slot) + 32 * word + threadIdx.x % 32;
    };
    if (threadIdx.x < 32) {
        const std::uint32_t realization = a.first_realization + 128 * column + 32 * word + threadIdx.x,
                            start = houdayer_site(tasks.key, tasks.completed, realization / a.share, first,
                                                  slot, g.sites);
        if (block.begin(start, threadIdx.x)) atomicAdd(tasks.clusters + lane(), 1ull);
    }
    if constexpr (Absent)
        block.grow(PresentInColumn{a, column, word});
    else
        block.grow(AllBondsPresent{});
    if (const int sites = block.count(); sites > 0)
        atomicAdd(tasks.sites + lane(), static_cast<unsigned long long>(sites));
    block.for_each_site(g, [&](std::uint32_t place, std::uint32_t i, auto...) {
        const std::uint32_t cluster = block.site(place).y;
        if (cluster == 0) return;
        one[4 * std::size_t{i}] ^= cluster;
        other[4 * std::size_t{i}] ^= cluster;
    });
    __syncthreads();
}

template <bool Absent, bool Shared>
__global__ void __launch_bounds__(max_houdayer_threads, Shared&& Absent ? 4 : 0)
    houdayer_moves(const __grid_constant__ HoudayerArgs a) {
    a.tasks.for_each_task<Shared>(
        [&a](std::int64_t task, uint2* memory) { make_move<Absent>(a, task, memory); });
}

template <bool Shared>
auto* kernel_of(bool absent) {
    return absent ? houdayer_moves<true, Shared> : houdayer_moves<false, Shared>;
}

}  // namespace

DeviceHoudayer::DeviceHoudayer(const SweepArgs& args, int share, std::int64_t columns,
                               const std::uint32_t* absent, int device, cudaStream_t stream)
    : share_(share),
      columns_(columns),
      absent_(absent),
      memory_(args.geometry, device, kernel_of<true>(absent)),
      counts_(column_bits * static_cast<std::size_t>(columns) * args.temperatures, stream) {}

void DeviceHoudayer::move(const SweepArgs& args, const HoudayerMove& move, cudaStream_t stream) {
    const std::int64_t tasks = columns_ * move.slots * std::ssize(move.pairs) * 4;
    const HoudayerArgs a{.geometry = args.geometry,
                         .tasks = memory_.tasks(move, args.seed, tasks, counts_),
                         .spins = reinterpret_cast<std::uint32_t*>(args.spins),
                         .absent = absent_,
                         .replicas = args.replicas,
                         .temperatures = args.temperatures,
                         .share = static_cast<std::uint32_t>(share_),
                         .first_realization = args.first_realization};
    memory_.launch(kernel_of<true>(absent_), kernel_of<false>(absent_), a, stream);
}

HoudayerCounts DeviceHoudayer::counts(const Shape& shape, cudaStream_t stream) const {
    return counts_.download(
        shape.realizations, shape.temperatures, stream, [&](std::int64_t r, std::int64_t slot) {
            return (r / column_bits * shape.temperatures + slot) * column_bits + r % column_bits;
        });
}

}  // namespace psflip
