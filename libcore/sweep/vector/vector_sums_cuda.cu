#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {
namespace {

constexpr int sum_threads = 256;
constexpr unsigned most_states = 65535;  // of a launch

/// Adds the numbers of all threads of a block to a sum. By all threads.
__device__ __forceinline__ void add_block(unsigned long long* sum, std::int64_t mine,
                                          unsigned long long& of_block) {
    for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_down_sync(~0u, mine, lanes);
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(&of_block, static_cast<unsigned long long>(mine));
    __syncthreads();
    if (threadIdx.x == 0 && of_block != 0) atomicAdd(sum, of_block);
    __syncthreads();
}

template <class T, VectorTerms terms, int N>
__global__ void __launch_bounds__(sum_threads)
    vector_sums_kernel(const __grid_constant__ VectorSweepArgs<T> args,
                       const __grid_constant__ VectorUnits units, unsigned first_state,
                       unsigned long long* sums) {
    __shared__ unsigned long long of_block;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = first_state + blockIdx.y;
    const unsigned colour = blockIdx.z;
    const bool works = i < args.lattices.geometry.colour_sites;
    bool species = false;
    Spin<T, N> spin{};
    SiteTerms<T> site{};
    if (works) {
        const VectorPlace<T, terms, N> place(args.lattices, state, colour, i);
        spin = place.spin(), species = place.species();
        site = site_terms<terms, T, N>(spin, place.field(args.constants, true), args.constants, species);
    }
    unsigned long long* to = sums + std::size_t{state} * vector_sums;
    const T energies[] = {site.exchange, site.dm, site.anisotropy, site.field};
    for (int k = 0; k < energy_sums; ++k)
        add_block(to + k, works ? units.energy.of(static_cast<double>(energies[k])) : 0, of_block);
    for (int b = 0; b < (terms == VectorTerms::species ? 2 : 1); ++b)
        for (int k = 0; k < N; ++k) {
            const bool counts = works && species == (b == 1);
            add_block(to + energy_sums + (colour * 2 + b) * 3 + k,
                      counts ? units.magnetisation.of(static_cast<double>(spin.c[k])) : 0, of_block);
        }
}

template <class T, VectorTerms terms, int N>
void launch_sums(const VectorSweepArgs<T>& args, const VectorUnits& units, unsigned long long* sums,
                 cudaStream_t stream) {
    const unsigned blocks = blocks_for(args.lattices.geometry.colour_sites, sum_threads);
    for (unsigned first = 0; first < args.states; first += most_states)
        launch(vector_sums_kernel<T, terms, N>, dim3(blocks, std::min(most_states, args.states - first), 2),
               dim3(sum_threads), 0, stream, args, units, first, sums);
}

}  // namespace

template <class T>
void launch_vector_sums(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                        const VectorUnits& units, unsigned long long* sums, cudaStream_t stream) {
    if (components == 1) return launch_sums<T, VectorTerms::bonds, 1>(args, units, sums, stream);
    switch (terms) {
        case VectorTerms::exchange:
            return launch_sums<T, VectorTerms::exchange, 3>(args, units, sums, stream);
        case VectorTerms::species:
            return launch_sums<T, VectorTerms::species, 3>(args, units, sums, stream);
        case VectorTerms::bonds:
            return launch_sums<T, VectorTerms::bonds, 3>(args, units, sums, stream);
    }
}

template void launch_vector_sums(const VectorSweepArgs<float>&, VectorTerms, int, const VectorUnits&,
                                 unsigned long long*, cudaStream_t);
template void launch_vector_sums(const VectorSweepArgs<double>&, VectorTerms, int, const VectorUnits&,
                                 unsigned long long*, cudaStream_t);

}  // namespace psflip
