#pragma once

#include "base/cuda_check.cuh"
#include "sweep/vector/vector_kernels_cuda.cuh"
#include "sweep/vector/vector_update_cuda.cuh"

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

/// Returns the sum over the threads of a warp.
__device__ __forceinline__ unsigned warp_sum(unsigned x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, x);
#else
    for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(~0u, x, lanes);
    return x;
#endif
}

/// Adds the renewed spins of all threads of a block to `of_state`. All threads of the block must call it,
/// once.
__device__ __forceinline__ void add_renewed(unsigned renewed, unsigned long long* of_state) {
    __shared__ unsigned of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    renewed = warp_sum(renewed);
    if (threadIdx.x % 32 == 0 && renewed > 0) atomicAdd(&of_block, renewed);
    __syncthreads();
    if (threadIdx.x == 0 && of_block > 0) atomicAdd(of_state, static_cast<unsigned long long>(of_block));
}

/// Updates the W sites of a place. If by_peers, a neighbour at `side` gets their spins. Returns the number of
/// renewed spins.
template <class T, VectorTerms terms, int N, VectorUpdate update, int W, bool by_peers>
__device__ __forceinline__ unsigned update_sites(const VectorSweepArgs<T>& args,
                                                 const VectorPlace<T, terms, N, W>& place, int side) {
    constexpr bool anisotropic =
        terms == VectorTerms::species && (update == VectorUpdate::metropolis || update == VectorUpdate::cone);
    using Field = LocalField<terms, T, N>;
    Spin<T, N> spins[W];
    bool species[W];
    Field fields[W];
    place.read_spins(spins);
    place.read_species(species);
    for (int j = 0; j < W; ++j) fields[j] = Field(args.constants, species[j]);
    place.add_neighbours(args.constants, false, fields);
    VectorSite<T, N> sites[W];
    for (int j = 0; j < W; ++j)
        sites[j] = {spins[j], fields[j].sum(args.constants, species[j]),
                    Field::anisotropy(args.constants, species[j]), place.beta(), place.width()};
    const auto words = [&](int j) {
        return update == VectorUpdate::over_relaxation ? RandomBlock{}
                                                       : place.words(args.rounds, args.sweep, j);
    };
    const unsigned renewed = update_spins<update, anisotropic>(sites, words, spins);
    place.write_spins(spins);
    if (by_peers && side != sides) {
        const PeerLinks::Neighbour& to = args.links.at[side];
        place.write_spins_to(reinterpret_cast<T*>(to.spins), to.colour_sites, to.shift, spins);
    }
    return renewed;
}

/// Says whether blocks of whole lattices march. The loop makes blocks that do not march slower by 3 to 9
/// percent. So it pays in float, where much work precedes the steps, and without couplings, which no two
/// steps share.
template <class T, VectorTerms terms>
inline constexpr bool can_march = sizeof(T) == 4 && terms != VectorTerms::bonds;

/// Returns the number of blocks that a multiprocessor must run at once. It limits the registers of a thread.
constexpr int min_blocks_at_once(VectorTerms terms, std::size_t bytes_of_number) {
    if (bytes_of_number > 4) return 1;
    return terms == VectorTerms::exchange ? 7 : (terms == VectorTerms::bonds ? 6 : 5);
}

template <class T, VectorTerms terms, int N, VectorUpdate update, int W, bool by_peers>
__global__ void __launch_bounds__(vector_sweep_threads, min_blocks_at_once(terms, sizeof(T)))
    vector_sweep_kernel(const __grid_constant__ VectorSweepArgs<T> args, unsigned first_state) {
    constexpr unsigned each = vector_sweep_threads * W;
    constexpr bool marches = can_march<T, terms> && !by_peers;
    // Colour 1 begins with the planes that colour 0 has left in the L2 cache.
    const bool backward = args.exceeds_cache && args.colour == 1;
    const unsigned block = backward ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    BlockSites of{first_state + blockIdx.y, args.first_site + block * each, args.end_site};
    unsigned steps = 1;
    if constexpr (by_peers) {
        of = sites_of_block(args, each);
    } else if (marches && args.march.steps > 1) {
        const VectorMarch& march = args.march;
        const unsigned sites = march.planes * args.lattices.geometry.plane, segment = march.blocks.of(block),
                       part = block - segment * march.blocks;
        const unsigned begin = args.first_site + segment * march.steps * sites;
        of.first = begin + part * each, of.end = min(begin + sites, args.end_site);
        steps = min(march.steps, (args.end_site - begin) / sites);
    }
    if constexpr (by_peers) {
        wait_for_launch_before();
        if (of.side != sides) args.links.await(of.side);
    }
    unsigned renewed = 0;
    const unsigned i = of.first + threadIdx.x * W;
    if (i < of.end) {
        VectorPlace<T, terms, N, W> place(args.lattices, of.state, args.colour, i);
        if constexpr (marches) {
#pragma unroll 1
            for (; steps > 0; --steps) {
                renewed += update_sites<T, terms, N, update, W, by_peers>(args, place, of.side);
                place.rise(args.march.planes);
            }
        } else {
            renewed = update_sites<T, terms, N, update, W, by_peers>(args, place, of.side);
        }
    }
    if constexpr (update != VectorUpdate::over_relaxation) add_renewed(renewed, args.renewed + of.state);
    if constexpr (by_peers)
        if (of.side != sides) args.links.publish(of.side, PeerBlocks(args, each).end_blocks * args.states);
}

/// Returns the number of blocks of a kernel that a multiprocessor runs at once.
template <class Kernel>
unsigned blocks_at_once(Kernel kernel) {
    int blocks = 0;
    PSFLIP_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, vector_sweep_threads, 0));
    return static_cast<unsigned>(std::max(1, blocks));
}

/// Returns how the blocks of a state march, for a device that runs `at_once` blocks at once. Few steps keep
/// all multiprocessors busy until the end. Many steps share the work before and after them, and find the
/// plane below in the L1 cache.
template <class T>
VectorMarch march_of(const VectorSweepArgs<T>& args, unsigned each, unsigned at_once) {
    const unsigned plane = args.lattices.geometry.plane, planes = (args.end_site - args.first_site) / plane;
    VectorMarch march;
    if (plane < each && each % plane != 0) return march;
    march.planes = plane < each ? each / plane : 1;
    march.blocks = blocks_for(march.planes * plane, static_cast<int>(each));
    const unsigned max_steps = args.exceeds_cache ? 2 : 4;
    // Times in units of a step. `around`: the work before and after the steps of a block. At the end of a
    // launch, multiprocessors idle for half of the last steps on average.
    constexpr double around = 0.5;
    const auto time_with = [&](unsigned steps) {
        const double blocks = 1.0 * march.blocks * (planes / march.planes / steps) * args.states;
        return std::max(1.0, blocks / at_once) * (steps + around) + 0.5 * steps;
    };
    for (unsigned steps = 2; steps <= max_steps && planes % (steps * march.planes) == 0; steps *= 2)
        if (time_with(steps) < time_with(march.steps)) march.steps = steps;
    return march;
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
    const auto kernel = vector_sweep_kernel<T, terms, N, update, W, false>;
    VectorSweepArgs<T> marching = args;
    if constexpr (can_march<T, terms>) {
        static const unsigned blocks_each = blocks_at_once(kernel);
        marching.march = march_of(args, vector_sweep_threads * W, blocks_each * args.multiprocessors);
    }
    const VectorMarch& march = marching.march;
    const unsigned blocks =
        march.steps == 1 ? blocks_for((args.end_site - args.first_site) / W, vector_sweep_threads)
                         : march.blocks * ((args.end_site - args.first_site) /
                                           (march.planes * march.steps * args.lattices.geometry.plane));
    for (unsigned first = 0; first < args.states; first += max_states_of_sweep) {
        const dim3 grid(blocks, std::min(max_states_of_sweep, args.states - first));
        launch(kernel, grid, threads, 0, stream, marching, args.first_state + first);
    }
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
