#pragma once

// Kernels of the double checkerboard of a lattice whose subdomains are lanes. One launch updates all tiles of
// one colour, each several times in shared memory.
//
//   device memory --tile and one layer around it, lanes moved where it wraps--> shared memory
//   hits x both colours: two digits --undecided words--> queue of the warp --flips--> shared memory
//   shared memory --tile--> device memory
//
// Random numbers do not depend on spins. So a thread draws the first digits of its next numbers while its
// warp decides undecided words and while it waits for the other warps of the block.
// A block has a tile of local indices, so it has a tile in each of the 128 subdomains. A thread updates four,
// two or one 32-lane words of a red site and of a black site. A flip takes the operations of
// sites_streaming_cuda.cu. All hits together read and write device memory once.

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/cuda_check.cuh"
#include "sweep/sites/site_column_cuda.cuh"
#include "sweep/sites/site_leftovers_cuda.cuh"
#include "sweep/sites/site_tile_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"
#include "sweep/sites/split_barrier_cuda.cuh"

namespace psflip {

/// Returns the maximum number of threads of a block whose threads have `words` words each.
constexpr unsigned max_tile_threads(int words) {
    return words == 1 ? 512 : words == 2 ? 256 : 128;
}

/// Holds the arrays in shared memory.
struct TileMemory {
    uint4* spins;
    uint4* couplings;        ///< (direction, word), in the order of the spins
    uint4* left;             ///< queues of TileLeftovers
    uint4* rounds;           ///< (hit modulo 2, digit, word): WordRounds
    std::uint64_t* updates;  ///< SplitBarrier
};

/// Returns the number of 128-lane words of a tile with the layer around it.
inline std::size_t tile_words(int dimension, int tile) {
    const std::size_t edge = static_cast<std::size_t>(tile) + 2;
    return dimension == 3 ? edge * edge * edge : edge * edge;
}
/// Returns the number of 32-lane words of a colour in a tile.
inline unsigned colour_words(int dimension, int tile) {
    return static_cast<unsigned>(tile_words(dimension, tile - 2)) * lane_words / 2;
}
/// Returns the number of threads of a block whose threads have `words` words each.
inline unsigned tile_threads(int dimension, int tile, int words) {
    return std::clamp(colour_words(dimension, tile) / words, 32u, max_tile_threads(words));
}
/// Returns the bytes of shared memory of a block.
inline std::size_t tile_bytes(int dimension, int tile, int words, bool glass) {
    return 16 * tile_words(dimension, tile) * (glass ? 1 + dimension : 1) +
           16 * words * tile_threads(dimension, tile, words) + 16 * 2 * all_digits * lane_words + 8;
}

/// Returns the arrays of a block in its shared memory.
template <int Dimension, bool Glass, int Words>
__device__ __forceinline__ TileMemory tile_memory(uint4* memory, const Tile<Dimension>& tile) {
    TileMemory m;
    m.spins = memory;
    m.couplings = m.spins + 2 * tile.half;
    m.left = m.couplings + (Glass ? Dimension * 2 * tile.half : 0);
    m.rounds = m.left + Words * blockDim.x;
    m.updates = reinterpret_cast<std::uint64_t*>(m.rounds + 2 * all_digits * lane_words);
    return m;
}

/// Sets the rounds of a hit for all digits. Each of the first 32 threads of the block sets one.
template <class Lattice>
__device__ __forceinline__ void set_rounds(const Lattice& a, const TileMemory& m, std::uint32_t hit,
                                           std::uint64_t sweep) {
    static_assert(all_digits * lane_words == 32);
    if (threadIdx.x >= 32) return;
    const std::uint32_t digit = threadIdx.x / lane_words, w = threadIdx.x % lane_words;
    const WordRounds r = WordRounds::of(a.seed, sweep, a.slot, a.replica, digit, w);
    m.rounds[(hit & 1) * 32 + threadIdx.x] = {r.c0, r.c2, r.c3, 0};
}
/// Returns the rounds of a digit of a 32-lane word. of_hit: the rounds of the hit.
__device__ __forceinline__ WordRounds rounds_of(const uint4* of_hit, std::uint32_t digit,
                                                std::uint32_t word) {
    const uint4 v = of_hit[digit * lane_words + word];
    return {v.x, v.y, v.z};
}

/// Describes the words of a site of the tile that a thread updates. Indices in shared memory count vectors of
/// `Words` 32-lane words.
template <int Words>
struct TileSite {
    static constexpr std::uint32_t vectors = lane_words / Words;
    std::uint32_t own, right;   ///< index of the site, and of the neighbour at +x
    std::uint32_t other;        ///< index of the site's place in the other colour
    std::uint32_t local_index;  ///< local index in the subdomain
    LocalRounds numbers;

    /// i: vectors * (site in the tile) + (vector of the site).
    template <int Dimension, class Lattice>
    __device__ __forceinline__ TileSite(const Lattice& a, const Tile<Dimension>& tile, std::uint32_t i,
                                        std::uint32_t colour)
        : numbers(a, place(a, tile, i, colour)) {}

  private:
    /// Sets the indices, and returns local_index.
    template <int Dimension, class Lattice>
    __device__ __forceinline__ std::uint32_t place(const Lattice& a, const Tile<Dimension>& tile,
                                                   std::uint32_t i, std::uint32_t colour) {
        std::uint32_t at[3];
        tile.site(i / vectors, colour, at);
        const int x = static_cast<int>(at[0]), y = static_cast<int>(at[1]), z = static_cast<int>(at[2]);
        own = kept(vectors * tile.word(colour, x, y, z) + i % vectors);
        other = kept(colour ? own - vectors * tile.half : own + vectors * tile.half);
        right = kept(vectors * tile.word(colour ^ 1, x + 1, y, z) + i % vectors);
        const std::uint32_t row = at[1] + tile.origin[1] + a.ny * (at[2] + tile.origin[2]);
        return local_index = kept(2 * row * a.row_words + at[0] + tile.origin[0]);
    }
};

template <int Words>
__device__ __forceinline__ LocalWords<Words> vector_of(const uint4* array, std::uint32_t at) {
    return words_of_vector<Words>(reinterpret_cast<const WordVector<Words>*>(array)[at]);
}

/// Loads the neighbours of a site in the order +x, -x, +y, ..., and with Glass the bonds. The array of
/// couplings has a bond at the site from which it leads one step up.
template <int Dimension, bool Glass, int Words>
__device__ __forceinline__ void load_near(const Tile<Dimension>& tile, const TileMemory& m,
                                          const TileSite<Words>& site, Near<2 * Dimension, Words>& near,
                                          Near<2 * Dimension, Words>& bond) {
    constexpr std::uint32_t vectors = lane_words / Words;
    const std::uint32_t half = vectors * tile.half, other = site.other, row = vectors * tile.row,
                        plane = vectors * tile.plane;
    const std::uint32_t at[6] = {site.right,  site.right - vectors, other + row,
                                 other - row, other + plane,        other - plane};
#pragma unroll
    for (int k = 0; k < 2 * Dimension; ++k) {
        near.of[k] = vector_of<Words>(m.spins, at[k]);
        if constexpr (Glass)
            bond.of[k] = vector_of<Words>(m.couplings, k / 2 * 2 * half + (k % 2 == 0 ? site.own : at[k]));
    }
}

/// Says which words a thread has in every update.
template <int Words>
struct TileWork {
    std::uint32_t first_word;     ///< first word of the thread, in a local index
    bool valid;                   ///< the thread has words; otherwise it reads the words of thread 0
    std::uint32_t active[Words];  ///< lanes in which the tile is updated

    template <int Dimension>
    __device__ __forceinline__ TileWork(const TileLaunch& launch, const Tile<Dimension>& tile)
        : first_word(threadIdx.x * Words % lane_words), valid(threadIdx.x * Words < tile.own_words()) {
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            const std::uint32_t odd = launch.odd.word[first_word + w];
            active[w] = kept(!valid ? 0 : tile.other ? odd : ~odd);
        }
    }
};

/// Holds the first digits of the random numbers of a thread's words.
template <int Words>
using TileNumbers = RandomBlock[full_digits][Words];

/// Holds the rounds of a digit of a thread's words. of_hit: the rounds of the hit.
template <int Words>
struct DigitOfWords {
    WordRounds of[Words];

    __device__ __forceinline__ DigitOfWords(const uint4* of_hit, std::uint32_t first_word, int digit) {
#pragma unroll
        for (int w = 0; w < Words; ++w) of[w] = rounds_of(of_hit, digit, first_word + w);
    }
    /// Draws the digit for a site.
    template <class Lattice>
    __device__ __forceinline__ void draw(const Lattice& a, const TileSite<Words>& site,
                                         RandomBlock (&numbers)[Words]) const {
        draw_planes(site.numbers, of, {a.seed}, numbers);
    }
};

/// Updates a site in one hit, and draws the numbers of the next update, `next` in hit `next_hit`, if there is
/// one. All threads of the block must call it.
template <int Dimension, bool Glass, int Words, class Lattice>
__device__ __forceinline__ void update_site(const Lattice& a, const Tile<Dimension>& tile,
                                            const TileMemory& m, const TileWork<Words>& work,
                                            const TileSite<Words>& site, const TileSite<Words>& next,
                                            std::uint32_t hit, std::uint32_t next_hit, bool more,
                                            SplitBarrier& barrier, TileNumbers<Words>& numbers) {
    constexpr int degree = 2 * Dimension;
    const uint4 *rounds = m.rounds + (hit & 1) * 32, *next_rounds = m.rounds + (next_hit & 1) * 32;
    LocalWords<Words> own = vector_of<Words>(m.spins, site.own);
    LaneComparison lanes[Words];
    {
        Near<degree, Words> near, bond;
        load_near<Dimension, Glass, Words>(tile, m, site, near, bond);
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            DeviceWord e[degree];
            unsatisfied<Glass>(own, near, bond, w, e);
            lanes[w].start(e, {work.active[w]});
        }
    }
#pragma unroll
    for (int digit = full_digits - 1; digit >= 0; --digit)
        compare_plain_digit<degree>(a, digit, numbers[digit], lanes);
    auto* const words = reinterpret_cast<std::uint32_t*>(m.spins);
    const DigitOfWords<Words> digit1(next_rounds, work.first_word, 1);
    // One block of instructions, so that draws hide the latency of the queue.
    const auto finish = [&](auto draws_next) {
#pragma unroll
        for (int w = 0; w < Words; ++w) {
            const DeviceWord spin{own.word[w]};
            own.word[w] = choose({work.active[w]}, spin, lanes[w].flipped(spin)).bits;
        }
        if (work.valid) reinterpret_cast<WordVector<Words>*>(m.spins)[site.own] = vector_of_words(own);
        TileLeftovers<degree, Words> leftovers(m.left);
        leftovers.queue(lanes);
        leftovers.decide(a, rounds, words, Words * site.own, site.numbers, [&] {
            if constexpr (draws_next) digit1.draw(a, next, numbers[1]);
        });
        barrier.arrive();
        if constexpr (draws_next)
            DigitOfWords<Words>(next_rounds, work.first_word, 0).draw(a, next, numbers[0]);
    };
    if (more)
        finish(std::true_type{});
    else
        finish(std::false_type{});
    barrier.wait();
}

/// Kernels of a batch have no registers left for numbers and several words while they load the tile.
template <class Lattice>
inline constexpr bool is_of_batch = std::is_base_of_v<BatchLattice, Lattice>;

/// Does all hits. Single: the block has threads for all words of a colour, and they find their two sites
/// once. The caller has set the rounds of the first hit. load: loads the tile.
template <int Dimension, bool Glass, int Words, bool Single, class Lattice, class Load>
__device__ __forceinline__ void update_tile(const Lattice& a, const Tile<Dimension>& tile,
                                            const TileMemory& m, const TileLaunch& launch,
                                            std::uint64_t first_sweep, const Load& load) {
    using Site = TileSite<Words>;
    const TileWork<Words> work(launch, tile);
    SplitBarrier barrier(m.updates);
    TileNumbers<Words> numbers;
    const auto begin = [&](const Site& first) {
        if constexpr (is_of_batch<Lattice>) load();
#pragma unroll
        for (int digit = full_digits - 1; digit >= 0; --digit)
            DigitOfWords<Words>(m.rounds, work.first_word, digit).draw(a, first, numbers[digit]);
        if constexpr (!is_of_batch<Lattice>) load();
        __syncthreads();
    };
    const std::uint32_t mine = work.valid ? threadIdx.x : 0,
                        updates = Single ? 1 : tile.own_words() / Words / blockDim.x;
    Site next(a, tile, mine, launch.first_colour), second(a, tile, mine, launch.first_colour ^ 1);
    begin(next);
#pragma unroll 1
    for (std::uint32_t hit = 0; hit < launch.hits; ++hit) {
        set_rounds(a, m, hit + 1, first_sweep + hit + 1);
#pragma unroll 1
        for (std::uint32_t n = 0; n < 2 * updates; ++n) {
            const Site site = next;
            const bool last = n + 1 == 2 * updates;
            if constexpr (Single) {
                next = second;
                second = site;
            } else {
                const std::uint32_t after = last ? 0 : n + 1, half = after >= updates;
                next =
                    Site(a, tile, (after - half * updates) * blockDim.x + mine, half ^ launch.first_colour);
            }
            update_site<Dimension, Glass>(a, tile, m, work, site, next, hit, hit + last,
                                          !last || hit + 1 < launch.hits, barrier, numbers);
        }
    }
}

/// Updates the tile of a block. All threads of the block must call it.
template <int Dimension, bool Glass, int Words, bool Single, class Lattice>
__device__ __forceinline__ void sweep_tile(const Lattice& a, const Tile<Dimension>& tile,
                                           const TileLaunch& launch, uint4* memory) {
    const std::uint64_t first_sweep =
        launch.of_graph != nullptr ? launch.of_graph->sweep : launch.first_sweep;
    const TileMemory m = tile_memory<Dimension, Glass, Words>(memory, tile);
    constexpr int together = is_of_batch<Lattice> ? 1 : 3;
    set_rounds(a, m, 0, first_sweep);
    __syncthreads();
    update_tile<Dimension, Glass, Words, Single>(a, tile, m, launch, first_sweep, [&] {
        wait_for_end_of_launch_before();
        load_tile<together>(a, tile, a.spins, m.spins);
        if constexpr (Glass)
            for (int d = 0; d < Dimension; ++d)
                load_tile<together>(a, tile, a.couplings + 2 * static_cast<std::size_t>(d) * a.colour_words,
                                    m.couplings + d * 2 * tile.half);
    });
    let_next_launch_start();
    store_tile(a, tile, m.spins);
}

constexpr unsigned blocks_at_once(int words) {
    return words == 4 ? 4 : words == 2 ? 3 : 2;
}

template <int Dimension, bool Glass, int Words, bool Single>
__global__ void __launch_bounds__(max_tile_threads(Words), blocks_at_once(Words))
    sites_tiled(const __grid_constant__ SitesArgs a, const __grid_constant__ TileLaunch launch) {
    extern __shared__ uint4 memory[];
    sweep_tile<Dimension, Glass, Words, Single>(a, Tile<Dimension>(launch, blockIdx.x), launch, memory);
}

/// Updates the tiles of a part. A layer of `order` is a layer of tiles across the last axis.
template <int Dimension, bool Glass, bool Single>
__global__ void __launch_bounds__(max_tile_threads(lane_words), blocks_at_once(lane_words))
    sites_tiled_part(const __grid_constant__ PartArgs a, const __grid_constant__ TileLaunch launch,
                     const __grid_constant__ SitesPart part, const __grid_constant__ EndsFirst order) {
    extern __shared__ uint4 memory[];
    const std::uint32_t n = blockIdx.x / order.items, layer = (part.first >> launch.bits) + order.layer(n);
    const Tile<Dimension> tile(launch, layer * order.items + blockIdx.x - n * order.items);
    const BlockEnds ends{part, order, 1};
    ends.await();
    sweep_tile<Dimension, Glass, lane_words, Single>(a, tile, launch, memory);
    send_tile(a, tile, part, memory);
    ends.publish();
}

/// Returns the kernel that Kernels::of<Dimension, Glass, Words, Single>() names, for a tile of this edge.
template <class Kernels, int Dimension, bool Glass, int Words>
auto tile_kernel(int tile) {
    return colour_words(Dimension, tile) > Words * max_tile_threads(Words)
               ? Kernels::template of<Dimension, Glass, Words, false>()
               : Kernels::template of<Dimension, Glass, Words, true>();
}
template <class Kernels, int Dimension, bool Glass>
auto tile_kernel(int tile, int words) {
    return words == 4   ? tile_kernel<Kernels, Dimension, Glass, 4>(tile)
           : words == 2 ? tile_kernel<Kernels, Dimension, Glass, 2>(tile)
                        : tile_kernel<Kernels, Dimension, Glass, 1>(tile);
}
template <class Kernels>
auto tile_kernel(bool glass, int dimension, int tile, int words) {
    if (dimension == 3)
        return glass ? tile_kernel<Kernels, 3, true>(tile, words)
                     : tile_kernel<Kernels, 3, false>(tile, words);
    return glass ? tile_kernel<Kernels, 2, true>(tile, words) : tile_kernel<Kernels, 2, false>(tile, words);
}

/// Returns the parameters of a launch for whole lattices.
inline TileLaunch tile_launch(const SitesShape& args, int dimension, int tile, const LaneBits& odd,
                              const TileColours& colours, std::uint64_t first_sweep, int hits,
                              const StepNumbers* of_graph) {
    const auto edge = static_cast<std::uint32_t>(tile);
    return {first_sweep,
            of_graph,
            colours.tiles,
            static_cast<std::uint32_t>(hits),
            colours.first_sites,
            static_cast<std::uint32_t>(std::countr_zero(edge)),
            {2 * args.row_words / edge, args.ny / edge, dimension == 3 ? args.nz / edge : 1},
            (odd.word[0] | odd.word[1] | odd.word[2] | odd.word[3]) != 0,
            odd};
}

/// Returns the number of tiles of a launch in a layer across the last axis.
inline std::uint32_t tiles_of_layer(const TileLaunch& what, int dimension) {
    return what.tiles[0] / (what.mixed ? 1 : 2) * (dimension == 3 ? what.tiles[1] : 1);
}

/// Launches a kernel whose blocks have a tile each. early: the kernel may start before the previous kernel of
/// the stream has ended. more: further arguments of the kernel.
template <class Args, class... More>
void launch_tiles(void (*kernel)(Args, TileLaunch, More...), const Args& args, const TileLaunch& what,
                  int dimension, int words, dim3 blocks, bool early, cudaStream_t stream,
                  const More&... more) {
    const int tile = 1 << what.bits;
    const std::size_t bytes = tile_bytes(dimension, tile, words, args.couplings != nullptr);
    const dim3 threads(tile_threads(dimension, tile, words));
    PSFLIP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    if (early)
        launch_early(kernel, blocks, threads, bytes, stream, args, what, more...);
    else
        launch(kernel, blocks, threads, bytes, stream, args, what, more...);
}

/// Launches the kernel for the tiles of a part, whose threads have four words.
void launch_tiled_part(const SitesArgs& args, int dimension, const TileLaunch& what, const SitesPart& part,
                       cudaStream_t stream);

}  // namespace psflip
