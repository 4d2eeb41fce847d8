#pragma once

// Updates tiles of vector spins in shared memory, several times in a launch (double checkerboard).
//
//   device memory --tiles, and the sites next to them--> shared memory
//   hits x (one colour of the sites, the other colour): shared memory --> shared memory
//   shared memory --spins of the tiles--> device memory
//
// The neighbours of a tile lie in tiles of the other colour, so no block changes them in this launch. The
// copy also has sites at the corners, which other blocks may change. No update reads them.

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "sweep/vector/vector_sweep_kernel_cuda.cuh"
#include "sweep/vector/vector_tile_cuda.cuh"

namespace psflip {

template <class T, VectorTerms terms, int N, VectorUpdate update>
__global__ void __launch_bounds__(max_tile_threads, terms == VectorTerms::exchange && sizeof(T) == 4 ? 3 : 1)
    vector_tile_kernel(const __grid_constant__ VectorSweepArgs<T> args,
                       const __grid_constant__ TileShape shape, unsigned first_state, unsigned hits,
                       unsigned first_colour) {
    extern __shared__ __align__(16) unsigned char tile_memory[];
    const unsigned state = first_state + blockIdx.y, place = threadIdx.x / shape.threads_of_tile,
                   thread = threadIdx.x % shape.threads_of_tile,
                   number = blockIdx.x * shape.tiles_of_block + place;
    const bool valid = place < shape.tiles_of_block && number < shape.of_lattice;
    const VectorTile<T, terms, N> tile(args.lattices, args.constants, shape, state, valid ? number : 0,
                                       tile_memory + (valid ? place : 0) * shape.tile_bytes);
    const bool by_warps = shape.threads_of_tile <= 32;  // no tile has threads of several warps
    const auto meet = [&] { by_warps ? __syncwarp() : __syncthreads(); };
    if (valid) tile.load(thread);
    all_copies_done();
    meet();
    unsigned renewed = 0;
#pragma unroll 1
    for (unsigned half = 0; half < 2 * hits; ++half) {
        if (valid)
            renewed += tile.template renew<update>(thread, (half & 1u) ^ first_colour, args.rounds,
                                                   args.sweep + half / 2);
        meet();
    }
    if (valid) tile.store(thread);
    if constexpr (update != VectorUpdate::over_relaxation) add_renewed(renewed, args.renewed + state);
}

template <class T, VectorTerms terms, int N, VectorUpdate update>
void launch_tiles_of(const VectorSweepArgs<T>& sweep, const VectorTiles& tiles, cudaStream_t stream) {
    const VectorLattices<T>& of = sweep.lattices;
    const TileShape shape(of.geometry, of.planar, tiles, VectorTile<T, terms, N>::numbers, sizeof(T));
    const auto kernel = vector_tile_kernel<T, terms, N, update>;
    const unsigned bytes = shape.tiles_of_block * shape.tile_bytes;
    int device = 0, most = 0;
    PSFLIP_CUDA(cudaGetDevice(&device));
    PSFLIP_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (bytes + 64 > static_cast<unsigned>(most))
        throw InputError(
            "dynamics.tile = " + std::to_string(tiles.edge) +
            " does not fit in the shared memory of this GPU; use smaller tiles, or 0 for the plain "
            "checkerboard");
    PSFLIP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    const unsigned threads = (shape.tiles_of_block * shape.threads_of_tile + 31) / 32 * 32;
    for (unsigned first = 0; first < sweep.states; first += max_states_of_sweep) {
        const dim3 grid(blocks_for(shape.of_lattice, static_cast<int>(shape.tiles_of_block)),
                        std::min(max_states_of_sweep, sweep.states - first));
        launch(kernel, grid, dim3(threads), bytes, stream, sweep, shape, sweep.first_state + first,
               tiles.hits, tiles.first_colour);
    }
}

}  // namespace psflip
