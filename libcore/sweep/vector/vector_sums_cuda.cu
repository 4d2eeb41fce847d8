#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {
namespace {

constexpr int sum_threads = 256, sites_of_sum_thread = 16;
constexpr unsigned max_states = 65535;  // of a launch

/// Number of the sums of one colour: energies, then magnetisations (species, component).
constexpr int sums_of_colour = energy_sums + 6;

/// Adds the sums of all threads of a block. Called by all of them.
template <int count>
__device__ __forceinline__ void add_block(const std::int64_t (&mine)[count], unsigned long long* of_block) {
    if (threadIdx.x < count) of_block[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < count; ++i) {
        std::int64_t sum = mine[i];
        for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
        if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(of_block + i, static_cast<unsigned long long>(sum));
    }
    __syncthreads();
}

template <class T, VectorTerms terms, int N>
__device__ __forceinline__ void add_site(const VectorSweepArgs<T>& args, const VectorUnits& units,
                                         unsigned state, unsigned colour, unsigned i,
                                         std::int64_t (&sums)[sums_of_colour]) {
    const VectorPlace<T, terms, N> place(args.lattices, state, colour, i);
    Spin<T, N> spin[1];
    bool species[1];
    place.read_spins(spin);
    place.read_species(species);
    LocalField<terms, T, N> field[1] = {{args.constants, species[0]}};
    place.add_neighbours(args.constants, true, field);
    const SiteTerms<T> site = site_terms<terms, T, N>(spin[0], field[0], args.constants, species[0]);
    const T energies[] = {site.exchange, site.dm, site.anisotropy, site.field};
    for (int k = 0; k < (terms == VectorTerms::exchange ? 1 : energy_sums); ++k)
        sums[k] += units.energy.of(static_cast<double>(energies[k]));
    for (int k = 0; k < N; ++k) {
        const std::int64_t number = units.magnetisation.of(static_cast<double>(spin[0].c[k]));
        sums[energy_sums + k] += species[0] ? 0 : number;
        if constexpr (terms == VectorTerms::species) sums[energy_sums + 3 + k] += species[0] ? number : 0;
    }
}

template <class T, VectorTerms terms, int N>
__global__ void __launch_bounds__(sum_threads)
    vector_sums_kernel(const __grid_constant__ VectorSweepArgs<T> args,
                       const __grid_constant__ VectorUnits units, unsigned first_state,
                       unsigned long long* sums) {
    __shared__ unsigned long long of_block[sums_of_colour];
    const unsigned state = first_state + blockIdx.y, colour = blockIdx.z;
    std::int64_t mine[sums_of_colour] = {};
    for (unsigned i = args.first_site + blockIdx.x * blockDim.x + threadIdx.x; i < args.end_site;
         i += gridDim.x * blockDim.x)
        add_site<T, terms, N>(args, units, state, colour, i, mine);
    add_block(mine, of_block);
    if (threadIdx.x >= sums_of_colour || of_block[threadIdx.x] == 0) return;
    const unsigned place = threadIdx.x < energy_sums ? threadIdx.x : threadIdx.x + colour * 6;
    atomicAdd(sums + std::size_t{state} * vector_sums + place, of_block[threadIdx.x]);
}

template <class T, VectorTerms terms, int N>
void launch_sums(const VectorSweepArgs<T>& args, const VectorUnits& units, unsigned long long* sums,
                 cudaStream_t stream) {
    const unsigned blocks = blocks_for(args.end_site - args.first_site, sum_threads * sites_of_sum_thread);
    for (unsigned first = 0; first < args.states; first += max_states)
        launch(vector_sums_kernel<T, terms, N>, dim3(blocks, std::min(max_states, args.states - first), 2),
               dim3(sum_threads), 0, stream, args, units, first, sums);
}

}  // namespace

template <class T>
void launch_vector_sums(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                        const VectorUnits& units, unsigned long long* sums, cudaStream_t stream) {
    with_terms(terms, components,
               [&]<VectorTerms known, int N>() { launch_sums<T, known, N>(args, units, sums, stream); });
}

template void launch_vector_sums(const VectorSweepArgs<float>&, VectorTerms, int, const VectorUnits&,
                                 unsigned long long*, cudaStream_t);
template void launch_vector_sums(const VectorSweepArgs<double>&, VectorTerms, int, const VectorUnits&,
                                 unsigned long long*, cudaStream_t);

}  // namespace psflip
