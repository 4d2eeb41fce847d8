// Sums the clusters of large lattices after the kernels of site_clusters_cuda.cu. Kernels add the sites of
// each cluster, and their cosines and sines, at the root of the cluster, one number after the other: first in
// a tile, and then in the lattice. Then they add the squares. For each number, a site needs a write and a
// read of 8 bytes, and a read of 2 bytes.

#include "sweep/clusters/site_cluster_sums_cuda.cuh"

#include <algorithm>
#include <vector>

#include "base/cuda_check.cuh"
#include "sweep/clusters/cluster_labels_cuda.cuh"
#include "sweep/clusters/cluster_tile_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 256, warps = threads / 32;

/// Adds one of the numbers of the sites of a tile (ClusterTask::totals) to the totals at the roots of their
/// clusters. totals: (lattice, site). Sums of a tile fit into 32 bits.
template <int Directions>
__global__ void __launch_bounds__(threads)
    add_totals(const __grid_constant__ TiledBits bits_of_all, const __grid_constant__ FixedFourier fourier,
               unsigned long long* totals, int number) {
    using Of = ClusterTile<Directions>;
    const TiledBits a = bits_of_all.of_block();
    __shared__ std::uint32_t of_labels[Of::sites];
    const Of tile = Of::of_block(a);
    const std::uint16_t* const within = tile.within(a);
    const std::uint32_t lane = threadIdx.x % 32;
    const int axis = (number - 1) / 2, part = (number - 1) % 2;
    totals += blockIdx.y * std::size_t{32} * a.words;
    for (std::uint32_t i = threadIdx.x; i < Of::sites; i += threads) of_labels[i] = 0;
    __syncthreads();
    for (std::uint32_t q = threadIdx.x / 32; q < Of::words; q += warps) {
        const ClusterTileWord<Directions> at(a, tile, q);
        const std::uint32_t label = within[32 * q + lane], before = __shfl_up_sync(~0u, label, 1);
        const bool begins = lane == 0 || label != before;
        const std::uint32_t begin = __ballot_sync(~0u, begins);
        if (begins) {
            const int length = run_length(begin, lane);
            const auto x = static_cast<int>(tile.x0 + 32 * at.wx + lane);
            const std::int64_t added =
                number == 0 ? length
                : axis == 0
                    ? fourier.of_run(x, length, part)
                    : length *
                          fourier.of(static_cast<int>(axis == 1 ? tile.y0 + at.y : tile.z0 + at.z), part);
            atomicAdd(of_labels + label, static_cast<std::uint32_t>(added));
        }
        __syncwarp();
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < Of::sites; i += threads) {
        const auto total = static_cast<std::int32_t>(of_labels[i]);
        if (total != 0)
            atomicAdd(totals + settled_root_of(a.labels, tile.site(a, i)),
                      static_cast<unsigned long long>(std::int64_t{total}));
    }
}

/// Adds the squares of the totals of the lattice blockIdx.y to its sums.
__global__ void __launch_bounds__(threads)
    add_squares(const unsigned long long* totals, std::uint64_t sites, int number, ClusterSums* sums) {
    totals += blockIdx.y * sites;
    SquareSum own;
    for (std::uint64_t i = blockIdx.x * std::uint64_t{threads} + threadIdx.x; i < sites;
         i += gridDim.x * std::uint64_t{threads})
        own.add_square(static_cast<long long>(totals[i]));
    ClusterSums& of = sums[blockIdx.y];
    add_of_warp(number == 0 ? of.size : of.modes, own);
}

/// Sums the clusters of `count` lattices. Leaves the totals of the last number.
template <int Directions>
void sum_lattices(const TiledBits& bits, std::uint32_t count, const FixedFourier& fourier,
                  DeviceBuffer<unsigned long long>& totals, ClusterSums* sums, cudaStream_t stream) {
    const std::uint64_t sites = std::uint64_t{32} * bits.words;
    for (int number = 0; number < 1 + 2 * Directions; ++number) {
        PSFLIP_CUDA(cudaMemsetAsync(totals.data(), 0, count * sites * sizeof(unsigned long long), stream));
        launch(add_totals<Directions>, dim3(bits.words / ClusterTile<Directions>::words, count),
               dim3(threads), 0, stream, bits, fourier, totals.data(), number);
        launch(add_squares, dim3(blocks_for(static_cast<std::int64_t>(sites), 16 * threads), count),
               dim3(threads), 0, stream, totals.data(), sites, number, sums);
    }
}

}  // namespace

void SiteClusterSums::find(const SiteLanes& lanes, std::uint32_t at_once, const TiledBits& bits,
                           std::uint32_t count, ClusterSums* sums, cudaStream_t stream) {
    if (sums_.size() == 0) {
        const auto table = fixed_fourier_table(lanes.L);
        fourier_ = {table.size(), "Fourier table"};
        fourier_.upload(table, stream);
        totals_ = {static_cast<std::size_t>(lanes.sites()) * at_once, "totals of clusters"};
        sums_ = {at_once, "sums of clusters"};
    }
    const FixedFourier fourier{fourier_.data(), lanes.L};
    sums_.zero(stream);
    if (lanes.dimension == 2)
        sum_lattices<2>(bits, count, fourier, totals_, sums_.data(), stream);
    else
        sum_lattices<3>(bits, count, fourier, totals_, sums_.data(), stream);
    std::vector<ClusterSums> found(sums_.size());
    sums_.download(found, stream);
    std::copy_n(found.begin(), count, sums);
}

}  // namespace psflip
