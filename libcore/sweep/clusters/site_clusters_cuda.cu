// Cluster updates of large lattices on a GPU. blockIdx.y counts lattices that are updated at once. Bits of
// sites are in rows along x, 32 sites in a word; lanes are moved there and back once for many steps. A step
// has these kernels:
//
// 1. label_tiles: a block draws the bonds of a tile and finds the clusters within the tile, in shared memory.
//    Runs of sites along x get their label by bit operations. Bonds along y and z join runs, unless the bond
//    to the left joins the same two runs.
// 2. join_tiles: bonds between tiles join labels of tiles in device memory.
// 3. set_spins: a block finds the roots of the labels of its tile, and sets the spins of all its sites.
//
// So device memory has two bytes for each site, and four bytes that are touched only for labels of tiles.

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "sweep/clusters/cluster_labels_cuda.cuh"
#include "sweep/clusters/cluster_tile_cuda.cuh"
#include "sweep/clusters/site_clusters_cuda.cuh"
#include "word/device_word_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 256, warps = threads / 32, max_threads = 1024;

/// Says which lattices of a batch are updated, from number `first` on.
struct SiteClusterBatch {
    uint4* spins;                ///< (place, word)
    const std::uint32_t* place;  ///< (number); null: the only lattice has place 0
    std::uint32_t first, replicas, slots;
    ClusterStep step;  ///< of number 0
    RoundKeys keys;
    std::uint32_t thresholds[max_temperatures];

    __device__ std::uint32_t slot() const { return (first + blockIdx.y) % slots; }
    /// Returns the step of the lattice blockIdx.y.
    __device__ ClusterStep of_block() const {
        const std::uint32_t pair = (first + blockIdx.y) / slots;
        ClusterStep of = step;
        of.slot += slot();
        of.replica += pair % replicas;
        of.realization += pair / replicas;
        return of;
    }
};

/// Says where the words of lanes are.
struct LaneWords {
    SiteLanes lanes;
    std::uint32_t pieces;  ///< of 32 sites in a row of a subdomain
};

/// Moves spins between words of lanes and rows of bits. A warp moves up to 32 sites of a row in 32
/// subdomains.
template <bool ToLanes>
__global__ void __launch_bounds__(threads)
    move_spins(const __grid_constant__ LaneWords from, const __grid_constant__ SiteClusterBatch lattices,
               const __grid_constant__ TiledBits bits_of_all) {
    const TiledBits a = bits_of_all.of_block();
    const SiteLanes& lanes = from.lanes;
    const std::size_t place = lattices.place ? __ldg(lattices.place + lattices.first + blockIdx.y) : 0;
    auto* const words = reinterpret_cast<std::uint32_t*>(lattices.spins) +
                        place * lane_words * static_cast<std::size_t>(lanes.local_indices());
    const std::uint32_t lane = threadIdx.x % 32, task = blockIdx.x * warps + threadIdx.x / 32,
                        w = task % lane_words, piece = task / lane_words % from.pieces,
                        row = task / lane_words / from.pieces,
                        ex = static_cast<std::uint32_t>(lanes.extent[0]),
                        ey = static_cast<std::uint32_t>(lanes.extent[1]),
                        ez = static_cast<std::uint32_t>(lanes.extent[2]);
    if (row >= ey * ez) return;
    const std::uint32_t z = row / ey, y = row - z * ey, x = 32 * piece + lane, colour = (x + y + z) & 1u;
    const std::size_t at =
        lane_words * (colour * static_cast<std::size_t>(lanes.colour_indices()) +
                      std::size_t{row} * static_cast<std::uint32_t>(lanes.row_words()) + x / 2) +
        w;
    const auto sx = static_cast<std::uint32_t>(lanes.subdomains[0]),
               sy = static_cast<std::uint32_t>(lanes.subdomains[1]);
    const std::uint32_t subdomain = 32 * w + lane, bx = subdomain % sx, by = subdomain / sx % sy,
                        bz = subdomain / sx / sy;
    const std::size_t site =
        bx * ex + 32 * piece + std::size_t{a.L} * (by * ey + y + std::size_t{a.L} * (bz * ez + z));
    auto* const bytes = reinterpret_cast<std::uint8_t*>(a.spins) + site / 8;
    const std::uint32_t rest = ex - 32 * piece;  // sites of the row from this piece on, a multiple of 8
    const bool aligned = ex % 32 == 0;
    if constexpr (ToLanes) {
        std::uint32_t bits = 0;
        if (aligned)
            bits = *reinterpret_cast<const std::uint32_t*>(bytes);
        else
            for (std::uint32_t k = 0; k < 4 && 8 * k < rest; ++k) bits |= std::uint32_t{bytes[k]} << 8 * k;
        bits = transposed(bits, lane);
        if (x < ex) words[at] = bits;
    } else {
        const std::uint32_t bits = transposed(x < ex ? words[at] : 0u, lane);
        if (aligned)
            *reinterpret_cast<std::uint32_t*>(bytes) = bits;
        else
            for (std::uint32_t k = 0; k < 4 && 8 * k < rest; ++k)
                bytes[k] = static_cast<std::uint8_t>(bits >> 8 * k);
    }
}

/// Draws the bonds of a tile and finds the clusters within the tile.
template <int Directions>
__global__ void __launch_bounds__(max_threads, blocks_together)
    label_tiles(const __grid_constant__ TiledBits bits_of_all,
                const __grid_constant__ SiteClusterBatch lattices) {
    using Of = ClusterTile<Directions>;
    __shared__ std::uint32_t labels[Of::sites];
    __shared__ std::uint32_t bonds[Directions + 1][Of::words];  // and new spins
    __shared__ ClusterTileSpins<Directions> spins;
    __shared__ std::uint16_t rings[max_threads / 32][WarpQueue<std::uint16_t>::size];
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32,
                        threshold = lattices.thresholds[lattices.slot()];
    const TiledBits a = bits_of_all.of_block();
    const ClusterSource source(lattices.of_block(), lattices.keys);
    const Of tile = Of::of_block(a);
    spins.load(a, tile);
    __syncthreads();
    for (std::uint32_t q = warp; q < Of::words; q += warps) {
        const ClusterTileWord<Directions> at(a, tile, q);
        const std::uint32_t* const near = spins.word + ClusterTileSpins<Directions>::index(q);
        const std::uint32_t own = near[0];
        std::uint32_t equal[Directions];
        equal[0] = ~(own ^ (own >> 1 | near[1] << 31));
        equal[1] = ~(own ^ near[ClusterTileSpins<Directions>::row]);
        if constexpr (Directions == 3) equal[2] = ~(own ^ near[ClusterTileSpins<Directions>::plane]);
        const RandomBlock numbers = source.draw(32 * at.word + lane);
#pragma unroll
        for (int d = 0; d < Directions; ++d)
            equal[d] &= __ballot_sync(~0u, is_bond_active(numbers, d, threshold));
        const std::uint32_t up = __ballot_sync(~0u, is_new_spin_up(numbers));
        labels[32 * q + lane] = 32 * q + run_start(equal[0], lane);
        if (lane == 0) {
#pragma unroll
            for (int d = 0; d < Directions; ++d) bonds[d][q] = equal[d];
            bonds[Directions][q] = up;
        }
    }
    __syncthreads();
    constexpr std::uint32_t site_bits = Directions == 2 ? 12 : 13;
    static_assert(Of::sites == 1u << site_bits);
    const auto work = [&](std::uint32_t entry) {
        const std::uint32_t site = entry % Of::sites, d = entry >> site_bits;
        join<false>(labels, site, site + (d == 0 ? 1 : d == 1 ? Of::x : Of::x * Of::y));
    };
    WarpQueue<std::uint16_t> queue{rings[warp], lane};
    for (std::uint32_t q = warp; q < Of::words; q += warps) {
        const std::uint32_t site = 32 * q + lane, along_x = bonds[0][q];
        if (q % Of::row_words + 1 < Of::row_words) queue.add(lane == 31 && along_x >> 31, site, work);
        const auto join_rows = [&](std::uint32_t d, std::uint32_t words) {
            const std::uint32_t active = bonds[d][q], same = (active & along_x & bonds[0][q + words]) << 1;
            queue.add((active & ~same) >> lane & 1, d << site_bits | site, work);
        };
        if (q / Of::row_words % Of::y + 1 < Of::y) join_rows(1, Of::row_words);
        if constexpr (Directions == 3)
            if (q / Of::row_words / Of::y + 1 < Of::z) join_rows(2, Of::row_words * Of::y);
    }
    queue.finish(work);
    for (std::uint32_t q = threadIdx.x; q < Of::words; q += blockDim.x) {
        const ClusterTileWord<Directions> at(a, tile, q);
        a.new_spins()[at.word] = bonds[Directions][q];
        if (at.wx + 1 == Of::row_words) a.bonds(0)[at.word] = bonds[0][q];
        if (at.y + 1 == Of::y) a.bonds(1)[at.word] = bonds[1][q];
        if constexpr (Directions == 3)
            if (at.z + 1 == Of::z) a.bonds(2)[at.word] = bonds[2][q];
    }
    std::uint16_t* const within = kept(tile.within(a));
    std::uint32_t* const global_labels = kept(a.labels);
    __syncthreads();
    for (std::uint32_t q = warp; q < Of::words; q += warps) {
        const std::uint32_t in_tile = 32 * q + lane, root = root_as_label(labels, in_tile);
        within[in_tile] = static_cast<std::uint16_t>(root);
        if (root != in_tile) continue;
        const std::uint32_t site = 32 * ClusterTileWord<Directions>(a, tile, q).word + lane;
        global_labels[site] = site;
    }
}

/// Joins labels of tiles by the bonds in direction blockIdx.z. A warp has neighbouring bonds.
template <int Directions>
__global__ void __launch_bounds__(threads) join_tiles(const __grid_constant__ TiledBits bits_of_all) {
    using Of = ClusterTile<Directions>;
    const TiledBits a = bits_of_all.of_block();
    const std::uint32_t d = blockIdx.z, i = blockIdx.x * threads + threadIdx.x,
                        extent = d == 0   ? Of::x
                                 : d == 1 ? Of::y
                                          : Of::z,
                        length = d == 2 ? a.depth : a.L, width = d == 2 ? a.L : a.depth, first = i % a.L,
                        second = i / a.L % width, last = (i / a.L / width + 1) * extent - 1;
    if (last >= length) return;  // whole warps
    // The faces of tiles have rows along x, but along y if they lie across x.
    const std::uint32_t first_stride = d == 0 ? a.L : 1, second_stride = d == 2 ? a.L : a.L * a.L,
                        stride = d == 0   ? 1
                                 : d == 1 ? a.L
                                          : a.L * a.L,
                        face = first * first_stride + second * second_stride;
    const auto label = [&](std::uint32_t along) { return Of::label_of(a, face + along * stride); };
    const std::uint32_t next = last + 1 == length ? 0 : last + 1, site = face + last * stride;
    const bool active = a.bonds(d)[site / 32] >> site % 32 & 1;
    std::uint32_t low = ~0u, high = ~0u;
    if (active) {
        low = label(last);
        high = label(next);
    }
    const std::uint32_t low_before = __shfl_up_sync(~0u, low, 1), high_before = __shfl_up_sync(~0u, high, 1),
                        active_before = __shfl_up_sync(~0u, active ? 1u : 0u, 1);
    const bool same = threadIdx.x % 32 > 0 && active_before != 0 && low == low_before && high == high_before;
    if (active && !same) join<true>(a.labels, low, high);
}

/// Finds the label of the cluster that a Wolff step flips.
template <int Directions>
__global__ void find_wolff_root(const __grid_constant__ TiledBits bits_of_all,
                                const __grid_constant__ SiteClusterBatch lattices) {
    const TiledBits a = bits_of_all.of_block();
    const std::uint32_t site = wolff_seed(lattices.of_block(), std::uint64_t{32} * a.words);
    *a.wolff_root = root_of(a.labels, ClusterTile<Directions>::label_of(a, site));
}

/// Sets the spins of a tile by the roots of the labels of the tile.
template <int Directions, bool Wolff>
__global__ void __launch_bounds__(max_threads, blocks_together)
    set_spins(const __grid_constant__ TiledBits bits_of_all) {
    using Of = ClusterTile<Directions>;
    const TiledBits a = bits_of_all.of_block();
    __shared__ __align__(16) std::uint16_t within[Of::sites];
    __shared__ std::uint16_t roots[Of::sites];
    __shared__ std::uint32_t of_labels[Of::words], bits[Of::words];  // of_labels: of labels of the tile
    __shared__ std::uint32_t count;
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const Of tile = Of::of_block(a);
    if (threadIdx.x == 0) count = 0;
    for (std::uint32_t q = threadIdx.x; q < Of::words; q += blockDim.x) of_labels[q] = 0;
    __syncthreads();
    constexpr std::uint32_t labels_of_load = sizeof(uint4) / sizeof(std::uint16_t);
    const auto* const from = reinterpret_cast<const uint4*>(tile.within(a));
    for (std::uint32_t i = threadIdx.x; i < Of::sites / labels_of_load; i += blockDim.x) {
        const uint4 loaded = from[i];
        reinterpret_cast<uint4*>(within)[i] = loaded;
        const std::uint32_t words[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
        std::uint32_t all[labels_of_load], found = 0, first = 0;
#pragma unroll
        for (std::uint32_t k = 0; k < labels_of_load; ++k) {
            const std::uint32_t label = words[k / 2] >> 16 * (k % 2) & 0xFFFFu;
            all[k] = __ballot_sync(~0u, label == labels_of_load * i + k);
            found += static_cast<std::uint32_t>(__popc(all[k]));
        }
        if (lane == 0) first = atomicAdd(&count, found);
        first = __shfl_sync(~0u, first, 0);
#pragma unroll
        for (std::uint32_t k = 0; k < labels_of_load; ++k) {
            if (all[k] >> lane & 1)
                roots[first + static_cast<std::uint32_t>(__popc(all[k] & ((1u << lane) - 1)))] =
                    static_cast<std::uint16_t>(labels_of_load * i + k);
            first += static_cast<std::uint32_t>(__popc(all[k]));
        }
    }
    __syncthreads();
    const std::uint32_t wolff_root = Wolff ? *a.wolff_root : 0;
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        const std::uint32_t label = roots[i], root = settled_root_of(a.labels, tile.site(a, label));
        const bool set = Wolff ? root == wolff_root : a.new_spins()[root / 32] >> root % 32 & 1;
        if (set) atomicOr(of_labels + label / 32, 1u << label % 32);
    }
    __syncthreads();
    for (std::uint32_t q = warp; q < Of::words; q += warps) {
        const std::uint32_t label = within[32 * q + lane],
                            found = __ballot_sync(~0u, of_labels[label / 32] >> label % 32 & 1);
        if (lane == 0) bits[q] = found;
    }
    __syncthreads();
    for (std::uint32_t q = threadIdx.x; q < Of::words; q += blockDim.x) {
        std::uint32_t& word = a.spins[ClusterTileWord<Directions>(a, tile, q).word];
        word = Wolff ? word ^ bits[q] : bits[q];
    }
}

template <int Directions>
void update_lattices(const TiledBits& bits, const SiteClusterBatch& lattices, std::uint32_t count, bool wolff,
                     unsigned multiprocessors, cudaStream_t stream) {
    using Of = ClusterTile<Directions>;
    const dim3 tiles(bits.words / Of::words, count), block(threads);
    // Few tiles get many threads. More threads would not fit into a multiprocessor with 8 tiles (4 in three
    // dimensions).
    const unsigned of_tile = 2048 * multiprocessors / std::max(1u, tiles.x * tiles.y),
                   smallest_tile = Directions == 2 ? 256 : 512;
    const dim3 tile(of_tile >= 1024 ? 1024 : of_tile >= 512 ? 512 : smallest_tile);
    const std::uint32_t smallest = Directions == 2 ? Of::x : Of::y;  // extent that has the most bonds
    launch(label_tiles<Directions>, tiles, tile, 0, stream, bits, lattices);
    launch(join_tiles<Directions>,
           dim3(blocks_for(std::int64_t{32} * bits.words / smallest, threads), count, Directions), block, 0,
           stream, bits);
    if (!wolff) return launch(set_spins<Directions, false>, tiles, tile, 0, stream, bits);
    launch(find_wolff_root<Directions>, dim3(1, count), dim3(1), 0, stream, bits, lattices);
    launch(set_spins<Directions, true>, tiles, tile, 0, stream, bits);
}

/// Returns the number of lattices that are updated at once. This many sites fill a device.
std::uint32_t lattices_at_once(const SiteLanes& lanes, std::uint32_t lattices) {
    constexpr std::int64_t filling_sites = std::int64_t{1} << 24;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(filling_sites / lanes.sites(), 1, std::min(lattices, 65535u)));
}

}  // namespace

SiteClusters::SiteClusters(const SiteLanes& lanes, std::uint32_t lattices, bool wolff, int device)
    : lanes_(lanes),
      multiprocessors_(static_cast<unsigned>(cuda_multiprocessors(device))),
      at_once_(lattices_at_once(lanes, lattices)),
      bits_(static_cast<std::size_t>(lanes.sites()) / 32 * static_cast<unsigned>(lanes.dimension + 2) *
                at_once_,
            "bits of clusters"),
      within_(static_cast<std::size_t>(lanes.sites()) * at_once_, "labels of clusters in tiles"),
      labels_(static_cast<std::size_t>(lanes.sites()) * at_once_, "labels of clusters"),
      wolff_root_(at_once_, "labels of Wolff clusters") {
    if (!wolff) sums_.emplace(lanes, at_once_, device);
}

void SiteClusters::update(const BatchArgs& batch, const ClusterStep& first, std::uint32_t lattices,
                          std::int64_t steps, ClusterSums* sums, cudaStream_t stream) const {
    if (steps == 0) return;
    const TiledBits bits{.L = static_cast<std::uint32_t>(lanes_.L),
                         .depth = static_cast<std::uint32_t>(lanes_.dimension == 3 ? lanes_.L : 1),
                         .words = static_cast<std::uint32_t>(lanes_.sites() / 32),
                         .spins = bits_.data(),
                         .within = within_.data(),
                         .labels = labels_.data(),
                         .wolff_root = wolff_root_.data()};
    SiteClusterBatch some{
        batch.spins, batch.place, 0, batch.replicas, batch.slots, first, RoundKeys::of(first.key), {}};
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
        some.thresholds[slot] = batch.thresholds[slot][0];
    const auto pieces = static_cast<std::uint32_t>((lanes_.extent[0] + 31) / 32);
    const LaneWords words{lanes_, pieces};
    const unsigned moves = blocks_for(lanes_.rows() * pieces * lane_words, warps);
    for (; some.first < lattices; some.first += at_once_) {
        const std::uint32_t count = std::min(at_once_, lattices - some.first);
        const dim3 grid(moves, count), block(threads);
        launch(move_spins<false>, grid, block, 0, stream, words, some, bits);
        some.step.step = first.step;
        for (std::int64_t i = 0; i < steps; ++i, ++some.step.step)
            if (lanes_.dimension == 2)
                update_lattices<2>(bits, some, count, !sums_, multiprocessors_, stream);
            else
                update_lattices<3>(bits, some, count, !sums_, multiprocessors_, stream);
        launch(move_spins<true>, grid, block, 0, stream, words, some, bits);
        if (sums && sums_) sums_->find(bits, count, sums + some.first, stream);
    }
}

}  // namespace psflip
