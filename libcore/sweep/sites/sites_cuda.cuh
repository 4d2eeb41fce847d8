// Declares the GPU kernels of lattices whose subdomains are lanes. All pointers refer to device memory;
// launches queue their work into the given stream.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lattice/shape.hpp"
#include "sweep/cuda/class_args_cuda.cuh"
#include "sweep/demon_rule.hpp"
#include "sweep/sites/site_part_cuda.cuh"
#include "sweep/sites/sites_args_cuda.cuh"

namespace psflip {

/// Says what a thread works on: `words` of the four 32-lane words of a local index, in `rows` consecutive
/// rows. In the streaming kernel, a thread has 4 words or 1, and its number of rows divides ny. With demons,
/// it has 4 words or 1, and the rows of a chain. In the tiled kernel, it has 4, 2 or 1 words.
struct ThreadPlan {
    int words = 4;
    std::uint32_t rows = 1;
};
/// Returns the number of words of a colour in a plane across the last axis, a row in two dimensions.
inline std::uint32_t plane_words(const SitesShape& args, int dimension) {
    return args.row_words * (dimension == 3 ? args.ny : 1);
}

/// Returns the plan that was fastest on an H200 (docs/notes/sites.md). Streaming takes four words, but one
/// word in small lattices. It takes the largest number of rows, up to 16, that leaves 480 threads for a
/// multiprocessor. A multiprocessor holds about this number. Tiles take four words if that leaves 480
/// threads, two if it leaves 200, otherwise one.
ThreadPlan plan_sites_streaming(const SitesShape& args, int multiprocessors, std::uint32_t lattices = 1);
/// Returns the plan that was fastest on an H100 (docs/notes/sites.md). Threads have one word if the lattice
/// leaves few words for a multiprocessor, and more words in larger lattices and tiles.
ThreadPlan plan_sites_tiled(const SitesShape& args, int dimension, int tile, int multiprocessors,
                            std::uint32_t lattices = 1);
/// Returns the plan of the streaming kernel for a part of `planes` planes, whose threads have four words. In
/// two dimensions any number of rows will do.
ThreadPlan plan_sites_part(const SitesShape& args, int dimension, std::uint32_t planes, int multiprocessors);

/// Sweeps one colour by the plain rule, without tiles. If `of_graph` is not null, the kernel reads these
/// numbers instead of `sweep`. If `part` is not null, threads have four words.
void launch_sites_streaming(const SitesArgs& args, int degree, const ThreadPlan& plan, const SitesPart* part,
                            std::uint32_t colour, std::uint64_t sweep, cudaStream_t stream,
                            const StepNumbers* of_graph = nullptr);
/// Sweeps one colour of a part, with the rows of a plan.
void launch_streaming_part(const SitesArgs& args, int degree, const ThreadPlan& plan, const SitesPart& part,
                           std::uint32_t colour, const StepNumbers& numbers, cudaStream_t stream);

/// Returns whether tables of classes decide the flips of a rule.
inline bool has_classes(const SweepRule& rule) {
    return !rule.plain && !rule.has_demons() && !rule.has_clusters();
}

/// Returns the chains of each subdomain.
DemonChains site_chains(const SitesShape& args, const SweepRule& rule);
/// Returns the words of a thread, which has the rows of a chain: four words if that leaves 480 threads for a
/// multiprocessor, otherwise one.
ThreadPlan plan_sites_demons(const SitesShape& args, const SweepRule& rule, int multiprocessors,
                             std::uint32_t lattices = 1);
/// Sweeps one colour by demons. of_graph: as for launch_sites_streaming.
void launch_sites_demons(const SitesArgs& args, const SweepRule& rule, const ThreadPlan& plan,
                         std::uint32_t colour, std::uint64_t sweep, cudaStream_t stream,
                         const StepNumbers* of_graph = nullptr);

/// Sweeps one colour by the class rule without absent bonds. table: for one temperature.
void launch_sites_class(const SitesArgs& args, const ClassArgs& table, const SweepRule& rule,
                        const SitesPart* part, std::uint32_t colour, std::uint64_t sweep,
                        cudaStream_t stream);

/// Selects the colour of the tiles of a launch, and of the sites that each hit updates first.
struct TileColours {
    std::uint32_t tiles, first_sites;

    /// Returns the colours of the first launch of a step.
    static TileColours first(TileOrder order, std::int64_t step) {
        const FirstColours colours = first_colours(order, step);
        return {static_cast<std::uint32_t>(colours.tiles), static_cast<std::uint32_t>(colours.sites)};
    }
};
/// Sweeps all tiles of one colour `hits` times, from number `first_sweep` on, in one launch. odd:
/// SiteLanes::odd_lanes of the tile. words: number of 32-lane words of a thread, 4, 2 or 1. A part has whole
/// tiles, and its threads have four words.
void launch_sites_tiled(const SitesArgs& args, int dimension, int tile, int words, const LaneBits& odd,
                        const SitesPart* part, const TileColours& colours, std::uint64_t first_sweep,
                        int hits, cudaStream_t stream, const StepNumbers* of_graph = nullptr);

/// Adds the numbers of unsatisfied bonds and of spins +1 to sums[0] and sums[1]. A bond belongs to its red
/// site. With a part, only sites in its planes count.
void launch_sites_sums(const SitesArgs& args, int dimension, const SitesPart* part, unsigned long long* sums,
                       cudaStream_t stream);

/// Returns choose.operator()<Degree, Flag>().
template <class Choose>
auto with_degree(int degree, bool flag, const Choose& choose) {
    if (degree == 6)
        return flag ? choose.template operator()<6, true>() : choose.template operator()<6, false>();
    return flag ? choose.template operator()<4, true>() : choose.template operator()<4, false>();
}

/// Holds the parameters of a step of all lattices of a batch, within a graph.
struct BatchStep {
    std::uint32_t lattices;
    const StepNumbers* of_graph;  ///< in device memory; has the first sweep of the step
    TileColours first{};          ///< of the first launch
};

/// Sweeps both colours of all lattices of a batch by the plain rule.
void launch_batch_streaming(const BatchArgs& batch, int degree, const ThreadPlan& plan, const BatchStep& step,
                            cudaStream_t stream);
/// Sweeps both colours of all lattices by demons.
void launch_batch_demons(const BatchArgs& batch, const SweepRule& rule, const ThreadPlan& plan,
                         const BatchStep& step, cudaStream_t stream);
/// Sweeps both colours of all lattices by the class rule. table: for all slots.
void launch_batch_class(const BatchArgs& batch, const ClassArgs& table, const SweepRule& rule,
                        const BatchStep& step, cudaStream_t stream);
/// Sweeps the tiles of both colours of all lattices, each tile `hits` times.
void launch_batch_tiled(const BatchArgs& batch, int dimension, int tile, int words, const LaneBits& odd,
                        int hits, const BatchStep& step, cudaStream_t stream);
/// Says how the threads of a block share a lattice of a batch in shared memory.
struct LatticeBlock {
    std::uint32_t rows, threads;
    std::size_t shared_bytes;
};
/// Returns the plan of a block, with 0 threads if the lattice does not fit into shared memory.
LatticeBlock plan_lattice_block(const SitesShape& shape, int device);
/// Does steps of all lattices by the plain rule in one launch, from sweep number `sweep` on. Each lattice has
/// a block.
void launch_batch_resident(const BatchArgs& batch, int degree, const LatticeBlock& plan,
                           std::uint32_t lattices, std::uint64_t sweep, int steps, cudaStream_t stream);

/// Adds the unsatisfied bonds and spins +1 of lattice i to sums[2 i] and sums[2 i + 1].
void launch_batch_sums(const BatchArgs& batch, int dimension, std::uint32_t lattices,
                       unsigned long long* sums, cudaStream_t stream);

#ifdef __CUDACC__
/// Sets the numbers of a sweep in shared memory. All threads of a block must call it.
template <class Lattice>
__device__ __forceinline__ void set_numbers(const Lattice& a, std::uint64_t sweep, StepNumbers& numbers) {
    if (threadIdx.x < full_digits * lane_words)
        numbers.rounds[threadIdx.x / lane_words][threadIdx.x % lane_words] = WordRounds::of(
            a.seed, sweep, a.slot, a.replica, threadIdx.x / lane_words, threadIdx.x % lane_words);
    if (threadIdx.x == 0) numbers.sweep = sweep;
}
#endif

}  // namespace psflip
