// Houdayer moves on a GPU. A block makes the move of 128 realizations of one pair of replicas at one
// temperature, or of 64 or 32 of them if 128 need too much shared memory. It holds the sites that differ and
// the clusters as 32-bit words (sweep/cuda/cluster_block_cuda.cuh).

#include <algorithm>

#include "sweep/cuda/houdayer_cuda.cuh"

namespace psflip {

namespace {

constexpr int max_pairs = max_replicas / 2;
constexpr unsigned max_threads = 1024;

struct HoudayerArgs {
    Geometry geometry;
    std::uint32_t* spins;         ///< 32-bit words (column, replica, slot, site, word)
    const std::uint32_t* absent;  ///< (column, direction, site, word); null: no bond is absent
    std::uint32_t replicas, temperatures, slots, pairs, share, first_realization;
    std::uint8_t first[max_pairs], second[max_pairs];
    std::uint64_t key;
    std::int64_t completed;
    std::int64_t tasks;     ///< (column, pair, slot, word / W)
    std::uint32_t* memory;  ///< of all blocks; null: shared memory
    std::size_t block_words;
};

/// Returns the bonds of the words of a column from word `first_word` on.
struct PresentInColumn {
    const HoudayerArgs& a;
    std::uint32_t column, first_word;

    __device__ std::uint32_t operator()(unsigned axis, unsigned x, unsigned y, unsigned z,
                                        unsigned word) const {
        const Geometry& g = a.geometry;
        const std::uint32_t site = ((x + y + z) & 1u) * g.colour_sites + g.plane * z + g.half * y + x / 2,
                            directions = g.depth == 1 ? 2 : 3;
        return ~__ldg(a.absent + 4 * ((std::size_t{column} * directions + axis) * g.sites + site) +
                      first_word + word);
    }
};

/// Words that one instruction reads.
template <unsigned W>
struct alignas(4 * W) WordsOfSite {
    std::uint32_t of[W];
};

template <bool Absent, unsigned W>
__device__ void make_move(const HoudayerArgs& a, std::int64_t task, std::uint32_t* memory) {
    const Geometry& g = a.geometry;
    constexpr unsigned parts = 4 / W;
    const auto first_word = static_cast<std::uint32_t>(task % parts) * W;
    const auto slot = static_cast<std::uint32_t>(task / parts % a.slots);
    const auto pair = static_cast<std::uint32_t>(task / parts / a.slots % a.pairs);
    const auto column = static_cast<std::uint32_t>(task / parts / a.slots / a.pairs);
    const std::uint32_t first = a.first[pair], second = a.second[pair];
    const auto lattice = [&](std::uint32_t replica) {
        std::uint32_t* const words =
            a.spins + 4 * ((std::size_t{column} * a.replicas + replica) * a.temperatures + slot) * g.sites;
        return reinterpret_cast<WordsOfSite<W>*>(words + first_word);
    };
    WordsOfSite<W>*const one = lattice(first), *const other = lattice(second);
    const ClusterBlock<W> block(g.L, g.depth, memory);
    /// Calls use(place, site) for all sites, in turn by thread.
    const auto for_each_site = [&](const auto& use) {
        for (std::uint32_t i = threadIdx.x; i < g.sites; i += blockDim.x) {
            const std::uint32_t colour = i >= g.colour_sites, in_colour = i - colour * g.colour_sites,
                                row = in_colour / g.half, h = in_colour - row * g.half, z = row / g.L,
                                y = row - z * g.L;
            use(block.place(2 * h + ((colour + y + z) & 1u), y, z, 0), std::size_t{parts} * i);
        }
    };
    for_each_site([&](std::uint32_t place, std::size_t site) {
        const WordsOfSite<W> x = one[site], y = other[site];
        for (unsigned word = 0; word < W; ++word) {
            block.differs(place + word) = x.of[word] ^ y.of[word];
            block.cluster(place + word) = 0;
        }
    });
    block.close_all();
    __syncthreads();
    for (unsigned lane = threadIdx.x; lane < 32 * W; lane += blockDim.x) {
        const std::uint32_t realization = a.first_realization + 128 * column + 32 * first_word + lane,
                            start = houdayer_site(a.key, a.completed, realization / a.share, first, slot,
                                                  g.sites);
        block.begin(start % g.L, start / g.L % g.L, start / (g.L * g.L), lane / 32, lane % 32);
    }
    if constexpr (Absent)
        block.grow(PresentInColumn{a, column, first_word});
    else
        block.grow(AllBondsPresent{});
    for_each_site([&](std::uint32_t place, std::size_t site) {
        WordsOfSite<W> x = one[site], y = other[site];
        std::uint32_t any = 0;
        for (unsigned word = 0; word < W; ++word) {
            const std::uint32_t cluster = block.cluster(place + word);
            any |= cluster;
            x.of[word] ^= cluster;
            y.of[word] ^= cluster;
        }
        if (any == 0) return;
        one[site] = x;
        other[site] = y;
    });
    __syncthreads();
}

/// Blocks take one task after the other.
template <bool Absent, unsigned W>
__global__ void __launch_bounds__(max_threads) move_clusters(const __grid_constant__ HoudayerArgs a) {
    extern __shared__ std::uint32_t shared[];
    std::uint32_t* const memory = a.memory ? a.memory + blockIdx.x * a.block_words : shared;
    for (std::int64_t task = blockIdx.x; task < a.tasks; task += gridDim.x)
        make_move<Absent, W>(a, task, memory);
}

/// Calls use<W>() for W = 4, 2, 1 until it returns true.
template <class Use>
void for_words(const Use& use) {
    use.template operator()<4>() || use.template operator()<2>() || use.template operator()<1>();
}

/// Returns the kernel for `words` words at once.
auto* kernel_of(bool absent, unsigned words) {
    auto* kernel = move_clusters<false, 1>;
    for_words([&]<unsigned W>() {
        kernel = absent ? move_clusters<true, W> : move_clusters<false, W>;
        return W == words;
    });
    return kernel;
}

/// Blocks of a multiprocessor for which shared memory must suffice, so that one loads while another grows.
constexpr unsigned min_blocks = 1;

}  // namespace

DeviceHoudayer::DeviceHoudayer(const SweepArgs& args, int share, std::int64_t columns,
                               const std::uint32_t* absent, int device)
    : share_(share), columns_(columns), absent_(absent) {
    const Geometry& g = args.geometry;
    std::size_t block_words = 0;
    for_words([&]<unsigned W>() {
        words_ = W;
        block_words = ClusterBlock<W>::memory_words(g.L, g.depth);
        return ClusterBlockMemory::fits(min_blocks * block_words, device);
    });
    memory_ = {block_words, device};
    ClusterBlockMemory::allow(kernel_of(absent, words_), device);
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
                   .tasks = columns_ * move.slots * std::ssize(move.pairs) * (4 / words_),
                   .memory = memory_.device_memory.data(),
                   .block_words = memory_.block_words};
    for (std::size_t i = 0; i < move.pairs.size(); ++i) {
        a.first[i] = static_cast<std::uint8_t>(move.pairs[i].first);
        a.second[i] = static_cast<std::uint8_t>(move.pairs[i].second);
    }
    const auto threads = std::min(max_threads, (g.L * g.depth * words_ + 31) / 32 * 32);
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(a.tasks, memory_.max_blocks));
    launch(kernel_of(absent_, words_), dim3(blocks), dim3(threads), memory_.shared_bytes, stream, a);
}

}  // namespace psflip
