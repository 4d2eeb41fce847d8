// Houdayer moves on a GPU. A block makes the move of 32 realizations of one pair of replicas at one
// temperature. It holds the sites that differ and the clusters as 32-bit words in shared memory, or in device
// memory if they do not fit.
//
// Clusters of all lanes grow at once along lines. A thread takes a line, up and down, and lets each site join
// that differs and has a neighbour in the cluster on this line. The block takes lines along x, y and z in
// turn until no site joins. A site of a line takes two loads each way, and a store if lanes join.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/cuda/houdayer_cuda.cuh"

namespace psflip {

namespace {

constexpr int max_pairs = max_replicas / 2;

struct HoudayerArgs {
    Geometry geometry;
    std::uint32_t* spins;         ///< 32-bit words (column, replica, slot, site, word)
    const std::uint32_t* absent;  ///< (column, direction, site, word); null: no bond is absent
    std::uint32_t replicas, temperatures, slots, pairs, share, first_realization;
    std::uint8_t first[max_pairs], second[max_pairs];
    std::uint64_t key;
    std::int64_t completed;
    std::int64_t tasks;     ///< (column, pair, slot, word)
    std::uint32_t* memory;  ///< of all blocks; null: shared memory
    std::size_t block_words;
};

/// Finds the words of a block by coordinates. Rows along x have one word more than sites, so that lines along
/// x use all banks.
struct HoudayerBlock {
    const HoudayerArgs& a;
    std::uint32_t L, depth, column, word;
    std::uint32_t *differs, *cluster;

    __device__ std::uint32_t place(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        return x + (L + 1) * (y + L * z);
    }
    /// Returns the index of a site in memory.
    __device__ std::uint32_t site(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        const Geometry& g = a.geometry;
        return ((x + y + z) & 1u) * g.colour_sites + g.plane * z + g.half * y + x / 2;
    }
    /// Calls use(place, site) for all sites, in turn by thread.
    template <class Use>
    __device__ void for_each_site(const Use& use) const {
        const std::uint32_t half = a.geometry.half;
        for (std::uint32_t i = threadIdx.x; i < a.geometry.sites; i += blockDim.x) {
            const std::uint32_t colour = i >= a.geometry.colour_sites,
                                in_colour = i - colour * a.geometry.colour_sites, row = in_colour / half,
                                h = in_colour - row * half, z = row / L, y = row - z * L;
            use(place(2 * h + ((colour + y + z) & 1u), y, z), i);
        }
    }
    /// Lets sites of a line join the cluster. start: place of the first site; stride: distance of places.
    /// x, y, z: of the first site; axis: along which the line runs.
    template <bool Absent>
    __device__ bool close(std::uint32_t start, std::uint32_t stride, std::uint32_t length, unsigned axis,
                          std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
        const auto present = [&](std::uint32_t i) {
            if constexpr (!Absent) return ~0u;
            const std::uint32_t from = site(axis == 0 ? i : x, axis == 1 ? i : y, axis == 2 ? i : z);
            const std::uint32_t directions = depth == 1 ? 2 : 3;
            return ~__ldg(a.absent +
                          4 * ((std::size_t{column} * directions + axis) * a.geometry.sites + from) + word);
        };
        std::uint32_t joined = 0;
        std::uint32_t carry = cluster[start + (length - 1) * stride] & present(length - 1);
        for (std::uint32_t i = 0, at = start; i < length; ++i, at += stride) {
            const std::uint32_t old = cluster[at], now = old | (differs[at] & carry);
            if (now != old) cluster[at] = now;
            joined |= now ^ old;
            carry = now & present(i);
        }
        carry = cluster[start];
        for (std::uint32_t i = length, at = start + (length - 1) * stride; i-- > 0; at -= stride) {
            const std::uint32_t old = cluster[at], now = old | (differs[at] & carry & present(i));
            if (now != old) cluster[at] = now;
            joined |= now ^ old;
            carry = now;
        }
        return joined != 0;
    }
    template <bool Absent>
    __device__ bool close_lines(unsigned axis) const {
        const std::uint32_t lines = L * (axis == 2 ? L : depth);
        bool joined = false;
        for (std::uint32_t i = threadIdx.x; i < lines; i += blockDim.x) {
            const std::uint32_t second = i / L, first = i - second * L, x = axis == 0 ? 0 : first,
                                y = axis == 0   ? first
                                    : axis == 1 ? 0
                                                : second,
                                z = axis == 2 ? 0 : second;
            const std::uint32_t stride = axis == 0 ? 1 : axis == 1 ? L + 1 : (L + 1) * L;
            joined |= close<Absent>(place(x, y, z), stride, axis == 2 ? depth : L, axis, x, y, z);
        }
        return joined;
    }
};

template <bool Absent>
__device__ void make_move(const HoudayerArgs& a, std::int64_t task, std::uint32_t* memory) {
    const Geometry& g = a.geometry;
    const auto word = static_cast<std::uint32_t>(task % 4);
    const auto slot = static_cast<std::uint32_t>(task / 4 % a.slots);
    const auto pair = static_cast<std::uint32_t>(task / 4 / a.slots % a.pairs);
    const auto column = static_cast<std::uint32_t>(task / 4 / a.slots / a.pairs);
    const std::uint32_t first = a.first[pair], second = a.second[pair];
    const auto lattice = [&](std::uint32_t replica) {
        return a.spins +
               4 * ((std::size_t{column} * a.replicas + replica) * a.temperatures + slot) * g.sites + word;
    };
    std::uint32_t *const one = lattice(first), *const other = lattice(second);
    const HoudayerBlock block{a, g.L, g.depth, column, word, memory, memory + a.block_words / 2};
    block.for_each_site([&](std::uint32_t place, std::uint32_t site) {
        block.differs[place] = one[4 * std::size_t{site}] ^ other[4 * std::size_t{site}];
        block.cluster[place] = 0;
    });
    __syncthreads();
    if (threadIdx.x < 32) {
        const std::uint32_t realization = a.first_realization + 128 * column + 32 * word + threadIdx.x,
                            start = houdayer_site(a.key, a.completed, realization / a.share, first, slot,
                                                  g.sites),
                            z = start / (g.L * g.L), y = start / g.L % g.L;
        const std::uint32_t place = block.place(start % g.L, y, z);
        atomicOr(block.cluster + place, block.differs[place] & 1u << threadIdx.x);
    }
    __syncthreads();
    bool joined = true;
    while (joined) {
        joined = block.close_lines<Absent>(0);
        __syncthreads();
        joined |= block.close_lines<Absent>(1);
        __syncthreads();
        if (g.depth > 1) joined |= block.close_lines<Absent>(2);
        joined = __syncthreads_or(joined) != 0;
    }
    block.for_each_site([&](std::uint32_t place, std::uint32_t site) {
        const std::uint32_t cluster = block.cluster[place];
        if (cluster == 0) return;
        one[4 * std::size_t{site}] ^= cluster;
        other[4 * std::size_t{site}] ^= cluster;
    });
    __syncthreads();
}

/// Blocks take one task after the other.
template <bool Absent>
__global__ void __launch_bounds__(512) move_clusters(const __grid_constant__ HoudayerArgs a) {
    extern __shared__ std::uint32_t shared[];
    std::uint32_t* const memory = a.memory ? a.memory + blockIdx.x * a.block_words : shared;
    for (std::int64_t task = blockIdx.x; task < a.tasks; task += gridDim.x)
        make_move<Absent>(a, task, memory);
}

}  // namespace

DeviceHoudayer::DeviceHoudayer(const SweepArgs& args, int share, std::int64_t columns,
                               const std::uint32_t* absent, int device)
    : share_(share), columns_(columns), absent_(absent) {
    const Geometry& g = args.geometry;
    block_words_ = 2 * std::size_t{g.L + 1} * g.L * g.depth;
    int multiprocessors = 0, available = 0;
    PSFLIP_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&available, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool fits = sizeof(std::uint32_t) * block_words_ <= static_cast<std::size_t>(available);
    shared_bytes_ = fits ? sizeof(std::uint32_t) * block_words_ : 0;
    max_blocks_ = 1 << 20;
    if (fits) {
        for (auto* const kernel : {move_clusters<false>, move_clusters<true>})
            PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, available));
        return;
    }
    constexpr std::size_t max_memory_words = std::size_t{1} << 27;
    max_blocks_ = static_cast<int>(std::clamp<std::size_t>(max_memory_words / block_words_, 1,
                                                           2 * static_cast<unsigned>(multiprocessors)));
    memory_ = {block_words_ * static_cast<std::size_t>(max_blocks_), "clusters"};
}

void DeviceHoudayer::move(const SweepArgs& args, const HoudayerMove& move, cudaStream_t stream) {
    const Geometry& g = args.geometry;
    HoudayerArgs a{.geometry = g,
                   .spins = reinterpret_cast<std::uint32_t*>(args.spins),
                   .absent = absent_,
                   .replicas = args.replicas,
                   .temperatures = args.temperatures,
                   .slots = static_cast<std::uint32_t>(move.slots),
                   .pairs = static_cast<std::uint32_t>(move.pairs.size()),
                   .share = static_cast<std::uint32_t>(share_),
                   .first_realization = args.first_realization,
                   .key = args.seed,
                   .completed = move.completed,
                   .tasks = columns_ * move.slots * std::ssize(move.pairs) * 4,
                   .memory = memory_.data(),
                   .block_words = block_words_};
    for (std::size_t i = 0; i < move.pairs.size(); ++i) {
        a.first[i] = static_cast<std::uint8_t>(move.pairs[i].first);
        a.second[i] = static_cast<std::uint8_t>(move.pairs[i].second);
    }
    const auto threads = std::min(512u, (g.L * g.depth + 31) / 32 * 32);
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(a.tasks, max_blocks_));
    launch(absent_ ? move_clusters<true> : move_clusters<false>, dim3(blocks), dim3(threads), shared_bytes_,
           stream, a);
}

}  // namespace psflip
