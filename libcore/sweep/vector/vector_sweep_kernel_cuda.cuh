#pragma once

#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"

namespace psflip {

inline constexpr unsigned max_states_of_sweep = 65535;  // of a launch

/// Divides the sites of a colour of a slab between blocks. The first blocks update the lowest and the highest
/// own plane of all states, because the neighbours wait for these planes. The next blocks update the planes
/// between these ends.
struct PeerBlocks {
    unsigned end_blocks, middle_blocks;  ///< blocks of an end, and between the ends, of a state

    /// each: maximum number of sites of a block.
    template <class T>
    PSFLIP_HD PeerBlocks(const VectorSweepArgs<T>& args, unsigned each)
        : end_blocks((args.lattices.geometry.plane + each - 1) / each),
          middle_blocks((args.end_site - args.first_site - sides * args.lattices.geometry.plane + each - 1) /
                        each) {}
    PSFLIP_HD unsigned of_states(unsigned states) const {
        return (sides * end_blocks + middle_blocks) * states;
    }
};

/// Names the sites first, ..., end - 1 of one state, of which a block updates the first ones, and the
/// neighbour that gets them. `sides` stands for no neighbour.
struct BlockSites {
    unsigned state, first, end;
    int side = sides;
};

/// each: maximum number of sites of a block.
template <class T>
__device__ __forceinline__ BlockSites sites_of_block(const VectorSweepArgs<T>& args, unsigned each) {
    const PeerBlocks blocks(args, each);
    const unsigned plane = args.lattices.geometry.plane, ends = sides * blocks.end_blocks * args.states;
    if (blockIdx.x < ends) {
        const unsigned end = blockIdx.x / blocks.end_blocks, block = blockIdx.x - end * blocks.end_blocks;
        const int side = static_cast<int>(end % sides);
        const unsigned first = side == below ? args.first_site : args.end_site - plane;
        return {end / sides, first + block * each, first + plane, side};
    }
    const unsigned number = blockIdx.x - ends, state = number / blocks.middle_blocks,
                   block = number - state * blocks.middle_blocks;
    return {state, args.first_site + plane + block * each, args.end_site - plane};
}

/// Updates W consecutive sites of the colour, of which the first has number i. If by_peers, a neighbour at
/// `side` gets their spins. Returns the number of renewed spins.
template <class T, VectorTerms terms, int N, VectorUpdate update, int W, bool by_peers>
__device__ __forceinline__ unsigned update_sites(const VectorSweepArgs<T>& args, unsigned state, unsigned i,
                                                 int side) {
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
    if (by_peers && side != sides) {
        const PeerLinks::Neighbour& to = args.links.at[side];
        place.write_spins_to(reinterpret_cast<T*>(to.spins), to.colour_sites, to.shift, spins);
    }
    return renewed;
}

template <class T, VectorTerms terms, int N, VectorUpdate update, int W, bool by_peers>
__global__ void __launch_bounds__(vector_sweep_threads)
    vector_sweep_kernel(const __grid_constant__ VectorSweepArgs<T> args, unsigned first_state) {
    __shared__ unsigned of_block;
    constexpr unsigned each = vector_sweep_threads * W;
    BlockSites of{first_state + blockIdx.y, args.first_site + blockIdx.x * each, args.end_site};
    if constexpr (by_peers) of = sites_of_block(args, each);
    const unsigned i = of.first + threadIdx.x * W, state = of.state;
    const bool works = i < of.end;
    if constexpr (by_peers) {
        wait_for_launch_before();
        if (of.side != sides) args.links.await(of.side);
    }
    if constexpr (update == VectorUpdate::over_relaxation) {
        if (works) update_sites<T, terms, N, update, W, by_peers>(args, state, i, of.side);
    } else {
        if (threadIdx.x == 0) of_block = 0;
        __syncthreads();
        unsigned renewed =
            works ? update_sites<T, terms, N, update, W, by_peers>(args, state, i, of.side) : 0;
        for (int lanes = 16; lanes > 0; lanes /= 2) renewed += __shfl_down_sync(~0u, renewed, lanes);
        if (threadIdx.x % 32 == 0 && renewed > 0) atomicAdd(&of_block, renewed);
        __syncthreads();
        if (threadIdx.x == 0 && of_block > 0)
            atomicAdd(args.renewed + state, static_cast<unsigned long long>(of_block));
    }
    if constexpr (by_peers)
        if (of.side != sides) args.links.publish(of.side, PeerBlocks(args, each).end_blocks * args.states);
}

template <class T, VectorTerms terms, int N, VectorUpdate update, int W>
void launch_width(const VectorSweepArgs<T>& args, cudaStream_t stream) {
    const dim3 threads(vector_sweep_threads);
    if (args.by_peers) {
        const auto kernel = vector_sweep_kernel<T, terms, N, update, W, true>;
        const dim3 blocks(PeerBlocks(args, vector_sweep_threads * W).of_states(args.states));
        return args.early ? launch_early(kernel, blocks, threads, 0, stream, args, 0u)
                          : launch(kernel, blocks, threads, 0, stream, args, 0u);
    }
    const unsigned blocks = blocks_for((args.end_site - args.first_site) / W, vector_sweep_threads);
    for (unsigned first = 0; first < args.states; first += max_states_of_sweep)
        launch(vector_sweep_kernel<T, terms, N, update, W, false>,
               dim3(blocks, std::min(max_states_of_sweep, args.states - first)), threads, 0, stream, args,
               first);
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
