// Double checkerboard of a lattice whose boxes are lanes: one launch updates all tiles of one colour, each
// several times in shared memory.
//
//   device memory --tile and one layer around it, lanes moved where it wraps--> shared memory
//   hits x (red, black): two digits --undecided words--> queue of the block --flips--> shared memory
//   shared memory --tile--> device memory
//
// A block has a tile of positions, so a tile in each of the 128 boxes; a thread one word of 32 lanes of a
// position at a time. The work per flip is that of sites_streaming_cuda.cu and two barriers for each colour;
// memory counts once for all hits.

#include <algorithm>
#include <bit>

#include "base/cuda_check.cuh"
#include "sweep/sites/site_leftovers_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {
namespace {

constexpr unsigned most_threads = 512;

struct TileLaunch {
    std::uint64_t first_sweep;
    std::uint32_t colour, hits;
    std::uint32_t bits;      ///< log2 of the edge
    std::uint32_t tiles[3];  ///< of a box, along each axis
    bool mixed;              ///< a tile of positions has one colour in some boxes, the other in the rest
    LaneBits odd;            ///< these
};

/// A tile with a layer around it: words by colour, then z, y and half of x, all counted from the layer on.
template <int Dimension>
struct Tile {
    std::uint32_t bits, edge, row, plane, half;  ///< words of 128 lanes in a row, a plane, a colour
    std::uint32_t origin[3];
    bool other;  ///< of the other colour, but in odd boxes

    __device__ __forceinline__ Tile(const TileLaunch& launch) {
        bits = launch.bits;
        edge = (1u << bits) + 2;
        row = edge / 2;
        plane = row * edge;
        half = plane * (Dimension == 3 ? edge : 1);
        const std::uint32_t across = launch.mixed ? launch.tiles[0] : launch.tiles[0] / 2;
        const std::uint32_t i = blockIdx.x / across, ty = i % launch.tiles[1], tz = i / launch.tiles[1];
        std::uint32_t tx = blockIdx.x % across;
        if (!launch.mixed) tx = 2 * tx + ((launch.colour + ty + tz) & 1);
        other = (tx + ty + tz + launch.colour) & 1;
        origin[0] = tx << bits;
        origin[1] = ty << bits;
        origin[2] = tz << bits;
    }
    /// Words of 32 lanes of a colour, without the layer.
    __device__ __forceinline__ std::uint32_t own_words() const {
        return lane_words << (Dimension * bits - 1);
    }
    /// Sites of a colour by number: x, y, z in the tile.
    __device__ __forceinline__ void site(std::uint32_t i, std::uint32_t colour,
                                         std::uint32_t (&at)[3]) const {
        const std::uint32_t mask = (1u << bits) - 1;
        at[1] = i >> (bits - 1) & mask;
        at[2] = Dimension == 3 ? i >> (2 * bits - 1) : 0;
        at[0] = 2 * (i & (mask >> 1)) + ((colour + at[1] + at[2]) & 1);
    }
    /// Where it lies here; x, y, z in the tile may be -1 or the edge.
    __device__ __forceinline__ std::uint32_t word(std::uint32_t colour, int x, int y, int z) const {
        return colour * half + (Dimension == 3 ? (z + 1) * plane : 0) + (y + 1) * row +
               (static_cast<std::uint32_t>(x + 1) >> 1);
    }
};

__device__ __forceinline__ uint4 stepped(const uint4& v, const LaneStep& step, bool forward) {
    const std::uint32_t from[lane_words] = {v.x, v.y, v.z, v.w};
    return {step.word(from, forward, 0), step.word(from, forward, 1), step.word(from, forward, 2),
            step.word(from, forward, 3)};
}

/// Copies an array's words of the tile and, but for edges and corners, the layer around it.
template <int Dimension>
__device__ __forceinline__ void load_tile(const SitesArgs& a, const Tile<Dimension>& tile, const uint4* from,
                                          uint4* to) {
    const int extent[3] = {static_cast<int>(2 * a.row_words), static_cast<int>(a.ny), static_cast<int>(a.nz)};
    for (std::uint32_t i = threadIdx.x; i < 2 * tile.half; i += blockDim.x) {
        const std::uint32_t colour = i >= tile.half, j = i - colour * tile.half, above = j / tile.plane,
                            rest = j - above * tile.plane, yy = rest / tile.row, hh = rest - yy * tile.row;
        const int z = Dimension == 3 ? static_cast<int>(above) - 1 : 0, y = static_cast<int>(yy) - 1,
                  x = static_cast<int>(2 * hh + ((colour + yy + above + (Dimension == 3)) & 1)) - 1;
        int at[3] = {x, y, z}, outside = 0, wrapped = -1;
        bool forward = false;
        const int size = 1 << tile.bits;
#pragma unroll
        for (int d = 0; d < Dimension; ++d) {
            outside += at[d] < 0 || at[d] >= size;
            at[d] += static_cast<int>(tile.origin[d]);
            if (at[d] >= 0 && at[d] < extent[d]) continue;
            wrapped = d;
            forward = at[d] > 0;
            at[d] = forward ? 0 : extent[d] - 1;
        }
        if (outside > 1) continue;
        const std::uint32_t word = colour * a.colour_words + (at[1] + a.ny * at[2]) * a.row_words + at[0] / 2;
        const uint4 v = from[word];
        to[i] = wrapped < 0    ? v
                : wrapped == 0 ? stepped(v, a.step[0], forward)
                : wrapped == 1 ? stepped(v, a.step[1], forward)
                               : stepped(v, a.step[2], forward);
    }
}

template <int Dimension>
__device__ __forceinline__ void store_tile(const SitesArgs& a, const Tile<Dimension>& tile,
                                           const uint4* from) {
    for (std::uint32_t i = threadIdx.x; i < tile.own_words() / 2; i += blockDim.x) {
        const std::uint32_t colour = i >= tile.own_words() / 4;
        std::uint32_t at[3];
        tile.site(colour ? i - tile.own_words() / 4 : i, colour, at);
        const std::uint32_t row = at[1] + tile.origin[1] + a.ny * (at[2] + tile.origin[2]);
        a.spins[colour * a.colour_words + row * a.row_words + (at[0] + tile.origin[0]) / 2] =
            from[tile.word(colour, at[0], at[1], at[2])];
    }
}

/// What lies in shared memory.
struct TileMemory {
    uint4* spins;
    uint4* couplings;  ///< (direction, word) as the spins
    uint4* left;
    uint4* rounds;  ///< (hit modulo 2, digit, word): WordRounds
    std::uint32_t* position;
    std::uint32_t* count;  ///< of leftovers, of two updates in turn
};

inline std::size_t tile_words(int dimension, int tile) {
    const std::size_t edge = static_cast<std::size_t>(tile) + 2;
    return dimension == 3 ? edge * edge * edge : edge * edge;
}
/// Words of 32 lanes of a colour of sites in a tile.
inline unsigned colour_words(int dimension, int tile) {
    return static_cast<unsigned>(tile_words(dimension, tile - 2)) * lane_words / 2;
}
inline unsigned threads_of(int dimension, int tile) {
    return std::clamp(colour_words(dimension, tile), 32u, most_threads);
}
inline std::size_t shared_bytes(int dimension, int tile, bool glass) {
    return 16 * tile_words(dimension, tile) * (glass ? 1 + dimension : 1) + 20 * threads_of(dimension, tile) +
           16 * 2 * full_digits * lane_words + 8;
}

template <int Dimension, bool Glass>
__device__ __forceinline__ TileMemory tile_memory(uint4* memory, const Tile<Dimension>& tile) {
    TileMemory m;
    m.spins = memory;
    m.couplings = m.spins + 2 * tile.half;
    m.left = m.couplings + (Glass ? Dimension * 2 * tile.half : 0);
    m.rounds = m.left + blockDim.x;
    m.position = reinterpret_cast<std::uint32_t*>(m.rounds + 2 * full_digits * lane_words);
    m.count = m.position + blockDim.x;
    return m;
}

/// By the first threads: numbers of a hit.
__device__ __forceinline__ void set_rounds(const SitesArgs& a, const TileMemory& m, std::uint32_t hit,
                                           std::uint64_t sweep) {
    if (threadIdx.x < full_digits * lane_words) {
        const std::uint32_t digit = threadIdx.x / lane_words, w = threadIdx.x % lane_words;
        const WordRounds r = WordRounds::of(a.seed, sweep, a.slot, a.replica, digit, w);
        m.rounds[(hit & 1) * full_digits * lane_words + threadIdx.x] = {r.c0, r.c2, r.c3, 0};
    }
}

/// What a thread updates of a colour: a word of 32 lanes of a site of the tile.
struct TileSite {
    bool valid;
    std::uint32_t active;            ///< lanes in which the tile is at work
    std::uint32_t own, right, left;  ///< words of 32 lanes here: its own, at +x, at -x
    std::uint32_t position;          ///< in the box
    PositionRounds numbers;

    template <int Dimension>
    __device__ __forceinline__ TileSite(const SitesArgs& a, const TileLaunch& launch,
                                        const Tile<Dimension>& tile, std::uint32_t i, std::uint32_t colour)
        : valid(i < tile.own_words()),
          active(!valid       ? 0
                 : tile.other ? launch.odd.word[i % lane_words]
                              : ~launch.odd.word[i % lane_words]),
          position(0),
          numbers(a, place(a, tile, valid ? i : i % lane_words, colour)) {}

  private:
    /// Sets all but the numbers; the position.
    template <int Dimension>
    __device__ __forceinline__ std::uint32_t place(const SitesArgs& a, const Tile<Dimension>& tile,
                                                   std::uint32_t i, std::uint32_t colour) {
        std::uint32_t at[3];
        tile.site(i / lane_words, colour, at);
        const int x = static_cast<int>(at[0]), y = static_cast<int>(at[1]), z = static_cast<int>(at[2]);
        const std::uint32_t w = i % lane_words;
        own = lane_words * tile.word(colour, x, y, z) + w;
        right = lane_words * tile.word(colour ^ 1, x + 1, y, z) + w;
        left = lane_words * tile.word(colour ^ 1, x - 1, y, z) + w;
        const std::uint32_t row = at[1] + tile.origin[1] + a.ny * (at[2] + tile.origin[2]);
        return position = 2 * row * a.row_words + at[0] + tile.origin[0];
    }
};

/// The bonds of a site: bit 1 where unsatisfied.
template <int Dimension, bool Glass>
__device__ __forceinline__ void tile_bonds(const Tile<Dimension>& tile, const TileMemory& m,
                                           const TileSite& site, std::uint32_t colour, DeviceWord spin,
                                           DeviceWord (&e)[2 * Dimension]) {
    const auto* const spins = reinterpret_cast<const std::uint32_t*>(m.spins);
    const auto* const couplings = reinterpret_cast<const std::uint32_t*>(m.couplings);
    const std::uint32_t half = lane_words * tile.half, other = colour ? site.own - half : site.own + half,
                        row = lane_words * tile.row, plane = lane_words * tile.plane;
    const std::uint32_t near[6] = {site.right,  site.left,     other + row,
                                   other - row, other + plane, other - plane};
#pragma unroll
    for (int k = 0; k < 2 * Dimension; ++k) {
        const DeviceWord neighbour{spins[near[k]]};
        if constexpr (Glass)  // bonds belong to the site below
            e[k] = xor3(spin, neighbour,
                        DeviceWord{couplings[k / 2 * 2 * half + (k % 2 == 0 ? site.own : near[k])]});
        else
            e[k] = spin ^ neighbour;
    }
}

/// A site in one sweep; `turn`: number of the update modulo 2. All threads of the block call.
template <int Dimension, bool Glass>
__device__ __forceinline__ void update_site(const SitesArgs& a, const Tile<Dimension>& tile,
                                            const TileMemory& m, const TileSite& site, std::uint32_t turn,
                                            std::uint32_t hit, std::uint64_t sweep, std::uint32_t colour) {
    constexpr int degree = 2 * Dimension;
    auto* const words = reinterpret_cast<std::uint32_t*>(m.spins);
    const BlockLeftovers<degree> leftovers{m.left, m.position, m.count + turn};
    const DeviceWord spin{words[site.own]};
    DeviceWord e[degree];
    tile_bonds<Dimension, Glass>(tile, m, site, colour, spin, e);
    LaneComparison lanes[1];
    lanes[0].start(e, {site.active});
    RandomBlock r[1];
#pragma unroll
    for (int digit = full_digits - 1; digit >= 0; --digit) {
        const uint4 v = m.rounds[((hit & 1) * full_digits + digit) * lane_words + site.own % lane_words];
        const WordRounds rounds[1] = {{v.x, v.y, v.z}};
        draw_planes(site.numbers, rounds, {a.seed}, r);
        compare_plain_digit<degree>(a, digit, r, lanes);
    }
    if (site.valid) words[site.own] = choose({site.active}, spin, lanes[0].flipped(spin)).bits;
    leftovers.add(lanes[0], site.own, site.position);
    __syncthreads();
    leftovers.decide(a, sweep, words);
    if (threadIdx.x == 0) m.count[turn ^ 1] = 0;
    __syncthreads();
}

/// All hits. Single: the block has a thread for every word of a colour, which finds its two sites once.
template <int Dimension, bool Glass, bool Single>
__device__ __forceinline__ void update_tile(const SitesArgs& a, const Tile<Dimension>& tile,
                                            const TileMemory& m, const TileLaunch& launch) {
    const auto update = [&](const TileSite& site, std::uint32_t turn, std::uint32_t hit,
                            std::uint32_t colour) {
        update_site<Dimension, Glass>(a, tile, m, site, turn, hit, launch.first_sweep + hit, colour);
    };
    if constexpr (Single) {
        const TileSite red(a, launch, tile, threadIdx.x, 0), black(a, launch, tile, threadIdx.x, 1);
        for (std::uint32_t hit = 0; hit < launch.hits; ++hit) {
            set_rounds(a, m, hit + 1, launch.first_sweep + hit + 1);
            update(red, 0, hit, 0);
            update(black, 1, hit, 1);
        }
    } else {
        const std::uint32_t rounds = tile.own_words() / blockDim.x;
        for (std::uint32_t hit = 0; hit < launch.hits; ++hit) {
            set_rounds(a, m, hit + 1, launch.first_sweep + hit + 1);
            for (std::uint32_t n = 0; n < 2 * rounds; ++n) {
                const std::uint32_t colour = n >= rounds,
                                    i = (n - colour * rounds) * blockDim.x + threadIdx.x;
                update(TileSite(a, launch, tile, i, colour), n & 1, hit, colour);
            }
        }
    }
}

template <int Dimension, bool Glass, bool Single>
__global__ void __launch_bounds__(most_threads, 2)
    sites_tiled(const __grid_constant__ SitesArgs a, const __grid_constant__ TileLaunch launch) {
    extern __shared__ uint4 memory[];
    const Tile<Dimension> tile(launch);
    const TileMemory m = tile_memory<Dimension, Glass>(memory, tile);
    load_tile(a, tile, a.spins, m.spins);
    if constexpr (Glass)
        for (int d = 0; d < Dimension; ++d)
            load_tile(a, tile, a.couplings + 2 * static_cast<std::size_t>(d) * a.colour_words,
                      m.couplings + d * 2 * tile.half);
    if (threadIdx.x < 2) m.count[threadIdx.x] = 0;
    set_rounds(a, m, 0, launch.first_sweep);
    __syncthreads();
    update_tile<Dimension, Glass, Single>(a, tile, m, launch);
    store_tile(a, tile, m.spins);
}

template <int Dimension, bool Glass>
auto kernel_for(int tile) {
    return colour_words(Dimension, tile) > most_threads ? sites_tiled<Dimension, Glass, false>
                                                        : sites_tiled<Dimension, Glass, true>;
}

}  // namespace

void launch_sites_tiled(const SitesArgs& args, int dimension, int tile, const LaneBits& odd,
                        std::uint32_t colour, std::uint64_t first_sweep, int hits, cudaStream_t stream) {
    const auto edge = static_cast<std::uint32_t>(tile);
    const bool mixed = (odd.word[0] | odd.word[1] | odd.word[2] | odd.word[3]) != 0;
    const TileLaunch what{first_sweep,
                          colour,
                          static_cast<std::uint32_t>(hits),
                          static_cast<std::uint32_t>(std::countr_zero(edge)),
                          {2 * args.row_words / edge, args.ny / edge, dimension == 3 ? args.nz / edge : 1},
                          mixed,
                          odd};
    const bool glass = args.couplings != nullptr;
    const auto kernel = dimension == 3 ? glass ? kernel_for<3, true>(tile) : kernel_for<3, false>(tile)
                        : glass ? kernel_for<2, true>(tile)
                                       : kernel_for<2, false>(tile);
    const std::size_t bytes = shared_bytes(dimension, tile, glass);
    PSFLIP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const unsigned blocks = what.tiles[0] / (mixed ? 1 : 2) * what.tiles[1] * what.tiles[2];
    launch(kernel, dim3(blocks), dim3(threads_of(dimension, tile)), bytes, stream, args, what);
}

}  // namespace psflip
