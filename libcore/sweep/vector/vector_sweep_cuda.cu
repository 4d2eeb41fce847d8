#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {
namespace {

constexpr int sweep_threads = 256;
constexpr unsigned most_states = 65535;  // of a launch

template <class T, VectorTerms terms, int N, VectorUpdate update>
__global__ void __launch_bounds__(sweep_threads)
    vector_sweep_kernel(const __grid_constant__ VectorSweepArgs<T> args, unsigned first_state) {
    constexpr bool anisotropic =
        terms == VectorTerms::species && (update == VectorUpdate::metropolis || update == VectorUpdate::cone);
    using Field = LocalField<terms, T, N>;
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = first_state + blockIdx.y;
    bool renewed = false;
    if (i < args.lattices.geometry.colour_sites) {
        const VectorPlace<T, terms, N> place(args.lattices, state, args.colour, i);
        const bool species = place.species();
        VectorSite<T, N> site;
        site.spin = place.spin();
        site.field = place.field(args.constants, false).sum(args.constants, species);
        site.anisotropy = Field::anisotropy(args.constants, species);
        site.beta = place.beta();
        site.width = place.width();
        RandomBlock block{};
        if constexpr (update != VectorUpdate::over_relaxation) block = place.words(args.key, args.sweep);
        const VectorOutcome<T, N> outcome = updated<update, anisotropic>(site, block.word);
        if (outcome.renewed)
            for (int k = 0; k < N; ++k) *place.own(k) = outcome.spin.c[k];
        renewed = outcome.renewed;
    }
    const int count = __syncthreads_count(renewed);
    if (threadIdx.x == 0 && count > 0)
        atomicAdd(args.renewed + state, static_cast<unsigned long long>(count));
}

template <class T, VectorTerms terms, int N, VectorUpdate update>
void launch_sweep(const VectorSweepArgs<T>& args, cudaStream_t stream) {
    const unsigned blocks = blocks_for(args.lattices.geometry.colour_sites, sweep_threads);
    for (unsigned first = 0; first < args.states; first += most_states)
        launch(vector_sweep_kernel<T, terms, N, update>,
               dim3(blocks, std::min(most_states, args.states - first)), dim3(sweep_threads), 0, stream, args,
               first);
}

template <class T, VectorTerms terms>
void launch_directions(const VectorSweepArgs<T>& args, VectorUpdate update, cudaStream_t stream) {
    switch (update) {
        case VectorUpdate::metropolis:
            return launch_sweep<T, terms, 3, VectorUpdate::metropolis>(args, stream);
        case VectorUpdate::cone:
            return launch_sweep<T, terms, 3, VectorUpdate::cone>(args, stream);
        case VectorUpdate::heat_bath:
            return launch_sweep<T, terms, 3, VectorUpdate::heat_bath>(args, stream);
        case VectorUpdate::over_relaxation:
            return launch_sweep<T, terms, 3, VectorUpdate::over_relaxation>(args, stream);
    }
}

}  // namespace

template <class T>
void launch_vector_sweep(const VectorSweepArgs<T>& args, VectorTerms terms, int components,
                         VectorUpdate update, cudaStream_t stream) {
    if (components == 1 && update == VectorUpdate::heat_bath)
        return launch_sweep<T, VectorTerms::bonds, 1, VectorUpdate::heat_bath>(args, stream);
    if (components == 1)
        return launch_sweep<T, VectorTerms::bonds, 1, VectorUpdate::metropolis>(args, stream);
    switch (terms) {
        case VectorTerms::exchange:
            return launch_directions<T, VectorTerms::exchange>(args, update, stream);
        case VectorTerms::species:
            return launch_directions<T, VectorTerms::species>(args, update, stream);
        case VectorTerms::bonds:
            return launch_directions<T, VectorTerms::bonds>(args, update, stream);
    }
}

template void launch_vector_sweep(const VectorSweepArgs<float>&, VectorTerms, int, VectorUpdate,
                                  cudaStream_t);
template void launch_vector_sweep(const VectorSweepArgs<double>&, VectorTerms, int, VectorUpdate,
                                  cudaStream_t);

}  // namespace psflip
