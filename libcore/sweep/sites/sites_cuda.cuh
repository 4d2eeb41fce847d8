#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Work of a thread of the streaming kernel: 4, 2 or 1 words of a position, of some rows that divide ny.
struct StreamingPlan {
    int words = 4;
    std::uint32_t rows = 1;
};
/// Four words, but one in small lattices; then as many rows, up to 16, as leave 480 threads for a
/// multiprocessor, which are about all that it holds (docs/performance/sites_cuda.md).
StreamingPlan plan_sites_streaming(const SitesArgs& args, int multiprocessors);

/// A plain checkerboard sweep: one launch per colour.
void launch_sites_streaming(const SitesArgs& args, int degree, const StreamingPlan& plan, std::uint64_t sweep,
                            cudaStream_t stream);

/// The same by the class rule without absent bonds; table: of one temperature.
void launch_sites_class(const SitesArgs& args, const ClassArgs& table, const SweepRule& rule,
                        std::uint64_t sweep, cudaStream_t stream);

/// `hits` sweeps of all tiles of a colour of tiles, from number `first_sweep` on: one launch. odd:
/// SiteLanes::odd_lanes of the tile; words: 4, 2 or 1 of a position that a thread has.
void launch_sites_tiled(const SitesArgs& args, int dimension, int tile, int words, const LaneBits& odd,
                        std::uint32_t colour, std::uint64_t first_sweep, int hits, cudaStream_t stream);

/// Adds the numbers of unsatisfied bonds and of spins +1 to sums[0] and sums[1].
void launch_sites_sums(const SitesArgs& args, int dimension, unsigned long long* sums, cudaStream_t stream);

}  // namespace psflip
