#pragma once

#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {

inline constexpr int vector_sweep_threads = 256;
inline constexpr unsigned max_states_of_sweep = 65535;  // of a launch

/// Updates W consecutive sites of the colour, of which the first has number i. Returns the number of renewed
/// spins.
template <class T, VectorTerms terms, int N, VectorUpdate update, int W>
__device__ __forceinline__ unsigned update_sites(const VectorSweepArgs<T>& args, unsigned state, unsigned i) {
    constexpr bool anisotropic =
        terms == VectorTerms::species && (update == VectorUpdate::metropolis || update == VectorUpdate::cone);
    using Field = LocalField<terms, T, N>;
    const VectorPlace<T, terms, N, W> place(args.lattices, state, args.colour, i);
    Spin<T, N> spins[W];
    bool species[W];
    Field fields[W];
    place.read_spins(spins);
    place.read_species(species);
    for (int j = 0; j < W; ++j) fields[j] = Field(args.constants, species[j]);
    place.add_neighbours(args.constants, false, fields);
    unsigned renewed = 0;
    for (int j = 0; j < W; ++j) {
        const VectorSite<T, N> site{spins[j], fields[j].sum(args.constants, species[j]),
                                    Field::anisotropy(args.constants, species[j]), place.beta(),
                                    place.width()};
        RandomBlock block{};
        if constexpr (update != VectorUpdate::over_relaxation) block = place.words(args.key, args.sweep, j);
        const VectorOutcome<T, N> outcome = updated<update, anisotropic>(site, block.word);
        spins[j] = outcome.spin;
        renewed += outcome.renewed;
    }
    place.write_spins(spins);
    return renewed;
}

template <class T, VectorTerms terms, int N, VectorUpdate update, int W>
__global__ void __launch_bounds__(vector_sweep_threads)
    vector_sweep_kernel(const __grid_constant__ VectorSweepArgs<T> args, unsigned first_state) {
    __shared__ unsigned of_block;
    const unsigned i = args.first_site + (blockIdx.x * blockDim.x + threadIdx.x) * W,
                   state = first_state + blockIdx.y;
    const bool works = i < args.end_site;
    if constexpr (update == VectorUpdate::over_relaxation) {
        if (works) update_sites<T, terms, N, update, W>(args, state, i);
    } else {
        if (threadIdx.x == 0) of_block = 0;
        __syncthreads();
        unsigned renewed = works ? update_sites<T, terms, N, update, W>(args, state, i) : 0;
        for (int lanes = 16; lanes > 0; lanes /= 2) renewed += __shfl_down_sync(~0u, renewed, lanes);
        if (threadIdx.x % 32 == 0 && renewed > 0) atomicAdd(&of_block, renewed);
        __syncthreads();
        if (threadIdx.x == 0 && of_block > 0)
            atomicAdd(args.renewed + state, static_cast<unsigned long long>(of_block));
    }
}

template <class T, VectorTerms terms, int N, VectorUpdate update, int W>
void launch_width(const VectorSweepArgs<T>& args, cudaStream_t stream) {
    const unsigned blocks = blocks_for((args.end_site - args.first_site) / W, vector_sweep_threads);
    for (unsigned first = 0; first < args.states; first += max_states_of_sweep)
        launch(vector_sweep_kernel<T, terms, N, update, W>,
               dim3(blocks, std::min(max_states_of_sweep, args.states - first)), dim3(vector_sweep_threads),
               0, stream, args, first);
}

template <class T, VectorTerms terms, int N, VectorUpdate update>
void launch_sweep(const VectorSweepArgs<T>& args, cudaStream_t stream) {
    switch (sites_of_thread(args.lattices.geometry.half, sizeof(T), args.sites_of_thread)) {
        case 4:
            if constexpr (sizeof(T) == 4) return launch_width<T, terms, N, update, 4>(args, stream);
            [[fallthrough]];
        case 2:
            return launch_width<T, terms, N, update, 2>(args, stream);
        default:
            return launch_width<T, terms, N, update, 1>(args, stream);
    }
}

}  // namespace psflip
