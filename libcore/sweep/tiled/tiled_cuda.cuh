#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"

namespace psflip {

/// How the tiled kernel cuts a batch; made by plan_tiled.
struct TiledPlan {
    int half = 0;    ///< tile: sites of one colour along x; 0: no plan
    int rows = 0;    ///< tile: rows along y
    int chunks = 0;  ///< pieces along z
    int groups = 0;  ///< of up to four lattices, per column
    int blocks = 0, threads = 0, shared_bytes = 0;
    bool quads = false;  ///< groups are fours of neighbouring slots and share Philox calls
    double cost = 0;     ///< of a sweep: microseconds on one H200
};

/// What a launch for a slab needs beside; chunks of a plan for slabs have two planes at least.
struct TiledSlab {
    OwnPlanes own;
    std::uint32_t columns, first_block;  ///< blocks: first those of the chunks at the ends, see SlabChunks
    bool by_peers;
    PeerLinks peers;
};
/// Blocks first_block, ..., first_block + blocks - 1 of a sweep of a slab.
void launch_tiled_slab(const Halo& halo, const SweepArgs& args, int share, const TiledPlan& plan,
                       const TiledSlab& slab, int blocks, std::int64_t sweep, uint4* new_spins,
                       cudaStream_t stream);

/// One sweep from args.spins into `new_spins`; see tiled_cuda.cu.
void launch_tiled(const SweepArgs& args, int share, const TiledPlan& plan, std::int64_t sweep,
                  uint4* new_spins, cudaStream_t stream);

/// The kernel with its best plan that the request allows, by a small cost model; none for share 1, where
/// memory does not suffice for a second array of spins, or where the request is for another kernel.
std::unique_ptr<SweepKernel> plan_tiled(const SweepArgs& args, const PlannedBatch& batch,
                                        const KernelRequest& request);

/// Lattices of a column that a block of the tiled kernel updates together.
inline constexpr std::uint32_t tiled_members = 4;

/// Threads per block at most: leaves each 128 registers.
inline constexpr int tiled_threads = 512;

/// Planes of each colour in shared memory, and steps that a block needs beyond those of its planes.
inline constexpr int tiled_ring = 5, tiled_extra_steps = 3;

/// Red sites that a tile updates in a plane: its own, those above and below, and one left or right of each
/// row.
PSFLIP_HD int tiled_red(int half, int rows) {
    return rows * (half + 1) + 2 * half;
}

/// Words of a colour and plane that a block holds: its tile with two rows more above and below, then the
/// words left and right of every row; each of them rounded up to whole tiles of eight words.
PSFLIP_HD int tiled_rows_words(int half, int rows) {
    return ((rows + 4) * half + 7) / 8 * 8;
}
PSFLIP_HD int tiled_side_words(int rows) {
    return (rows + 4 + 7) / 8 * 8;
}

/// Shared memory of a block in bytes: the rings, and 32 bytes per thread.
inline int tiled_shared(int half, int rows, int threads) {
    const int words = tiled_rows_words(half, rows) + 2 * tiled_side_words(rows);
    return 16 * 2 * tiled_ring * static_cast<int>(tiled_members) * words + 32 * threads;
}

/// Lets the kernel use up to `bytes` of shared memory per block.
void allow_tiled_shared(int share, int bytes);

/// Blocks of a plan that a multiprocessor holds.
int tiled_blocks(int share, const TiledPlan& plan);

}  // namespace psflip
