// Sums the clusters of large lattices after the kernels of site_clusters_cuda.cu. Passes add numbers of
// clusters: all five in two dimensions, and those of one axis after the other in three. A pass has these
// kernels:
//
// 1. sum_tiles: a block adds the numbers of the sites of a tile in shared memory, at the labels of the tile.
//    A cluster that does not reach the border of the tile is complete, so its squares are added at once.
//    The numbers of other clusters are stored, with the roots of the clusters.
// 2. choose_places: one of the stored clusters with the same root becomes the place of their totals. The
//    label of the root then names it. Only the first pass needs this kernel.
// 3. join_totals: the stored numbers are added at these places. Warps first add the numbers of a large
//    cluster, so that few additions to the same address are left.
// 4. add_squares: the squares of the totals are added.
//
// All numbers are integers, so the order of additions has no effect. A site needs a read of 2 bytes in a
// pass.

#include "sweep/clusters/site_cluster_sums_cuda.cuh"

#include <algorithm>
#include <vector>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "sweep/clusters/cluster_labels_cuda.cuh"
#include "sweep/clusters/cluster_tile_cuda.cuh"

namespace psflip {
namespace {

constexpr unsigned max_tile_threads = 1024, threads = 256, warps = threads / 32;

/// The largest number of totals of a cluster in one pass.
constexpr int max_numbers(int directions) {
    return directions == 2 ? 5 : 3;
}

/// Returns the arrays of the lattice blockIdx.y.
template <int Directions>
__device__ BorderClusters of_lattice(const TiledBits& a, const BorderClusters& all) {
    using Of = ClusterTile<Directions>;
    const std::size_t tile = blockIdx.y * std::size_t{a.words / Of::words}, cluster = tile * Of::border;
    return {all.tiles + tile, all.root + cluster, all.totals + cluster * max_numbers(Directions)};
}

/// Returns the sum over all lanes of a warp. All lanes of the warp must call it.
template <class Integer>
__device__ __forceinline__ Integer sum_of_warp(Integer own) {
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_xor_sync(~0u, own, distance);
    return own;
}

/// Returns the numbers of one axis or of the size that a run of sites of a row along x adds to its cluster.
__device__ __forceinline__ std::int32_t number_of_run(const FixedFourier& fourier, int number, int length,
                                                      int x, int y, int z) {
    const int axis = (number - 1) / 2, part = (number - 1) % 2;
    return static_cast<std::int32_t>(number == 0 ? length
                                     : axis == 0 ? fourier.of_run(x, length, part)
                                                 : length * fourier.of(axis == 1 ? y : z, part));
}

/// Adds the numbers First, ..., First + Count - 1 of the clusters of a tile: number 0 is the size, and the
/// others are the real and the imaginary part of F_C along each axis. Numbers of a tile fit into 32 bits, and
/// their squares into 64 bits. Shared memory has Count numbers for each site, and a WarpQueue for each warp.
template <int Directions, int First, int Count>
__global__ void __launch_bounds__(max_tile_threads)
    sum_tiles(const __grid_constant__ TiledBits bits_of_all, const __grid_constant__ FixedFourier fourier,
              const __grid_constant__ BorderClusters of_all) {
    using Of = ClusterTile<Directions>;
    extern __shared__ __align__(16) std::int32_t numbers[];  // (number, label)
    __shared__ std::uint32_t at_border[Of::words];           // bits of labels
    __shared__ std::uint16_t before[Of::words];              // set bits of the words before
    __shared__ std::uint32_t clusters, largest;              // as in TileSums; largest: below its size
    __shared__ unsigned long long size_squares, mode_squares;
    const TiledBits a = bits_of_all.of_block();
    const Of tile = Of::of_block(a);
    const BorderClusters borders = of_lattice<Directions>(a, of_all);
    const std::uint16_t* const within = tile.within(a);
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, all_warps = blockDim.x / 32;
    for (std::uint32_t i = threadIdx.x; i < Count * Of::sites / 4; i += blockDim.x)
        reinterpret_cast<int4*>(numbers)[i] = {};
    for (std::uint32_t q = threadIdx.x; q < Of::words; q += blockDim.x) at_border[q] = 0;
    if (threadIdx.x == 0) largest = 0, size_squares = mode_squares = 0;
    __syncthreads();
    for (std::uint32_t q = warp; q < Of::words; q += all_warps) {
        const ClusterTileWord<Directions> at(a, tile, q);
        const std::uint32_t label = within[32 * q + lane], left = __shfl_up_sync(~0u, label, 1);
        const bool begins = lane == 0 || label != left;
        const std::uint32_t begin = __ballot_sync(~0u, begins);
        if (begins) {
            const int length = run_length(begin, lane), x = static_cast<int>(tile.x0 + 32 * at.wx + lane),
                      y = static_cast<int>(tile.y0 + at.y), z = static_cast<int>(tile.z0 + at.z);
#pragma unroll
            for (int i = 0; i < Count; ++i)
                atomicAdd(numbers + i * Of::sites + label,
                          number_of_run(fourier, First + i, length, x, y, z));
            if (at.is_border(lane, lane + static_cast<std::uint32_t>(length) - 1))
                atomicOr(at_border + label / 32, 1u << label % 32);
        }
        __syncwarp();
    }
    __syncthreads();
    if (warp == 0) {
        constexpr std::uint32_t each = Of::words / 32;
        std::uint32_t own = 0;
        for (std::uint32_t k = 0; k < each; ++k)
            own += static_cast<std::uint32_t>(__popc(at_border[each * lane + k]));
        std::uint32_t sum = own;  // of the lanes up to this one
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const std::uint32_t lower = __shfl_up_sync(~0u, sum, distance);
            if (lane >= distance) sum += lower;
        }
        if (lane == 31) clusters = sum;
        sum -= own;
        for (std::uint32_t k = 0; k < each; ++k) {
            before[each * lane + k] = static_cast<std::uint16_t>(sum);
            sum += static_cast<std::uint32_t>(__popc(at_border[each * lane + k]));
        }
    }
    __syncthreads();
    const std::size_t first_cluster = blockIdx.x * std::size_t{Of::border};
    unsigned long long own_size = 0, own_modes = 0;
    constexpr std::uint32_t cluster_bits = 12;
    static_assert(Of::border <= 1u << cluster_bits);
    const auto work = [&](std::uint32_t label) {
        const std::uint32_t word = at_border[label / 32];
        if (word >> label % 32 & 1) {
            const std::uint32_t cluster =
                before[label / 32] + static_cast<std::uint32_t>(__popc(word & ((1u << label % 32) - 1)));
            const std::size_t to = first_cluster + cluster;
#pragma unroll
            for (int i = 0; i < Count; ++i) borders.totals[to * Count + i] = numbers[i * Of::sites + label];
            if (First != 0) return;
            borders.root[to] = settled_root_of(a.labels, tile.site(a, label));
            atomicMax(&largest, static_cast<std::uint32_t>(numbers[label]) << cluster_bits | cluster);
        } else {
#pragma unroll
            for (int i = 0; i < Count; ++i) {
                const std::int64_t number = numbers[i * Of::sites + label];
                (First + i == 0 ? own_size : own_modes) += static_cast<unsigned long long>(number * number);
            }
        }
    };
    auto* const rings = reinterpret_cast<std::uint16_t*>(numbers + Count * Of::sites);
    WarpQueue<std::uint16_t> queue{rings + warp * WarpQueue<std::uint16_t>::size, lane};
    for (std::uint32_t q = warp; q < Of::words; q += all_warps) {
        const std::uint32_t in_tile = 32 * q + lane;
        queue.add(within[in_tile] == in_tile, in_tile, work);
    }
    queue.finish(work);
    own_size = sum_of_warp(own_size);
    own_modes = sum_of_warp(own_modes);
    if (lane == 0) {
        if (First == 0) atomicAdd(&size_squares, own_size);
        atomicAdd(&mode_squares, own_modes);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    TileSums& sums = borders.tiles[blockIdx.x];
    if (First == 0) {
        sums = {clusters, largest % (1u << cluster_bits), size_squares, mode_squares};
    } else {
        sums.modes = mode_squares;
    }
}

/// Calls use(cluster) for the stored clusters of all tiles of a lattice, whose numbers count from the first
/// tile on. A warp has the clusters of a tile.
template <int Directions, class Use>
__device__ __forceinline__ void for_each_border_cluster(const TiledBits& a, const BorderClusters& borders,
                                                        const Use& use) {
    using Of = ClusterTile<Directions>;
    const std::uint32_t tiles = a.words / Of::words;
    for (std::uint32_t tile = blockIdx.x * warps + threadIdx.x / 32; tile < tiles; tile += gridDim.x * warps)
        for (std::uint32_t i = threadIdx.x % 32; i < borders.tiles[tile].clusters; i += 32)
            use(tile * Of::border + i);
}

template <int Directions>
__global__ void __launch_bounds__(threads) choose_places(const __grid_constant__ TiledBits bits_of_all,
                                                         const __grid_constant__ BorderClusters of_all) {
    const TiledBits a = bits_of_all.of_block();
    const BorderClusters borders = of_lattice<Directions>(a, of_all);
    for_each_border_cluster<Directions>(
        a, borders, [&](std::uint32_t cluster) { a.labels[borders.root[cluster]] = cluster; });
}

/// Returns the place of a large cluster: of those that are largest in 32 tiles, the most frequent one. All
/// lanes of the warp must call it.
template <int Directions>
__device__ __forceinline__ std::uint32_t place_of_large_cluster(const TiledBits& a,
                                                                const BorderClusters& borders) {
    using Of = ClusterTile<Directions>;
    const std::uint32_t lane = threadIdx.x % 32, tiles = a.words / Of::words,
                        tile = static_cast<std::uint32_t>(std::uint64_t{tiles} * lane / 32),
                        place = a.labels[borders.root[tile * Of::border + borders.tiles[tile].largest]];
    auto most = 32 * static_cast<std::uint32_t>(__popc(__match_any_sync(~0u, place))) + lane;
    for (int distance = 16; distance > 0; distance /= 2)
        most = max(most, __shfl_xor_sync(~0u, most, distance));
    return __shfl_sync(~0u, place, static_cast<int>(most % 32));
}

template <int Directions, int Count>
__global__ void __launch_bounds__(threads) join_totals(const __grid_constant__ TiledBits bits_of_all,
                                                       const __grid_constant__ BorderClusters of_all) {
    const TiledBits a = bits_of_all.of_block();
    const BorderClusters borders = of_lattice<Directions>(a, of_all);
    const std::uint32_t large = place_of_large_cluster<Directions>(a, borders);
    const auto add = [&](std::uint32_t place, int i, long long number) {
        atomicAdd(reinterpret_cast<unsigned long long*>(borders.totals + std::size_t{place} * Count + i),
                  static_cast<unsigned long long>(number));
    };
    long long of_large[Count] = {};
    for_each_border_cluster<Directions>(a, borders, [&](std::uint32_t cluster) {
        const std::uint32_t place = a.labels[borders.root[cluster]];
        if (place == cluster) return;
#pragma unroll
        for (int i = 0; i < Count; ++i) {
            const long long number = borders.totals[std::size_t{cluster} * Count + i];
            if (place == large)
                of_large[i] += number;
            else
                add(place, i, number);
        }
    });
#pragma unroll
    for (int i = 0; i < Count; ++i) {
        const long long number = sum_of_warp(of_large[i]);
        if (threadIdx.x % 32 == 0 && number != 0) add(large, i, number);
    }
}

/// Adds the squares of totals, and of the tiles, to the sums of the lattice blockIdx.y.
template <int Directions, int First, int Count>
__global__ void __launch_bounds__(threads)
    add_squares(const __grid_constant__ TiledBits bits_of_all, const __grid_constant__ BorderClusters of_all,
                ClusterSums* sums) {
    const TiledBits a = bits_of_all.of_block();
    const BorderClusters borders = of_lattice<Directions>(a, of_all);
    SquareSum size, modes;
    for_each_border_cluster<Directions>(a, borders, [&](std::uint32_t cluster) {
        if (a.labels[borders.root[cluster]] != cluster) return;
#pragma unroll
        for (int i = 0; i < Count; ++i)
            (First + i == 0 ? size : modes).add_square(borders.totals[std::size_t{cluster} * Count + i]);
    });
    const std::uint32_t tiles = a.words / ClusterTile<Directions>::words;
    for (std::uint32_t tile = blockIdx.x * threads + threadIdx.x; tile < tiles; tile += gridDim.x * threads) {
        const TileSums& of = borders.tiles[tile];
        if (First == 0) size.add(of.size & 0xFFFFFFFFu, of.size >> 32);
        modes.add(of.modes & 0xFFFFFFFFu, of.modes >> 32);
    }
    if (First == 0) add_of_warp(sums[blockIdx.y].size, size);
    add_of_warp(sums[blockIdx.y].modes, modes);
}

/// Returns the numbers of tiles and of possible clusters at their borders.
std::size_t tiles_of(const SiteLanes& lanes) {
    return static_cast<std::size_t>(lanes.sites()) /
           (lanes.dimension == 2 ? ClusterTile<2>::sites : ClusterTile<3>::sites);
}
std::size_t border_clusters_of(const SiteLanes& lanes) {
    return tiles_of(lanes) * (lanes.dimension == 2 ? ClusterTile<2>::border : ClusterTile<3>::border);
}

}  // namespace

SiteClusterSums::SiteClusterSums(const SiteLanes& lanes, std::uint32_t at_once, int device)
    : L_(lanes.L),
      dimension_(lanes.dimension),
      blocks_(2 * static_cast<unsigned>(cuda_multiprocessors(device))),
      tiles_(tiles_of(lanes) * at_once, "sums of clusters in tiles"),
      root_(border_clusters_of(lanes) * at_once, "roots of clusters"),
      totals_(border_clusters_of(lanes) * at_once * max_numbers(lanes.dimension), "totals of clusters"),
      sums_(at_once, "sums of clusters") {
    PSFLIP_CUDA(cudaDeviceGetAttribute(&available_, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const auto table = fixed_fourier_table(L_);
    fourier_ = {table.size(), "Fourier table"};
    fourier_.upload(table, cudaStream_t{});
}

template <int Directions, int First, int Count>
void SiteClusterSums::add(const TiledBits& bits, std::uint32_t count, cudaStream_t stream) {
    using Of = ClusterTile<Directions>;
    const BorderClusters borders{tiles_.data(), root_.data(), totals_.data()};
    const unsigned tiles = bits.words / Of::words;
    const dim3 grid(std::min(blocks_, (tiles + warps - 1) / warps), count), block(threads);
    const auto sum = sum_tiles<Directions, First, Count>;
    const auto bytes = [](unsigned tile_threads) {
        return 4 * Count * Of::sites + tile_threads / 32 * 2 * WarpQueue<std::uint16_t>::size;
    };
    cudaFuncAttributes kernel{};
    PSFLIP_CUDA(cudaFuncGetAttributes(&kernel, sum));
    const unsigned most = bytes(max_tile_threads) + static_cast<unsigned>(kernel.sharedSizeBytes),
                   tile_threads = most <= static_cast<unsigned>(available_) ? max_tile_threads : threads;
    PSFLIP_CUDA(cudaFuncSetAttribute(sum, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(bytes(tile_threads))));
    launch(sum, dim3(tiles, count), dim3(tile_threads), bytes(tile_threads), stream, bits,
           FixedFourier{fourier_.data(), L_}, borders);
    if (First == 0) launch(choose_places<Directions>, grid, block, 0, stream, bits, borders);
    launch(join_totals<Directions, Count>, grid, block, 0, stream, bits, borders);
    launch(add_squares<Directions, First, Count>, grid, block, 0, stream, bits, borders, sums_.data());
}

void SiteClusterSums::find(const TiledBits& bits, std::uint32_t count, ClusterSums* sums,
                           cudaStream_t stream) {
    sums_.zero(stream);
    if (dimension_ == 2) {
        add<2, 0, 5>(bits, count, stream);
    } else {
        add<3, 0, 3>(bits, count, stream);
        add<3, 3, 2>(bits, count, stream);
        add<3, 5, 2>(bits, count, stream);
    }
    std::vector<ClusterSums> found(sums_.size());
    sums_.download(found, stream);
    std::copy_n(found.begin(), count, sums);
}

}  // namespace psflip
