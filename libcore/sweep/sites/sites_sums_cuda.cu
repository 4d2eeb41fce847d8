// Sums over a lattice whose subdomains are lanes: one thread for a red site of all subdomains at a time, 24
// bytes read per 128 spins of the lattice (with couplings 40 in two dimensions, 48 in three).

#include <algorithm>

#include "base/cuda_check.cuh"
#include "sweep/sites/site_column_cuda.cuh"
#include "sweep/sites/sites_cuda.cuh"

namespace psflip {
namespace {

constexpr int threads = 256;

/// Adds the numbers of all threads of the block to a sum.
__device__ __forceinline__ void add_to(unsigned long long* sum, unsigned long long number) {
    for (int lanes = 16; lanes > 0; lanes /= 2) number += __shfl_down_sync(~0u, number, lanes);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, number);
}

/// Adds bonds of red sites number begin, ..., end - 1, and spins there. All threads call.
template <int Degree, bool Glass, class Lattice>
__device__ __forceinline__ void add_sums(const Lattice& a, std::uint32_t begin, std::uint32_t end,
                                         unsigned long long* sums) {
    unsigned long long bad = 0, up = 0;
    for (std::uint32_t i = begin + blockIdx.x * threads + threadIdx.x; i < end; i += gridDim.x * threads) {
        const std::uint32_t row = i / a.row_words, y = row % a.ny;
        const Column<4, Lattice> column{a, 0, i % a.row_words, row / a.ny, 0};
        Near<Degree, 4> near, bond;
        near.of[0] = column.here(a.spins, y);
        near.of[1] = column.beside(a.spins, y);
        near.of[2] = column.above(a.spins, y);
        near.of[3] = column.below(a.spins, y);
        load_across(column, a.spins, y, near);
        if constexpr (Glass) bond = load_bonds<Degree>(column, y);
        const LocalWords<4> own = column.own(a.spins, y);
#pragma unroll
        for (int w = 0; w < lane_words; ++w) {
            DeviceWord e[Degree];
            unsatisfied<Glass>(own, near, bond, w, e);
            int count = 0;
#pragma unroll
            for (int k = 0; k < Degree; ++k) count += __popc(e[k].bits);
            bad += static_cast<unsigned>(count);
            up += static_cast<unsigned>(__popc(own.word[w]) + __popc(near.of[0].word[w]));
        }
    }
    __shared__ unsigned long long of_block[2];
    if (threadIdx.x < 2) of_block[threadIdx.x] = 0;
    __syncthreads();
    add_to(of_block, bad);
    add_to(of_block + 1, up);
    __syncthreads();
    if (threadIdx.x < 2) atomicAdd(sums + threadIdx.x, of_block[threadIdx.x]);
}

template <int Degree, bool Glass>
__global__ void __launch_bounds__(threads)
    sites_sums(const __grid_constant__ SitesArgs a, unsigned long long* sums) {
    add_sums<Degree, Glass>(a, 0, a.colour_words, sums);
}

template <int Degree, bool Glass>
__global__ void __launch_bounds__(threads)
    sites_sums_part(const __grid_constant__ SitesArgs a, unsigned long long* sums, std::uint32_t begin,
                    std::uint32_t end) {
    add_sums<Degree, Glass>(a, begin, end, sums);
}

template <int Degree, bool Glass>
__global__ void __launch_bounds__(threads)
    sites_sums_batch(const __grid_constant__ BatchArgs batch, unsigned long long* sums) {
    const BatchLattice a(batch);
    add_sums<Degree, Glass>(a, 0, a.colour_words, sums + 2 * blockIdx.y);
}

}  // namespace

void launch_sites_sums(const SitesArgs& args, int dimension, const SitesPart* part, unsigned long long* sums,
                       cudaStream_t stream) {
    const bool glass = args.couplings != nullptr;
    const auto blocks = [](long long words) { return dim3(std::min(4096u, blocks_for(words, threads))); };
    if (part) {
        const std::uint32_t plane = plane_words(args, dimension), begin = plane * part->first,
                            words = plane * part->planes;
        return launch(with_degree(2 * dimension, glass,
                                  [&]<int Degree, bool Glass>() { return sites_sums_part<Degree, Glass>; }),
                      blocks(words), dim3(threads), 0, stream, args, sums, begin, begin + words);
    }
    launch(with_degree(2 * dimension, glass,
                       [&]<int Degree, bool Glass>() { return sites_sums<Degree, Glass>; }),
           blocks(args.colour_words), dim3(threads), 0, stream, args, sums);
}

void launch_batch_sums(const BatchArgs& batch, int dimension, std::uint32_t lattices,
                       unsigned long long* sums, cudaStream_t stream) {
    const auto kernel = with_degree(2 * dimension, batch.couplings != nullptr, [&]<int Degree, bool Glass>() {
        return sites_sums_batch<Degree, Glass>;
    });
    launch(kernel, dim3(std::min(4096u, blocks_for(batch.colour_words, threads)), lattices), dim3(threads), 0,
           stream, batch, sums);
}

}  // namespace psflip
