#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {
namespace {

constexpr unsigned sum_threads = 256;
constexpr unsigned max_states = 65535;                // of a launch
constexpr unsigned sum_blocks_of_multiprocessor = 3;  // that work at once

/// Returns whether sum i of a state (as integer_sums) can differ from 0.
constexpr bool has_sum(VectorTerms terms, int components, int i) {
    if (i < energy_sums)
        return terms == VectorTerms::species || i == 0 ||
               (terms == VectorTerms::bonds && i == energy_sums - 1);
    const int species = (i - energy_sums) / 3 % 2, component = (i - energy_sums) % 3;
    return component < components && (species == 0 || terms == VectorTerms::species);
}

/// Adds the sums of W sites of a colour.
template <class T, VectorTerms terms, int N, int W, unsigned colour>
__device__ __forceinline__ void add_sites(const VectorSweepArgs<T>& args, const VectorUnits& units,
                                          unsigned state, unsigned i, std::int64_t (&sums)[vector_sums]) {
    const VectorPlace<T, terms, N, W> place(args.lattices, state, colour, i);
    Spin<T, N> spins[W];
    bool species[W];
    LocalField<terms, T, N> fields[W];
    place.read_spins(spins);
    place.read_species(species);
    for (int j = 0; j < W; ++j) fields[j] = LocalField<terms, T, N>(args.constants, species[j]);
    place.add_neighbours(args.constants, true, fields);
    for (int j = 0; j < W; ++j) {
        const SiteTerms<T> site = site_terms<terms, T, N>(spins[j], fields[j], args.constants, species[j]);
        const T energies[] = {site.exchange, site.dm, site.anisotropy, site.field};
        for (int k = 0; k < energy_sums; ++k)
            if (has_sum(terms, N, k)) sums[k] += units.energy.of(static_cast<double>(energies[k]));
        for (int k = 0; k < N; ++k) {
            const std::int64_t number = units.magnetisation.of(static_cast<double>(spins[j].c[k]));
            std::int64_t* const sum = sums + energy_sums + 6 * colour + k;
            sum[0] += species[j] ? 0 : number;
            if (terms == VectorTerms::species) sum[3] += species[j] ? number : 0;
        }
    }
}

/// A thread adds W sites of each colour at the same places, so that a block reads its planes once. The last
/// block of a state writes the sums to the host and leaves zeros on the device.
template <class T, VectorTerms terms, int N, int W>
__global__ void __launch_bounds__(sum_threads,
                                  terms == VectorTerms::exchange ? sum_blocks_of_multiprocessor : 1)
    vector_sums_kernel(const __grid_constant__ VectorSweepArgs<T> args,
                       const __grid_constant__ VectorUnits units, unsigned first_state, const SumsMemory to) {
    __shared__ unsigned long long of_block[vector_sums];
    __shared__ bool is_last;
    if (threadIdx.x < vector_sums) of_block[threadIdx.x] = 0;
    __syncthreads();
    const unsigned state = first_state + blockIdx.y;
    std::int64_t mine[vector_sums] = {};
    for (unsigned i = args.first_site + (blockIdx.x * sum_threads + threadIdx.x) * W; i < args.end_site;
         i += gridDim.x * sum_threads * W) {
        add_sites<T, terms, N, W, 0>(args, units, state, i, mine);
        add_sites<T, terms, N, W, 1>(args, units, state, i, mine);
    }
#pragma unroll
    for (int i = 0; i < vector_sums; ++i) {
        if (!has_sum(terms, N, i)) continue;
        std::int64_t sum = mine[i];
        for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0u, sum, lanes);
        if (threadIdx.x % 32 == 0) atomicAdd(of_block + i, static_cast<unsigned long long>(sum));
    }
    __syncthreads();
    unsigned long long* const sums = to.sums + std::size_t{state} * vector_sums;
    if (threadIdx.x < vector_sums && of_block[threadIdx.x] != 0)
        atomicAdd(sums + threadIdx.x, of_block[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(to.blocks_done + state, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x < vector_sums)
        to.on_host[std::size_t{state} * vector_sums + threadIdx.x] = atomicExch(sums + threadIdx.x, 0ull);
}

template <class T, VectorTerms terms, int N, int W>
void launch_sums(const VectorSweepArgs<T>& args, const VectorUnits& units, const SumsMemory& sums,
                 cudaStream_t stream) {
    const unsigned needed = blocks_for((args.end_site - args.first_site) / W, sum_threads),
                   wanted = std::max(sum_blocks_of_multiprocessor * args.multiprocessors / args.states, 1u);
    for (unsigned first = 0; first < args.states; first += max_states) {
        const dim3 grid(std::min(needed, wanted), std::min(max_states, args.states - first));
        const auto kernel = vector_sums_kernel<T, terms, N, W>;
        launch(kernel, grid, dim3(sum_threads), 0, stream, args, units, first, sums);
    }
}

}  // namespace

template <class T>
void launch_vector_sums(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                        const VectorUnits& units, const SumsMemory& sums, cudaStream_t stream) {
    constexpr int W = 16 / sizeof(T);
    with_terms(terms, components, [&]<VectorTerms known, int N>() {
        if (sites_of_thread(args.lattices.geometry.half, sizeof(T), W) == W)
            launch_sums<T, known, N, W>(args, units, sums, stream);
        else
            launch_sums<T, known, N, 1>(args, units, sums, stream);
    });
}

template void launch_vector_sums(const VectorSweepArgs<float>&, VectorTerms, int, const VectorUnits&,
                                 const SumsMemory&, cudaStream_t);
template void launch_vector_sums(const VectorSweepArgs<double>&, VectorTerms, int, const VectorUnits&,
                                 const SumsMemory&, cudaStream_t);

}  // namespace psflip
