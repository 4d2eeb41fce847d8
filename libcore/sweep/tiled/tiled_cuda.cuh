// Declares the tiled kernel. One launch sweeps both colours of whole lattices or slabs from one array in
// device memory into another. Blocks march along z with a ring of planes in shared memory.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "sweep/cuda/planned_kernel_cuda.cuh"
#include "sweep/kernel_request.hpp"
#include "sweep/tiled/tiled_cut.hpp"
#include "sweep/tiled/tiled_steps.hpp"

namespace psflip {

/// Says how the tiled kernel cuts a batch; plan_tiled makes it.
struct TiledPlan {
    int half = 0;                       ///< sites of one colour in a row of a tile along x; 0: no plan
    int rows = 0;                       ///< rows of a tile along y
    int chunks = 0;                     ///< pieces (chunks of planes) along z
    int groups = 0;                     ///< groups of up to four lattices, per column
    int blocks = 0;                     ///< blocks of a launch
    int threads = 0, shared_bytes = 0;  ///< of a block
    bool has_slot_quads = false;        ///< groups are slot quads, which share Philox calls
    double cost = 0;                    ///< microseconds of a sweep on one H200
};

/// Holds the further arguments of a launch for a slab. Chunks of a plan for slabs have at least two planes.
struct TiledSlab {
    OwnPlanes own;
    TiledCut cut;
    std::uint32_t first_block;
    bool by_peers;
    PeerLinks peers;
};
/// Launches blocks first_block, ..., first_block + blocks - 1 of a sweep of a slab.
void launch_tiled_slab(const Halo& halo, const SweepArgs& args, int share, const TiledPlan& plan,
                       const TiledSlab& slab, int blocks, std::int64_t sweep, uint4* swept_spins,
                       cudaStream_t stream);

/// Launches one sweep from args.spins into `swept_spins` (tiled_cuda.cu), and returns at once.
void launch_tiled(const SweepArgs& args, int share, const TiledPlan& plan, std::int64_t sweep,
                  uint4* swept_spins, cudaStream_t stream);

/// Returns the kernel with the best plan that the request allows, by a cost model. Returns null for share 1,
/// if memory does not suffice for a second array of spins, or if the request is for another kernel.
std::unique_ptr<SweepKernel> plan_tiled(const SweepArgs& args, const PlannedBatch& batch,
                                        const KernelRequest& request);

/// Number of lattices of a column that a block of the tiled kernel updates together.
inline constexpr std::uint32_t tiled_members = 4;

/// Maximum number of threads per block. It leaves 128 registers for each thread.
inline constexpr int tiled_threads = 512;

/// Returns the number of red sites that a tile updates in a plane: in its rows and in the rows above and
/// below, and one left or right of each row.
PSFLIP_HD int tiled_red(int half, int rows) {
    return rows * (half + 1) + 2 * half;
}

/// Return how many words of one colour and plane a block holds for a lattice. The first function counts the
/// tile with two more rows above and below. The second function counts the words on one side (left or right)
/// of these rows. Both numbers are rounded up to a multiple of 8.
PSFLIP_HD int tiled_rows_words(int half, int rows) {
    return ((rows + 4) * half + 7) / 8 * 8;
}
PSFLIP_HD int tiled_side_words(int rows) {
    return (rows + 4 + 7) / 8 * 8;
}

/// Returns the bytes of shared memory of a block: the rings, and 32 bytes per thread.
inline int tiled_shared(int half, int rows, int threads) {
    const int words = tiled_rows_words(half, rows) + 2 * tiled_side_words(rows);
    return 16 * 2 * tiled_ring * static_cast<int>(tiled_members) * words + 32 * threads;
}

/// Allows the kernel up to `bytes` of shared memory per block.
void allow_tiled_shared(int share, int bytes);

/// Returns the number of blocks of a plan that a multiprocessor holds. The kernel of slabs has more
/// registers.
int tiled_blocks(int share, const TiledPlan& plan, bool of_slab);

}  // namespace psflip
